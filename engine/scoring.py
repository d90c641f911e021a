"""How much a prompt matters to frames: the same frames read after one prompt and after another."""

from __future__ import annotations

import numpy as np
import torch

from engine.performance import Loaded
from engine.prompt import frame_columns, read
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
    checkpoint, slow = loaded.checkpoint, loaded.checkpoint.model.slow
    reading = read(prompt, take.frames, checkpoint.tokenizer, checkpoint.config)
    recalled = loaded.held.recall(checkpoint.model, reading.columns, reading.columns.shape[1] + take.frames)
    hidden = recalled.hidden  # [1, C]
    if take.frames > 1:
        heard = torch.from_numpy(frame_columns(take.codes[:, :-1], checkpoint.config)).to(hidden.device)
        hidden = torch.cat([hidden, slow(heard[None], recalled.memory)[0]])
    return slow.logits(hidden).float().log_softmax(-1)
