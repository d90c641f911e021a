"""Is it one person who speaks? Told from what the voice is like, window by window, where something here knows that.

Of 60 clips of one speaker and 120 of two, three sentences each, the two halves that windows fall into were alike by
0.88 and more, and by 0.80 and less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.request import Speakers

_TWO = 0.80  # how alike the two halves are at most where they are two speakers
_ANOTHER = 0.77  # how alike whole clips of two speakers are at most
_LEAST_WINDOWS = 2  # of the one who speaks less: a window alone may be a cough
_ROUNDS = 8


@dataclass(frozen=True)
class Company:
    """Whom a clip has in it: the seconds in which another one speaks than in most of it, None where nobody does; and
    whether it is somebody else than in the voice's first clip."""

    another: tuple[float, float] | None = None
    stranger: bool = False


def company(speakers: Speakers, first: Speakers | None = None) -> Company:
    """Who is in a clip, beside the `first` one of its voice where it is not that."""
    stranger = first is not None and float(speakers.mean @ first.mean) < _ANOTHER
    return Company(_another(speakers), stranger)


def _another(speakers: Speakers) -> tuple[float, float] | None:
    """Where the other one of two speakers is heard, from the first to the last of it."""
    other = _other_half(speakers.embeddings)
    if other is None:
        return None
    middles = (speakers.begins + speakers.ends) / 2
    found = middles[other]
    reach = float(np.median(np.diff(middles))) / 2 if len(middles) > 1 else 0.0
    return max(0.0, float(found.min()) - reach), float(found.max()) + reach


def _other_half(embeddings: np.ndarray) -> np.ndarray | None:
    """Which windows are of another speaker than most, bool [window]; None where they are all of one."""
    if len(embeddings) < 2 * _LEAST_WINDOWS:
        return None
    alike = embeddings @ embeddings.T
    one, two = np.unravel_index(int(alike.argmin()), alike.shape)
    second = alike[:, two] > alike[:, one]
    for _ in range(_ROUNDS):
        if min(int(second.sum()), int((~second).sum())) < _LEAST_WINDOWS:
            return None
        centres = np.stack([_direction(embeddings[~second]), _direction(embeddings[second])])
        nearer = embeddings @ centres[1] > embeddings @ centres[0]
        if (nearer == second).all():
            break
        second = nearer
    if float(centres[0] @ centres[1]) > _TWO:
        return None
    return second if second.sum() <= (~second).sum() else ~second


def _direction(embeddings: np.ndarray) -> np.ndarray:
    total = embeddings.sum(0)
    return total / np.linalg.norm(total)
