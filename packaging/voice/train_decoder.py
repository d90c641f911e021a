"""Last step of the codec: teach its decoding half to speak from codes. The encoder and the codes stay as they are. Once
the language model has told recordings anew (`voice.resay`), it learns from these codes too. From a step on, a critic
says what its sound lacks.

python -m voice.train_decoder FOLDER [--steps N] [--critic STEP] [--resaid SHARE]
writes FOLDER/codec/codec.safetensors anew
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engine.codec import Codec, SpectralConfig
from engine.codec_file import load_codec
from voice.codec_batches import log_mel_loss, spoken
from voice.course import Course
from voice.critic import SPECTRA, Critic, reproach, verdicts
from voice.encode import Spoken, read_codes
from voice.export import save_codec
from voice.recordings import read_all

BATCH, FRAMES = 8, 26
FROM_START = 0.3  # of the stretches begin with their recording
HEARD_BY_CRITIC = 4  # clips of a batch
TRAINED = ("quantizer.post_module", "quantizer.upsample", "back")


@dataclass(frozen=True, eq=False)
class Clip:
    """Samples and the codes that tell them."""

    samples: np.ndarray
    codes: np.ndarray


def stretch(voices: list[list[Clip]], hop: int, chance: np.random.Generator) -> tuple[Tensor, Tensor]:
    """A batch of equally long stretches, every voice as often: codes [B, K, F] and samples [B, F * hop]."""
    codes, waves = [], []
    for _ in range(BATCH):
        clips = voices[chance.integers(len(voices))]
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


def clips_of(said: dict[tuple[str, str], np.ndarray], told: Iterable[Spoken]) -> list[list[Clip]]:
    """The recordings of each voice with these codes; `said` are their samples by voice and text."""
    voices: dict[str, list[Clip]] = {}
    for one in told:
        if one.codes.shape[1] > FRAMES:
            voices.setdefault(one.voice, []).append(Clip(said[one.voice, one.text], one.codes))
    return list(voices.values())


def train(folder: Path, steps: int, from_step: int | None = None, share: float = 0.6, device: str = "cpu") -> None:
    codec = load_codec(folder / "codec", device)
    for name, parameter in codec.named_parameters():
        parameter.requires_grad_(name.startswith(TRAINED))
    assert isinstance(codec.config, SpectralConfig)
    said = {(one.voice, one.text): one.samples for one in read_all(folder / "data")}
    true, resaid = (clips_of(said, read_codes(folder / kind)) for kind in ("codes", "resaid"))
    course = Course(folder / "decoder.pt", codec, steps, 5e-4, 1e-3, 0.99)
    from_step = steps if from_step is None else from_step
    critic = Critic().to(device)
    judging = Course(folder / "critic.pt", critic, steps - from_step, 5e-4, 1e-3, 0.99)
    turns = iter(judging)
    for step in course:
        chance = np.random.default_rng(step)
        clips = resaid if resaid and chance.random() < share else true
        codes, wanted = stretch(clips, codec.hop, chance)
        made, wanted = spoken(codec, meaning(codec, codes.to(device))), wanted.to(device)
        loss = spectra = log_mel_loss(codec.config, made, wanted)
        told = {"spectra": spectra}
        if step >= from_step:
            heard = made[:HEARD_BY_CRITIC], wanted[:HEARD_BY_CRITIC]
            next(turns)
            judging.learn(verdicts(critic, *heard))
            told["reproach"] = reproach(critic, *heard)
            loss = SPECTRA * spectra + told["reproach"]
        course.learn(loss, **told)
    if judging.step:
        judging.save()
    codec.load_state_dict(course.average)
    save_codec(codec, folder / "codec")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--critic", type=int, metavar="STEP", help="from which step on there is one")
    parser.add_argument("--resaid", type=float, default=0.6, help="share of the steps, where there are such codes")
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    train(options.folder, options.steps, options.critic, options.resaid, options.device)


if __name__ == "__main__":
    main()
