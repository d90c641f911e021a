"""The one table of verbs: what they are called, which keys do them, where they stand in the menu.

Keys are written for Linux and Windows; on macOS Qt reads Ctrl as Cmd. Single keys act only outside text fields, for a
text field takes what can be typed before a shortcut sees it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QWidget


@dataclass(frozen=True)
class Verb:
    """`name` is what code, preferences and panels call it by; `keys` are the shortcuts, the first is shown. `lasting`:
    it is on or off, and the menu shows which. `apart`: the menu draws a line above it."""

    name: str
    text: str
    keys: tuple[str, ...] = ()
    group: str = ""
    lasting: bool = False
    apart: bool = False


VERBS = (
    Verb("new", "New project", ("Ctrl+N",), "File"),
    Verb("open", "Open…", ("Ctrl+O",), "File"),
    Verb("open_backup", "Open a backup…", (), "File"),
    Verb("save", "Save", ("Ctrl+S",), "File", apart=True),
    Verb("save_as", "Save as…", ("Ctrl+Shift+S",), "File"),
    Verb("keep_sound", "Keep sound in the project", (), "File", lasting=True),
    Verb("import", "Import a script…", ("Ctrl+Shift+I",), "File", apart=True),
    Verb("merge", "Merge in from another project…", (), "File"),
    Verb("import_takes", "Add takes from files…", (), "File"),
    Verb("collect", "Collect into a folder…", (), "File"),
    Verb("open_folder", "Open a collected folder…", (), "File"),
    Verb("export", "Export…", ("Ctrl+Shift+E",), "File"),
    Verb("add_voice", "Add voices…", (), "File", apart=True),
    Verb("record_voice", "Record a voice…", (), "File"),
    Verb("settings", "Settings…", ("Ctrl+,",), "File", apart=True),
    Verb("quit", "Quit", ("Ctrl+Q",), "File"),
    Verb("undo", "Undo", ("Ctrl+Z",), "Edit"),
    Verb("redo", "Redo", ("Ctrl+Shift+Z", "Ctrl+Y"), "Edit"),
    Verb("history", "History", ("Ctrl+Shift+H",), "Edit"),
    Verb("find", "Find…", ("Ctrl+F",), "Edit", apart=True),
    Verb("replace", "Replace…", ("Ctrl+H",), "Edit"),
    Verb("palette", "Commands…", ("Ctrl+K",), "Edit", apart=True),
    Verb("keys", "Keys…", ("?",), "Edit"),
    Verb("who", "Choose who speaks…", ("Ctrl+U",), "Script"),
    Verb("join", "Join lines into one pass", ("Ctrl+J",), "Script"),
    Verb("part", "One line for each character", ("Ctrl+Shift+J",), "Script"),
    Verb("prompt", "What the model reads…", ("Ctrl+P",), "Script"),
    Verb("compare_tags", "Compare tags and directions on the line…", ("Ctrl+T",), "Script"),
    Verb("direction", "Direct the line in plain words", ("Ctrl+D",), "Script"),
    Verb("lock", "Lock or unlock the lines", (), "Script"),
    Verb("next_finding", "Next check", ("F8",), "Script"),
    Verb("previous_finding", "Previous check", ("Shift+F8",), "Script"),
    Verb("fixes", "What can be mended here…", ("Ctrl+.",), "Script"),
    Verb("generate", "Generate line", ("Ctrl+Return", "Ctrl+Enter"), "Take"),
    Verb("generate_stale", "Generate all stale or without a take", ("Ctrl+Shift+Return", "Ctrl+Shift+Enter"), "Take"),
    Verb("generate_takes", "Generate several takes…", ("Ctrl+Alt+Return", "Ctrl+Alt+Enter"), "Take"),
    Verb("regenerate", "Regenerate", ("Alt+Return", "Alt+Enter"), "Take"),
    Verb("next_take", "Next take", ("T", "Alt+Down"), "Take"),
    Verb("previous_take", "Previous take", ("Shift+T", "Alt+Up"), "Take"),
    Verb("joins", "Hear both joins", ("C",), "Take"),
    Verb("voice_of_take", "Make this take a voice", (), "Take"),
    Verb("keep", "Keep the candidate", (), "Take"),
    Verb("worst_span", "Regenerate the worst span", ("Alt+Shift+Return", "Alt+Shift+Enter"), "Take"),
    Verb("branch", "Go on anew from here", ("Alt+B",), "Take"),
    Verb("compare", "Compare with the take before, equally loud", ("X",), "Take"),
    Verb("cut_words", "Cut the chosen words", ("Del",), "Take"),
    Verb("insert_pause", "Insert a pause", ("Alt+P",), "Take"),
    Verb("insert_pause_of", "Insert a pause of so many frames…", ("Alt+Shift+P",), "Take"),
    Verb("timbre", "Same acting, new timbre", ("Alt+Y",), "Take"),
    Verb("widen", "Widen the span by a word", ("Alt+W",), "Take"),
    Verb("heal", "Heal the worse join", ("Alt+J",), "Take"),
    Verb("again", "Again with this seed", (), "Take"),
    Verb("bin_others", "Bin all takes but this", ("Alt+Shift+T",), "Take"),
    Verb("empty_bin", "Empty the bin", (), "Take"),
    Verb("nudge_earlier", "Nudge the edge a frame earlier", (",",), "Take"),
    Verb("nudge_later", "Nudge the edge a frame later", (".",), "Take"),
    Verb("listen", "Listen to the kept takes", (), "Take"),
    Verb("regenerate_misread", "Regenerate what was misread", (), "Take"),
    Verb("keep_best_heard", "Keep the take that is heard best", (), "Take"),
    Verb("start_here", "Selection begins at the playhead", ("[",), "Take"),
    Verb("stop_here", "Selection ends at the playhead", ("]",), "Take"),
    Verb("around", "Hear around the pointer", ("1",), "Take"),
    Verb("quiet_frame", "Move the edge to the nearest quiet frame", ("Z",), "Take"),
    Verb("cancel", "Cancel the running job", ("Esc",), "Take"),
    Verb("cancel_all", "Cancel all of the queue", ("Shift+Esc",), "Take"),
    Verb("play", "Play or stop", ("Space", "Ctrl+Space"), "Play"),
    Verb("play_line", "Play on from this line", ("Shift+Space",), "Play"),
    Verb("to_start", "To the start", ("Home",), "Play"),
    Verb("to_end", "To the end", ("End",), "Play"),
    Verb("loop", "Loop on or off", ("Ctrl+L",), "Play"),
    Verb("loop_selection", "Loop the selection", ("Shift+L",), "Play"),
    Verb("marker", "Set or clear a marker", ("M",), "Play"),
    Verb("previous_marker", "To the marker before", ("Alt+Left",), "Play"),
    Verb("next_marker", "To the next marker", ("Alt+Right",), "Play"),
    Verb("louder", "Line louder by half a dB", ("Alt+PgUp",), "Play"),
    Verb("quieter", "Line quieter by half a dB", ("Alt+PgDown",), "Play"),
    Verb("back", "One second back", ("Left",), "Play"),
    Verb("forward", "One second forward", ("Right",), "Play"),
    Verb("back_far", "Five seconds back", ("Shift+Left",), "Play"),
    Verb("forward_far", "Five seconds forward", ("Shift+Right",), "Play"),
    Verb("scene_pauses", "Pauses of the scene…", (), "Play"),
    Verb("ripple", "Ripple: what follows moves along", (), "Play", lasting=True),
    Verb("follow", "Follow the playhead", (), "View", lasting=True),
    Verb("spectrogram", "Spectrograms in the place of waves", ("G",), "View", lasting=True),
    Verb("zoom_in", "Zoom in", ("+", "="), "View"),
    Verb("zoom_out", "Zoom out", ("-",), "View"),
    Verb("fit", "Fit all", ("Ctrl+0",), "View"),
    Verb("zoom_selection", "Zoom to the selection", ("Ctrl+E",), "View"),
    Verb("other_side", "From script to timeline and back", ("F6",), "View"),
)


class Actions(QObject):
    """The verbs as Qt's actions, bound to a window. `wanted` names the verb that the user did."""

    wanted = Signal(str)

    def __init__(self, window: QWidget, keys: Mapping[str, str] | None = None) -> None:
        super().__init__(window)
        self._actions: dict[str, QAction] = {}
        for verb in VERBS:
            action = QAction(verb.text, window)
            action.setObjectName(verb.name)
            action.setCheckable(verb.lasting)
            action.triggered.connect(self._trigger)
            window.addAction(action)
            self._actions[verb.name] = action
        self.bind(keys or {})
        window.installEventFilter(self)

    def eventFilter(self, window: QObject, event: QEvent) -> bool:
        """Space and Enter press the button that has the focus, which none has by a click; Space opens a list to choose
        from. A key comes here where neither the widget with the focus nor one around it has taken it."""
        focused = QApplication.focusWidget()
        if isinstance(event, QKeyEvent) and isinstance(focused, QAbstractButton | QComboBox):
            plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
            if plain and event.type() == QEvent.Type.ShortcutOverride and event.key() == Qt.Key.Key_Space:
                event.accept()
                return True
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and event.type() == QEvent.Type.KeyPress
            if plain and enter and isinstance(focused, QAbstractButton):
                focused.click()
                return True
        return super().eventFilter(window, event)

    def bind(self, keys: Mapping[str, str]) -> None:
        """The user's own shortcuts, by name of the verb; the others are as in the table."""
        for verb in VERBS:
            chosen = (keys[verb.name],) if verb.name in keys else verb.keys
            self._actions[verb.name].setShortcuts([QKeySequence(each) for each in chosen])

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def keys(self) -> dict[str, str]:
        """The first shortcut of each verb that has one, as Qt writes it portably."""
        return {
            name: action.shortcut().toString(QKeySequence.SequenceFormat.PortableText).replace("Return", "Enter")
            for name, action in self._actions.items()
            if not action.shortcut().isEmpty()
        }

    def allow(self, possible: Mapping[str, bool]) -> None:
        """Which verbs are possible now; those not named stay as they are."""
        for name, able in possible.items():
            self._actions[name].setEnabled(able)

    def tell(self, name: str, of_what: str) -> None:
        """What the menu says a verb would do it to; "" where that is nothing."""
        text = next(verb.text for verb in VERBS if verb.name == name)
        self._actions[name].setText(f"{text}: {of_what}" if of_what else text)

    def tick(self, name: str, on: bool) -> None:
        """Whether a lasting verb is on."""
        self._actions[name].setChecked(on)

    def _trigger(self) -> None:
        self.wanted.emit(self.sender().objectName())
