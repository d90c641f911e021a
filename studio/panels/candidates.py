"""The chosen span and the candidates that could take its place."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QVBoxLayout,
)

from engine.request import Span
from studio import theme
from studio.controls import PADDING, ElidedLabel, IconButton, KeyButton, label

COUNTS = (1, 2, 3, 4, 6, 8, 12)
STEP_MS = 120
BADLY = 0.4  # a join below this is heard


class LengthMode(enum.Enum):
    """How long the new span may be, beside the old one; the value is what the screen says."""

    FREE = "Any length"
    EXACTLY = "Exactly as long"
    AT_MOST = "At most as long"


@dataclass(frozen=True)
class CandidateChip:
    """A candidate's letter and its score, 0 to 1; None while it is being made. The score is that of its join, or of
    how well it fits where nothing is `joined` after it. `facts` say what else is known of it."""

    label: str
    score: float | None = None
    facts: str = ""
    joined: bool = True


class CandidatesPanel(QFrame):
    """What is chosen on screen and its candidates; one filled button."""

    regenerate_wanted = Signal()
    joins_wanted = Signal()
    keep_wanted = Signal()
    candidate_chosen = Signal(int)
    candidate_auditioned = Signal(int)
    options_changed = Signal(int, object)
    widen_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self.setAccessibleName("Candidates")
        self.title = ElidedLabel(13, 600)
        self.facts = label("", 13, tone="muted")
        self.hint = label("", 12, tone="muted")
        self.hint.setWordWrap(True)
        self.options = IconButton("settings", "How many candidates, and how long", size=24)
        self.regenerate = KeyButton("Regenerate", "Alt+Enter", "Speak the span anew", kind="filled")
        self.joins = KeyButton("Joins", "C", "Hear both joins")
        self.keep = KeyButton("Keep", tip="Keep the chosen candidate as a new take")
        self.widen = KeyButton("Widen by a word", "Alt+W", "Take in the words beside it and speak all of it anew")
        self.widen.hide()
        self.chips: list[ScoreChip] = []
        self._group = QButtonGroup(self)
        self.shimmer = QTimer(self)
        self.shimmer.setInterval(STEP_MS)
        self._count, self._length = 6, LengthMode.FREE
        self._share: float | None = None
        self._step = 0
        self._lay()
        self._connect()
        self.show_nothing()
        self.show_joins(False)

    def _lay(self) -> None:
        self.regenerate.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._grid = QGridLayout()
        self._grid.setSpacing(6)
        head, verbs = QHBoxLayout(), QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self.title)
        head.addWidget(self.facts)
        head.addStretch(1)
        head.addWidget(self.options)
        verbs.setSpacing(6)
        for button in (self.regenerate, self.joins, self.keep):
            verbs.addWidget(button)
        stack = QVBoxLayout(self)
        head.setContentsMargins(0, 0, -4, 0)
        stack.setContentsMargins(PADDING, 8, PADDING, PADDING)
        stack.setSpacing(6)
        stack.addLayout(head)
        stack.addWidget(self.hint)
        stack.addLayout(self._grid)
        stack.addWidget(self.widen)
        stack.addSpacing(2)
        stack.addLayout(verbs)

    def _connect(self) -> None:
        self.regenerate.clicked.connect(self.regenerate_wanted)
        self.joins.clicked.connect(self.joins_wanted)
        self.keep.clicked.connect(self.keep_wanted)
        self.widen.clicked.connect(self.widen_wanted)
        self.options.clicked.connect(self.open_options)
        self._group.idClicked.connect(self.candidate_chosen)
        self.shimmer.timeout.connect(self._advance)

    def show_nothing(self) -> None:
        """Nothing is chosen."""
        self.title.show_text("No words chosen")
        self.facts.setText("")
        self._say("Choose words of a line that has a take, or change some, and speak only those anew.")
        self.regenerate.setEnabled(False)
        self.options.hide()
        self.show_candidates((), None)

    def show_span(self, title: str, span: Span, seconds: float, locked: bool = False) -> None:
        """What would be spoken anew: its words, its frames, its length; nothing is where the line is locked."""
        self.title.show_text(f"“{title}”" if title else "Span")
        self.facts.setText(f"frames {span[0]}–{span[1]} · {seconds:.2f} s")
        self._say("The line is locked. Unlock it to speak any of it anew." if locked else "")
        self.regenerate.setEnabled(not locked)
        self.options.show()

    def show_candidates(self, candidates: tuple[CandidateChip, ...], chosen: int | None) -> None:
        """The candidates, best first as given; `chosen` is the place of the one that is heard in the line."""
        while len(self.chips) > len(candidates):
            chip = self.chips.pop()
            self._group.removeButton(chip)
            self._grid.removeWidget(chip)
            chip.deleteLater()
        while len(self.chips) < len(candidates):
            self._add_chip()
        self._group.setExclusive(False)
        for place, (chip, candidate) in enumerate(zip(self.chips, candidates, strict=True)):
            chip.show_candidate(candidate)
            chip.setChecked(place == chosen)
        self._group.setExclusive(True)
        scores = [candidate.score for candidate in candidates if candidate.score is not None and candidate.joined]
        badly = bool(scores) and max(scores) < BADLY
        self.widen.setVisible(badly)
        if badly:
            self._say("None of these joins well here.")
        elif scores:
            self._say("")
        self.keep.setEnabled(chosen is not None)

    def show_joins(self, possible: bool) -> None:
        """Whether there are joins to be heard."""
        self.joins.setEnabled(possible)

    def show_busy(self, share: float | None) -> None:
        """How much of the candidates is made, 0 to 1; None when none is being made."""
        self._share = share
        for chip in self.chips:
            chip.show_busy(share, self._step)
        self._run_shimmer()

    def show_options(self, count: int, length_mode: LengthMode) -> None:
        """How many candidates, and how long they may be."""
        self._count, self._length = count, length_mode

    @Slot()
    def open_options(self) -> None:
        """Opens how many candidates a regenerate makes, and how long they may be."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for count in sorted({*COUNTS, self._count}):
            action = menu.addAction("1 candidate" if count == 1 else f"{count} candidates")
            action.setData((count, self._length))
            action.setCheckable(True)
            action.setChecked(count == self._count)
        menu.addSeparator()
        for mode in LengthMode:
            action = menu.addAction(mode.value)
            action.setData((self._count, mode))
            action.setCheckable(True)
            action.setChecked(mode is self._length)
        menu.triggered.connect(self._want_options)
        menu.popup(self.options.mapToGlobal(QPoint(0, self.options.height())))

    def show_keys(self, keys: Mapping[str, str]) -> None:
        """Shortcuts as the user has bound them, by verb."""
        for verb, button in (("regenerate", self.regenerate), ("joins", self.joins), ("keep", self.keep)):
            if verb in keys:
                button.show_key(keys[verb])

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self._run_shimmer()

    def hideEvent(self, event: object) -> None:
        super().hideEvent(event)  # type: ignore[arg-type]
        self.shimmer.stop()

    def _run_shimmer(self) -> None:
        if self._share is None or not self.isVisible() or theme.reduced_motion():
            self.shimmer.stop()
        elif not self.shimmer.isActive():
            self.shimmer.start()

    @Slot()
    def _advance(self) -> None:
        self._step += 1
        for chip in self.chips:
            chip.show_busy(self._share, self._step)

    def _add_chip(self) -> None:
        chip = ScoreChip()
        place = len(self.chips)
        chip.auditioned.connect(self._audition)
        self.chips.append(chip)
        self._group.addButton(chip, place)
        self._grid.addWidget(chip, place // 3, place % 3)

    def _say(self, hint: str) -> None:
        self.hint.setText(hint)
        self.hint.setVisible(bool(hint))

    @Slot()
    def _audition(self) -> None:
        self.candidate_auditioned.emit(self.chips.index(self.sender()))  # type: ignore[arg-type]

    @Slot(QAction)
    def _want_options(self, action: QAction) -> None:
        self._count, self._length = action.data()
        self.options_changed.emit(self._count, self._length)


class ScoreChip(QAbstractButton):
    """A candidate: letter, score, and the score as a bar. A click chooses it; a double click or Space plays it."""

    auditioned = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._candidate = CandidateChip("")
        self._share: float | None = None
        self._step = 0
        self.setCheckable(True)
        self.setFixedHeight(44)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def show_candidate(self, candidate: CandidateChip) -> None:
        if candidate == self._candidate:
            return
        self._candidate = candidate
        name = "join" if candidate.joined else "fit"
        score = "not ready" if candidate.score is None else f"{name} {candidate.score:.2f}"
        score = ", ".join(each for each in (score, candidate.facts) if each)
        self.setAccessibleName(f"Candidate {candidate.label}, {score}")
        self.setToolTip(f"Candidate {candidate.label}, {score}: a click chooses it, a double click plays it (Space)")
        self.setEnabled(candidate.score is not None)
        self.update()

    def show_busy(self, share: float | None, step: int) -> None:
        self._share, self._step = share, step
        if self._candidate.score is None:
            self.update(self._bar().toAlignedRect())

    def _bar(self) -> QRectF:
        return QRectF(9, 29, self.width() - 18, 3)

    def sizeHint(self) -> QSize:
        return QSize(80, 44)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            self.click()
            self.auditioned.emit()
            return
        super().keyPressEvent(event)

    def event(self, event: object) -> bool:
        if event.type() == event.Type.ShortcutOverride and event.key() == Qt.Key.Key_Space:  # type: ignore[attr-defined]
            event.accept()  # type: ignore[attr-defined]
            return True
        return super().event(event)  # type: ignore[arg-type]

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.auditioned.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QColor(palette.raised) if self.underMouse() and self.isEnabled() else QColor(palette.surface)
        painter.setBrush(theme.chosen_ground() if self.isChecked() else ground)
        painter.setPen(QPen(QColor(palette.accent if self.isChecked() or self.hasFocus() else palette.line), 1))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        if self.hasFocus():  # the chosen one is framed already
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(2.5, 2.5, -2.5, -2.5), 4, 4)
        self._paint_bar(painter, self._bar())
        if event.rect().top() >= self._bar().top():  # only how far it is has changed
            return
        inside = QRectF(9, 6, self.width() - 18, 18)
        score = self._candidate.score
        painter.setFont(theme.font(12, 600))
        painter.setPen(QColor(palette.text if score is not None else palette.muted))
        painter.drawText(inside, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self._candidate.label)
        painter.setFont(theme.font(11.5, tabular=True))
        painter.setPen(QColor(palette.muted))
        words = "" if score is None else f"{score:.2f}"
        painter.drawText(inside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_bar(self, painter: QPainter, bar: QRectF) -> None:
        palette = theme.current()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.line))
        painter.drawRoundedRect(bar, 1.5, 1.5)
        score = self._candidate.score
        if score is not None:
            painter.setBrush(score_colour(score))
            painter.drawRoundedRect(QRectF(bar.x(), bar.y(), bar.width() * min(score, 1), 3), 1.5, 1.5)
        elif self._share is not None:
            painter.setBrush(theme.mix(palette.line, palette.accent, 1.0 if self._step % 4 == 0 else 0.7))
            painter.drawRoundedRect(QRectF(bar.x(), bar.y(), bar.width() * min(self._share, 1), 3), 1.5, 1.5)


def score_colour(score: float) -> QColor:
    """A join above 0.85 is good, above 0.65 wants an ear, below is heard."""
    palette = theme.current()
    return QColor(palette.good if score > 0.85 else palette.warning if score > 0.65 else palette.danger)
