"""Lines joined into one pass and parted again."""

from __future__ import annotations

from itertools import count, groupby

from hypothesis import given
from hypothesis import strategies as st

from studio.document.joining import joined, parted
from studio.document.project import Line, LinePart


def line(line_id: str, who: str, text: str, **more: object) -> Line:
    return Line(line_id, (LinePart(who, text),), **more)  # type: ignore[arg-type]


def test_joining_keeps_takes_and_who_speaks() -> None:
    lines = (
        line("a", "Mira", "Who is there?", takes=("t1",), kept="t1", note="low"),
        line("b", "Mira", "Say it.", takes=("t2",), kept="t2"),
        line("c", "Tom", "Me.", pause=0, note="late"),
    )
    made = joined(lines)
    assert made.parts == (LinePart("Mira", "Who is there? Say it."), LinePart("Tom", "Me."))
    assert (made.id, made.takes, made.kept, made.pause, made.note) == ("a", ("t1", "t2"), "t1", 0, "low; late")


def test_targets_are_added_up_where_all_have_one_and_go_when_a_line_is_parted() -> None:
    first, second = line("a", "Mira", "Well?", target=1.5), line("b", "Tom", "Me.", target=2.0)
    assert joined((first, second)).target == 3.5
    assert joined((first, line("c", "Tom", "Me."))).target is None
    assert [each.target for each in parted(joined((first, second)))] == [None, None]


def test_parting_gives_each_character_a_line() -> None:
    made = Line("a", (LinePart("Mira", "Well?"), LinePart("", " "), LinePart("Tom", "Me.")), ("t",), "t", pause=90)
    numbers = count()
    lines = parted(made, lambda: f"n{next(numbers)}")
    assert [(each.id, each.text, each.takes, each.pause) for each in lines] == [
        ("a", "Well?", ("t",), None),
        ("n0", "Me.", (), 90),
    ]
    assert parted(lines[0]) == (lines[0],)


@given(st.lists(st.tuples(st.sampled_from("AB"), st.text("xy ", min_size=1, max_size=4)), min_size=1, max_size=6))
def test_no_word_is_lost_and_the_order_stays(spoken: list[tuple[str, str]]) -> None:
    made = joined(tuple(line(str(n), who, text) for n, (who, text) in enumerate(spoken)))
    heard = [(who, word) for who, text in spoken for word in text.split()]
    assert [(part.character, word) for part in made.parts for word in part.text.split()] == heard
    if heard:
        assert len(made.parts) == len([who for who, _ in groupby(heard, key=lambda each: each[0])])


def test_all_parts_are_spoken_as_the_line_was() -> None:
    parts = LinePart("Mira", "Well?"), LinePart("Tom", "Me.")
    made = Line("a", parts, direction="whispered", gain=-6.0, as_written=True)
    assert {(each.direction, each.gain, each.as_written) for each in parted(made)} == {("whispered", -6.0, True)}
