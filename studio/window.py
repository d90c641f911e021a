"""The window: where the panels lie, and the one page of connections between what they wish and what happens."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QByteArray, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import QInputDialog, QMainWindow, QMenu, QSplitter, QVBoxLayout, QWidget

from engine.request import AtMost, Exactly, Free
from studio import showing
from studio.actions import VERBS, Actions
from studio.arranging import Arranging
from studio.casting import Casting
from studio.comparing import Comparing
from studio.directing import Directing
from studio.display import Display
from studio.document.compare import with_takes_of
from studio.document.edits import RenameScene, ReplaceLines
from studio.document.project import Line, Project
from studio.document.timing import total_seconds
from studio.engine_thread import EngineThread, Opened
from studio.exchanging import Exchanging
from studio.file_thread import FileThread
from studio.hearing import Hearing
from studio.importing import Importing
from studio.layouts import Column
from studio.panels.candidates import LengthMode
from studio.panels.palette_dialog import PaletteDialog, VerbRow
from studio.panels.problem_bar import ProblemBar
from studio.paperwork import Paperwork
from studio.player import Player
from studio.possible import Possible
from studio.preferring import Preferring
from studio.problems import Problem, explain
from studio.queueing import Queueing
from studio.reading import ReadingPages
from studio.recalling import Recalling
from studio.recogniser_thread import RecogniserThread
from studio.retaking import Retaking
from studio.searching import Searching
from studio.session import Performing, Playback, Session
from studio.session.jobs import Options
from studio.settings import Preferences
from studio.voice_desk import VoiceDesk
from studio.writing import Writing

LEFT, RIGHT, TOP, BOTTOM, JOBS = 232, 296, 48, 276, 26
LENGTHS = {LengthMode.FREE: Free, LengthMode.EXACTLY: Exactly, LengthMode.AT_MOST: AtMost}
MOST_TAKES = 16


class Window(QMainWindow):
    """Everything on screen. It turns wishes into calls on the session; `display` shows what came of them."""

    preferences_wanted = Signal(object)
    left = Signal()  # the user closes it, and what is not saved may go

    def __init__(
        self,
        session: Session,
        performing: Performing,
        playback: Playback,
        player: Player,
        engine: EngineThread,
        files: FileThread,
        preferences: Preferences,
    ) -> None:
        super().__init__()
        self.session, self.performing, self.playback = session, performing, playback
        self._player, self._preferences = player, preferences
        self.preferring = Preferring(self, player)
        self.casting = Casting(session)
        self.display = Display(session, performing, playback)
        self.display.setParent(self)  # it goes when its panels go
        self.writing = Writing(session, self.casting, self.display, files)
        self.searching = Searching(session, self.display)
        self.queueing = Queueing(session, performing)
        self.recalling = Recalling(session)
        self.reading = ReadingPages(self, session, performing, engine)
        self.comparing = Comparing(self, session, performing, engine)
        self.directing = Directing(self, session, self.display)
        self.arranging = Arranging(self, session, playback, self.display, files)
        self.retaking = Retaking(self, session, performing, playback, engine, self.display)
        self.recogniser = RecogniserThread(self)
        self.hearing = Hearing(session, performing, self.display, self.recogniser)
        self.paperwork = Paperwork(self, session, files)
        session.may_leave = self._may_leave
        self.exchanging = Exchanging(self, session, self.paperwork)
        self.voices = VoiceDesk(self, session, self.casting, performing, playback, files, engine, self.recogniser)
        self.paperwork.credits = self.voices.credits
        self.importing = Importing(self, session, self.casting, files, self.paperwork)
        self.actions_ = Actions(self, preferences.keys)
        Possible(session, self.display, self.writing, self.actions_)
        self._lay()
        self.problems = ProblemBar(self)
        self._connect()
        self._options(preferences.candidates, LengthMode.FREE)
        self.show_preferences(preferences)
        self._restore(preferences)
        self.display.script.setFocus()

    def _lay(self) -> None:
        shown = self.display
        self.columns, self.rows = QSplitter(Qt.Orientation.Horizontal), QSplitter(Qt.Orientation.Vertical)
        self.columns.addWidget(Column((shown.cast, self.voices.panel, self.queueing.panel, self.recalling.panel)))
        self.columns.addWidget(self.searching.column)
        inspector = (shown.takes, shown.candidates, shown.details, self.directing.line, self.writing.lint, shown.tags)
        column = Column(inspector)
        column.grew.connect(shown.takes.give_room)
        self.columns.addWidget(column)
        self.rows.addWidget(self.columns)
        self.rows.addWidget(shown.timeline)
        for splitter in (self.columns, self.rows):
            splitter.setHandleWidth(1)
            splitter.setChildrenCollapsible(False)
        self.columns.setStretchFactor(1, 1)
        self.rows.setStretchFactor(0, 1)
        self.columns.setSizes([LEFT, 1440 - LEFT - RIGHT, RIGHT])
        inside = QWidget()
        stack = QVBoxLayout(inside)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(0)
        stack.addWidget(shown.top)
        stack.addWidget(self.rows, 1)
        stack.addWidget(shown.jobs)
        self.setCentralWidget(inside)
        self.setMinimumSize(880, 560)
        self.resize(1440, 900)

    def _connect(self) -> None:
        """Who wishes what, and who does it."""
        session, performing, playback, shown = self.session, self.performing, self.playback, self.display
        performing.problem.connect(self.tell)
        performing.said.connect(shown.jobs.show_message)
        self.reading.problem.connect(self.tell)
        self.importing.problem.connect(self.tell)
        self.comparing.problem.connect(self.tell)
        self.paperwork.problem.connect(self.tell)
        self.retaking.problem.connect(self.tell)
        self.hearing.listening.problem.connect(self.tell)
        self.paperwork.said.connect(shown.jobs.show_message)
        self.exchanging.problem.connect(self.tell)
        self.exchanging.said.connect(shown.jobs.show_message)
        session.saved.connect(self._saved)
        session.project_changed.connect(self._show_lasting)
        session.opened.connect(self._file_opened)
        self._player.failed.connect(self._tell_player)
        self.preferring.preferences_wanted.connect(self.preferences_wanted)
        self._player.level.connect(shown.top.show_level)
        self.problems.action_wanted.connect(self._act_on_problem)

        self.actions_.wanted.connect(self.do)
        for signal, verb in (
            (shown.top.play_wanted, "play"), (shown.top.to_start_wanted, "to_start"),
            (shown.top.to_end_wanted, "to_end"), (shown.top.generate_stale_wanted, "generate_stale"),
            (shown.top.export_wanted, "export"), (shown.top.settings_wanted, "settings"),
            (shown.candidates.regenerate_wanted, "regenerate"), (shown.candidates.joins_wanted, "joins"),
            (shown.candidates.keep_wanted, "keep"), (shown.candidates.widen_wanted, "widen"),
            (shown.takes.generate_wanted, "generate"), (shown.jobs.cancel_wanted, "cancel"),
        ):  # fmt: skip
            signal.connect(self.actions_[verb].trigger)
        shown.top.menu_wanted.connect(self._open_menu)
        shown.top.loop_wanted.connect(playback.set_looping)
        shown.top.scene_chosen.connect(self._choose_scene)

        shown.script.lines_replaced.connect(self._replace_lines)
        shown.script.scene_title_changed.connect(self._rename_scene)
        shown.script.line_chosen.connect(session.choose_line)
        shown.script.text_selected.connect(session.choose_text)
        shown.script.character_wanted.connect(self._cast_typed)
        self.writing.preferred.connect(self._prefer)
        self.writing.said.connect(shown.jobs.show_message)
        self.arranging.preferred.connect(self._prefer)

        shown.cast.character_added.connect(self.casting.add)
        shown.cast.character_renamed.connect(self.casting.rename)
        shown.cast.character_removed.connect(self.casting.remove)
        shown.cast.colour_wanted.connect(self.casting.recolour)
        shown.cast.voice_wanted.connect(self.casting.give_voice)
        self.voices.problem.connect(self.tell)
        self.voices.said.connect(shown.jobs.show_message)
        self.voices.voicing.changed.connect(shown.show_voices)

        shown.candidates.candidate_chosen.connect(performing.candidates.choose)
        shown.candidates.candidate_auditioned.connect(performing.candidates.hear)
        shown.candidates.options_changed.connect(self._options)

        shown.timeline.seek_wanted.connect(playback.seek)
        shown.timeline.play_from_wanted.connect(playback.play)
        shown.timeline.loop_wanted.connect(self._loop)
        shown.timeline.loop_cleared.connect(self._unloop)
        shown.timeline.line_chosen.connect(session.choose_line)
        shown.timeline.span_selected.connect(self._choose_span)
        shown.timeline.span_cleared.connect(self._clear_span)

    # Verbs

    @Slot(str)
    def do(self, verb: str) -> None:
        """Do what a key, a button, the menu or the palette asked for, with what is being typed."""
        self._flush()
        {
            "new": self.paperwork.new, "open": self.paperwork.open,
            "open_backup": self.paperwork.open_backup, "merge": self.exchanging.merge,
            "import_takes": self.exchanging.import_takes, "collect": self.exchanging.collect,
            "open_folder": self.exchanging.open_folder, "save": self.paperwork.save,
            "save_as": self.paperwork.save_as, "export": lambda: self.paperwork.export(self.display.scene),
            "keep_sound": self.paperwork.toggle_sound,
            "settings": self.preferring.open, "quit": self.close, "undo": self.session.undo, "redo": self.session.redo,
            "history": self.recalling.toggle,
            "palette": self._palette, "keys": self._palette, "generate": self._generate,
            "generate_stale": self._generate_stale, "regenerate": self.performing.regenerate,
            "next_take": lambda: self.performing.step(1), "previous_take": lambda: self.performing.step(-1),
            "joins": self._joins, "keep": self.performing.candidates.drop, "cancel": self._cancel,
            "play": self.playback.toggle, "play_line": self._play_line,
            "to_start": lambda: self.playback.seek(0.0), "to_end": lambda: self.playback.seek(self._total()),
            "loop": lambda: self.playback.set_looping(not self.playback.looping),
            "loop_selection": self._loop_selection,
            "back": lambda: self._seek_by(-1), "forward": lambda: self._seek_by(1),
            "back_far": lambda: self._seek_by(-5), "forward_far": lambda: self._seek_by(5),
            "zoom_in": lambda: self.display.timeline.zoom(1.5), "zoom_out": lambda: self.display.timeline.zoom(1 / 1.5),
            "fit": self.display.timeline.fit, "zoom_selection": self.display.timeline.zoom_to_selection,
            "other_side": self._other_side,
            "next_finding": lambda: self.writing.next_finding(1),
            "previous_finding": lambda: self.writing.next_finding(-1),
            "fixes": self.display.script.open_fixes, "generate_takes": self._generate_takes,
            "cancel_all": self.performing.cancel_all, "lock": self.directing.toggle_lock,
            "direction": self.directing.write_direction, "add_voice": self.voices.add,
            "record_voice": self.voices.record, "voice_of_take": self.voices.bring_in_take, "prompt": self.reading.open,
            "who": self.display.script.open_cast, "import": self.importing.choose, "compare_tags": self._compare_tags,
            "find": self.searching.open, "replace": lambda: self.searching.open(True),
            "join": self.writing.join_lines, "part": self.writing.part_line,
            **self.retaking.verbs, **self.arranging.verbs, **self.hearing.verbs,
        }[verb]()  # fmt: skip

    def _generate(self) -> None:
        """The line with the cursor, or all lines that the selection touches."""
        selected = self.display.script.lines_selected()
        chosen = selected if len(selected) > 1 else (self.session.chosen,) if self.session.chosen is not None else ()
        self.performing.generate(chosen, audible=True)

    def _compare_tags(self) -> None:
        """What tags do to the chosen line, at the cursor."""
        place = self.display.script.line_selected()
        self.comparing.open(place[1] if place else 0, self._preferences.recent_tags)

    def _generate_takes(self) -> None:
        """Several takes of each line that is chosen."""
        count, told = QInputDialog.getInt(self, "Generate takes", "How many takes of each line:", 3, 1, MOST_TAKES)
        selected = self.display.script.lines_selected() or (self.session.chosen or "",)
        if told:
            self.performing.generate(selected, takes=count)

    def _generate_stale(self) -> None:
        self.performing.generate(self.performing.wanting())

    def _cancel(self) -> None:
        """Esc: the running job; where nothing runs, what is told; else the selection."""
        if self.performing.job is not None:
            self.performing.cancel()
        elif self.problems.problem is not None:
            self.problems.close_problem()
        elif self.session.chosen is not None:
            self.session.choose_span(self.session.chosen, None)

    def _joins(self) -> None:
        """Both joins of the selected span, or of the kept take's newest span."""
        line, selection = self.session.line, self.session.selection
        take = self.session.kept(line) if line else None
        span = selection.span if selection and selection.span else take.origin.span if take else None
        if line is not None and span is not None:
            self.playback.play_around(line.id, span)

    def _play_line(self) -> None:
        if self.session.chosen is not None:
            self.playback.play_line(self.session.chosen)

    def _seek_by(self, seconds: float) -> None:
        self.playback.seek(min(self._total(), self.playback.seconds + seconds))

    def _total(self) -> float:
        return total_seconds(self.session.placed())

    def _other_side(self) -> None:
        shown = self.display
        (shown.timeline if shown.script.hasFocus() else shown.script).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _loop_selection(self) -> None:
        selection = self.session.selection
        clip = next((each for each in self.display.clips if selection and each.line_id == selection.line_id), None)
        if clip is not None and selection is not None and selection.span is not None:
            self.playback.set_loop((clip.moment(selection.span[0]), clip.moment(selection.span[1])))

    # Wishes of the panels

    @Slot(int, int, int, object)
    def _replace_lines(self, scene: int, start: int, stop: int, lines: tuple[Line, ...]) -> None:
        session, old = self.session, self.session.project.scenes[scene].lines
        # What is pasted may have been cut from another project, or before its takes were deleted.
        lines = tuple(each if session.find(each.id) else with_takes_of(session.store, each) for each in lines)
        # Where there was no line, the row that stood there to type in becomes one.
        same_line = len(lines) == 1 and (not old or [line.id for line in old[start:stop]] == [lines[0].id])
        script = self.display.script
        gesture = ("typing", lines[0].id) if same_line else ("together", script.turn) if script.together else None
        session.do(ReplaceLines(scene, start, stop, lines), gesture=gesture)

    @Slot(int, str)
    def _rename_scene(self, scene: int, title: str) -> None:
        self.session.do(RenameScene(scene, title), gesture=("scene", scene))

    @Slot(str, str)
    def _cast_typed(self, _: str, name: str) -> None:
        if said := self.writing.name_typed(name):
            self.display.jobs.show_message(said)

    @Slot(int)
    def _choose_scene(self, scene: int) -> None:
        lines = self.session.project.scenes[scene].lines
        if lines:
            self.session.choose_line(lines[0].id)
        else:
            self.display.script.choose_scene(scene)

    @Slot(str, int, int)
    def _choose_span(self, line_id: str, start: int, stop: int) -> None:
        self.session.choose_span(line_id, (start, stop))

    @Slot()
    def _clear_span(self) -> None:
        if self.session.chosen is not None:
            self.session.choose_span(self.session.chosen, None)

    @Slot(float, float)
    def _loop(self, start: float, stop: float) -> None:
        self.playback.set_loop((start, stop))

    @Slot()
    def _unloop(self) -> None:
        self.playback.set_loop(None)

    @Slot(int, object)
    def _options(self, count: int, length: LengthMode) -> None:
        self.performing.options = Options(count, LENGTHS[length])
        self.display.candidates.show_options(count, length)

    @Slot(object)
    def _prefer(self, changes: dict[str, Any]) -> None:
        self.preferences_wanted.emit(replace(self._preferences, **changes))

    # What is told

    @Slot(object, str)
    def tell(self, error: BaseException, doing: str) -> None:
        """Tell of an error: the one way by which any becomes a problem on screen."""
        self.problems.show_problem(explain(error, doing))

    @Slot(object)
    def _tell_player(self, error: Exception) -> None:
        self.tell(error, "play")

    @Slot(object)
    def _act_on_problem(self, problem: object) -> None:
        """What a problem's button says."""
        assert isinstance(problem, Problem)
        match problem.button:
            case "Choose checkpoint" | "Settings":
                self.do("settings")
            case "Save a copy":
                self.do("save_as")
            case "Copy report":
                QGuiApplication.clipboard().setText(problem.details)
            case "Split line":
                self.display.script.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(object)
    def _saved(self, path: Path) -> None:
        self.paperwork.tell_saved(path)
        self._remember_file(path)

    @Slot(object)
    def _file_opened(self, path: Path) -> None:
        self._remember_file(path)

    @Slot()
    def _show_lasting(self) -> None:
        self.actions_.tick("keep_sound", self.session.project.keeps_sound)

    def show_engine(self, opened: Opened | None, words: str = "") -> None:
        """What the engine runs on, or why it does not."""
        loading = opened is None and bool(words)
        self.display.show_engine(words or showing.engine_words(opened), loading)
        self.voices.panel.show_loading(loading)
        self.display.show_project()
        self.display.show_jobs()
        self.writing.linting.follow()

    # Menus and dialogs

    @Slot(QPoint)
    def _open_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        group = VERBS[0].group
        for verb in VERBS:
            if verb.group not in ("File", "Edit"):
                continue
            if verb.apart or verb.group != group:
                menu.addSeparator()
            group = verb.group
            menu.addAction(self.actions_[verb.name])
        menu.popup(place)

    def _palette(self) -> None:
        """Every verb with its keys."""
        keys = self.actions_.keys()
        dialog = PaletteDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show_verbs(
            tuple(
                VerbRow(verb.name, verb.text, keys.get(verb.name, ""), self.actions_[verb.name].isEnabled())
                for verb in VERBS
            )
        )
        dialog.verb_chosen.connect(self.do, Qt.ConnectionType.QueuedConnection)
        dialog.open()

    # Preferences

    @Slot(object)
    def show_preferences(self, preferences: Preferences) -> None:
        before, self._preferences = self._preferences, preferences
        self.actions_.bind(preferences.keys)
        keys = self.actions_.keys()
        self.display.top.show_keys(keys)
        self.display.candidates.show_keys(keys)
        self.display.timeline.modes.show_keys(keys)
        self.writing.show_preferences(preferences)
        self.arranging.show_preferences(preferences)
        self.voices.show_preferences(preferences)
        self.hearing.show_preferences(preferences)
        self.preferring.show_preferences(preferences)
        for mode, on in self.arranging.modes.items():
            self.actions_.tick(mode, on)
        if preferences.candidates != before.candidates:
            self._options(preferences.candidates, LengthMode.FREE)

    def _remember_file(self, path: Path) -> None:
        self.preferences_wanted.emit(self._preferences.with_recent(path))

    def placement(self) -> Preferences:
        """The preferences with where the window and its splitters stand now."""
        splitters = {"columns": _written(self.columns.saveState()), "rows": _written(self.rows.saveState())}
        return replace(self._preferences, geometry=_written(self.saveGeometry()), splitters=MappingProxyType(splitters))

    def _restore(self, preferences: Preferences) -> None:
        room = self.screen().availableSize()
        self.resize(min(self.width(), room.width()), min(self.height(), room.height()))
        timeline = min(BOTTOM, round(0.36 * self.height()))
        self.rows.setSizes([self.height() - TOP - JOBS - timeline, timeline])
        if preferences.geometry:
            self.restoreGeometry(_read(preferences.geometry))
        for name, splitter in (("columns", self.columns), ("rows", self.rows)):
            if name in preferences.splitters:
                splitter.restoreState(_read(preferences.splitters[name]))

    def _flush(self) -> None:
        self.display.script.flush()
        self.directing.line.flush()

    def _may_leave(self, asked: Project) -> bool:
        """Whether the open project may go, once more where it is not the one that was asked about."""
        self._flush()
        return self.session.project is asked or self.paperwork.may_leave()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._flush()
        if self.paperwork.may_leave():
            event.accept()
            self.left.emit()
        else:
            event.ignore()


def _written(state: QByteArray) -> str:
    return base64.b64encode(state.data()).decode()


def _read(text: str) -> QByteArray:
    """What `_written` wrote; nothing where the text is something else."""
    try:
        return QByteArray(base64.b64decode(text))
    except ValueError:
        return QByteArray()
