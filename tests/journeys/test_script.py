"""Writing a script as somebody does who is new to it: names, tags, the cast, the queue, and what helps."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from studio.document.lint import Enlist, Recast, Rewrite, Rule
from studio.document.project import LinePart
from studio.document.state import Kind
from studio.panels.import_dialog import ImportDialog
from studio.panels.tags_compare import Manner
from tests.journeys.hands import CONTROL, SHIFT, Hands, Travel

Key = Qt.Key


def begin(hands: Hands) -> None:
    hands.until_loaded()
    hands.press(Key.Key_N, CONTROL)
    hands.shown.script.setFocus()


def written(hands: Hands) -> list[tuple[str, str]]:
    return [(line.character, line.text) for line in hands.lines]


def test_a_scene_of_two_with_tags_and_takes(travel: Travel) -> None:
    def journey(hands: Hands) -> None:
        begin(hands)
        hands.type("MIRA: Who is there?\nTOM: It is me.")
        assert written(hands) == [("MIRA", "Who is there?"), ("TOM", "It is me.")]
        assert [character.voice for character in hands.session.project.cast] == ["heart", "joe"]
        hands.go_to(2)
        hands.press(Key.Key_Home)
        hands.type("[sig")
        offered = hands.shown.script._completion.popup()
        assert offered is not None
        assert offered.isVisible()
        QTest.keyClick(offered, Key.Key_Return)
        assert hands.line(2).text == "[sighs] It is me."
        assert hands.window._preferences.recent_tags[0] == "sighs"
        hands.press(Key.Key_Return, CONTROL | SHIFT)
        hands.until_idle()
        assert [hands.state(number).kind for number in (1, 2)] == [Kind.READY, Kind.READY]

    travel(journey)


def test_what_the_lint_finds_is_mended_by_a_click_and_undone(travel: Travel) -> None:
    def journey(hands: Hands) -> None:
        begin(hands)
        hands.type("MIRA: The boat comes at 4:31 today.\nMria: Then we wait for it.")
        linting = hands.window.writing.linting
        (digits,) = linting.found[hands.line(1).id]
        assert digits.rule is Rule.DIGITS
        fix = digits.fixes[0]
        assert isinstance(fix, Rewrite)
        hands.window.writing.mend(digits, fix)
        assert hands.line(1).text == "The boat comes at four thirty-one today."
        assert hands.line(1).id not in linting.found
        hands.press(Key.Key_Z, CONTROL)
        assert hands.line(1).text == "The boat comes at 4:31 today."
        assert digits in linting.found[hands.line(1).id]

    travel(journey)


def test_a_name_like_another_is_asked_about(travel: Travel) -> None:
    def journey(hands: Hands) -> None:
        begin(hands)
        hands.type("MIRA: Who is there?\nMRIA: It is only me.")
        assert [character.name for character in hands.session.project.cast] == ["MIRA"]
        (unknown,) = hands.window.writing.linting.found[hands.line(2).id]
        assert unknown.fixes == (Recast("MRIA", "MIRA"), Enlist("MRIA"))
        hands.window.writing.mend(unknown, unknown.fixes[0])
        assert hands.line(2).character == "MIRA"

    travel(journey)


def test_one_pass_direction_and_pronunciation(travel: Travel) -> None:
    def journey(hands: Hands) -> None:
        begin(hands)
        hands.type("MIRA: Who is at the door?\nTOM: Nobody is at the door.")
        hands.go_to(1)
        hands.press(Key.Key_J, CONTROL)
        (only,) = hands.lines
        assert only.parts == (LinePart("MIRA", "Who is at the door?"), LinePart("TOM", "Nobody is at the door."))
        hands.press(Key.Key_D, CONTROL)
        hands.type("tired\n")
        assert hands.line(1).direction == "tired"
        hands.shown.script.setFocus()
        hands.press(Key.Key_Return, CONTROL)
        hands.until_idle()
        assert hands.take(1).origin.prompt.text == "[tired] Who is at the door?\nNobody is at the door."
        assert hands.state(1).kind is Kind.READY
        hands.press(Key.Key_J, CONTROL | SHIFT)
        assert len(hands.lines) == 2

    travel(journey)


def test_several_takes_wait_and_are_cancelled(travel: Travel) -> None:
    def journey(hands: Hands) -> None:
        begin(hands)
        hands.type("MIRA: Who is at the door?\nTOM: Nobody is at the door.\nMIRA: Then we wait.")
        ids = tuple(line.id for line in hands.lines)
        hands.performing.generate(ids, takes=2)
        panel = hands.window.queueing.panel
        assert panel.isVisible()
        assert [row.line_id for row in hands.window.queueing.rows()] == list(ids)
        last = hands.performing.queue.waiting[-1]
        hands.performing.move_waiting(last.number, 0)
        assert hands.performing.queue.waiting[0].line_id == ids[2]
        hands.performing.cancel_waiting(last.number)
        hands.until_idle()
        assert [len(line.takes) for line in hands.lines] == [2, 2, 0]
        assert not panel.isVisible()

    travel(journey)


def test_finding_and_replacing(travel: Travel) -> None:
    def journey(hands: Hands) -> None:
        begin(hands)
        hands.type("MIRA: The door is shut.\nTOM: Open the door.")
        hands.press(Key.Key_H, CONTROL)
        bar = hands.window.searching.bar
        hands.type("door")
        hands.until(lambda: "2" in bar.count.text())
        bar.text.setText("gate")
        bar.all.click()
        assert [text for _, text in written(hands)] == ["The gate is shut.", "Open the gate."]
        hands.press(Key.Key_Escape)
        assert not bar.isVisible()
        hands.press(Key.Key_Z, CONTROL)
        assert [text for _, text in written(hands)] == ["The door is shut.", "Open the door."]

    travel(journey)


def test_tags_and_directions_are_compared_and_adopted(travel: Travel) -> None:
    def journey(hands: Hands) -> None:
        begin(hands)
        hands.type("MIRA: Please, open the door for me.")
        hands.press(Key.Key_T, CONTROL)
        comparing = hands.window.comparing
        dialog = comparing.dialog
        assert dialog.isVisible()
        angry, tired = Manner("angry"), Manner("tired, to herself", directed=True)
        dialog.tags.setText("angry")
        dialog.directions.setText("tired, to herself")
        dialog.start.click()
        hands.until(lambda: {angry, tired} <= comparing._nats.keys() and len(comparing._empty) == 6)
        assert len(comparing._made) == 3
        assert [bool(view.effect.text()) for view in dialog._views] == [False, True, True]
        comparing.play(angry)
        comparing.adopt(angry)
        assert hands.line(1).text == "Please, open the door for me. [angry] "
        assert len(hands.line(1).takes) == 1
        hands.until_idle()
        hands.window.activateWindow()
        hands.until(hands.window.isActiveWindow)
        hands.shown.script.setFocus()
        hands.press(Key.Key_Z, CONTROL)
        assert hands.line(1).text == "Please, open the door for me."
        assert hands.line(1).takes == ()
        comparing.adopt(tired)
        assert hands.line(1).direction == "tired, to herself"
        take = hands.session.kept(hands.line(1))
        assert take is not None
        assert take.origin.prompt.text == "[tired, to herself] Please, open the door for me."
        hands.press(Key.Key_Z, CONTROL)
        assert (hands.line(1).direction, hands.line(1).takes) == ("", ())

    travel(journey)


def test_a_screenplay_comes_in_after_a_look(travel: Travel, tmp_path: Path) -> None:
    script = tmp_path / "pier.fountain"
    script.write_text("INT. PIER - NIGHT\n\nMIRA\n(tired)\nWho is there?\n\nTOM\nIt is me.\n")

    def journey(hands: Hands) -> None:
        begin(hands)
        hands.type("MIRA: Before.")
        hands.choose_file(script)
        hands.press(Key.Key_I, CONTROL | SHIFT)
        hands.until(lambda: hands.window.findChild(ImportDialog) is not None)
        dialog = hands.window.findChild(ImportDialog)
        assert dialog is not None
        dialog.add.click()
        dialog.take.click()
        assert written(hands)[1:] == [("MIRA", "[tired] Who is there?"), ("TOM", "It is me.")]
        assert [scene.title for scene in hands.session.project.scenes] == ["", "INT. PIER - NIGHT"]

    travel(journey)
