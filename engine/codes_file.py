"""Codes as .npy files: int16 [codebook, frame]."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.errors import EngineError, RequestError, why
from engine.request import Codes, frozen
from engine.whole_file import WholeFile, reachable

_MOST_BYTES = 64 << 20


def write_codes(path: Path, codes: Codes) -> None:
    """Whole or not at all. Raises EngineError."""
    try:
        with WholeFile(path) as file:
            np.save(file, codes, allow_pickle=False)
    except OSError as error:
        raise EngineError(f"{path} cannot be written: {why(error)}.") from error


def read_codes(path: Path) -> Codes:
    """Codes of a file that may come from anywhere; whether they lie in a checkpoint's codebooks is seen where they are
    used. Raises RequestError, and nothing else whatever the file holds."""
    try:
        if reachable(path).stat().st_size > _MOST_BYTES:
            raise RequestError(f"{path} is larger than codes can be.")
        codes = np.load(reachable(path), allow_pickle=False)
    except OSError as error:
        raise RequestError(f"{path} cannot be read: {why(error)}.") from error
    except (ValueError, EOFError, TypeError, SyntaxError, MemoryError, OverflowError) as error:
        raise RequestError(f"{path} holds no codes: it must be a .npy file as `encode` writes it.") from error
    if not isinstance(codes, np.ndarray) or codes.ndim != 2 or codes.dtype.kind not in "iu" or codes.size == 0:
        raise RequestError(f"{path} holds no codes: they are whole numbers in rows, [codebook, frame].")
    if codes.min() < 0 or codes.max() > np.iinfo(np.int16).max:
        raise RequestError(f"{path} holds numbers that are no codes.")
    return frozen(codes.astype(np.int16))
