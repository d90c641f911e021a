"""Where words stand in sound files, by another tool's forced alignment, for the measurements: pocketsphinx.

It is a tool of its own, because it needs packages that Retake does not: run it with a Python that has them,

    python3 -m venv forced && forced/bin/pip install pocketsphinx soundfile soxr
    forced/bin/python packaging/forced_alignment.py FILE "THE WORDS IN IT" [FILE WORDS...]

For each file one line of JSON comes out: a list of [word, start, stop] in seconds, null where it cannot be aligned.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

Word = tuple[str, float, float]
RATE = 16_000
LEAD = 0.2  # seconds of silence put before and after


def aligned(python: Path, files: Sequence[tuple[Path, str]]) -> list[list[Word] | None]:
    """The words of each file, by the Python that has the tool."""
    arguments = [each for file, words in files for each in (str(file), words)]
    done = subprocess.run([str(python), __file__, *arguments], check=True, capture_output=True, text=True)
    found = map(json.loads, done.stdout.splitlines())
    return [None if each is None else [(word, start, stop) for word, start, stop in each] for each in found]


def main(arguments: Sequence[str]) -> None:
    import numpy as np
    import soundfile
    import soxr
    from pocketsphinx import Decoder  # type: ignore[import-not-found]

    quiet = np.zeros(round(LEAD * RATE))
    for file, words in zip(arguments[::2], arguments[1::2], strict=True):
        samples, rate = soundfile.read(file)
        samples = np.concatenate([quiet, soxr.resample(samples, rate, RATE), quiet])
        decoder = Decoder(samprate=RATE, loglevel="FATAL", bestpath=False)
        try:
            decoder.set_align_text(words)
            decoder.start_utt()
            decoder.process_raw((np.clip(samples, -1, 1) * 29_000).astype(np.int16).tobytes(), full_utt=True)
            decoder.end_utt()
            segments = [each for each in decoder.seg() or () if each.word[0] not in "<["]
        except RuntimeError:  # a word that its dictionary does not have
            segments = []
        found = [(each.word, each.start_frame / 100 - LEAD, (each.end_frame + 1) / 100 - LEAD) for each in segments]
        print(json.dumps(found if len(found) == len(words.split()) else None), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
