"""Where a command that makes a new take of an old one writes it, and its sound where that is asked for (--wav)."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from engine import audio
from engine.cli.places import free_name, tried
from engine.request import Take
from engine.take_file import write_take

if TYPE_CHECKING:
    from engine.speech import Engine


def try_places(options: Namespace) -> None:
    """Raise EngineError where the new take, or its sound, could not be written: better now than after the work."""
    out = _place(options)
    tried(out, options.take)
    if options.wav is not None:
        audio.check_suffix(options.wav)
        tried(options.wav, options.take, out)


def write(options: Namespace, take: Take, engine: Engine) -> Path:
    """Write the new take, and its sound; where the take lies comes back."""
    out = _place(options)  # only now: another run may have taken the name meanwhile
    write_take(out, take)
    if options.wav is not None:
        audio.write(options.wav, engine.decode(take.codes), engine.sample_rate)
    return out


def _place(options: Namespace) -> Path:
    """What was asked for, or NAME-2.take beside the old take, or the next number that is free: the old one stays."""
    old: Path = options.take
    named: Path | None = options.out
    return named or free_name(old.with_name(f"{old.stem}.take"), least=2)
