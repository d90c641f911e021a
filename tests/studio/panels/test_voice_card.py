from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot

from engine.request import frozen
from studio.controls import label
from studio.library.recordings import Recording
from studio.library.share import SharedVoice
from studio.library.voices import Clip, Consent, LibraryVoice, Permission
from studio.panels.voice_card import VoiceCard

CLIP = Clip("a" * 32, "a.flac", 8_000, 1, 8_000, "FLAC", (2_000, 6_000), "Good evening.", thumbnail=(5, 100, 20))


def card(qtbot: QtBot, permission: Permission, consent: Clip | None = None) -> VoiceCard:
    voice = LibraryVoice("1", "Ada", (CLIP,), "English", permission=permission, spoken_consent=consent)
    recording = Recording(frozen(np.full(8_000, 0.1, np.float32)), 8_000, 1, "FLAC")
    made = VoiceCard(SharedVoice(voice, {}, recording, {}, "", recording if consent else None), None)
    qtbot.addWidget(made)
    made.show()
    return made


def words(shown: VoiceCard) -> list[str]:
    return [each.text() for each in shown.findChildren(type(label()))]


def test_what_is_in_the_file_is_shown(qtbot: QtBot) -> None:
    shown = card(qtbot, Permission(Consent.LICENCE, "Ada L.", until="2020-01-01", licence="CC0"))
    shown.grab()
    for told in ("Ada", "1, 0.5 s in all", "English", "By licence, until 2020-01-01, which has ended", "CC0",
                 "“Good evening.”"):  # fmt: skip
        assert told in words(shown)


def test_the_spoken_consent_is_heard(qtbot: QtBot) -> None:
    shown = card(qtbot, Permission(Consent.SPOKEN), CLIP)
    assert "0.5 s" in words(shown)
    with qtbot.waitSignal(shown.play_wanted) as wish:
        shown.consent.click()
    assert (len(wish.args[0]), wish.args[1]) == (8_000, 8_000)
    assert not card(qtbot, Permission()).consent.isVisibleTo(shown)


def test_it_is_heard_and_taken_in(qtbot: QtBot) -> None:
    shown = card(qtbot, Permission())
    with qtbot.waitSignal(shown.play_wanted) as wish:
        shown.play.click()
    assert (len(wish.args[0]), wish.args[1]) == (4_000, 8_000)
    with qtbot.waitSignal(shown.take_in_wanted) as wish:
        shown.take_in.click()
    assert wish.args[0].voice.name == "Ada"
    assert not shown.isVisible()
