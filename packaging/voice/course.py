"""A course of training that can be killed at any moment and goes on from its last saved step."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, distributed, nn

from voice.muon import Muon

SAVE_EVERY = 60.0  # seconds
WARM_STEPS = 100
MEET_EVERY = 10  # steps
COOLING = 0.4  # of the steps, where no number is given
LAST_RATE = 0.05  # of the peak


def rank() -> int:
    """Which of the processes that train side by side this one is."""
    return distributed.get_rank() if distributed.is_initialized() else 0


class Course:
    """Steps of AdamW (and Muon) at a rate that climbs, stays, and falls straight at the end; the weights are averaged
    as they go. A course that is made longer goes on at the rate that stays, as if it had never been meant to end.

    `for step in course` yields the numbers of the steps still to do; the body calls `learn(loss)` once in each.
    """

    def __init__(
        self,
        path: Path,
        model: nn.Module,
        steps: int,
        peak: float,
        decay: float,
        averaged: float,
        turning: tuple[str, ...] = (),
        cool: int | None = None,
    ) -> None:
        """The rate falls in the last `cool` steps. `turning` are the ends of names of matrices that turn one space into
        another: Muon moves these, with the same rate, since its steps are made as long as AdamW's."""
        self._path, self._model, self._steps, self._peak = path, model, steps, peak
        self._cool = max(1, round(COOLING * steps)) if cool is None else cool
        named = {name: value for name, value in model.named_parameters() if value.requires_grad}
        self._trained = list(named.values())
        turned = [value for name, value in named.items() if turning and name.endswith(turning)]
        others = [value for name, value in named.items() if not (turning and name.endswith(turning))]
        groups = [
            {"params": [parameter for parameter in others if parameter.ndim >= 2], "weight_decay": decay},
            {"params": [parameter for parameter in others if parameter.ndim < 2], "weight_decay": 0.0},
        ]
        self._optimizers: list[torch.optim.Optimizer] = [
            torch.optim.AdamW(groups, lr=peak, betas=(0.9, 0.98), fused=True)
        ]
        if turned:
            self._optimizers.append(Muon(turned, peak, decay=decay))
        self._averaged = averaged
        self.average = {name: value.detach().clone() for name, value in model.state_dict().items()}
        self.step = 0
        self._saved = self._began = time.monotonic()
        self._smooth: dict[str, float] = {}
        if path.exists():
            self._resume(torch.load(path, weights_only=True, map_location=self._trained[0].device))

    def __iter__(self) -> Iterator[int]:
        torch.manual_seed(self.step)
        while self.step < self._steps:
            for optimizer in self._optimizers:
                for group in optimizer.param_groups:
                    group["lr"] = self._rate()
            yield self.step
            if time.monotonic() - self._saved > SAVE_EVERY:
                self.save()
        if self.step % MEET_EVERY:
            self._meet()
            self._follow()
        self.save()

    def learn(self, loss: Tensor, **parts: Tensor) -> None:
        """One step down the loss; `parts` are only told."""
        self._model.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self._trained, 1.0)
        for optimizer in self._optimizers:
            optimizer.step()
        self.step += 1
        if self.step % MEET_EVERY == 0:
            self._meet()
            self._follow()
        for name, part in parts.items():
            self._smooth[name] = 0.97 * self._smooth.get(name, part.item()) + 0.03 * part.item()
        if self.step % 50 == 0 and rank() == 0:
            told = " ".join(f"{name} {value:.3f}" for name, value in self._smooth.items())
            print(f"{self.step} {time.monotonic() - self._began:.0f}s {told} rate {self._rate():.1e}", flush=True)

    def save(self) -> None:
        """Write all that is needed to go on, whole or not at all. One process of several does it for all."""
        self._saved = time.monotonic()
        if rank() > 0:
            return
        part = self._path.with_suffix(".part")
        state: dict[str, Any] = {"model": self._model.state_dict(), "average": self.average, "step": self.step}
        torch.save(state | {"optimizers": [optimizer.state_dict() for optimizer in self._optimizers]}, part)
        part.replace(self._path)

    def _meet(self) -> None:
        """Where several processes train side by side, each goes on with the mean of their weights."""
        if not distributed.is_initialized():
            return
        weights = [parameter.data for parameter in self._trained]
        together = torch.cat([weight.flatten() for weight in weights])
        distributed.all_reduce(together)
        together /= distributed.get_world_size()
        for weight, mean in zip(weights, together.split([w.numel() for w in weights]), strict=True):
            weight.copy_(mean.view_as(weight))

    def _follow(self) -> None:
        """Let the average follow the weights: those of the last fifth of the course while it is young."""
        share = min(1.0, max(1 - self._averaged**MEET_EVERY, 5 * MEET_EVERY / self.step))
        for name, value in self._model.state_dict().items():
            if value.is_floating_point():
                self.average[name].lerp_(value, share)

    def _resume(self, state: dict[str, Any]) -> None:
        self._model.load_state_dict(state["model"])
        if state["optimizers"]:  # a course that goes on from a checkpoint begins without
            for optimizer, kept in zip(self._optimizers, state["optimizers"], strict=True):
                optimizer.load_state_dict(kept)
        self.average, self.step = state["average"], state["step"]

    def _rate(self) -> float:
        climbing = min(1.0, (self.step + 1) / WARM_STEPS)
        falling = min(1.0, (self._steps - self.step) / self._cool)
        return self._peak * climbing * max(LAST_RATE, falling)
