"""Text in whatever encoding it is in."""

from __future__ import annotations

import pytest

from studio.document.importers_encoding import decoded
from studio.document.importers_limits import ImportFailedError

WRITTEN = {
    "cp1252": (
        "ADA: Schön.",
        "ADA: Öffne die Tür, schön. Ein Café!",
        "MIRA: Ça va déjà très bien, Björn, à l’été.",
        "ADA: It’s “fine”.",
        "JOSÉ: ¿Qué pasó, niño?",
        "Não é possível, irmão. Ações!",
        "È già lì, perché no? Più.",
        "Hvad laver du på øen?",
        "Gå till sjön, älskling. Åh!",
    ),
    "cp1250": (
        "Zażółć gęślą jaźń, proszę.",
        "Příliš žluťoučký kůň.",
        "Jó napot! Őszintén, hűvös idő van.",
        "Što je to? Đak čeka još.",
    ),
    "cp1254": ("İyi günler, çocuğum. Şimdi gidiyoruz.",),
    "cp1251": ("MIRA: Привет.\n\nTOBI: Что это было? Ничего страшного.",),
    "utf-16-le": ("ADA: Schön, wir gehen.\n", "A"),
    "utf-16-be": ("ADA: Schön, wir gehen.\n",),
    "cp932": ("MIRA: 今日は。\nTOM: はい、そうです。行きましょう。",),
    "big5": ("今天天氣很好，我們去散步吧。你覺得怎麼樣？",),
}


@pytest.mark.parametrize(("encoding", "text"), [(each, text) for each, texts in WRITTEN.items() for text in texts])
def test_it_is_guessed_by_what_languages_write(encoding: str, text: str) -> None:
    assert decoded(text.encode(encoding)) == (text, f"Read as {encoding}, which was guessed.")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_what_is_told_is_no_guess(encoding: str) -> None:
    assert decoded("ADA: Schön, 今日は.".encode(encoding)) == ("ADA: Schön, 今日は.", "")


def test_bytes_that_no_text_has_are_refused() -> None:
    with pytest.raises(ImportFailedError):
        decoded(b"MZ\0\0")
