"""The clips that come with the checkpoint: for each voice a reference and a second one to compare with.

python -m voice.record_clips FOLDER VOICE...      writes FOLDER/voices/VOICE-{1,2}.{flac,txt}
"""

from __future__ import annotations

import argparse
from pathlib import Path

import soundfile

from voice.corpus import CLIPS
from voice.make_data import SEEDS
from voice.recordings import RATE
from voice.teachers import Studio, teacher


def record(folder: Path, voice: str) -> None:
    studio = Studio(teacher(voice))
    folder.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(CLIPS, 1):
        path = folder / f"{voice}-{number}.flac"
        soundfile.write(path, studio.record(text, number).wave, RATE)
        path.with_suffix(".txt").write_text(text + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("voices", nargs="+", choices=SEEDS)
    options = parser.parse_args()
    for voice in options.voices:
        record(options.folder / "voices", voice)


if __name__ == "__main__":
    main()
