"""A critic that learns to tell the decoder's sound from recordings, so that the decoder learns what spectra alone do
not teach: phases that belong together, and detail instead of its mean.

It looks at complex spectra of several resolutions, band by band through a few convolutions along time, which is quick
on processors, and scores every moment of each. The losses are those of least squares, with the distance between what
its layers see in both (as in HiFi-GAN and its followers).

Shapes: B clips, S samples, F frames, W frequencies.
"""

from __future__ import annotations

from itertools import chain

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.parametrizations import weight_norm

WINDOWS = (256, 512, 1024)
BAND = 16  # frequencies that are looked at together
CHANNELS = 48
SPECTRA, SEEN = 15.0, 2.0  # weights of the spectra's distance and of what the critic's layers see, beside its verdict


class View(nn.Module):
    """The critic at one resolution: bands of neighbouring frequencies, each looked at along time by the same layers."""

    def __init__(self, window: int) -> None:
        super().__init__()
        self.register_buffer("window", torch.hann_window(window), persistent=False)
        self.place = nn.Parameter(torch.zeros(window // 2 // BAND, CHANNELS, 1))  # tells the bands apart
        self.layers = nn.ModuleList(
            weight_norm(nn.Conv1d(inputs, CHANNELS, 3, padding=reach, dilation=reach))
            for inputs, reach in ((2 * BAND, 1), (CHANNELS, 1), (CHANNELS, 3))
        )
        self.verdict = weight_norm(nn.Conv1d(CHANNELS, 1, 3, padding=1))

    def forward(self, samples: Tensor) -> list[Tensor]:
        """What each layer sees of samples [B, S], [B x bands, channels, F]; the last is the verdict, near 1 for a
        recording."""
        assert isinstance(self.window, Tensor)
        size, bands = len(self.window), len(self.place)
        spectrum = torch.stft(samples, size, size // 4, window=self.window, return_complex=True)[:, : size // 2]
        x = torch.view_as_real(spectrum).movedim(-1, 2)  # [B, W, 2, F]
        x = x / (x.square().sum(2, keepdim=True) + 1e-4).pow(0.35)  # loud and quiet alike, phases kept
        x = x.unflatten(1, (bands, BAND)).flatten(2, 3).flatten(0, 1)  # [B x bands, 2 BAND, F]
        seen = []
        for number, layer in enumerate(self.layers):
            x = layer(x)
            if number == 0:
                x = (x.unflatten(0, (-1, bands)) + self.place).flatten(0, 1)
            x = F.leaky_relu(x, 0.2)
            seen.append(x)
        return [*seen, self.verdict(x)]


class Critic(nn.Module):
    """Views of several resolutions."""

    def __init__(self) -> None:
        super().__init__()
        self.views = nn.ModuleList(View(window) for window in WINDOWS)

    def forward(self, samples: Tensor) -> list[list[Tensor]]:
        return [view(samples) for view in self.views]


def verdicts(critic: Critic, made: Tensor, wanted: Tensor) -> Tensor:
    """The critic's own loss, by its verdicts: recordings are 1, what the decoder made is 0."""
    pairs = zip(critic(made.detach()), critic(wanted), strict=True)
    return torch.stack([view[-1].square().mean() + (1 - true[-1]).square().mean() for view, true in pairs]).sum()


def reproach(critic: Critic, made: Tensor, wanted: Tensor) -> Tensor:
    """The decoder's loss: by what it was found out."""
    critic.requires_grad_(False)
    with torch.no_grad():
        aims = critic(wanted)
    views = critic(made)
    critic.requires_grad_(True)
    told = torch.stack([(1 - view[-1]).square().mean() for view in views]).sum()
    layers = chain.from_iterable(zip(view[:-1], aim[:-1], strict=True) for view, aim in zip(views, aims, strict=True))
    return told + SEEN * torch.stack([F.l1_loss(one, aim) / (aim.abs().mean() + 1e-3) for one, aim in layers]).mean()
