"""Every text stands out from its ground in every palette; fonts and icons are there; a change reaches all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QColor, QFontInfo
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from engine import assets
from studio import theme
from studio.theme import PALETTES, Palette

READABLE = 4.5


@pytest.fixture(params=PALETTES, ids=[palette.name for palette in PALETTES])
def palette(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[Palette]:
    theme.apply(qapp, request.param)
    yield request.param
    theme.apply(qapp, theme.DARK)


def pairs(palette: Palette) -> dict[str, tuple[str | QColor, str | QColor]]:
    """What is written on what, by words that name the place."""
    grounds = {"ground": palette.ground, "surface": palette.surface, "raised": palette.raised}
    chosen = {
        "a chosen row": theme.chosen_ground(palette.surface),
        "a chosen line": theme.chosen_ground(palette.ground),
    }
    used: dict[str, tuple[str | QColor, str | QColor]] = {}
    for place, ground in (grounds | chosen).items():
        for tone in ("text", "muted", "accent", "good", "warning", "danger"):
            if (place, tone) != ("raised", "danger"):
                used[f"{tone} on {place}"] = getattr(palette, tone), ground
    for place, ground in grounds.items():
        used[f"faint on {place}"] = palette.faint, ground
    for number, colour in enumerate(palette.characters):
        for place, ground in {"ground": palette.ground, "surface": palette.surface, **chosen}.items():
            used[f"character {number} on {place}"] = colour, ground
    tag_on_surface = theme.mix(palette.surface, palette.tag, palette.chip)
    hovered = theme.mix(palette.raised, palette.text, 0.06)
    return used | {
        "tag on its chip": (palette.tag, theme.tag_ground()),
        "tag on a chip of the panel": (palette.tag, tag_on_surface),
        "a tag's brackets": (theme.tag_bracket(), theme.tag_ground()),
        "chosen words": (palette.text, theme.held_ground()),
        "words that are found": (palette.text, theme.match_ground()),
        "found words of a line without a voice": (palette.muted, theme.match_ground()),
        "words on accent": (palette.on_accent, palette.accent),
        "the key on accent": (theme.dimmed(palette.on_accent, palette.accent), palette.accent),
        "words on a hovered button": (palette.text, hovered),
        "words on what is selected in a field": (palette.text, theme.held_ground(palette.raised)),
    }


def test_text_stands_out(palette: Palette) -> None:
    contrasts = {name: round(theme.contrast(text, ground), 2) for name, (text, ground) in pairs(palette).items()}
    assert not {name: value for name, value in contrasts.items() if value < READABLE}


def test_high_contrast_earns_its_name(qapp: QApplication) -> None:
    theme.apply(qapp, theme.HIGH_CONTRAST)
    contrasts = {name: theme.contrast(*pair) for name, pair in pairs(theme.HIGH_CONTRAST).items()}
    theme.apply(qapp, theme.DARK)
    assert min(contrasts.values()) >= 7, min(contrasts, key=lambda name: contrasts[name])


def test_contrast_is_that_of_the_guideline() -> None:
    assert theme.contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert theme.contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)
    assert theme.contrast("#123456", "#123456") == 1


def test_characters_have_their_own_colours(palette: Palette) -> None:
    others = {palette.accent, palette.good, palette.warning, palette.danger, palette.tag, palette.text}
    assert len(set(palette.characters)) == len(palette.characters) == len(theme.CHARACTER_COLOURS) == 8
    assert not others & set(palette.characters)
    assert theme.character_colour(9) == theme.character_colour(1)


def test_a_change_of_palette_reaches_widgets(qtbot: QtBot, qapp: QApplication) -> None:
    theme.apply(qapp, theme.DARK)
    label = QLabel("words")
    qtbot.addWidget(label)
    theme.apply(qapp, theme.LIGHT)
    assert theme.current() is theme.LIGHT
    assert label.palette().windowText().color() == QColor(theme.LIGHT.text)
    theme.apply(qapp, theme.DARK)
    assert label.palette().windowText().color() == QColor(theme.DARK.text)


def test_type_is_inter(palette: Palette) -> None:
    for weight in (400, 500, 600):
        made = theme.font(11.5, weight, tabular=True)
        assert QFontInfo(made).family() == "Inter"
        assert made.weight() == weight


def test_size_is_in_pixels(qapp: QApplication) -> None:
    dots = qapp.primaryScreen().logicalDotsPerInch()
    assert theme.font(20).pointSizeF() * dots / 72 == pytest.approx(20)


@pytest.mark.parametrize("path", sorted((assets.folder() / "icons").glob("*.svg")), ids=lambda path: path.stem)
def test_icons_take_a_colour(qapp: QApplication, path: object) -> None:
    name = path.stem  # type: ignore[attr-defined]
    picture = theme.pixmap(name, "#FF0000", 16, 2.0)
    assert picture.width() == 32
    assert picture.devicePixelRatio() == 2
    image = picture.toImage()
    drawn = [image.pixelColor(x, y) for x in range(32) for y in range(32) if image.pixelColor(x, y).alpha() > 200]
    assert drawn
    assert not theme.icon(name).isNull()


def test_mixing() -> None:
    assert theme.mix("#000000", "#FFFFFF", 0.5).name() == "#808080"
    assert theme.mix("#102030", "#FFFFFF", 0).name() == "#102030"
    assert theme.colour("#102030", 0.5).alpha() == 128


def test_the_system_is_asked(qapp: QApplication) -> None:
    assert theme.system_palette(qapp) in PALETTES
    assert theme.reduced_motion() in (True, False)
