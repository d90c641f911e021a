"""The program: what lives as long as it runs, and in which order it comes and goes."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType

import platformdirs
import shiboken6
from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from engine import assets
from engine.request import Voice
from studio import theme
from studio.casting import cast_in_turn
from studio.document.edits import ChangeCharacter, SetVoices
from studio.document.importers import SUFFIXES, read_text
from studio.document.importers_limits import ImportFailedError
from studio.document.script import project_from_script
from studio.document.store import Store
from studio.engine_thread import EngineThread, Opened
from studio.file_thread import FileThread
from studio.journaling import Journaling
from studio.player import Player
from studio.recovering import Recovering
from studio.samples import PrintCache
from studio.session import Alignments, Performing, Playback, Session
from studio.session.filing import Backups
from studio.session.session import SAVING
from studio.settings import Preferences, Theme, backups_folder, load_preferences, preferences_path, save_preferences
from studio.window import Window

PALETTES = {Theme.DARK: theme.DARK, Theme.LIGHT: theme.LIGHT, Theme.HIGH_CONTRAST: theme.HIGH_CONTRAST}
EXAMPLE = "welcome.txt"
PLAIN = (".txt", ".md")  # scripts in our own way of writing; all others are looked at first
COLLECT_MS = 1000


def preload_torch_on_windows() -> None:
    """On Windows torch's c10.dll must be in the process before Qt is (WinError 1114 otherwise); importing can wait."""
    if sys.platform == "win32":
        import ctypes
        from importlib.util import find_spec

        found = find_spec("torch")
        if found and found.origin:
            library = Path(found.origin).parent / "lib" / "c10.dll"
            if library.exists():
                ctypes.CDLL(str(library))


class Collector(QObject):
    """Python's collector of cycles, now and then and on this thread alone: it may come upon widgets, which must not be
    destroyed on another, and left to itself it runs on whichever thread is making things."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        timer = QTimer(self, interval=COLLECT_MS)
        timer.timeout.connect(self._collect)
        timer.start()

    @Slot()
    def _collect(self) -> None:
        """The oldest generation that is due, by Python's own measure."""
        due = [count > most for count, most in zip(gc.get_count(), gc.get_threshold(), strict=True)]
        if any(due):
            gc.collect(max(generation for generation, is_due in enumerate(due) if is_due))

    @Slot()
    def set_aside(self) -> None:
        """What there is of a project that was just opened has no cycles and stays: it is not looked through again and
        again, which in a long script would take as long as four keys."""
        gc.collect()
        gc.freeze()

    def close(self) -> None:
        gc.unfreeze()
        gc.enable()


class App(QObject):
    """Threads, session and window, made in this order and closed in the other."""

    _bug = Signal(object)

    def __init__(self, preferences: Preferences) -> None:
        super().__init__()
        self.collector = Collector(self)
        self.preferences = preferences
        self.files = FileThread()
        self.engine = EngineThread()
        self.player = Player()
        self.session = Session(
            self.files, PrintCache(Path(platformdirs.user_cache_dir("retake", appauthor=False)) / "prints")
        )
        self.performing = Performing(self.session, self.engine)
        self.alignments = Alignments(self.session, self.engine)
        self.playback = Playback(self.session, self.performing, self.player)
        self.window = Window(
            self.session, self.performing, self.playback, self.player, self.engine, self.files, preferences
        )
        self.journaling = Journaling(
            self.session,
            self.performing,
            self.playback,
            self.engine,
            Path(platformdirs.user_state_dir("retake", appauthor=False)) / "journals",
        )
        self.recovering = Recovering(self.window, self.session, self.playback, self.window.paperwork, self.journaling)
        self.session.backups = backups_for(preferences)
        self.window.voices.voicing.open(Path(platformdirs.user_data_dir("retake", appauthor=False)) / "voices")
        self._uncast: Store | None = None  # of a script that was opened before the voices were known
        self.session.begun.connect(self.collector.set_aside)
        self.engine.opened.connect(self._opened)
        self.engine.unopened.connect(self._unopened)
        self.window.preferences_wanted.connect(self._prefer)
        self.window.paperwork.script_opened.connect(self.open)
        self.alignments.problem.connect(self.window.tell)
        self.journaling.problem.connect(self.window.tell)
        self.recovering.problem.connect(self.window.tell)
        self.recovering.said.connect(self.window.display.jobs.show_message)
        self.window.left.connect(self.journaling.leave)
        self._bug.connect(self._tell_bug)
        self._hooks = sys.excepthook, threading.excepthook
        sys.excepthook = self._unhandled
        threading.excepthook = self._unhandled_in_thread

    @Slot(object)
    def open(self, file: Path | None) -> None:
        """A project or a script; without one, the example."""
        suffix = file.suffix.lower() if file is not None else ""
        if file is not None and suffix == ".retake":
            self.session.open(file)
            return
        if file is not None and suffix in SUFFIXES and suffix not in PLAIN:
            self.window.importing.read(file)
            return
        path = file or assets.folder() / EXAMPLE
        try:
            text, guessed = read_text(path)
        except (OSError, ImportFailedError) as error:
            self.window.tell(error, "open the script")
            return
        if guessed:
            self.window.display.jobs.show_message(guessed)
        engine = self.session.engine
        title = path.stem if file else "Example"
        self.session.start(project_from_script(text, engine.voices if engine else (), title))
        self._uncast = self.session.store if engine is None else None

    def load(self, checkpoint: Path | None, device: str | None, precision: str | None) -> None:
        preferences = self.preferences
        preferred = Path(preferences.checkpoint) if preferences.checkpoint else assets.folder() / "voice"
        self.session.engineless = False
        self.window.show_engine(None, "Loading the voice model…")
        self.engine.open(
            checkpoint or preferred,
            device or preferences.device,
            precision or preferences.precision,
            preferences.compiled,
        )

    def close(self) -> None:
        self.player.close()
        self.engine.close()
        self.files.settle()  # answers come while all who hear them are still there
        self.session.close()
        self.window.recogniser.close()
        self.journaling.close()
        self.window.voices.close()
        self.files.close()
        self.collector.close()
        shiboken6.delete(self.window)  # Qt takes its widgets apart from the top; Python's collector would in any order
        sys.excepthook, threading.excepthook = self._hooks

    @Slot(object)
    def _opened(self, opened: Opened) -> None:
        self.session.engine = opened
        if self._uncast is self.session.store:
            self._cast(opened.voices)
        self._uncast = None
        self.window.show_engine(opened)
        self.alignments.ask_for_all()

    def _cast(self, voices: tuple[Voice, ...]) -> None:
        """Give voices to the characters of a script that was opened before any were known; what the user has done to it
        meanwhile stays."""
        session = self.session
        cast = cast_in_turn(session.project, voices)
        if len(session.history.steps) == 1 and session.path is None and not self.files.is_doing(SAVING):
            chosen = session.chosen
            session.start(cast)
            session.choose_line(chosen)
            return
        session.do(SetVoices(voices, "Cast the script"), gesture="cast")
        for before, after in zip(session.project.cast, cast.cast, strict=True):
            if before.voice is None:
                session.do(ChangeCharacter(before.name, after), gesture="cast")

    @Slot(object)
    def _unopened(self, error: Exception) -> None:
        self.session.engine, self.session.engineless = None, True
        self.window.show_engine(None)
        self.window.tell(error, "load the checkpoint")

    @Slot(object)
    def _prefer(self, preferences: Preferences) -> None:
        """The user wants the program another way from now on."""
        before, self.preferences = self.preferences, preferences
        self.files.run(lambda: save_preferences(preferences_path(), preferences))
        if preferences.theme != before.theme:
            application = QApplication.instance()
            assert isinstance(application, QApplication)
            theme.apply(application, palette_for(application, preferences))
        self.window.show_preferences(preferences)
        self.session.backups = backups_for(preferences)
        speaks = ("checkpoint", "device", "precision", "compiled")
        if any(getattr(preferences, name) != getattr(before, name) for name in speaks):
            self.load(None, None, None)

    def _unhandled(self, kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
        """A bug: nobody explained this error. The window tells of it; the work goes on."""
        self._hooks[0](kind, error or kind(), trace)
        self._bug.emit(error or kind())

    def _unhandled_in_thread(self, told: threading.ExceptHookArgs) -> None:
        self._hooks[1](told)
        self._bug.emit(told.exc_value or told.exc_type())

    @Slot(object)
    def _tell_bug(self, error: BaseException) -> None:
        self.window.tell(error, "")


def backups_for(preferences: Preferences) -> Backups:
    return Backups(backups_folder(preferences), preferences.backup_minutes)


def palette_for(application: QApplication, preferences: Preferences) -> theme.Palette:
    """The theme the user chose, or the system's."""
    return PALETTES.get(preferences.theme) or theme.system_palette(application)


@contextmanager
def open_app(
    file: Path | None = None, checkpoint: Path | None = None, device: str | None = None, precision: str | None = None
) -> Iterator[App]:
    """The program with its window open; at the end it is put away, with all its threads."""
    preload_torch_on_windows()
    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    application.setApplicationName("Retake")
    application.setDesktopFileName("retake")
    preferences = load_preferences(preferences_path())
    theme.apply(application, palette_for(application, preferences))
    app = App(preferences)
    application.setWindowIcon(QIcon(str(assets.folder() / "icons" / "retake.svg")))
    app.window.show()
    app.open(file)
    app.journaling.look()
    # The first paint comes before torch is loaded, for that takes seconds.
    QTimer.singleShot(0, partial(app.load, checkpoint, device, precision))
    try:
        yield app
    finally:
        kept = app.window.placement()
        app.files.run(lambda: save_preferences(preferences_path(), kept))
        app.close()
        del app
        gc.collect()


def run(
    file: Path | None = None, checkpoint: Path | None = None, device: str | None = None, precision: str | None = None
) -> int:
    """Open the window and stay until it is closed."""
    with open_app(file, checkpoint, device, precision):
        return QApplication.exec()
