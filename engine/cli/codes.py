"""`encode` and `decode`: the codec alone, between audio files and codes as .npy."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import numpy as np

from engine import audio
from engine.cli.output import Meter, counted
from engine.cli.places import tried
from engine.errors import EngineError, RequestError, why
from engine.request import Codes
from engine.whole_file import WholeFile

_MOST_BYTES = 64 << 20


def encode(options: Namespace) -> int:
    """Write the codes of an audio file."""
    samples, rate = audio.read(options.audio)
    tried(options.out, options.audio)

    from engine.speech import Engine  # torch takes seconds to import: only now

    codes = Engine.open(options.checkpoint, options.device, options.precision).encode(samples, rate)
    try:
        with WholeFile(options.out) as file:
            np.save(file, codes, allow_pickle=False)
    except OSError as error:
        raise EngineError(f"{options.out} cannot be written: {why(error)}.") from error
    Meter().note(f"{options.out}: {codes.shape[0]} codebooks, {counted(codes.shape[1], 'frame')}")
    return 0


def decode(options: Namespace) -> int:
    """Write the sound of codes."""
    codes = _read_codes(options.codes)
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


def _read_codes(path: Path) -> Codes:
    """Codes int16 [codebook, frame] of a .npy file that may come from anywhere."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise RequestError(f"{path} is larger than codes can be.")
        codes = np.load(path, allow_pickle=False)
    except OSError as error:
        raise RequestError(f"{path} cannot be read: {why(error)}.") from error
    except (ValueError, EOFError, TypeError, SyntaxError, MemoryError, OverflowError) as error:
        raise RequestError(f"{path} holds no codes: it must be a .npy file as `encode` writes it.") from error
    if not isinstance(codes, np.ndarray) or codes.ndim != 2 or codes.dtype.kind not in "iu" or codes.size == 0:
        raise RequestError(f"{path} holds no codes: they are whole numbers in rows, [codebook, frame].")
    if codes.min() < 0 or codes.max() > np.iinfo(np.int16).max:
        raise RequestError(f"{path} holds numbers that are no codes.")
    return codes.astype(np.int16)
