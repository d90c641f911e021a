"""Last step of the codec: teach its decoding half to speak from codes. The encoder and the codes stay as they are.

A codec without a voice is given one. In half of the steps it speaks at the recordings' pitch, so that its filter learns
from pulses that are where they should be, in the others at the pitch that it tells. Once the language model has told
recordings anew (`voice.resay`), it learns from these codes too. From a step on, a critic says what its sound lacks.

python -m voice.train_decoder FOLDER [--steps N] [--rate R] [--cool STEPS] [--critic STEP] [--resaid SHARE]
writes FOLDER/codec/{codec.safetensors, codec_config.json} anew
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engine.codec import Codec, SpectralConfig, VoicedConfig
from engine.codec_config import CONFIG_FILE
from engine.codec_file import load_codec
from engine.codec_voiced import VoicedBack
from voice.codec_batches import listened, log_mel_loss, spoken
from voice.course import Course
from voice.critic import SPECTRA, Critic, reproach, verdicts
from voice.encode import Spoken, read_codes
from voice.export import save_codec, save_json
from voice.pitch import pitch_loss, pitches
from voice.recordings import read_all

BATCH, FRAMES = 8, 26
FROM_START = 0.3  # of the stretches begin with their recording
HEARD_BY_CRITIC = 4  # clips of a batch
OWN_PITCH = 0.5  # of the steps
PITCH_MEMORY = 128  # steps: 1.5 seconds
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


def with_a_voice(codec: Codec) -> Codec:
    """The codec itself where it has a voice; else one that says half of what it said, with a voice still to learn.

    The filter begins as what the codec says of magnitudes, and no pulses sound until a voice is told."""
    config = codec.config
    if isinstance(config, VoicedConfig):
        return codec
    assert isinstance(config, SpectralConfig)
    voiced = Codec(VoicedConfig(**vars(config), pitch_memory=PITCH_MEMORY))
    voiced.load_state_dict(codec.state_dict(), strict=False)
    back = voiced.back
    assert isinstance(back, VoicedBack)
    bins = config.n_fft // 2 + 1
    with torch.no_grad():
        for layer in (back.pitch, back.filter):
            layer.weight.zero_()
            layer.bias.zero_()
        back.filter.weight[:bins] = back.head.weight[:bins]
        back.filter.bias[:bins] = back.head.bias[:bins] - math.log(config.n_fft / 4)  # what a cosine of 1 amounts to
        back.head.bias[:bins] -= math.log(2)
    return voiced


def train(options: argparse.Namespace) -> None:
    folder: Path = options.folder
    steps: int = options.steps
    device: str = options.device
    codec = with_a_voice(load_codec(folder / "codec", device)).to(device)
    for name, parameter in codec.named_parameters():
        parameter.requires_grad_(name.startswith(TRAINED))
    assert isinstance(codec.config, VoicedConfig)
    assert isinstance(codec.back, VoicedBack)
    said = {(one.voice, one.text): one.samples for one in read_all(folder / "data")}
    true, resaid = (clips_of(said, read_codes(folder / kind)) for kind in ("codes", "resaid"))
    course = Course(folder / "decoder.pt", codec, steps, options.rate, 1e-3, 0.99, cool=options.cool)
    from_step = steps if options.critic is None else options.critic
    critic = Critic().to(device)
    judging = Course(folder / "critic.pt", critic, steps - from_step, options.rate, 1e-3, 0.99, cool=options.cool)
    turns = iter(judging)
    for step in course:
        chance = np.random.default_rng(step)
        clips = resaid if resaid and chance.random() < options.resaid else true
        codes, wanted = (one.to(device) for one in stretch(clips, codec.hop, chance))
        pitch, known = pitches(codec.config, wanted)
        x = listened(codec, meaning(codec, codes))
        own = codec.back.pitch(x)
        made = spoken(codec, x, own.detach() if chance.random() < OWN_PITCH else pitch)
        spectra = log_mel_loss(codec.config, made, wanted)
        told = {"spectra": spectra, "pitch": pitch_loss(own, pitch, known)}
        loss = spectra + told["pitch"]
        if step >= from_step:
            heard = made[:HEARD_BY_CRITIC], wanted[:HEARD_BY_CRITIC]
            next(turns)
            judging.learn(verdicts(critic, *heard))
            told["reproach"] = reproach(critic, *heard)
            loss = SPECTRA * loss + told["reproach"]
        course.learn(loss, **told)
    if judging.step:
        judging.save()
    codec.load_state_dict(course.average)
    save_codec(codec, folder / "codec")
    save_json({"kind": "voiced"} | asdict(codec.config), folder / "codec" / CONFIG_FILE)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--cool", type=int, metavar="STEPS", help="how many of the last ones the rate falls in")
    parser.add_argument("--critic", type=int, metavar="STEP", help="from which step on there is one")
    parser.add_argument("--resaid", type=float, default=0.6, help="share of the steps, where there are such codes")
    parser.add_argument("--device", default="cpu")
    train(parser.parse_args(arguments))


if __name__ == "__main__":
    main()
