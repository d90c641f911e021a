"""The command line with an engine that answers at once, and once with the embedded voice."""

from __future__ import annotations

import errno
import io
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine import audio
from engine.__main__ import main
from engine.errors import AudioError, EngineError, RequestError
from engine.request import (
    Alignment,
    Event,
    Failed,
    Finished,
    FrameData,
    Generate,
    How,
    Origin,
    Progress,
    Reference,
    Regenerate,
    Report,
    Request,
    Retimbre,
    Score,
    Settings,
    Take,
    Voice,
)
from engine.splice import BREATH
from engine.take_file import read_take

ROOT = Path(__file__).parents[2]
RATE, HOP, CODEBOOKS = 8000, 400, 2
SCRIPT = "<|speaker:0|>Good morning.\n<|speaker:1|>[softly] Who is there?\n<|speaker:0|>Nobody at all."


class FakeEngine:
    """Speaks ten frames a line; `trouble` names what happens at which request."""

    sample_rate, hop, frames_per_second, most_characters = RATE, HOP, RATE / HOP, 200
    codebook_sizes = (1024,) + (256,) * (CODEBOOKS - 1)
    checkpoint = "c0ffee00c0ffee00"
    codec = "c0dec000c0dec000"
    settings = Settings(temperature=0.1)
    lines_at_once, at_once = 1, 0
    compiled: str | None = None

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.trouble: dict[int, BaseException] = {}
        self.opened: tuple[Any, ...] = ()

    def open(self, *arguments: Any) -> FakeEngine:
        self.opened = arguments
        return self

    def voices(self) -> dict[str, Voice]:
        return {
            name: Voice(name, (Reference("Words.", np.full((CODEBOOKS, 3), at, np.int16)),))
            for at, name in enumerate(("heart", "joe"))
        }

    def generate(self, request: Request) -> Iterator[Event]:
        self.requests.append(request)
        trouble = self.trouble.get(len(self.requests))
        yield Progress(1, 10, 60)
        if trouble is not None:
            raise trouble
        takes = tuple(self._take(request, seed) for seed in request.seeds)
        scores = tuple(Score(0.9 - 0.1 * place, -1.0) for place in range(len(takes)))
        yield Finished(takes, scores, Report(0.5, None, 10, 5, 0))

    def together(self, requests: list[Generate], at_once: int, sound: bool) -> Iterator[tuple[int, Event]]:
        """Group after group, each from its last to its first."""
        self.at_once = at_once
        for start in range(0, len(requests), at_once):
            for place in reversed(range(start, min(start + at_once, len(requests)))):
                try:
                    yield from ((place, event) for event in self.generate(requests[place]))
                except EngineError as error:
                    yield place, Failed(error)

    def _take(self, request: Request, seed: int) -> Take:
        frames, span, parent = 10, None, None
        if isinstance(request, Retimbre):
            return replace(request.take, codes=request.take.codes + 1)
        if isinstance(request, Regenerate):
            span, parent = (request.span[0], request.span[1] + 1), request.take.id
            frames = request.take.frames + 1
        codes = np.full((CODEBOOKS, frames), seed % 1000, np.int16)
        how = How.GENERATED if isinstance(request, Generate) else How.SPLICED
        origin = Origin(request.prompt, self.checkpoint, seed, request.settings, how, RATE, HOP, parent, span)
        data = FrameData(*np.zeros((2, 2, frames), np.float32))
        return Take(codes, origin, data)

    def align(self, take: Take, samples: np.ndarray) -> Alignment:
        text = take.origin.prompt.text
        begins = np.linspace(0, take.frames, len(text) + 1).astype(np.int64)
        return Alignment(begins, np.full(len(text.split()), 0.5, np.float32))

    def encode(self, samples: np.ndarray, rate: int) -> np.ndarray:
        return np.zeros((CODEBOOKS, -(-len(samples) * RATE // rate // HOP)), np.int16)

    def decode(self, codes: np.ndarray) -> np.ndarray:
        return np.full(codes.shape[1] * HOP, 0.25, np.float32)

    def info(self) -> dict[str, Any]:
        return {"parameters": {"slow AR": 1234567}, "voices": ["heart"], "free_bytes": 3 << 30, "context": 2048}


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeEngine:
    fake = FakeEngine()
    module = ModuleType("engine.speech")
    module.Engine = fake  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "engine.speech", module)
    monkeypatch.chdir(tmp_path)
    return fake


def script(text: str | bytes = SCRIPT) -> str:
    Path("script.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
    return "script.txt"


def texts(engine: FakeEngine) -> list[str]:
    return [request.prompt.text for request in engine.requests]


def voice_names(engine: FakeEngine) -> list[str]:
    return [request.prompt.voices[0].name for request in engine.requests]


# generate


def test_generate(engine: FakeEngine, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", script(), "-o", "out.wav", "--seed", "7", "--takes", "takes", "--json"]) == 0
    assert texts(engine) == ["Good morning.", "[softly] Who is there?", "Nobody at all."]
    assert voice_names(engine) == ["heart", "joe", "heart"]
    assert [request.seeds for request in engine.requests] == [(7,), (8,), (9,)]
    assert all([part.speaker for part in request.prompt.parts] == [0] for request in engine.requests)
    samples, rate = audio.read(Path("out.wav"))
    assert rate == RATE
    assert len(samples) == 3 * 10 * HOP + 2 * round(0.35 * RATE)
    assert not samples[10 * HOP : 10 * HOP + 2800].any()

    said = capsys.readouterr()
    document = json.loads(said.out)
    assert [line["text"] for line in document["lines"]] == texts(engine)
    for number, line in enumerate(document["lines"], start=1):
        take = read_take(Path("takes") / f"{number:03}.take")
        assert (line["take"], line["frames"], line["seconds"]) == (take.id, 10, 0.5)
        assert (line["seed"], line["capped"]) == (6 + number, False)
    assert document["rtf"] >= 0
    assert (document["positions_read"], document["reused_share"]) == (15, 0.0)
    assert "Line 2 of 3" in said.err


def test_lines_spoken_at_once_are_written_in_the_order_of_the_script(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", script(), "--seed", "7", "--takes", "takes", "--at-once", "2", "--json"]) == 0
    assert engine.at_once == 2
    assert texts(engine) == ["[softly] Who is there?", "Good morning.", "Nobody at all."]  # as they were finished
    said = capsys.readouterr()
    assert [(line["line"], line["seed"]) for line in json.loads(said.out)["lines"]] == [(1, 7), (2, 8), (3, 9)]
    notes = [line for line in said.err.splitlines() if "10 frames" in line]
    assert [note.split(" of")[0] for note in notes] == ["Line 1", "Line 2", "Line 3"]
    assert read_take(Path("takes/002.take")).origin.seed == 8


def test_what_came_of_compiling_is_told(engine: FakeEngine, capsys: pytest.CaptureFixture[str]) -> None:
    engine.compiled = "not used: slower"
    assert main(["generate", script(), "--compile"]) == 0
    assert engine.opened[-1] is True
    assert "Layers: not used: slower." in capsys.readouterr().err


def test_settings_come_from_the_checkpoint_unless_said(engine: FakeEngine) -> None:
    assert main(["generate", script(), "--top-k", "5"]) == 0
    assert engine.requests[0].settings == Settings(temperature=0.1, top_k=5)
    assert Path("script.wav").exists()


def test_a_random_seed_is_told(engine: FakeEngine, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", script()]) == 0
    assert f"seed {engine.requests[0].seeds[0]}" in capsys.readouterr().err


def test_cast(engine: FakeEngine, capsys: pytest.CaptureFixture[str]) -> None:
    audio.write(Path("ann.wav"), np.ones(4000, np.float32) / 4, 16_000)
    Path("ann.txt").write_text("Hello, I am Ann.", encoding="utf-8")
    assert main(["generate", script(), "--cast", "0=ann.wav", "--cast", "1=heart", "--cast", "9=joe"]) == 0
    assert voice_names(engine) == ["ann", "heart", "ann"]
    assert engine.requests[0].prompt.voices[0].references[0].transcript == "Hello, I am Ann."
    assert "no speaker 9" in capsys.readouterr().err


def test_the_others_get_voices_that_nobody_has(engine: FakeEngine) -> None:
    assert main(["generate", script(), "--cast", "1=heart"]) == 0
    assert voice_names(engine) == ["joe", "heart", "joe"]


def test_a_script_without_speakers_has_one_narrator(engine: FakeEngine) -> None:
    assert main(["generate", script("Once upon a time."), "--cast", "0=joe"]) == 0
    assert voice_names(engine) == ["joe"]


@pytest.mark.parametrize(
    ("cast", "words"),
    [("0=bob", "no voice “bob”"), ("0=alone.wav", "needs its transcript"), ("0=script.txt", "not an audio file")],
)
def test_voices_that_cannot_be(engine: FakeEngine, capsys: pytest.CaptureFixture[str], cast: str, words: str) -> None:
    audio.write(Path("alone.wav"), np.ones(4000, np.float32), 16_000)
    assert main(["generate", script(), "--cast", cast]) == 1
    assert words in capsys.readouterr().err


def test_long_turns_become_lines(engine: FakeEngine) -> None:
    assert main(["generate", script("The cat sat on the mat. " * 30)]) == 0
    assert len(engine.requests) > 3
    assert all(len(text) <= engine.most_characters and text.endswith(".") for text in texts(engine))


def test_a_line_without_words_is_named_and_the_rest_goes_on(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", script("<|speaker:0|>One.<|speaker:1|> [sighs] <|speaker:2|>Two.<|speaker:3|>")]) == 1
    assert texts(engine) == ["One.", "Two."]
    said = capsys.readouterr().err
    assert "Line 2 of 4 failed" in said
    assert "[sighs]" in said
    assert "Not spoken: line 2, 4." in said
    assert len(audio.read(Path("script.wav"))[0]) > 20 * HOP


def test_a_failed_line_says_why_and_the_rest_goes_on(engine: FakeEngine, capsys: pytest.CaptureFixture[str]) -> None:
    engine.trouble[2] = RequestError("It does not fit.")
    assert main(["generate", script(), "--seed", "5", "--json"]) == 1
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert [line["seed"] for line in document["lines"]] == [5, 7]
    assert document["failed"] == [{"line": 2, "text": "[softly] Who is there?", "reason": "It does not fit."}]
    assert "It does not fit." in said.err


def test_ctrl_c_keeps_what_is_finished(engine: FakeEngine, capsys: pytest.CaptureFixture[str]) -> None:
    engine.trouble[3] = KeyboardInterrupt()
    assert main(["generate", script(), "-o", "out.wav", "--json"]) == 1
    said = capsys.readouterr()
    assert "2 of 3 lines" in said.err
    assert json.loads(said.out)["stopped"] is True
    assert len(audio.read(Path("out.wav"))[0]) == 20 * HOP + round(0.35 * RATE)


def test_ctrl_c_keeps_what_is_finished_behind_a_line_that_is_not(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    engine.trouble[2] = KeyboardInterrupt()
    assert main(["generate", script(), "-o", "out.wav", "--takes", "takes", "--at-once", "2", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert [line["line"] for line in document["lines"]] == [2]
    assert document["stopped"] is True
    assert len(audio.read(Path("out.wav"))[0]) == 10 * HOP
    assert [path.name for path in Path("takes").iterdir()] == ["002.take"]


def test_ctrl_c_while_a_line_is_written_writes_it_once(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write = audio.Writer.write

    def interrupted(writer: audio.Writer, samples: np.ndarray) -> None:
        write(writer, samples)
        if writer.samples == 10 * HOP:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(audio.Writer, "write", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may have it ignored
    try:
        assert main(["generate", script(), "-o", "out.wav", "--json"]) == 1
    finally:
        signal.signal(signal.SIGINT, before)
    document = json.loads(capsys.readouterr().out)
    assert ([line["line"] for line in document["lines"]], document["seconds"]) == ([1], 0.5)
    assert len(audio.read(Path("out.wav"))[0]) == 10 * HOP


def test_ctrl_c_before_anything_leaves_the_old_file(engine: FakeEngine) -> None:
    Path("out.wav").write_bytes(b"old")
    engine.trouble[1] = KeyboardInterrupt()
    assert main(["generate", script(), "-o", "out.wav"]) == 1
    assert Path("out.wav").read_bytes() == b"old"


def test_a_full_disk_keeps_what_is_written(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write = audio.Writer.write

    def full(writer: audio.Writer, samples: np.ndarray) -> None:
        if writer.samples >= 10 * HOP:
            raise AudioError("out.wav cannot be written: the disk is full.")
        write(writer, samples)

    monkeypatch.setattr(audio.Writer, "write", full)
    assert main(["generate", script(), "-o", "out.wav"]) == 1
    assert "the disk is full" in capsys.readouterr().err
    assert len(audio.read(Path("out.wav"))[0]) == 10 * HOP


def test_a_disk_that_is_full_at_once(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(writer: audio.Writer, samples: np.ndarray) -> None:
        raise AudioError("out.wav cannot be written: the disk is full.")

    monkeypatch.setattr(audio.Writer, "write", full)
    assert main(["generate", script(), "-o", "out.wav"]) == 1
    assert capsys.readouterr().err == "retake-engine: out.wav cannot be written: the disk is full.\n"
    assert not Path("out.wav").exists()


def test_takes_that_cannot_be_written_do_not_lose_the_sound(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("takes/001.take").mkdir(parents=True)
    assert main(["generate", script(), "--takes", "takes"]) == 1
    assert "001.take cannot be written" in capsys.readouterr().err
    assert read_take(Path("takes/002.take")).frames == 10
    assert len(audio.read(Path("script.wav"))[0]) > 30 * HOP


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "nothing to speak"),
        (b" \n\t", "nothing to speak"),
        (b"[sighs] [laughs]", "nothing to speak"),
        ("...?! …。".encode(), "nothing to speak"),
        (b"<|speaker:0|><|speaker:1|>", "nothing to speak"),
        (bytes(range(256)) * 4, "not a text file"),
        (b"a" * (600 << 10), "larger than"),
    ],
)
def test_scripts_that_cannot_be_spoken(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str], content: bytes, words: str
) -> None:
    assert main(["generate", script(content)]) == 1
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert engine.opened == ()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Größe".encode("utf-8-sig"), "Größe"),
        ("Größe".encode("utf-16"), "Größe"),
        ("Größe".encode("utf-16-le"), "Größe"),
        ("Größe".encode("utf-16-be"), "Größe"),
        ("Größe “so”".encode("cp1252"), "Größe “so”"),
        (b"a\x00b\r\nc", "ab\nc"),
        (b"Say <|im_end|> and <|speaker:", "Say <|im_end|> and <|speaker:"),
    ],
)
def test_scripts_of_other_kinds(engine: FakeEngine, content: bytes, text: str) -> None:
    padded = b"Hello, hello, hello, hello, hello, hello. " if content.startswith(b"a\x00") else b""
    assert main(["generate", script(padded + content)]) == 0
    assert texts(engine) == [padded.decode() + text]


def test_a_script_from_stdin(engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"Hello.")))
    assert main(["generate", "-"]) == 0
    assert Path("speech.wav").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["gone.txt"], "no such file"),
        (["."], "folder"),
        (["script.txt", "-o", "gone/out.wav"], "no such file or folder"),
        (["script.txt", "-o", "out.mp3"], ".wav and .flac"),
        (["script.txt", "--takes", "script.txt/x"], "cannot be made"),
    ],
)
def test_files_that_cannot_be(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    script()
    assert main(["generate", *arguments]) == 1
    assert words in capsys.readouterr().err
    assert engine.requests == []


# regenerate


@pytest.fixture
def take(engine: FakeEngine) -> Path:
    assert main(["generate", script("<|speaker:3|>I told you it was a secret."), "--takes", "."]) == 0
    engine.requests.clear()
    return Path("001.take")


def test_regenerate_a_span(engine: FakeEngine, take: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--span", "2:5", "--seed", "40", "--candidates", "2", "-o", "new.take", "--wav", "new.wav", "--json"]
    capsys.readouterr()
    assert main(["regenerate", str(take), *arguments]) == 0
    (request,) = engine.requests
    assert isinstance(request, Regenerate)
    assert (request.span, request.seeds, request.length.characters) == ((2, 5), (40, 41), None)  # type: ignore[union-attr]
    document = json.loads(capsys.readouterr().out)
    assert document["take"] == read_take(Path("new.take")).id
    (place,) = document["places"]
    assert [candidate["join"] for candidate in place["candidates"]] == [0.9, 0.8]
    assert place["new_frames"] == 4
    assert len(audio.read(Path("new.wav"))[0]) == 11 * HOP


def test_regenerate_the_changed_words(engine: FakeEngine, take: Path) -> None:
    assert main(["regenerate", str(take), "--text", "I told them it was a riddle."]) == 0
    first, last = engine.requests
    assert first.prompt.text == "I told them it was a secret."
    assert last.prompt.text == "I told them it was a riddle."
    assert isinstance(first, Regenerate)
    assert isinstance(last, Regenerate)
    assert last.take.id != first.take.id
    assert first.span[1] <= last.span[0] + 1
    assert (first.length.characters, last.length.characters) == (4, 6)  # type: ignore[union-attr]
    assert read_take(Path("001-2.take")).origin.prompt.text == "I told them it was a riddle."
    assert main(["regenerate", str(take), "--span", ":3"]) == 0
    assert Path("001-3.take").exists()


def test_a_span_with_new_text_speaks_its_words(engine: FakeEngine, take: Path) -> None:
    assert main(["regenerate", str(take), "--span", ":", "--text", "I told him it was a joke."]) == 0
    assert engine.requests[0].length.characters == 24  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--span", "5:99"], "frames 0 to 10"),
        (["--span", "5:5"], "frames 0 to 10"),
        (["--text", "I told  you it was a secret."], "same words"),
        (["--text", "[sighs]"], "nothing to speak"),
        (["--text", "<|speaker:1|>I told you."], "speakers of the take"),
        (["--span", "0:2", "--text", "I told you it was a joke."], "outside of the span"),
    ],
)
def test_regenerations_that_cannot_be(
    engine: FakeEngine, take: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert main(["regenerate", str(take), *arguments]) == 1
    assert words in capsys.readouterr().err
    assert engine.requests == []


def test_a_take_of_another_checkpoint(engine: FakeEngine, take: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engine.checkpoint = "0123456789abcdef"
    for words in (["regenerate", str(take), "--span", "1:3"], ["align", str(take)]):
        assert main(words) == 1
        assert f"another checkpoint ({FakeEngine.checkpoint[:12]}, not 0123456789ab)" in capsys.readouterr().err


def test_a_file_that_is_no_take(engine: FakeEngine, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["regenerate", script(), "--span", "1:3"]) == 1
    assert "not a take" in capsys.readouterr().err


# encode, decode, info


def test_encode_and_decode(engine: FakeEngine) -> None:
    audio.write(Path("in.wav"), np.ones(16_000, np.float32) / 4, 16_000)
    assert main(["encode", "in.wav", "-o", "codes.npy", "--checkpoint", "folder", "--device", "cpu"]) == 0
    assert engine.opened == (Path("folder"), "cpu", None)
    codes = np.load("codes.npy")
    assert (codes.shape, codes.dtype) == ((CODEBOOKS, 20), np.int16)
    assert main(["decode", "codes.npy", "-o", "out.wav"]) == 0
    assert len(audio.read(Path("out.wav"))[0]) == RATE


@pytest.mark.parametrize(
    ("codes", "words"),
    [
        (np.zeros((3, 4), np.int16), "3 codebooks"),
        (np.full((2, 4), 256, np.int16), "outside of this checkpoint"),
        (np.zeros((2, 4)), "whole numbers"),
        (np.zeros((2, 0), np.int16), "whole numbers"),
        (np.zeros(4, np.int16), "whole numbers"),
        (np.full((2, 4), -1), "no codes"),
        (np.full((2, 4), 70_000), "no codes"),
        (None, "must be a .npy file"),
    ],
)
def test_codes_that_are_none(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str], codes: np.ndarray | None, words: str
) -> None:
    if codes is None:
        Path("codes.npy").write_bytes(b"no codes here")
    else:
        np.save("codes.npy", codes)
    assert main(["decode", "codes.npy", "-o", "out.wav"]) == 1
    assert words in capsys.readouterr().err


def test_info(engine: FakeEngine, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info"]) == 0
    said = capsys.readouterr().out
    assert "1,234,567" in said
    assert "3.00 GB" in said
    assert main(["info", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["context"] == 2048


# Usage


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["sing"],
        ["generate"],
        ["generate", "a.txt", "--cast", "joe"],
        ["generate", "a.txt", "--seed", "-1"],
        ["generate", "a.txt", "--top-p", "2"],
        ["generate", "a.txt", "--temperature", "nan"],
        ["regenerate", "a.take"],
        ["regenerate", "a.take", "--span", "5"],
        ["regenerate", "a.take", "--span", "1:2", "--candidates", "0"],
        ["encode", "a.wav"],
    ],
)
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert "usage:" in capsys.readouterr().err


def test_help_needs_neither_torch_nor_numpy() -> None:
    program = (
        "import sys; from engine.__main__ import main; code = main(['generate', '--help']);"
        "sys.exit(code or 'torch' in sys.modules or 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "--cast" in done.stdout


# With the embedded voice


def test_the_embedded_voice_speaks_and_speaks_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "<|speaker:0|>Did you hear that?<|speaker:1|>Who was at the door?"
    arguments = ["--seed", "3", "--takes", "takes", "--json"]
    assert main(["generate", script(text), "-o", "out.wav", *arguments]) == 0
    first = json.loads(capsys.readouterr().out)
    samples, rate = audio.read(Path("out.wav"))
    assert rate == 22_050
    assert np.sqrt(np.mean(samples**2)) > 0.01
    assert main(["generate", script(text), "-o", "again.wav", *arguments]) == 0
    assert json.loads(capsys.readouterr().out)["lines"] == first["lines"]
    assert Path("again.wav").read_bytes() == Path("out.wav").read_bytes()

    old = read_take(Path("takes/001.take"))
    changed = ["--text", "Did you see that?", "--seed", "1", "--candidates", "2", "-o", "new.take", "--json"]
    assert main(["regenerate", "takes/001.take", *changed]) == 0
    start, stop = json.loads(capsys.readouterr().out)["places"][0]["span"]
    new = read_take(Path("new.take"))
    assert new.origin.parent == old.id
    np.testing.assert_array_equal(new.codes[:, :start], old.codes[:, :start])
    assert new.origin.span is not None
    kept = new.frames - new.origin.span[1]
    assert abs(kept - (old.frames - stop)) <= BREATH  # where it joins badly, what is kept may begin elsewhere
    np.testing.assert_array_equal(new.codes[:, -kept:], old.codes[:, -kept:])


# whatever surrounds it


def test_a_voice_with_a_name_too_long_for_a_file(engine: FakeEngine, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", script(), "--cast", f"0={'x' * 5000}"]) == 1
    assert "There is no voice" in capsys.readouterr().err


def test_the_old_file_stays_where_no_name_was_given(engine: FakeEngine, capsys: pytest.CaptureFixture[str]) -> None:
    """A recording may be named like the script: a voice clip and its transcript are."""
    Path("script.wav").write_bytes(b"a recording")
    assert main(["generate", script(), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["out"] == "script-2.wav"
    assert Path("script.wav").read_bytes() == b"a recording"
    assert main(["generate", script()]) == 0
    assert Path("script-3.wav").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["generate", "script.txt", "-o", "no/out.wav"],
        ["generate", "script.txt", "-o", "out.mp3"],
        ["regenerate", "takes/001.take", "--span", "2:5", "-o", "no/out.take"],
        ["regenerate", "takes/001.take", "--span", "2:5", "-o", "/"],
        ["regenerate", "takes/001.take", "--span", "2:5", "-o", "out.take", "--wav", "out.mp3"],
        ["regenerate", "takes/001.take", "--span", "2:5", "-o", "out.take", "--wav", "no/out.wav"],
        ["regenerate", "takes/001.take", "--span", "2:5", "-o", "takes/../takes/001.take"],
        ["regenerate", "takes/001.take", "--span", "2:5", "-o", "out.wav", "--wav", "out.wav"],
        ["generate", "script.txt", "--cast", "0=script.wav", "-o", "script.wav"],
        ["encode", "script.wav", "-o", "script.wav"],
        ["encode", "script.wav", "-o", "no/out.npy"],
        ["decode", "codes.npy", "-o", "out.mp3"],
        ["decode", "codes.npy", "-o", "no/out.wav"],
    ],
)
def test_a_place_that_cannot_be_written_is_told_before_the_work(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert main(["generate", script(), "--takes", "takes"]) == 0
    np.save("codes.npy", np.zeros((CODEBOOKS, 3), np.int16))
    engine.opened, engine.requests = (), []
    there = sorted(Path().iterdir())
    capsys.readouterr()
    assert main(words) == 1
    assert re.search("cannot be written|would be lost", capsys.readouterr().err)
    assert engine.opened == ()
    assert sorted(Path().iterdir()) == there


def test_the_work_goes_on_where_nobody_listens(engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", Gone())
    assert main(["generate", script(), "-o", "out.wav"]) == 0
    monkeypatch.setattr(sys, "stderr", None)
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["generate", script(), "-o", "out2.wav", "--json"]) == 0
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["generate", "-"]) == 1
    assert Path("out.wav").exists()
    assert Path("out2.wav").exists()


def test_a_full_standard_output(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sys, "stdout", Full())
    assert main(["info", "--json"]) == 1
    assert capsys.readouterr().err == "retake-engine: Standard output cannot be used: the disk is full.\n"


def test_kill_keeps_what_is_finished(engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = engine.generate

    def killed(request: Request) -> Iterator[Event]:
        if len(engine.requests) == 2:
            signal.raise_signal(signal.SIGTERM)
        yield from answer(request)

    monkeypatch.setattr(engine, "generate", killed)
    assert main(["generate", script(), "-o", "out.wav"]) == 1
    assert len(audio.read(Path("out.wav"))[0]) == 20 * HOP + round(0.35 * RATE)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


# timbre, align


def test_the_timbre_is_drawn_anew(engine: FakeEngine, take: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    arguments = ["--span", "2:5", "--seed", "7", "--candidates", "2", "--wav", "new.wav", "--json"]
    assert main(["timbre", str(take), *arguments]) == 0
    (request,) = engine.requests
    assert isinstance(request, Retimbre)
    assert (request.span, request.seeds) == ((2, 5), (7, 8))
    document = json.loads(capsys.readouterr().out)
    assert document["file"] == "001-2.take"
    assert read_take(Path("001-2.take")).id == document["take"] != read_take(take).id
    assert len(document["candidates"]) == 2
    assert Path("new.wav").exists()
    assert main(["timbre", str(take), "-o", "all.take"]) == 0
    assert engine.requests[-1].span == (0, 10)
    assert main(["timbre", str(take), "--span", "8:30"]) == 1
    assert "frames 0 to 10" in capsys.readouterr().err


def test_words_are_told_when_they_are_said(engine: FakeEngine, take: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["align", str(take)]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row.split()[-1] for row in rows] == ["I", "told", "you", "it", "was", "a", "secret"]
    assert main(["align", str(take), "--json"]) == 0
    (first, *_, last) = json.loads(capsys.readouterr().out)["words"]
    assert first["start"] == 0.0
    assert last["word"] == "secret"
    assert last["start"] < last["stop"] <= 0.5
    assert last["sure"] == 0.5
