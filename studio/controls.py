"""Small painted things that panels share: buttons that show their key, captions, chips, columns.

All read `theme.current()` while they paint, so a change of palette needs nothing of them.
"""

from __future__ import annotations

import sys

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QDropEvent,
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from studio import theme

PADDING = 12
CONTROL = 28
RADIUS = 6.0


# Keys


def key_text(keys: str) -> str:
    """A shortcut as a button shows it: "Ctrl+Shift+Enter" becomes "Ctrl ⇧ ⏎"."""
    signs = {"Shift": "⇧", "Enter": "⏎", "Return": "⏎"}
    if sys.platform == "darwin":
        signs |= {"Ctrl": "⌘", "Alt": "⌥"}
    return " ".join(signs.get(key, key) for key in keys.split("+")) if keys != "+" else keys


def tip_text(tip: str, keys: str) -> str:
    """A tooltip that ends in its key."""
    return f"{tip} ({keys})" if keys else tip


# Text


def percent(share: float) -> str:
    """`48 %`."""
    return f"{100 * share:.0f} %"


def local_files(event: QDropEvent) -> list[str]:
    """The files of this machine that are dragged or dropped."""
    return [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]


def label(text: str = "", size: float = 13, weight: int = 400, tone: str = "") -> QLabel:
    """A label in the theme's type; `tone` is one of those in theme_style."""
    made = QLabel(text)
    made.setFont(theme.font(size, weight, tabular=True))
    made.setTextFormat(Qt.TextFormat.PlainText)
    if tone:
        set_tone(made, tone)
    return made


def set_tone(widget: QWidget, tone: str) -> None:
    """Gives a label another tone and shows it."""
    if widget.property("tone") != tone:
        widget.setProperty("tone", tone)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


class ElidedLabel(QLabel):
    """A label that gives way: what does not fit ends in an ellipsis, and the tooltip says it whole."""

    def __init__(self, size: float = 13, weight: int = 400, tone: str = "") -> None:
        super().__init__()
        self._whole = ""
        self.setFont(theme.font(size, weight, tabular=True))
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        if tone:
            set_tone(self, tone)

    def show_text(self, text: str) -> None:
        self._whole = text
        self.setAccessibleName(text)
        self.updateGeometry()
        self._elide()

    def sizeHint(self) -> QSize:
        width = QFontMetricsF(self.font()).horizontalAdvance(self._whole)
        return QSize(int(width) + 2, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(24, self.sizeHint().width()), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        shown = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, self.width())
        self.setText(shown)
        self.setToolTip(self._whole if shown != self._whole else "")


class SectionHeader(QWidget):
    """A caption of 24 px, a faint hint or a widget at its right edge."""

    def __init__(self, title: str, hint: str = "") -> None:
        super().__init__()
        self.setFixedHeight(24)
        self._title = ElidedLabel(11.5, 500, "faint")
        self._title.show_text(title)
        self._hint = label(hint, 11.5, 500, "faint")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(PADDING, 0, PADDING, 0)
        self._row.setSpacing(8)
        self._row.addWidget(self._title, 1)
        self._row.addWidget(self._hint)

    def show_title(self, title: str) -> None:
        self._title.show_text(title)

    def show_hint(self, hint: str) -> None:
        self._hint.setText(hint)

    def add(self, widget: QWidget) -> None:
        """Sets `widget` at the right edge, its picture in line with the padding."""
        self._row.setContentsMargins(PADDING, 0, PADDING - 6, 0)
        self._row.addWidget(widget)


# Buttons


class KeyButton(QPushButton):
    """A push button of 28 px with its key in faint beside its words. `kind` is "", filled, outline, plain or value."""

    def __init__(self, text: str, keys: str = "", tip: str = "", kind: str = "", icon: str = "") -> None:
        super().__init__(text)
        self._keys, self._tip, self._icon = keys, tip or text, icon
        self.setFont(theme.font(13, 600 if kind == "filled" else 500, tabular=True))
        self.setProperty("kind", kind)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.show_key(keys)

    def show_key(self, keys: str) -> None:
        """Shows another shortcut; "" shows none."""
        self._keys = keys
        self.setToolTip(tip_text(self._tip, keys))
        self.updateGeometry()
        self.update()

    def show_text(self, text: str, meaning: str = "") -> None:
        """Other words; `meaning` says more of them, as a tip and to those who hear the screen."""
        self.setText(text)
        self.setAccessibleName(meaning or text)
        self._tip = meaning or self._tip
        self.show_key(self._keys)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:  # the key is shown only while the button can be pressed
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        if self.property("kind") == "value":
            return QSize(round(self._content_width()) + 1, 16)
        return QSize(round(self._content_width()) + 22, CONTROL)

    def minimumSizeHint(self) -> QSize:
        return QSize(min(round(self._content_width()) + 10, self.sizeHint().width()), self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = ""
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        words, key = self._colours()
        with_key = self._shows_key() and self._content_width() <= self.width() - 4  # words go before their key
        left = max(0.0 if self.property("kind") == "value" else 2.0, (self.width() - self._content_width(with_key)) / 2)
        height = float(self.height())
        if self._icon:
            shown = theme.pixmap(self._icon, words, 14, self.devicePixelRatioF())
            painter.drawPixmap(QPointF(left, (height - 14) / 2), shown)
            left += 20
        painter.setFont(self.font())
        painter.setPen(words)
        width = QFontMetricsF(self.font()).horizontalAdvance(self.text())
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRectF(left, 0, width + 4, height), middle, self.text())
        if with_key:
            painter.setFont(theme.font(11))
            painter.setPen(key)
            painter.drawText(QRectF(left + width + 10, 0, self.width(), height), middle, key_text(self._keys))

    def _shows_key(self) -> bool:
        return bool(self._keys) and self.isEnabled()

    def _content_width(self, with_key: bool = True) -> float:
        width = QFontMetricsF(self.font()).horizontalAdvance(self.text())
        if with_key and self._shows_key():
            width += 10 + QFontMetricsF(theme.font(11)).horizontalAdvance(key_text(self._keys))
        return width + (20 if self._icon else 0)

    def _colours(self) -> tuple[QColor, QColor]:
        """Of the words and of the key."""
        palette, kind = theme.current(), self.property("kind")
        if not self.isEnabled():
            weak = QColor(palette.muted) if kind == "outline" else theme.mix(palette.surface, palette.muted, 0.55)
            return weak, weak
        if kind == "filled" or self.isDefault():
            return QColor(palette.on_accent), theme.dimmed(palette.on_accent, palette.accent)
        if kind == "outline":
            return QColor(palette.accent), QColor(palette.muted)
        return QColor(palette.text), QColor(palette.faint)


class IconButton(QAbstractButton):
    """A picture of 16 px on 28 px; round ones stand on a raised disc. Checked ones show in accent."""

    def __init__(self, icon: str, tip: str, keys: str = "", size: int = CONTROL, round: bool = False) -> None:
        super().__init__()
        self._icon, self._tip, self._round = icon, tip, round
        self._picture = 14 if size < 24 else 16
        self.setFixedSize(size, size)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self._keys = keys
        self._describe()

    def show_icon(self, icon: str, tip: str) -> None:
        self._icon, self._tip = icon, tip
        self._describe()
        self.update()

    def show_key(self, keys: str) -> None:
        self._keys = keys
        self._describe()

    def sizeHint(self) -> QSize:
        return self.size()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        hovered = self.isEnabled() and self.underMouse()
        lifted = theme.mix(palette.raised, palette.text, 0.06 if self._round else 0)
        ground = lifted if hovered or self.isDown() else QColor(palette.raised)
        border = palette.accent if self.hasFocus() else palette.line
        if self._round or hovered or self.isDown() or self.hasFocus():
            painter.setBrush(ground)
            painter.setPen(QPen(QColor(border), 1) if self._round or self.hasFocus() else Qt.PenStyle.NoPen)
            radius = self.width() / 2 if self._round else RADIUS
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        shown = theme.pixmap(self._icon, self._colour(), self._picture, self.devicePixelRatioF())
        corner = (self.width() - self._picture) / 2
        painter.drawPixmap(QPointF(corner, corner), shown)

    def _colour(self) -> QColor:
        palette = theme.current()
        if not self.isEnabled():
            return theme.mix(palette.surface, palette.muted, 0.4)
        if self.isChecked():
            return QColor(palette.accent)
        return QColor(palette.text if self._round or self.underMouse() else palette.muted)

    def _describe(self) -> None:
        self.setToolTip(tip_text(self._tip, self._keys))
        self.setAccessibleName(self._tip)


class Chip(QAbstractButton):
    """A tag's phrase on violet, 20 px high."""

    def __init__(self, text: str, tip: str) -> None:
        super().__init__()
        self.setText(text)
        self.setToolTip(tip)
        self.setAccessibleName(text)
        self.setFont(theme.font(12))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(round(QFontMetricsF(self.font()).horizontalAdvance(self.text())) + 15, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        share = palette.chip + (0.06 if self.underMouse() else 0)
        painter.setBrush(theme.mix(palette.surface, palette.tag, share))
        painter.setPen(QPen(QColor(palette.tag), 1) if self.hasFocus() else Qt.PenStyle.NoPen)
        inset = 0.5 if self.hasFocus() else 0
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), 4, 4)
        painter.setPen(QColor(palette.tag))
        painter.setFont(self.font())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())


# Fields


class SearchField(QLineEdit):
    """A line to search in, with a glass; Esc empties it."""

    def __init__(self, placeholder: str) -> None:
        super().__init__()
        self.setFont(theme.font(13))
        self.setTextMargins(20, 0, 0, 0)
        self.show_placeholder(placeholder)

    def show_placeholder(self, text: str) -> None:
        self.setPlaceholderText(text)
        self.setAccessibleName(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        glass = theme.pixmap("search", theme.current().faint, 16, self.devicePixelRatioF())
        QPainter(self).drawPixmap(QPointF(9, (self.height() - 16) / 2), glass)


class NameField(QLineEdit):
    """A name being written in place: Enter gives it, Esc or a click elsewhere drops it."""

    given = Signal(str)
    dropped = Signal()

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFont(theme.font(13, 600))
        self.setPlaceholderText("Name")
        self.setAccessibleName(name)

    def write(self, text: str) -> None:
        """Opens with `text`, all of it chosen."""
        self.setText(text)
        self.selectAll()
        self.show()
        self.setFocus()

    def refuse(self, why: str) -> None:
        """Stays open and says why."""
        self.selectAll()
        QToolTip.showText(self.mapToGlobal(QPoint(0, self.height())), why, self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dropped.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.given.emit(self.text().strip())
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if not self.isHidden():
            self.dropped.emit()


class Choice(QComboBox):
    """A combo box with the theme's chevron."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setFont(theme.font(13))
        self.setAccessibleName(name)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        palette = theme.current()
        colour = palette.text if self.isEnabled() else palette.line
        chevron = theme.pixmap("chevron-down", colour, 14, self.devicePixelRatioF())
        QPainter(self).drawPixmap(QPointF(self.width() - 23, (self.height() - 14) / 2), chevron)


# What moves, what sounds, what is missing


class ProgressLine(QWidget):
    """Two pixels that fill; `None` is unknown and shows a quarter."""

    def __init__(self, width: int = 120) -> None:
        super().__init__()
        self.setFixedSize(width, 2)
        self.share: float | None = None

    def show_share(self, share: float | None) -> None:
        self.share = share
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.current().line))
        share = 0.25 if self.share is None else min(max(self.share, 0), 1)
        painter.fillRect(QRectF(0, 0, self.width() * share, self.height()), QColor(theme.current().accent))


class EmptyState(QWidget):
    """One sentence that says what to do, and one button that does it (none where there is nothing to press)."""

    acted = Signal()

    def __init__(self, sentence: str, button: str = "", keys: str = "") -> None:
        super().__init__()
        self.sentence = label(sentence, 12, tone="muted")
        self.sentence.setWordWrap(True)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(PADDING, 4, PADDING, 4)
        stack.setSpacing(8)
        stack.addWidget(self.sentence)
        if button:
            self.button = KeyButton(button, keys)
            self.button.clicked.connect(self.acted)
            stack.addWidget(self.button)
