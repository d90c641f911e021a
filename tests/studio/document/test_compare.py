"""What makes a take stale and what does not, and who speaks with which number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.errors import ScriptError
from engine.request import FrameData, How, Origin, Part, Prompt, Reference, Settings, Take, Voice
from studio.document.compare import (
    line_state,
    missing_voices,
    prompt_for,
    settings_for,
    voice_digest,
    with_takes_of,
)
from studio.document.edits import ChangeCharacter, SetLineSettings, SetVoices, apply
from studio.document.project import Character, Line, LinePart, Project, Scene
from studio.document.state import Kind
from studio.document.store import Store


def voice(name: str, code: int, transcript: str = "As I said.") -> Voice:
    return Voice(name, (Reference(transcript, np.full((10, 5), code, np.int16)),))


def take_of(prompt: Prompt, checkpoint: str = "nano", capped: bool = False) -> Take:
    origin = Origin(prompt, checkpoint, 1, Settings(), How.GENERATED, 1_000, 100)
    data = np.zeros((2, 20), np.float32)
    return Take(np.zeros((10, 20), np.int16), origin, FrameData(data, data), capped)


def play(*parts: LinePart) -> Project:
    cast = (Character("Ada", 0, "heart"), Character("Bob", 1, "joe"), Character("Mute", 2))
    return Project("Play", (Scene("", (Line("a", parts),)),), cast, (voice("joe", 1), voice("heart", 2)))


def with_take(project: Project, checkpoint: str = "nano", capped: bool = False) -> tuple[Project, Store]:
    store = Store()
    taken = store.add(take_of(prompt_for(project, project.line("a")), checkpoint, capped))
    line = replace(project.line("a"), takes=(taken,), kept=taken)
    return replace(project, scenes=(Scene("", (line,)),)), store


def text(project: Project, *texts: str) -> Project:
    line = project.line("a")
    parts = tuple(replace(part, text=text) for part, text in zip(line.parts, texts, strict=True))
    return replace(project, scenes=(Scene("", (replace(line, parts=parts),)),))


HELLO = play(LinePart("Ada", "Hello there, old friend."))
BOTH = play(LinePart("Bob", "Hello."), LinePart("Ada", "Bye."), LinePart("Bob", "So soon?"))


def test_a_lone_line_carries_one_voice_and_number_0() -> None:
    prompt = prompt_for(HELLO, HELLO.line("a"))
    assert prompt.parts == (Part(0, "Hello there, old friend."),)
    assert [each.name for each in prompt.voices] == ["heart"]


def test_voices_are_numbered_in_the_order_of_the_cast() -> None:
    prompt = prompt_for(BOTH, BOTH.line("a"))
    assert [part.speaker for part in prompt.parts] == [1, 0, 1]
    assert [each.name for each in prompt.voices] == ["heart", "joe"]
    assert prompt.text == BOTH.line("a").text


@pytest.mark.parametrize("name", ["Mute", "Stranger", ""])
def test_who_has_no_voice_is_never_spoken_by_another(name: str) -> None:
    project = play(LinePart("Ada", "Hello."), LinePart(name, "Hi."))
    assert missing_voices(project, project.line("a")) == (name,)
    assert line_state(project, Store(), project.line("a"), None).kind is Kind.NO_VOICE
    with pytest.raises(ScriptError, match="no voice"):
        prompt_for(project, project.line("a"))


def test_a_voice_that_the_project_does_not_hold_is_none() -> None:
    project = apply(HELLO, ChangeCharacter("Ada", Character("Ada", 0, "gone")))
    assert line_state(project, Store(), project.line("a"), None).kind is Kind.NO_VOICE


@pytest.mark.parametrize("empty", ["", "  ", "...", "[sighs]"])
def test_nothing_to_speak(empty: str) -> None:
    project = play(LinePart("Ada", empty))
    assert line_state(project, Store(), project.line("a"), None).kind is Kind.EMPTY
    with pytest.raises(ScriptError, match="nothing"):
        prompt_for(project, project.line("a"))


def test_ready_is_as_it_was_spoken() -> None:
    project, store = with_take(BOTH, capped=True)
    state = line_state(project, store, project.line("a"), "nano")
    assert (state.kind, state.seconds, state.changed, state.changed_words, state.capped) == (
        Kind.READY,
        2.0,
        (),
        0,
        True,
    )
    assert line_state(project, store, project.line("a"), None).kind is Kind.READY
    assert line_state(HELLO, store, HELLO.line("a"), None).kind is Kind.NO_TAKE


def test_changed_words_make_it_stale_and_are_pointed_at() -> None:
    project, store = with_take(HELLO)
    project = text(project, "Hello there, new friend.")
    state = line_state(project, store, project.line("a"), "nano")
    assert (state.kind, state.changed, state.changed_words) == (Kind.STALE, ((13, 16),), 1)


def test_words_taken_out_and_tags_make_it_stale() -> None:
    for now in ("Hello there, friend.", "[softly] Hello there, old friend."):
        project, store = with_take(HELLO)
        project = text(project, now)
        assert line_state(project, store, project.line("a"), "nano").kind is Kind.STALE


def test_spaces_are_not_heard() -> None:
    project, store = with_take(HELLO)
    project = text(project, "Hello there,  old friend. ")
    assert line_state(project, store, project.line("a"), "nano").kind is Kind.READY


def test_another_checkpoint_makes_it_stale() -> None:
    project, store = with_take(HELLO)
    assert line_state(project, store, project.line("a"), "s2-pro").kind is Kind.STALE


@pytest.mark.parametrize("other", [voice("heart", 3), voice("heart", 2, "As I say."), Voice("heart")])
def test_other_codes_or_transcripts_make_it_stale(other: Voice) -> None:
    project, store = with_take(BOTH)
    project = apply(project, SetVoices((other,)))
    assert line_state(project, store, project.line("a"), "nano").kind is Kind.STALE


def test_other_speakers_make_it_stale() -> None:
    project, store = with_take(HELLO)
    line = replace(project.line("a"), parts=(LinePart("Bob", "Hello there, old friend."),))
    assert line_state(project, store, line, "nano").kind is Kind.STALE


def test_settings_names_and_the_order_of_the_cast_do_not() -> None:
    project, store = with_take(BOTH)
    project = apply(project, SetLineSettings("a", Settings(temperature=0.1)))
    project = apply(project, ChangeCharacter("Ada", Character("Eve", 5, "heart", Settings(temperature=1.0))))
    project = apply(project, SetVoices((replace(voice("heart", 2), name="soul"),)))
    project = apply(project, ChangeCharacter("Eve", Character("Eve", 5, "soul")))
    project = replace(project, cast=project.cast[::-1])
    assert line_state(project, store, project.line("a"), "nano").kind is Kind.READY


def test_a_digest_names_codes_and_transcripts_only() -> None:
    assert voice_digest(voice("a", 1)) == voice_digest(voice("b", 1))
    assert len({voice_digest(each) for each in (voice("a", 1), voice("a", 2), voice("a", 1, "x"), Voice("a"))}) == 4


def test_settings_come_from_the_line_then_the_character() -> None:
    assert settings_for(HELLO, HELLO.line("a")) is None
    project = apply(HELLO, ChangeCharacter("Ada", Character("Ada", 0, "heart", Settings(top_k=5))))
    assert settings_for(project, project.line("a")) == Settings(top_k=5)
    project = apply(project, SetLineSettings("a", Settings(top_k=9)))
    assert settings_for(project, project.line("a")) == Settings(top_k=9)


def test_a_line_has_the_takes_that_are_there() -> None:
    project, store = with_take(HELLO)
    line = project.line("a")
    assert with_takes_of(store, line) == line
    assert with_takes_of(store, replace(line, takes=("gone", *line.takes))) == line
    assert with_takes_of(Store(), line) == replace(line, takes=(), kept=None)
