"""Last step of the codec: teach its decoding half to speak from codes. The encoder and the codes stay as they are. Once
the language model has told recordings anew (`voice.resay`), it learns from these codes too.

python -m voice.train_decoder FOLDER [--steps N]      writes FOLDER/codec/codec.safetensors anew
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engine.codec import Codec, SpectralConfig
from engine.codec_file import load_codec
from voice.codec_batches import log_mel_loss, spoken
from voice.course import Course
from voice.encode import read_codes
from voice.export import save_codec
from voice.recordings import read_all

BATCH, FRAMES = 8, 26
FROM_START = 0.3  # of the stretches begin with their recording
RESAID = 0.6  # of the steps, where there are such codes
TRAINED = ("quantizer.post_module", "quantizer.upsample", "back")


@dataclass(frozen=True, eq=False)
class Clip:
    """Samples and the codes that tell them."""

    samples: np.ndarray
    codes: np.ndarray


def stretch(clips: list[Clip], hop: int, chance: np.random.Generator) -> tuple[Tensor, Tensor]:
    """A batch of equally long stretches: codes [B, K, F] and samples [B, F * hop]."""
    codes, waves = [], []
    for _ in range(BATCH):
        clip = clips[chance.integers(len(clips))]
        last = clip.codes.shape[1] - FRAMES
        start = 0 if chance.random() < FROM_START else int(chance.integers(last + 1))
        wave = np.zeros(FRAMES * hop, dtype=np.float32)
        piece = clip.samples[start * hop : (start + FRAMES) * hop]
        wave[: len(piece)] = piece / 32767
        codes.append(torch.from_numpy(clip.codes[:, start : start + FRAMES].astype(np.int64)))
        waves.append(torch.from_numpy(wave))
    return torch.stack(codes), torch.stack(waves)


def meaning(codec: Codec, codes: Tensor) -> Tensor:
    """Codes [B, K, F] -> [B, C, F]."""
    middle = codec.quantizer
    rows = [middle.semantic_quantizer.decode(one[:1]) + middle.quantizer.decode(one[1:]) for one in codes]
    return torch.cat(rows)


def train(folder: Path, steps: int, device: str = "cpu") -> None:
    codec = load_codec(folder / "codec", device)
    for name, parameter in codec.named_parameters():
        parameter.requires_grad_(name.startswith(TRAINED))
    assert isinstance(codec.config, SpectralConfig)
    said = {(one.voice, one.text): one.samples for one in read_all(folder / "data")}
    true, resaid = (
        [Clip(said[one.voice, one.text], one.codes) for one in read_codes(folder / kind) if one.codes.shape[1] > FRAMES]
        for kind in ("codes", "resaid")
    )
    course = Course(folder / "decoder.pt", codec, steps, 5e-4, 1e-3, 0.99)
    for step in course:
        chance = np.random.default_rng(step)
        clips = resaid if resaid and chance.random() < RESAID else true
        codes, wanted = stretch(clips, codec.hop, chance)
        made = spoken(codec, meaning(codec, codes.to(device)))
        loss = log_mel_loss(codec.config, made, wanted.to(device))
        course.learn(loss, spectra=loss)
    codec.load_state_dict(course.average)
    save_codec(codec, folder / "codec")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    train(options.folder, options.steps, options.device)


if __name__ == "__main__":
    main()
