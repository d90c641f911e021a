"""How much a prompt matters to frames: the same frames read after one prompt and after another."""

from __future__ import annotations

import numpy as np
import torch

from engine.performance import Loaded
from engine.request import Prompt, Take, frozen


@torch.inference_mode()
def divergence(loaded: Loaded, take: Take, other: Prompt) -> np.ndarray:
    """float32 [frame]: what the slow AR expects before each frame of the take, as it was read, against what it would
    expect after another prompt; the Kullback-Leibler divergence of the two, in nats. TooLongError as `read`."""
    if not take.frames:
        return frozen(np.zeros(0, np.float32))
    own, others = (_expected(loaded, prompt, take) for prompt in (take.origin.prompt, other))
    return frozen((own.exp() * (own - others)).sum(-1).clamp(min=0).cpu().numpy().astype(np.float32))


def _expected(loaded: Loaded, prompt: Prompt, take: Take) -> torch.Tensor:
    """log p of every semantic code, and of the end, before each frame: [frame, code]."""
    hidden = loaded.states_before(prompt, take.codes)
    return loaded.checkpoint.model.slow.logits(hidden).float().log_softmax(-1)
