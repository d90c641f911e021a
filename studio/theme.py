"""How Retake looks: three palettes, Inter, the icons, and what the system asks for. The one place that knows a colour.

`apply` changes all at once. Qt then sends every widget a PaletteChange and a StyleChange and paints it anew, so widgets
that paint themselves ask `current()` while painting and keep no colour.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from engine import assets
from studio.theme_style import sheet


@dataclass(frozen=True)
class Palette:
    """Colours as "#RRGGBB". `characters` are eight that none of the others resembles, by `Character.colour`.

    `chosen`, `held` and `chip` are shares: of accent in the ground of what is chosen (a row, a line), of accent in the
    ground of chosen words and frames, of tag in the ground of a tag. `least` is the least contrast of dimmed text.
    """

    name: str
    dark: bool
    ground: str
    surface: str
    raised: str
    line: str
    text: str
    muted: str
    faint: str
    accent: str
    on_accent: str
    good: str
    warning: str
    danger: str
    tag: str
    playhead: str
    characters: tuple[str, ...]
    chosen: float
    held: float
    chip: float
    least: float = 4.6


DARK = Palette(
    name="dark",
    dark=True,
    ground="#15171C",
    surface="#1B1E25",
    raised="#242832",
    line="#2C313C",
    text="#E7EAF1",
    muted="#98A1B3",
    faint="#8590A3",
    accent="#7AA7FF",
    on_accent="#0E1420",
    good="#57CFA0",
    warning="#F5B94A",
    danger="#FF6F6F",
    tag="#B49CFF",
    playhead="#FFFFFF",
    characters=("#56C7C9", "#F2A154", "#F58FB5", "#B9D15E", "#CDA67E", "#8FC7F0", "#D9866F", "#A9B4C9"),
    chosen=0.14,
    held=0.26,
    chip=0.14,
)

LIGHT = Palette(
    name="light",
    dark=False,
    ground="#F4F5F8",
    surface="#FFFFFF",
    raised="#F1F3F7",
    line="#E1E5EC",
    text="#1A1D24",
    muted="#5A6475",
    faint="#626C7E",
    accent="#285FD6",
    on_accent="#FFFFFF",
    good="#0F7650",
    warning="#8F5F00",
    danger="#C62F3B",
    tag="#6445C0",
    playhead="#000000",
    characters=("#0B7477", "#A0500A", "#B02A63", "#56700A", "#7D5A2E", "#1F6FA8", "#A4432B", "#55617A"),
    chosen=0.06,
    held=0.16,
    chip=0.10,
)

HIGH_CONTRAST = Palette(
    name="high contrast",
    dark=True,
    ground="#000000",
    surface="#000000",
    raised="#161616",
    line="#8C8C8C",
    text="#FFFFFF",
    muted="#E2E2E2",
    faint="#D0D0D0",
    accent="#8CB8FF",
    on_accent="#000000",
    good="#6BF0B6",
    warning="#FFD166",
    danger="#FF9B9B",
    tag="#D3C4FF",
    playhead="#FFFFFF",
    characters=("#6FE3E5", "#FFB870", "#FFADCB", "#D3EC75", "#E6C39C", "#A9DAFF", "#FFA78F", "#C9D3E6"),
    chosen=0.20,
    held=0.34,
    chip=0.18,
    least=7.0,
)

PALETTES = (DARK, LIGHT, HIGH_CONTRAST)

# What the eight are called, in the order of `Palette.characters`.
CHARACTER_COLOURS = ("Teal", "Orange", "Pink", "Lime", "Sand", "Sky", "Brick", "Slate")

_current = DARK


def current() -> Palette:
    """The palette that is shown now."""
    return _current


def apply(app: QApplication, palette: Palette) -> None:
    """Shows the whole program in `palette`."""
    global _current
    _current = palette
    _load_fonts()
    if app.style().name() != "fusion":
        app.setStyle("Fusion")
    app.setPalette(_qt_palette(palette))
    app.setFont(font(13))
    app.setStyleSheet(sheet(_sheet_colours(palette)))


def system_palette(app: QApplication) -> Palette:
    """What the system prefers: more contrast goes before light or dark, dark where it does not say."""
    hints = app.styleHints()
    if hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast:
        return HIGH_CONTRAST
    return LIGHT if hints.colorScheme() == Qt.ColorScheme.Light else DARK


def reduced_motion() -> bool:
    """Whether the system asks for less motion. Qt tells from 6.12 on; before that it is not known to."""
    hints = QGuiApplication.styleHints()
    preference = getattr(hints.accessibility(), "motionPreference", None)
    return preference is not None and preference().name == "ReducedMotion"


# Colours


def colour(value: str, alpha: float = 1.0) -> QColor:
    """`value` ("#RRGGBB") with an opacity from 0 to 1."""
    made = QColor(value)
    made.setAlphaF(alpha)
    return made


def mix(first: str | QColor, second: str | QColor, share: float) -> QColor:
    """Opaque: `second` laid over `first` with the opacity `share`."""
    below, above = QColor(first), QColor(second)
    return QColor(
        round(below.red() + (above.red() - below.red()) * share),
        round(below.green() + (above.green() - below.green()) * share),
        round(below.blue() + (above.blue() - below.blue()) * share),
    )


def contrast(text: str | QColor, ground: str | QColor) -> float:
    """The contrast of two opaque colours as WCAG 2 counts it, 1 to 21."""
    low, high = sorted((_luminance(QColor(text)), _luminance(QColor(ground))))
    return (high + 0.05) / (low + 0.05)


def dimmed(text: str | QColor, ground: str | QColor) -> QColor:
    """`text` drawn back toward `ground` as far as the palette's least contrast lets it, at most to 70 %."""
    for percent in range(70, 100, 2):
        weaker = mix(ground, text, percent / 100)
        if contrast(weaker, ground) >= current().least:
            return weaker
    return QColor(text)


def character_colour(index: int) -> QColor:
    """The colour of a character on screen; numbers past the eighth start over."""
    characters = current().characters
    return QColor(characters[index % len(characters)])


def chosen_ground(ground: str | QColor | None = None) -> QColor:
    """The ground of what is chosen, on `ground` (the surface where not given)."""
    return mix(ground or current().surface, current().accent, current().chosen)


def held_ground(ground: str | QColor | None = None) -> QColor:
    """The ground of chosen words, on `ground` (the script's where not given)."""
    return mix(ground or current().ground, current().accent, current().held)


def match_ground() -> QColor:
    """The ground of words that are found in the script."""
    return mix(current().ground, current().muted, 0.14)


def tag_ground() -> QColor:
    """The chip under a tag: opaque, so that its text is as readable on a chosen line as elsewhere."""
    return mix(current().ground, current().tag, current().chip)


def tag_bracket() -> QColor:
    """A tag's brackets on its chip."""
    return QColor(_tag_bracket(current()))


@lru_cache(maxsize=8)
def _tag_bracket(palette: Palette) -> QColor:
    return dimmed(palette.tag, tag_ground())


def _luminance(value: QColor) -> float:
    red, green, blue = (_linear(channel) for channel in (value.redF(), value.greenF(), value.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.03928 else ((channel + 0.055) / 1.055) ** 2.4


# Type


def font(size: float = 13, weight: int = 400, tabular: bool = False) -> QFont:
    """Inter of `size` device-independent pixels; `tabular` gives all figures one width."""
    screen = QGuiApplication.primaryScreen()
    return QFont(_font(size, weight, tabular, screen.logicalDotsPerInch() if screen else 96.0))


@lru_cache(maxsize=64)  # every paint asks for some
def _font(size: float, weight: int, tabular: bool, dots_per_inch: float) -> QFont:
    made = QFont(QGuiApplication.font())
    made.setFamilies(["Inter", *_system_families()])
    made.setPointSizeF(size * 72 / dots_per_inch)
    made.setWeight(QFont.Weight(weight))
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    made.setFeature(QFont.Tag("cv05"), 1)
    made.setFeature(QFont.Tag("tnum"), int(tabular))
    return made


@lru_cache(maxsize=1)
def _system_families() -> tuple[str, ...]:
    return tuple(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).families())


@lru_cache(maxsize=1)
def _load_fonts() -> None:
    for path in sorted((assets.folder() / "fonts").glob("*.ttf")):
        QFontDatabase.addApplicationFont(os.fspath(path))


# Icons


def icon(name: str, colour: str | QColor | None = None, size: int = 16) -> QIcon:
    """assets/icons/NAME.svg in `colour` (muted where not given), dimmed where disabled.

    It keeps that colour: a widget that outlives a change of palette paints `pixmap`, or asks again at StyleChange.
    """
    made = QIcon()
    for ratio in (1.0, 2.0):
        made.addPixmap(pixmap(name, colour or current().muted, size, ratio))
        disabled = mix(current().surface, colour or current().muted, 0.4)
        made.addPixmap(pixmap(name, disabled, size, ratio), QIcon.Mode.Disabled)
    return made


def pixmap(name: str, colour: str | QColor, size: int = 16, ratio: float = 1.0) -> QPixmap:
    """assets/icons/NAME.svg in `colour`, `size` device-independent pixels square, for a screen of that pixel ratio."""
    return _pixmap(name, QColor(colour).name(QColor.NameFormat.HexArgb), size, ratio)


@lru_cache(maxsize=256)
def _pixmap(name: str, colour: str, size: int, ratio: float) -> QPixmap:
    drawing = (assets.folder() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    made = QPixmap(round(size * ratio), round(size * ratio))
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    painter.setOpacity(QColor(colour).alphaF())
    solid = QColor(colour).name(QColor.NameFormat.HexRgb)
    renderer = QSvgRenderer(QByteArray(drawing.replace("currentColor", solid).encode()))
    renderer.render(painter, QRectF(0, 0, made.width(), made.height()))
    painter.end()
    made.setDevicePixelRatio(ratio)
    return made


def dot(colour: QColor) -> QIcon:
    """A disc for a menu."""
    picture = QPixmap(24, 24)
    picture.setDevicePixelRatio(2)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawEllipse(1, 1, 10, 10)
    painter.end()
    return QIcon(picture)


# What Qt draws by itself


def _qt_palette(palette: Palette) -> QPalette:
    roles = QPalette.ColorRole
    made = QPalette(QColor(palette.raised), QColor(palette.surface))
    for role, value in {
        roles.Window: palette.surface,
        roles.WindowText: palette.text,
        roles.Base: palette.ground,
        roles.AlternateBase: palette.surface,
        roles.Text: palette.text,
        roles.PlaceholderText: palette.faint,
        roles.Button: palette.raised,
        roles.ButtonText: palette.text,
        roles.BrightText: palette.danger,
        roles.ToolTipBase: palette.raised,
        roles.ToolTipText: palette.text,
        roles.Link: palette.accent,
        roles.LinkVisited: palette.accent,
        roles.Mid: palette.line,
        roles.Midlight: palette.line,
        roles.Dark: palette.line,
        roles.Accent: palette.accent,
    }.items():
        made.setColor(role, QColor(value))
    made.setColor(roles.Highlight, mix(palette.ground, palette.accent, palette.held))
    made.setColor(roles.HighlightedText, QColor(palette.text))
    weak = mix(palette.surface, palette.muted, 0.55)
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, role, weak)
    return made


def _sheet_colours(palette: Palette) -> dict[str, str]:
    mixed = {
        "lifted": mix(palette.raised, palette.text, 0.06),
        "chosen": mix(palette.surface, palette.accent, palette.chosen),
        "held": mix(palette.surface, palette.accent, palette.held),
        "accent_lifted": mix(palette.accent, palette.on_accent, 0.10),
        "accent_line": mix(palette.surface, palette.accent, 0.45),
        "weak": mix(palette.surface, palette.muted, 0.55),
        "handle": mix(palette.surface, palette.muted, 0.35),
    }
    plain = {name: value for name, value in vars(palette).items() if isinstance(value, str)}
    return plain | {name: value.name() for name, value in mixed.items()}
