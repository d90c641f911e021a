"""`generate`: a script spoken line by line into one audio file, each line a take of its own."""

from __future__ import annotations

import secrets
import time
from argparse import Namespace
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.audio import Writer, check_suffix
from engine.cli.output import Clock, Meter, counted, duration, print_json
from engine.cli.places import free_name, tried
from engine.cli.script import ScriptLine, cast_voices, read_script, script_lines
from engine.cli.streams import uninterrupted
from engine.errors import AudioError, EngineError, ScriptError, TakeFileError, why
from engine.request import (
    Event,
    Failed,
    Finished,
    Generate,
    Part,
    Progress,
    Prompt,
    Samples,
    Settings,
    Take,
    Voice,
    reused_share,
)
from engine.take_file import write_take
from engine.text import expected_seconds, has_words

if TYPE_CHECKING:
    from engine.speech import Engine

PAUSE_SECONDS = 0.35  # between lines


@dataclass
class _Account:
    """What came of the lines so far."""

    lines: list[dict[str, Any]] = field(default_factory=list)
    failed: list[dict[str, Any]] = field(default_factory=list)
    unsaved: int = 0  # takes that could not be written
    stopped: bool = False
    working_seconds: float = 0.0
    spoken_seconds: float = 0.0
    positions_read: int = 0  # of the prompts
    positions_reused: int = 0  # of the prompts, held in memory or kept on disk

    @property
    def whole(self) -> bool:
        return not (self.failed or self.unsaved or self.stopped)

    @property
    def rtf(self) -> float | None:
        """Seconds of work for a second of speech."""
        return round(self.working_seconds / self.spoken_seconds, 4) if self.spoken_seconds else None


def run(options: Namespace) -> int:
    """Speak the script; 1 where a line failed or it was stopped, with all that was finished kept."""
    meter = Meter()
    text, notes = read_script(options.script)
    for note in notes:
        meter.note(note)
    out = options.out or free_name(Path(("speech" if options.script == "-" else Path(options.script).stem) + ".wav"))
    check_suffix(out)
    tried(out, options.script, *options.cast.values())
    takes = options.takes
    if takes is not None:
        try:
            takes.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TakeFileError(f"The folder {takes} cannot be made: {why(error)}.", takes) from error
        tried(takes / "000.take")  # as no line is called: a take that cannot be written costs nothing else
    seed = secrets.randbelow(1 << 31) if options.seed is None else options.seed

    from engine.speech import Engine  # torch takes seconds to import: only now

    engine = Engine.open(options.checkpoint, options.device, options.precision, options.compile)
    if engine.compiled is not None:
        meter.note(f"Layers: {engine.compiled}.")
    settings = chosen_settings(engine.settings, options)
    lines = script_lines(text, engine.most_characters)
    speakers = tuple(dict.fromkeys(line.speaker for line in lines))
    for number in options.cast:
        if number not in speakers and (number != 0 or None not in speakers):
            meter.note(f"The script has no speaker {number}: --cast {number}={options.cast[number]} is not used.")
    voices = cast_voices(engine, speakers, options.cast)

    account = _Account()
    clock = Clock(sum(expected_seconds(line.text) for line in lines) * engine.frames_per_second)
    with Writer(out, engine.sample_rate) as writer:
        speaking = _Speaking(engine, voices, settings, seed, takes, writer, meter, clock, account, lines)
        try:
            try:
                speaking.speak(options.at_once or engine.lines_at_once)
            except KeyboardInterrupt:
                account.stopped = True
                speaking.write_finished()
        except AudioError as error:
            if not account.lines:
                raise
            meter.note(f"{error} What was spoken before is kept: make room, and generate the rest.")
            account.stopped = True
        if not account.lines:
            raise _nothing_made(account)
    _tell(account, lines, out, seed, meter)
    if options.json:
        print_json(
            {
                "lines": account.lines,
                "failed": account.failed,
                "out": str(out),
                "seed": seed,
                "seconds": round(account.spoken_seconds, 3),
                "rtf": account.rtf,
                "positions_read": account.positions_read,
                "positions_reused": account.positions_reused,
                "reused_share": reused_share(account.positions_read, account.positions_reused),
                "stopped": account.stopped,
                "checkpoint": engine.checkpoint,
            }
        )
    return 0 if account.whole else 1


def chosen_settings(settings: Settings, options: Namespace) -> Settings:
    """The checkpoint's own settings, with what the command line says instead."""
    chosen = {name: getattr(options, name) for name in ("temperature", "top_p", "top_k")}
    return replace(settings, **{name: value for name, value in chosen.items() if value is not None})


@dataclass
class _Speaking:
    """The lines on their way into the writer: several are spoken at once, and written in the order of the script."""

    engine: Engine
    voices: dict[int | None, Voice | None]
    settings: Settings
    seed: int
    takes: Path | None
    writer: Writer
    meter: Meter
    clock: Clock
    account: _Account
    lines: tuple[ScriptLine, ...]
    known: dict[int, Finished | EngineError] = field(default_factory=dict)  # what came of lines, by their numbers
    written: int = 0  # lines that are written, or told to have failed

    def speak(self, at_once: int) -> None:
        """Each line is kept as soon as it and all before it are done; where one fails that is noted. Raises AudioError
        on a full disk."""
        for line in self.lines:
            if not has_words(line.text):
                shown = f"it is only “{line.text}”" if line.text else "it is empty"
                words = f"There is nothing to speak, {shown}. Write some words or take it out."
                self.known[line.number] = ScriptError(words, line.number)
        asked = [line for line in self.lines if line.number not in self.known]
        began = time.perf_counter()
        self._write_those_due()
        for place, event in self.engine.together([self._request(line) for line in asked], at_once, sound=False):
            self._hear(asked[place], event)
            self.account.working_seconds = time.perf_counter() - began

    def write_finished(self) -> None:
        """Write those that are finished, though some before them are not."""
        for line in self.lines:
            self._write(line)

    def _request(self, line: ScriptLine) -> Generate:
        voice = self.voices[line.speaker]
        prompt = Prompt((Part(None, line.text),)) if voice is None else Prompt((Part(0, line.text),), (voice,))
        return Generate(prompt, (self.seed + line.number - 1,), self.settings)

    def _hear(self, line: ScriptLine, event: Event) -> None:
        if isinstance(event, Progress):
            self.clock.reached(line.number, event.frames, self._expected(line))
            self.meter.show(f"Line {line.number} of {len(self.lines)}: frame {event.frames}, {self.clock.words()}")
        elif isinstance(event, Finished | Failed):
            frames = event.takes[0].frames if isinstance(event, Finished) else 0
            self.clock.finished(line.number, frames, self._expected(line))
            self.known[line.number] = event if isinstance(event, Finished) else _told(event.error)
            self._write_those_due()

    def _write_those_due(self) -> None:
        while self.written < len(self.lines) and self.lines[self.written].number in self.known:
            self._write(self.lines[self.written])

    def _write(self, line: ScriptLine) -> None:
        """A line whose answer is known into the account, and its take into the files: once, whatever comes between."""
        where, known = f"Line {line.number} of {len(self.lines)}", self.known.get(line.number)
        if known is None:
            return
        samples = self.engine.decode(known.takes[0].codes) if isinstance(known, Finished) else None
        with uninterrupted():
            del self.known[line.number]
            self.written += 1
            if isinstance(known, Finished) and samples is not None:
                self._keep(line, known, samples, where)
            elif isinstance(known, EngineError):
                self.account.failed.append({"line": line.number, "text": line.text, "reason": str(known)})
                self.meter.note(f"{where} failed: {known}")

    def _keep(self, line: ScriptLine, known: Finished, samples: Samples, where: str) -> None:
        take = known.takes[0]
        self.account.spoken_seconds += take.seconds
        self.account.positions_read += known.report.positions_read
        self.account.positions_reused += known.report.positions_reused
        file = self._saved(line, take, where)
        pause = round(PAUSE_SECONDS * self.engine.sample_rate) if self.account.lines else 0
        self.writer.write(np.concatenate([np.zeros(pause, np.float32), samples]))
        self.account.lines.append(_line_entry(line, take, file))
        capped = "; it was stopped at its cap and may be cut" if take.capped else ""
        self.meter.note(f"{where}: {take.seconds:.1f} s, {take.frames} frames, seed {take.origin.seed}{capped}")

    def _expected(self, line: ScriptLine) -> float:
        return expected_seconds(line.text) * self.engine.frames_per_second

    def _saved(self, line: ScriptLine, take: Take, where: str) -> Path | None:
        if self.takes is None:
            return None
        file = self.takes / f"{line.number:03}.take"
        try:
            write_take(file, take)
        except TakeFileError as error:
            self.account.unsaved += 1
            self.meter.note(f"{where}: {error}")
            return None
        return file


def _line_entry(line: ScriptLine, take: Take, file: Path | None) -> dict[str, Any]:
    return {
        "line": line.number,
        "turn": line.turn,
        "speaker": line.speaker,
        "text": line.text,
        "take": take.id,
        "file": None if file is None else str(file),
        "frames": take.frames,
        "seconds": round(take.seconds, 3),
        "seed": take.origin.seed,
        "capped": take.capped,
    }


def _told(error: Exception) -> EngineError:
    """What is known to go wrong; anything else is a bug, and rises."""
    if not isinstance(error, EngineError):
        raise error
    return error


def _nothing_made(account: _Account) -> EngineError:
    if account.stopped:
        return EngineError("Stopped before the first line was finished; nothing was written.")
    return EngineError("No line could be spoken, so nothing was written; the reasons stand above.")


def _tell(account: _Account, lines: tuple[ScriptLine, ...], out: Path, seed: int, meter: Meter) -> None:
    if account.stopped:
        meter.note(f"Stopped: {len(account.lines)} of {len(lines)} lines were finished and are kept.")
    if account.failed:
        numbers = ", ".join(str(entry["line"]) for entry in account.failed)
        meter.note(f"Not spoken: line {numbers}.")
    meter.note(
        f"{out}: {duration(account.spoken_seconds)} of speech in {counted(len(account.lines), 'line')}, seed {seed}, "
        f"{account.rtf} s of work for each second."
    )
