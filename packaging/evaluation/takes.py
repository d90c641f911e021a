"""A checkpoint's takes in a folder, each with what was measured of it; what is there already is not made again."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from voice.tags import TAGS

from engine.request import Finished, Generate, Part, Prompt, Take, Turn, Voice
from engine.speech import Engine
from evaluation.measures import Listeners, edits, sound_of, told
from evaluation.sentences import Line

SEED = 7
TURNS = 3  # that a line of a longer text comes after


@dataclass(frozen=True)
class Studio:
    """What takes are made and measured with. `clips` are each voice's vectors: of its reference, then of its others."""

    engine: Engine
    listeners: Listeners
    folder: Path
    voices: dict[str, Voice]
    clips: dict[str, list[np.ndarray]]

    def measured(self, line: Line, voice: str, context: tuple[Turn, ...] = ()) -> dict[str, Any]:
        """All that is known of a line's take in a voice after these turns; made now where it is not there."""
        path = self.folder / f"{line.name}-{voice}.json"
        if path.exists():
            return json.loads(path.read_text(encoding="utf-8"))
        began = time.perf_counter()
        take = self._take(line, voice, context)
        samples = self.engine.decode(take.codes)
        spent = time.perf_counter() - began
        soundfile.write(path.with_suffix(".wav"), samples, self.engine.sample_rate)
        np.save(path.with_suffix(".npy"), take.codes)
        known = {
            "name": path.stem,
            "kind": line.kind,
            "voice": voice,
            "text": line.text,
            "seconds": take.seconds,
            "spent": spent,
            "runaway": take.capped,
            "empty": take.seconds < 0.15 * len(line.words.split()),
        }
        known |= self._heard(line, samples) | self._likeness(voice, samples)
        if line.kind in TAGS:
            place = int(self.engine.align(take).begins[line.place]) * self.engine.hop
            known["after"] = sound_of(samples[place:], self.engine.sample_rate)
            known["whole"] = sound_of(samples, self.engine.sample_rate)
        part = path.with_suffix(".part")
        part.write_text(json.dumps(known, indent=1), encoding="utf-8")
        part.replace(path)
        return known

    def read_on(self, lines: Sequence[Line], voice: str) -> list[dict[str, Any]]:
        """The lines of a longer text, each spoken after the ones before it."""
        known: list[dict[str, Any]] = []
        turns: tuple[Turn, ...] = ()
        for line in lines:
            known.append(self.measured(line, voice, turns[-TURNS:]))
            codes = np.load(self.folder / f"{known[-1]['name']}.npy", allow_pickle=False)
            turns = (*turns, Turn((Part(0, line.text),), codes))
        return known

    def _take(self, line: Line, voice: str, context: tuple[Turn, ...]) -> Take:
        prompt = Prompt((Part(0, line.text),), (self.voices[voice],), context)
        for event in self.engine.generate(Generate(prompt, (SEED,), self.engine.settings)):
            if isinstance(event, Finished):
                return event.takes[0]
        raise AssertionError("a generation ends with what it finished")

    def _heard(self, line: Line, samples: np.ndarray) -> dict[str, Any]:
        rate = self.engine.sample_rate
        heard, wanted = told(self.listeners.words(samples, rate)), told(line.words)
        return {
            "heard": heard,
            "words": len(wanted.split()),
            "word_errors": edits(wanted.split(), heard.split()),
            "characters": len(wanted),
            "character_errors": edits(wanted, heard),
            "quality": self.listeners.quality(samples, rate),
        }

    def _likeness(self, voice: str, samples: np.ndarray) -> dict[str, Any]:
        """How like the voice the take is, and which of the checkpoint's voices is nearest."""
        own = self.listeners.voice(samples, self.engine.sample_rate)
        if own is None:
            return {"likeness": None, "nearest": None}
        likeness = {name: max(float(own @ clip) for clip in clips) for name, clips in self.clips.items()}
        return {"likeness": likeness[voice], "nearest": max(likeness, key=lambda name: likeness[name])}


def clip_vectors(folder: Path, listeners: Listeners) -> dict[str, list[np.ndarray]]:
    """The vectors of every recording of each voice that comes with a checkpoint."""
    found: dict[str, list[np.ndarray]] = {}
    for path in sorted((folder / "voices").glob("*.flac")):
        vector = listeners.voice(*soundfile.read(path, dtype="float32"))
        if vector is not None:
            found.setdefault(path.stem.rsplit("-", 1)[0], []).append(vector)
    return found
