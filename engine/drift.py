"""How far a take keeps to its voice: every stretch of it against the reference that it was read after."""

from __future__ import annotations

import numpy as np

from engine.codec import Codec
from engine.likeness import LEAST_FRAMES, VoiceOfFrames
from engine.request import Codes, Speakers, Take, Voice, frozen

WINDOW = 24  # frames that are judged together: fewer tell of words more than of the voice
_STEP = 6  # frames between two of them
_ANOTHER, _SAME = 0.70, 0.85  # how alike windows of two speakers hardly ever are, and those of one mostly


def likeness(codec: Codec, take: Take) -> np.ndarray | None:
    """How much the frames around each frame are of the take's voice, float32 [frame], 1 as its own clips are.

    None where that cannot be told: several voices in one take, no reference, or too few frames.
    """
    known = voice_of(take)
    if known is None or take.frames < LEAST_FRAMES:
        return None
    reference = reference_of(known)
    if reference.shape[1] < LEAST_FRAMES:
        return None
    voice = VoiceOfFrames(codec, reference)
    width = min(WINDOW, take.frames)
    starts = sorted({*range(0, take.frames - width, _STEP), take.frames - width})
    found = [voice.likeness(take.codes[:, start : start + width]) for start in starts]
    centres = [start + (width - 1) / 2 for start in starts]
    return frozen(np.interp(np.arange(take.frames), centres, found).astype(np.float32))


def likeness_by_sound(take: Take, heard: Speakers, reference: Speakers) -> np.ndarray:
    """The same, told from how the take and its voice's clips sound."""
    alike = heard.embeddings @ reference.mean
    found = np.clip((alike - _ANOTHER) / (_SAME - _ANOTHER), 0.0, 1.0)
    centres = (heard.begins + heard.ends) / 2 * take.origin.rate / take.origin.hop
    return frozen(np.interp(np.arange(take.frames), centres, found).astype(np.float32))


def voice_of(take: Take) -> Voice | None:
    """The one voice that a take was read after; None where there is none, or several."""
    voices = take.origin.prompt.voices
    return voices[0] if len(voices) == 1 and voices[0].references else None


def reference_of(voice: Voice) -> Codes:
    """The codes of all its clips, one after another."""
    return np.concatenate([each.codes for each in voice.references], axis=1)
