"""How far a take keeps to its voice: every stretch of it against the reference that it was read after."""

from __future__ import annotations

import numpy as np

from engine.codec import Codec
from engine.likeness import LEAST_FRAMES, VoiceOfFrames
from engine.request import Take, frozen

WINDOW = 24  # frames that are judged together: fewer tell of words more than of the voice
_STEP = 6  # frames between two of them


def likeness(codec: Codec, take: Take) -> np.ndarray | None:
    """How much the frames around each frame are of the take's voice, float32 [frame], 1 as its own clips are.

    None where that cannot be told: several voices in one take, no reference, or too few frames.
    """
    prompt = take.origin.prompt
    if len(prompt.voices) != 1 or not prompt.voices[0].references or take.frames < LEAST_FRAMES:
        return None
    reference = np.concatenate([each.codes for each in prompt.voices[0].references], axis=1)
    if reference.shape[1] < LEAST_FRAMES:
        return None
    voice = VoiceOfFrames(codec, reference)
    width = min(WINDOW, take.frames)
    starts = sorted({*range(0, take.frames - width, _STEP), take.frames - width})
    found = [voice.likeness(take.codes[:, start : start + width]) for start in starts]
    centres = [start + (width - 1) / 2 for start in starts]
    return frozen(np.interp(np.arange(take.frames), centres, found).astype(np.float32))
