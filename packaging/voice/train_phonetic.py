"""First step of the codec: teach its encoder to tell phonemes apart in eight dimensions.

What the slow AR has to predict should follow from the text. So the projection that the semantic codebook looks at is
trained to point where the phoneme is, by a classifier on its direction alone, while the latents as a whole stay near
what the decoder already knows. The front, which hears the samples, stays as it is: what it tells is computed once.

python -m voice.train_phonetic FOLDER START [--steps N]      START is a checkpoint folder whose codec is gone on from
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.causal import Stream
from engine.codec import Codec
from engine.codec_file import load_codec
from engine.speech import ENCODE
from voice.codec_batches import frame_phonemes, padded, refined
from voice.course import Course
from voice.phonemes import SYMBOLS
from voice.recordings import Recording, read_all

BATCH = 32
RECORDINGS = 600  # of each voice
SHARPNESS = 12.0  # logits are cosines times this
NEAR = 0.3  # weight of staying near the old latents


@dataclass(frozen=True, eq=False)
class Heard:
    """A recording as the front tells it [C, 4 F], its latents before any training [F, C], and its phonemes [F, P]."""

    front: Tensor
    latent: Tensor
    phonemes: Tensor


class Phonetic(nn.Module):
    """The encoding half of a codec, and the phonemes' directions in the semantic projection."""

    def __init__(self, codec: Codec, dim: int) -> None:
        super().__init__()
        self.codec = codec
        self.projection = nn.Conv1d(codec.config.quantizer.input_dim, dim, 1)
        self.directions = nn.Parameter(torch.randn(len(SYMBOLS), dim))
        self.bias = nn.Parameter(torch.zeros(len(SYMBOLS)))

    def phoneme_logits(self, latent: Tensor) -> Tensor:
        """[N, C] -> [N, P]."""
        pointing = F.normalize(self.projection(latent.T[None])[0].T, dim=-1)
        return SHARPNESS * pointing @ F.normalize(self.directions, dim=-1).T + self.bias


def hear(codec: Codec, recordings: list[Recording]) -> list[Heard]:
    """The same number of recordings of each voice through the front, by length."""
    chance = random.Random(0)
    voices: dict[str, list[Recording]] = {}
    for recording in recordings:
        voices.setdefault(recording.voice, []).append(recording)
    chosen = [one for own in voices.values() for one in chance.sample(own, min(RECORDINGS, len(own)))]
    heard = []
    for recording in sorted(chosen, key=lambda one: len(one.samples)):
        samples = padded([recording.wave * chance.uniform(0.5, 1.1)], codec)
        with torch.inference_mode():
            front = codec.front(samples[None], Stream())
            latent = refined(codec, front)[0].T
        heard.append(Heard(front[0].clone(), latent.clone(), frame_phonemes(recording, codec.hop)))
    return heard


def train(folder: Path, start: Path, steps: int) -> None:
    codec = load_codec(start, "cpu", ENCODE)
    heard = hear(codec, read_all(folder / "data"))
    for part in (codec.quantizer.downsample, codec.quantizer.pre_module):
        part.requires_grad_(True)
    torch.manual_seed(0)
    model = Phonetic(codec, codec.config.quantizer.codebook_dim)
    course = Course(folder / "phonetic.pt", model, steps, 2e-3, 0.01, 0.98)
    side_by_side = partial(nn.utils.rnn.pad_sequence, batch_first=True)
    for step in course:
        first = random.Random(step).randrange(max(1, len(heard) - BATCH))
        batch = heard[first : first + BATCH]
        latent = refined(codec, side_by_side([one.front.T for one in batch]).mT).mT
        there = side_by_side([torch.ones(len(one.latent)) for one in batch]) > 0
        before, phonemes = (torch.cat([getattr(one, part) for one in batch]) for part in ("latent", "phonemes"))
        logits = model.phoneme_logits(latent[there])
        phoneme = F.cross_entropy(logits, phonemes)
        drift = F.mse_loss(latent[there], before) / before.var(0).mean()
        right = (logits.argmax(-1) == phonemes.argmax(-1)).float().mean()
        course.learn(phoneme + NEAR * drift, phoneme=phoneme, drift=drift, right=right)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("start", type=Path)
    parser.add_argument("--steps", type=int, default=500)
    options = parser.parse_args()
    train(options.folder, options.start, options.steps)


if __name__ == "__main__":
    main()
