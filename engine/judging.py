"""What the model thinks of frames that it did not draw: a comp's, a recording's."""

from __future__ import annotations

from dataclasses import replace

import torch

from engine.frames import judgement
from engine.performance import Loaded
from engine.prompt import frame_columns
from engine.request import FrameData, Take, frozen

_AT_ONCE = 256  # frames of the fast AR


def judged(loaded: Loaded, take: Take) -> Take:
    """The take with the frame data that it would have, had its codes been drawn. Its id stays."""
    checkpoint, model, frames = loaded.checkpoint, loaded.checkpoint.model, take.frames
    if not frames:
        return take
    hidden = loaded.states_before(take.origin.prompt, take.codes)  # [F, C]
    codes = torch.from_numpy(frame_columns(take.codes, checkpoint.config)[1:].T).to(hidden.device)  # [F, K]
    logits = model.slow.logits(hidden).float()
    logits[0, 0] = -torch.inf  # no take ends before its first frame
    slow = judgement(logits.log_softmax(-1), codes[:, 0] + 1)
    fast = torch.cat(
        [
            judgement(model.fast.all(hidden[at : at + _AT_ONCE], codes[at : at + _AT_ONCE]).float().log_softmax(-1),
                    codes[at : at + _AT_ONCE, 1:]).mean(1)
            for at in range(0, frames, _AT_ONCE)
        ]
    )  # fmt: skip
    both = torch.stack([slow, fast]).permute(2, 0, 1).cpu().numpy()  # [3, 2, F]
    return replace(take, frame_data=FrameData(*(frozen(each.copy()) for each in both)))
