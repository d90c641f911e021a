"""Names that a script can write, and those made of others."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from studio.document.names import legal_name, may_be_called


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Ada", "Ada"),
        ("MIRA:", "MIRA"),
        ("Mira: the girl", "Mira the girl"),
        (" # + \\Dr. <X>|\n", "Dr. X"),
        ("小明：", "小明"),
        ("Number #1", "Number #1"),
        (" :", ""),
        ("<|>", ""),
    ],
)
def test_a_name_out_of_what_is_written(written: str, name: str) -> None:
    assert legal_name(written) == name


@given(st.text())
@example("+ #")
@example(": \u2028a")
def test_it_can_always_stand_in_a_script(written: str) -> None:
    name = legal_name(written)
    assert not name or may_be_called(name)
    assert legal_name(name) == name
