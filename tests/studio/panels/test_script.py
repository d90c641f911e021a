"""The script editor under a user's hands: what is typed comes to the project, and the project is what is seen."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, QObject, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDropEvent, QInputMethodEvent, QKeySequence, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from studio import theme
from studio.document.edits import RenameScene, ReplaceLines, apply
from studio.document.lint import Finding, Rewrite, Rule
from studio.document.phrases import Offer
from studio.document.project import Character, Line, LinePart, Project, Pronunciation, Reading, Scene
from studio.document.state import Kind, LineState
from studio.panels.script import ScriptEditor
from studio.panels.script_lines import shown

Key, Modifier = Qt.Key, Qt.KeyboardModifier
CAST = (Character("Mira", 0, "heart"), Character("Tom", 1, "joe"))


def line(line_id: str, text: str, who: str = "Mira", **more: object) -> Line:
    return Line(line_id, (LinePart(who, text),), **more)  # type: ignore[arg-type]


class Stage:
    """An editor whose wishes a project answers, as the session does."""

    def __init__(self, editor: ScriptEditor, project: Project) -> None:
        self.editor = editor
        self.project = project
        self.wishes: list[ReplaceLines] = []
        self.chosen: list[str] = []
        self.selected: list[tuple[str, int, int]] = []
        self.wanted: list[tuple[str, str]] = []
        editor.show_project(project)
        editor.lines_replaced.connect(self.replace)
        editor.scene_title_changed.connect(self.rename)
        editor.line_chosen.connect(self.chosen.append)
        editor.text_selected.connect(lambda *place: self.selected.append(place))
        editor.character_wanted.connect(lambda *wish: self.wanted.append(wish))

    def replace(self, scene: int, start: int, stop: int, lines: tuple[Line, ...]) -> None:
        self.wishes.append(ReplaceLines(scene, start, stop, lines))
        self.show(apply(self.project, self.wishes[-1]))

    def rename(self, scene: int, title: str) -> None:
        self.show(apply(self.project, RenameScene(scene, title)))

    def show(self, project: Project) -> None:
        self.project = project
        self.editor.show_project(project)

    def lines(self, scene: int = 0) -> tuple[Line, ...]:
        return self.project.scenes[scene].lines

    def put(self, row: int, place: int, to: tuple[int, int] | None = None) -> None:
        """The cursor to a place in a row; with `to` all up to there is selected."""
        document = self.editor.document()
        cursor = self.editor.textCursor()
        cursor.setPosition(document.findBlockByNumber(row).position() + place)
        if to:
            mode = QTextCursor.MoveMode.KeepAnchor
            cursor.setPosition(document.findBlockByNumber(to[0]).position() + to[1], mode)
        self.editor.setTextCursor(cursor)

    def type(self, text: str) -> None:
        QTest.keyClicks(self.editor, text)

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Modifier.NoModifier) -> None:
        QTest.keyClick(self.editor, key, modifiers)

    def paste(self, text: str) -> None:
        data = QMimeData()
        data.setText(text)
        self.editor.insertFromMimeData(data)

    def shows_its_project(self) -> bool:
        rows: list[str] = []
        for scene in self.project.scenes:
            rows += [shown(scene.title), *([shown(each.text) for each in scene.lines] or [""])]
        document = self.editor.document()
        return rows == [document.findBlockByNumber(n).text() for n in range(document.blockCount())]


@pytest.fixture
def stage(qtbot: QtBot, qapp: QApplication) -> Stage:
    return made_stage(qtbot, qapp, two_scenes())


def made_stage(qtbot: QtBot, qapp: QApplication, project: Project) -> Stage:
    theme.apply(qapp, theme.DARK)
    editor = ScriptEditor()
    qtbot.addWidget(editor)
    editor.resize(880, 530)
    editor.show()
    return Stage(editor, project)


def two_scenes() -> Project:
    first = Scene("The pier", (line("a", "Are you there?", takes=("t1",), kept="t1"), line("b", "I am.", "Tom")))
    second = Scene("The kitchen", (line("c", "Still awake."), line("d", "[sighs] Yes.", "Tom")))
    return Project("The Lighthouse", (first, second), CAST)


def test_typing_in_a_line_keeps_its_id_and_takes(stage: Stage) -> None:
    stage.put(1, 3)
    stage.type(" all")
    assert stage.lines()[0] == line("a", "Are all you there?", takes=("t1",), kept="t1")
    assert [(wish.start, wish.stop, len(wish.lines)) for wish in stage.wishes] == [(0, 1, 1)] * 4
    assert stage.shows_its_project()


def test_enter_splits_and_backspace_joins(stage: Stage) -> None:
    stage.put(1, 8)
    stage.press(Key.Key_Return)
    upper, lower = stage.lines()[:2]
    assert (upper.id, upper.text, upper.kept) == ("a", "Are you ", "t1")
    assert (lower.text, lower.character, lower.takes) == ("there?", "Mira", ())
    assert lower.id not in ("a", "b")
    assert stage.chosen[-1] == lower.id
    stage.press(Key.Key_Backspace)
    assert stage.lines() == two_scenes().scenes[0].lines
    assert stage.shows_its_project()


def test_enter_at_the_start_leaves_the_takes_with_the_text(stage: Stage) -> None:
    stage.put(1, 0)
    stage.press(Key.Key_Return)
    assert [each.text for each in stage.lines()] == ["", "Are you there?", "I am."]
    assert stage.lines()[1].id == "a"


def test_headings_are_renamed_but_never_joined(stage: Stage) -> None:
    stage.put(0, 8)
    stage.type("s")
    assert stage.project.scenes[0].title == "The piers"
    stage.press(Key.Key_Delete)
    stage.put(1, 0)
    stage.press(Key.Key_Backspace)
    stage.put(2, 5)
    stage.press(Key.Key_Delete)
    stage.press(Key.Key_Delete, Modifier.ControlModifier)
    assert [scene.title for scene in stage.project.scenes] == ["The piers", "The kitchen"]
    assert stage.lines() == two_scenes().scenes[0].lines
    stage.put(0, 3)
    stage.press(Key.Key_Return)
    assert [each.text for each in stage.lines()] == ["", "Are you there?", "I am."]
    assert stage.shows_its_project()


def test_what_is_deleted_across_a_heading_leaves_the_heading(stage: Stage) -> None:
    stage.put(1, 3, to=(5, 8))
    stage.press(Key.Key_Delete)
    assert [(each.id, each.text) for each in stage.lines(0)] == [("a", "Are")]
    assert [(each.id, each.text) for each in stage.lines(1)] == [("c", "Yes.")]
    assert stage.shows_its_project()
    stage.editor.selectAll()
    stage.type("x")
    assert [[each.text for each in scene.lines] for scene in stage.project.scenes] == [["x"], [""]]
    assert stage.shows_its_project()


def test_cut_lines_come_back_with_their_takes(stage: Stage) -> None:
    stage.put(1, 0, to=(2, 0))
    stage.press(Key.Key_X, Modifier.ControlModifier)
    assert [each.id for each in stage.lines()] == ["b"]
    stage.put(1, 5)
    stage.press(Key.Key_Return)
    stage.press(Key.Key_V, Modifier.ControlModifier)
    assert [(each.id, each.text, each.kept) for each in stage.lines()] == [
        ("b", "I am.", None),
        ("a", "Are you there?", "t1"),
    ]
    assert stage.lines()[1].character == "Mira"


def test_pasted_rows_become_lines_with_the_names_they_say(stage: Stage) -> None:
    stage.put(2, 5)
    stage.paste("\nMIRA: Come in.\r\n\r\nCAPTAIN: Not\x00 yet.\nI wait.\n<|speaker:3|>And I.")
    made = [(each.character, each.text) for each in stage.lines()[2:]]
    assert made == [("Mira", "Come in."), ("CAPTAIN", "Not yet."), ("CAPTAIN", "I wait."), ("Speaker 3", "And I.")]
    assert [name for _, name in stage.wanted] == ["CAPTAIN", "Speaker 3"]
    assert stage.shows_its_project()


def test_pasted_words_stay_in_the_line(stage: Stage) -> None:
    stage.put(1, 8)
    stage.paste("still \u0007")
    stage.put(0, 0)
    stage.paste("At night, \n")
    assert stage.lines()[0].text == "Are you still there?"
    assert stage.project.scenes[0].title == "At night, The pier"
    stage.paste("Well.\nTOM: Who?")
    assert [each.text for each in stage.lines()[:3]] == ["Well.", "Who?", "Are you still there?"]
    assert stage.project.scenes[0].title == "At night, The pier"
    assert stage.shows_its_project()


@pytest.mark.parametrize(
    ("typed", "name", "told"),
    [("tom: ", "Tom", "Tom"), ("CAPTAIN: ", "CAPTAIN", "CAPTAIN"), ("<|speaker:4|>", "Speaker 4", "Speaker 4")],
)
def test_a_name_and_a_colon_say_who_speaks(stage: Stage, typed: str, name: str, told: str) -> None:
    stage.put(1, 0)
    stage.type(typed)
    assert stage.lines()[0].parts == (LinePart(name, "Are you there?"),)
    assert stage.wanted == [("a", told)]
    assert stage.shows_its_project()


def test_prose_before_a_colon_stays_text(stage: Stage) -> None:
    stage.put(1, 0)
    stage.type("Listen: ")
    assert stage.lines()[0].text == "Listen: Are you there?"
    assert stage.wanted == []


def test_an_edit_of_one_part_leaves_the_others(qtbot: QtBot, qapp: QApplication) -> None:
    parts = (LinePart("Mira", "Wait"), LinePart("Tom", "I am gone."), LinePart("Mira", "Oh."))
    stage = made_stage(qtbot, qapp, Project(scenes=(Scene("", (Line("a", parts),)),), cast=CAST))
    stage.put(1, 9)
    stage.type("!")
    assert stage.lines()[0].parts == (parts[0], LinePart("Tom", "I am! gone."), parts[2])
    stage.put(1, 4, to=(1, 6))
    stage.press(Key.Key_Backspace)
    assert stage.lines()[0].parts == (LinePart("Mira", "Wait am! gone."), parts[2])
    assert stage.shows_its_project()


@pytest.mark.parametrize(
    "keys",
    ["Ctrl+Z", "Ctrl+Shift+Z", "Ctrl+Y", "Ctrl+Return", "Alt+Return", "Ctrl+Space", "Alt+Up", "Alt+Down", "Ctrl+K",
     "Ctrl+L", "Ctrl+J", "Ctrl+E", "Ctrl+Shift+Return", "Alt+Shift+T", "F6", "Esc"],
)  # fmt: skip
def test_the_windows_keys_reach_the_window(qtbot: QtBot, qapp: QApplication, keys: str) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    editor = ScriptEditor(window)
    stage = Stage(editor, two_scenes())
    heard: list[str] = []
    action = QAction("Heard", window)
    action.setShortcut(QKeySequence(keys))
    action.triggered.connect(lambda: heard.append(keys))
    window.addAction(action)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    editor.setFocus()
    combination = QKeySequence(keys)[0]  # type: ignore[index]
    stage.press(combination.key(), combination.keyboardModifiers())
    assert heard == [keys]
    assert stage.wishes == []


def test_an_input_method_writes_and_is_left_alone(stage: Stage) -> None:
    stage.put(1, 14)
    QApplication.sendEvent(stage.editor, QInputMethodEvent("にほん", []))
    assert stage.wishes == []
    stage.show(apply(stage.project, ReplaceLines(0, 1, 2, (line("b", "I am not.", "Tom"),))))
    assert stage.editor.textCursor().block().layout().preeditAreaText() == "にほん"
    done = QInputMethodEvent("", [])
    done.setCommitString("日本")
    QApplication.sendEvent(stage.editor, done)
    assert stage.lines()[0].text == "Are you there?日本"


def test_moved_lines_keep_their_takes(stage: Stage) -> None:
    stage.put(1, 0, to=(2, 0))
    data = stage.editor.createMimeDataFromSelection()
    drop_at_end(stage, data)
    assert [each.text for each in stage.lines(0)] == ["I am."]
    assert ("a", "Are you there?", "t1") in [(each.id, each.text, each.kept) for each in stage.lines(1)]
    assert stage.shows_its_project()


def test_lines_that_move_up_into_an_earlier_scene_are_never_there_twice(stage: Stage) -> None:
    stage.put(2, 0, to=(5, 0))
    stage.press(Key.Key_C, Modifier.ControlModifier)
    stage.press(Key.Key_V, Modifier.ControlModifier)
    assert [each.id for each in stage.lines(0)] == ["a", "b", "c"]
    assert [each.text for each in stage.lines(1)] == ["[sighs] Yes."]
    assert stage.shows_its_project()


def drop_at_end(stage: Stage, data: QMimeData) -> None:
    """Drops what is selected, as a move, before the last line."""

    class Inside(QDropEvent):
        def source(self) -> QObject:
            return stage.editor.viewport()

    cursor = QTextCursor(stage.editor.document().lastBlock())
    place = QPointF(stage.editor.cursorRect(cursor).center())
    action = Qt.DropAction.MoveAction
    stage.editor.dropEvent(Inside(place, action, data, Qt.MouseButton.LeftButton, Modifier.NoModifier))


def test_files_are_not_typed_in(stage: Stage) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/home/ada/Pier.txt")])
    assert data.hasText()
    assert not stage.editor.canInsertFromMimeData(data)
    before = stage.project
    stage.put(1, 0, to=(2, 0))
    stage.editor.insertFromMimeData(data)
    drop_at_end(stage, data)
    assert stage.project is before
    assert stage.shows_its_project()
    link = QMimeData()
    link.setUrls([QUrl("https://example.org/pier")])
    assert stage.editor.canInsertFromMimeData(link)


def test_characters_outside_the_first_plane_are_counted_once(stage: Stage) -> None:
    stage.put(1, 14)
    stage.type(" ")
    stage.paste("👩‍🚀")
    stage.type("!")
    assert stage.lines()[0].text == "Are you there? 👩‍🚀!"
    assert stage.selected[-1] == ("a", 19, 19)
    stage.put(1, 0, to=(1, 17))
    assert stage.selected[-1] == ("a", 0, 16)


def test_choosing_and_selecting_are_told_once_and_only_when_the_user_does(stage: Stage) -> None:
    stage.editor.choose_line("c")
    assert (stage.chosen, stage.selected) == ([], [])
    stage.put(5, 2, to=(5, 4))
    assert (stage.chosen, stage.selected[-1]) == (["d"], ("d", 2, 4))
    stage.put(1, 2, to=(5, 4))
    assert stage.editor.lines_selected() == ("a", "b", "c", "d")
    with pytest.raises(KeyError):
        stage.editor.choose_line("nobody")


def test_cursor_scroll_and_selection_stay_where_the_project_changes_elsewhere(qtbot: QtBot, qapp: QApplication) -> None:
    lines = tuple(line(f"l{n}", f"Line {n} of many, " * 8) for n in range(200))
    stage = made_stage(qtbot, qapp, Project(scenes=(Scene("Long", lines),), cast=CAST))
    stage.put(101, 5, to=(101, 9))
    stage.editor.verticalScrollBar().setValue(stage.editor.verticalScrollBar().value() + 2)
    seen = stage.editor.cursorRect()
    more = tuple(line(f"m{n}", "More, above") for n in range(7))
    without = (*lines[10:60], line("l60", "Changed"), *lines[61:])
    for changed in (more + lines, without, lines[90:] + more, lines):
        stage.show(Project(scenes=(Scene("Long", changed),), cast=CAST))
        cursor = stage.editor.textCursor()
        assert stage.editor.line_selected() == ("l100", 5, 9)
        assert cursor.selectedText() == lines[100].text[5:9]
        assert stage.editor.cursorRect() == seen
        assert stage.shows_its_project()
    assert stage.wishes == []


def test_a_line_that_did_not_change_is_not_touched(stage: Stage) -> None:
    touched: list[tuple[int, int, int]] = []
    stage.editor.document().contentsChange.connect(lambda *change: touched.append(change))
    stage.show(stage.project)
    stage.show(apply(stage.project, ReplaceLines(0, 0, 1, (line("a", "Are you there?"),))))
    assert touched == []
    stage.show(apply(stage.project, ReplaceLines(0, 0, 1, (line("a", "Are you here?"),))))
    assert touched == [(9 + 8, 1, 0)]


def test_what_was_typed_and_not_told_is_not_lost_when_a_project_comes(stage: Stage) -> None:
    before = stage.project
    QTextCursor(stage.editor.document().findBlockByNumber(1)).insertText("So, ")
    stage.editor.show_project(before)
    assert stage.lines()[0].text == "So, Are you there?"
    assert stage.shows_its_project()


def test_an_edit_that_takes_a_heading_away_puts_it_back(stage: Stage, qtbot: QtBot) -> None:
    cursor = QTextCursor(stage.editor.document())
    cursor.select(QTextCursor.SelectionType.Document)
    cursor.removeSelectedText()
    stage.editor.flush()
    assert stage.project == two_scenes()
    assert stage.shows_its_project()


def test_the_project_without_lines_has_a_line_to_begin_with(qtbot: QtBot, qapp: QApplication) -> None:
    stage = made_stage(qtbot, qapp, Project(scenes=(Scene(""),), cast=CAST))
    stage.show(stage.project)
    assert stage.wishes == []
    stage.type("Hello")
    assert [each.text for each in stage.lines()] == ["Hello"]
    assert stage.editor.textCursor().positionInBlock() == 5


def test_brackets_open_the_tags(stage: Stage, qtbot: QtBot) -> None:
    used: list[str] = []
    stage.editor.tag_used.connect(used.append)
    stage.editor.show_offers((Offer("sighs"), Offer("whispers sweetly", "soft", "Voice"), Offer("pause")))
    stage.put(1, 4)
    stage.type("[whi")
    popup = stage.editor._completion.popup()
    assert popup is not None
    assert popup.isVisible()
    QTest.keyClick(popup, Key.Key_Return)
    assert not popup.isVisible()
    assert stage.lines()[0].text == "Are [whispers sweetly] you there?"
    assert used == ["whispers sweetly"]
    stage.type("[my own")
    assert not popup.isVisible()
    stage.type("] [")
    assert popup.isVisible()
    stage.press(Key.Key_Escape)
    stage.type("si")
    assert not popup.isVisible()
    assert stage.lines()[0].text == "Are [whispers sweetly] [my own] [siyou there?"


def test_tags_are_put_in_with_the_spaces_they_need(stage: Stage) -> None:
    stage.put(1, 3)
    stage.editor.insert_tag("sighs")
    assert stage.lines()[0].text == "Are [sighs] you there?"
    stage.put(2, 0, to=(2, 1))
    stage.type("[")
    assert stage.lines()[1].text == "[I] am."
    stage.put(2, 0)
    stage.editor.insert_tag("pause")
    assert stage.lines()[1].text == "[pause] [I] am."


def test_the_gutters_menu_gives_the_line_to_another(stage: Stage) -> None:
    menu = stage.editor.cast_menu("a")
    assert [(action.text(), action.isChecked()) for action in menu.actions()] == [
        ("Mira", True),
        ("Tom", False),
        ("Nobody", False),
    ]
    menu.actions()[1].trigger()
    assert stage.lines()[0].parts == (LinePart("Tom", "Are you there?"),)
    menu.close()


def test_the_gutters_are_said_aloud_and_have_tips(stage: Stage) -> None:
    stage.put(1, 0)
    stage.editor.show_states({"a": LineState(Kind.STALE, 2.0, ((8, 13),), 1), "b": LineState(Kind.READY, 1.3)})
    assert stage.editor.accessibleName() == "Script"
    assert stage.editor.accessibleDescription() == "Line 1, Mira, stale, 1 word changed"
    assert stage.editor.line_words("b") == "Line 2, Tom, 1.3 seconds"
    row = QPointF(stage.editor.name_rect("a").center())
    assert stage.editor.tip_at(row) == "Choose who speaks"
    assert "Alt+Enter" in stage.editor.tip_at(QPointF(stage.editor.viewport().width() - 20, row.y()))
    stage.put(2, 0)
    assert stage.editor.accessibleDescription() == "Line 2, Tom, 1.3 seconds"


def test_a_press_in_the_air_around_a_line_lands_in_it(stage: Stage) -> None:
    at = stage.editor.name_rect("b")
    place = QPointF(140, at.top() - 5).toPoint()
    QTest.mouseClick(stage.editor.viewport(), Qt.MouseButton.LeftButton, Modifier.NoModifier, place)
    line_id, start, _ = stage.selected[-1]
    assert line_id == "b"
    assert 0 < start < 5
    on_number = QPointF(20, at.center().y()).toPoint()
    QTest.mouseClick(stage.editor.viewport(), Qt.MouseButton.LeftButton, Modifier.NoModifier, on_number)
    assert stage.selected[-1] == ("b", 0, 5)


@pytest.mark.parametrize("palette", theme.PALETTES)
def test_every_state_can_be_painted_in_every_palette(stage: Stage, qapp: QApplication, palette: theme.Palette) -> None:
    lines = tuple(line(kind.name, f"A line [sighs] that is {kind.value}") for kind in Kind)
    stage.show(Project(scenes=(Scene("All", lines), Scene("None")), cast=CAST))
    states = {kind.name: LineState(kind, 1.0, ((2, 6),), 1, 0.5, True, True) for kind in Kind}
    stage.editor.show_states(states)
    stage.editor.show_selection("STALE", 2, 14)
    before = stage.editor.grab().toImage()
    theme.apply(qapp, palette)
    assert (stage.editor.grab().toImage() == before) == (palette is theme.DARK)


# Laws

TEXTS = st.text(st.sampled_from("ab [].:\u05d0\u4e2d\u0301\u200b😀\n"), max_size=12)
NAMES = st.sampled_from(["", "Mira", "Tom"])


@st.composite
def projects(draw: st.DrawFn) -> Project:
    ids = iter(draw(st.permutations([f"l{n}" for n in range(12)])))
    scenes = []
    for lengths in draw(st.lists(st.integers(0, 4), min_size=1, max_size=3)):
        lines = []
        for _ in range(lengths):
            parts = draw(st.lists(st.builds(LinePart, NAMES, TEXTS), min_size=1, max_size=2))
            lines.append(Line(next(ids), tuple(parts)))
        scenes.append(Scene(draw(st.sampled_from(["", "One", "Two"])), tuple(lines)))
    return Project(scenes=tuple(scenes), cast=CAST)


lawful = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@lawful
@given(shown_one_after_another=st.lists(projects(), min_size=2, max_size=4))
def test_whatever_was_shown_before_the_project_is_shown_exactly(
    stage: Stage, shown_one_after_another: list[Project]
) -> None:
    for project in shown_one_after_another:
        stage.show(project)
        assert stage.shows_its_project()
    assert stage.wishes == []


def typed(text: str) -> Callable[[Stage], None]:
    return lambda stage: stage.type(text)


def pressed(key: Qt.Key, modifiers: Qt.KeyboardModifier = Modifier.NoModifier) -> Callable[[Stage], None]:
    return lambda stage: stage.press(key, modifiers)


def placed(place: tuple[int, int]) -> Callable[[Stage], None]:
    def put(stage: Stage) -> None:
        document = stage.editor.document()

        def whole(position: int) -> int:
            """Not inside a character of two units, where no hand can put the cursor."""
            return position - ("\udc00" <= str(document.characterAt(position)) <= "\udfff")

        start, stop = (whole(n % document.characterCount()) for n in place)
        cursor = stage.editor.textCursor()
        cursor.setPosition(start)
        cursor.setPosition(stop, QTextCursor.MoveMode.KeepAnchor)
        stage.editor.setTextCursor(cursor)

    return put


HANDS = st.one_of(
    st.tuples(st.integers(0, 300), st.integers(0, 300)).map(placed),
    st.sampled_from(["a", " ", "[", "]", "TOM: ", "Mira: x", "<|speaker:1|>"]).map(typed),
    st.sampled_from([Key.Key_Return, Key.Key_Backspace, Key.Key_Delete, Key.Key_Left, Key.Key_Down]).map(pressed),
    st.sampled_from([Key.Key_X, Key.Key_C, Key.Key_V, Key.Key_A, Key.Key_Backspace, Key.Key_Delete]).map(
        lambda key: pressed(key, Modifier.ControlModifier)
    ),
    st.lists(st.sampled_from(["one", "TOM: two", "", "# three", "+ MIRA: four", "\\five"]), max_size=4).map(
        lambda rows: lambda stage: stage.paste("\n".join(rows))
    ),
)


@lawful
@given(project=projects(), hands=st.lists(HANDS, max_size=12))
def test_whatever_hands_do_the_project_is_what_is_seen(
    stage: Stage, project: Project, hands: list[Callable[[Stage], None]]
) -> None:
    stage.show(project)
    for hand in hands:
        hand(stage)
        assert stage.shows_its_project()
    ids = [each.id for each in stage.project.lines()]
    assert len(set(ids)) == len(ids)


def test_words_spoken_otherwise_are_told(stage: Stage) -> None:
    reading = Reading(pronunciations=(Pronunciation("there", "thar"),))
    stage.show(replace(stage.project, reading=reading))
    row = stage.lines()[0]
    assert stage.editor._pronounced(row) == ((8, 13),)
    assert stage.editor._pronounced(replace(row, as_written=True)) == ()
    cursor = stage.editor.textCursor()
    cursor.setPosition(stage.editor.document().findBlockByNumber(1).position() + 10)
    stage.editor.setTextCursor(cursor)
    assert stage.editor.tip_at(QPointF(stage.editor.cursorRect().center())) == "Spoken as “thar”."


def test_findings_are_told_and_mended_where_they_stand(stage: Stage) -> None:
    fix = Rewrite("Write it", 0, 3, "Were")
    found = Finding(Rule.DIGITS, "a", 0, 3, "Digits may be misread.", (fix,))
    stage.editor.show_findings({"a": (found,)})
    stage.put(1, 1)
    assert stage.editor.tip_at(QPointF(stage.editor.cursorRect().center())) == "Digits may be misread."
    wished: list[tuple[object, object]] = []
    stage.editor.fix_wanted.connect(lambda *wish: wished.append(wish))
    menu = stage.editor.fix_menu(stage.editor.findings_at("a", 2))
    next(action for action in menu.actions() if action.text() == "Write it").trigger()
    assert wished == [(found, fix)]
    assert stage.editor.findings_at("a", 9) == ()
    stage.editor.select("a", 4, 7)
    assert stage.editor.line_selected() == ("a", 4, 7)


def test_what_moves_between_scenes_is_told_as_one(stage: Stage) -> None:
    turns: list[tuple[bool, int]] = []
    stage.editor.lines_replaced.connect(lambda *_: turns.append((stage.editor.together, stage.editor.turn)))
    stage.put(1, 3)
    stage.type("x")
    assert turns == [(False, 0)]
    turns.clear()
    stage.put(1, 0, to=(5, 3))
    stage.press(Key.Key_X, Modifier.ControlModifier)
    assert len(turns) == 2
    assert turns[0] == turns[1] == (True, 1)


def test_who_speaks_is_chosen_by_keys(stage: Stage) -> None:
    stage.put(1, 2)
    stage.editor.open_cast()
    menu = next(each for each in stage.editor.findChildren(QMenu) if each.isVisible())
    assert menu.activeAction().text() == "Mira"
    QTest.keyClick(menu, Key.Key_Down)
    QTest.keyClick(menu, Key.Key_Return)
    assert stage.lines()[0].character == "Tom"


def test_what_was_copied_outlives_python() -> None:
    """The clipboard lets go of it when Python has ended, and may call nothing of it."""
    code = (
        "from PySide6.QtWidgets import QApplication\n"
        "from studio.document.project import Line, LinePart, Project, Scene\n"
        "from studio.panels.script import ScriptEditor\n"
        "application, editor = QApplication([]), ScriptEditor()\n"
        "editor.show_project(Project(scenes=(Scene('', (Line('a', (LinePart('Mira', 'Are you there?'),)),)),)))\n"
        "editor.selectAll()\n"
        "editor.copy()\n"
        "print(application.clipboard().text())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Are you there?" in done.stdout


def test_lines_that_say_the_same_keep_their_own_takes(qtbot: QtBot, qapp: QApplication) -> None:
    alike = line("a", "Yes.", takes=("t1",), kept="t1"), line("b", "Yes.", "Tom", takes=("t2",), kept="t2")
    stage = made_stage(qtbot, qapp, Project(scenes=(Scene("", (*alike, line("c", "No."))),), cast=CAST))
    stage.put(1, 0, to=(3, 0))
    stage.editor.cut()
    stage.editor.moveCursor(QTextCursor.MoveOperation.End)
    stage.press(Key.Key_Return)
    stage.press(Key.Key_V, Modifier.ControlModifier)
    stage.editor.flush()
    kept = {(each.parts[0].character, each.kept) for each in stage.lines() if each.text == "Yes."}
    assert kept == {("Mira", "t1"), ("Tom", "t2")}
