"""`encode` and `decode`: the codec alone, between audio files and codes as .npy."""

from __future__ import annotations

from argparse import Namespace

import numpy as np

from engine import audio
from engine.cli.output import Meter, counted
from engine.cli.places import tried
from engine.codes_file import read_codes, write_codes
from engine.errors import RequestError


def encode(options: Namespace) -> int:
    """Write the codes of an audio file."""
    samples, rate = audio.read(options.audio)
    tried(options.out, options.audio)

    from engine.speech import Engine  # torch takes seconds to import: only now

    codes = Engine.open(options.checkpoint, options.device, options.precision).encode(samples, rate)
    write_codes(options.out, codes)
    Meter().note(f"{options.out}: {codes.shape[0]} codebooks, {counted(codes.shape[1], 'frame')}")
    return 0


def decode(options: Namespace) -> int:
    """Write the sound of codes."""
    codes = read_codes(options.codes)
    audio.check_suffix(options.out)
    tried(options.out, options.codes)

    from engine.speech import Engine  # torch takes seconds to import: only now

    engine = Engine.open(options.checkpoint, options.device, options.precision)
    sizes = np.array(engine.codebook_sizes)
    if codes.shape[0] != len(sizes):
        raise RequestError(
            f"{options.codes} has {codes.shape[0]} codebooks and this checkpoint {len(sizes)}: "
            "name the checkpoint that made them with --checkpoint."
        )
    if (codes >= sizes[:, None]).any():
        raise RequestError(
            f"{options.codes} holds numbers outside of this checkpoint's codebooks: "
            "name the checkpoint that made them with --checkpoint."
        )
    audio.write(options.out, engine.decode(codes), engine.sample_rate)
    Meter().note(f"{options.out}: {codes.shape[1] / engine.frames_per_second:.1f} s")
    return 0
