"""What differs between two projects: always what leads from one to the other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from studio.document.difference import difference
from studio.document.project import Line, LinePart, Project, Scene

LINES = tuple(Line(f"l{n}", (LinePart("Mira", str(n)),)) for n in range(12))
SCENES = st.permutations(LINES).flatmap(lambda lines: st.integers(0, 12).map(lambda n: Scene("", tuple(lines[:n]))))


@given(SCENES, SCENES)
def test_lines_gone_and_come_lead_from_old_to_new(old: Scene, new: Scene) -> None:
    found = difference(Project(scenes=(old,)), Project(scenes=(new,)))
    held = {line.id: line for line in old.lines}
    for line in found.gone:
        del held[line.id]
    held |= {line.id: line for line in found.come}
    assert held == {line.id: line for line in new.lines}
    if not found.moved:
        assert [line.id for line in old.lines] == [line.id for line in new.lines]


def test_scenes_that_are_the_same_tuple_cost_nothing() -> None:
    project = Project(scenes=(Scene("", LINES),))
    assert difference(project, Project("Other", project.scenes)).come == ()


def test_the_answer_to_the_last_question_is_kept_for_no_other() -> None:
    one, two = Project(scenes=(Scene("", LINES[:2]),)), Project(scenes=(Scene("", LINES[:3]),))
    assert difference(one, two) is difference(one, two)
    assert difference(two, one).gone == (LINES[2],)
    assert difference(one, two).come == (LINES[2],)
