"""`bench`: how fast this machine speaks, beside how fast it could and how fast a plain loop would."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from engine.cli.output import print_json

if TYPE_CHECKING:
    from engine.checkpoint import Place
    from engine.codec import Codec
    from engine.dual_ar import DualAR


def run(options: Namespace) -> int:
    """Measure the checkpoint, or a random one of the shape asked for, and print the table."""
    import torch  # it takes seconds to import: only now

    from engine.bench_measure import bandwidth, measure, measure_baseline, peak_memory
    from engine.checkpoint import PRECISIONS, use_threads

    if options.threads:
        torch.set_num_threads(options.threads)
    model, codec, place = _made(options, options.precision)
    if not options.threads:
        use_threads(model)
    measured = measure(model, codec, options.batch, options.frames)
    peak = peak_memory(place.device)
    second = codec.sample_rate / codec.hop  # frames
    most = bandwidth(place.device)
    facts: dict[str, Any] = {
        "model": options.shape or str(options.checkpoint),
        "device": str(place.device),
        "precision": place.precision,
        "threads": torch.get_num_threads(),
        "batch": options.batch,
        "prefill_ms": 1e3 * measured.prefill,
        "first_sound_ms": 1e3 * measured.first_sound,
        "frame_ms": 1e3 * measured.frame,
        "rtf": measured.frame * second + measured.decode_a_second * options.batch,
        "encode_ms_a_second": 1e3 * measured.encode_a_second,
        "decode_ms_a_second": 1e3 * measured.decode_a_second,
        "gb_a_frame": measured.bytes_a_frame / 1e9,
        "bandwidth_gb_a_second": most / 1e9,
        "share_of_bandwidth": measured.bytes_a_frame / measured.frame / most,
        "peak_memory_gb": peak / 1e9,
    }
    if not options.no_baseline:
        if place.precision == "int8":
            del model
            model, _, _ = _made(options, next(name for name, each in PRECISIONS.items() if each == place.dtype))
        plain = measure_baseline(model, max(1, options.frames // 4))
        facts |= {"baseline_frame_ms": 1e3 * plain, "times_the_baseline": options.batch * plain / measured.frame}
    if options.json:
        print_json({name: round(value, 4) if isinstance(value, float) else value for name, value in facts.items()})
    else:
        for name, value in facts.items():
            print(f"{name.replace('_', ' '):<24}{f'{value:.3f}' if isinstance(value, float) else value}")
    return 0


def _made(options: Namespace, precision: str | None) -> tuple[DualAR, Codec, Place]:
    """The model and both halves of the codec, where they compute."""
    from engine.bench_shapes import random_codec, random_model, shape
    from engine.checkpoint import choose_place, load
    from engine.codec_file import load_codec

    if options.shape:
        place = choose_place(options.device, precision)
        config, codec_config = shape(options.shape)
        return random_model(config, place), random_codec(codec_config, place.device), place
    checkpoint = load(options.checkpoint, options.device, precision)
    return checkpoint.model, load_codec(options.checkpoint, checkpoint.place.device), checkpoint.place
