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

    from engine.bench_measure import bandwidth, measure_baseline, peak_memory
    from engine.checkpoint import PRECISIONS
    from engine.compiling import compile_now
    from engine.threads import use_threads

    model, codec, place = _made(options, options.precision)
    if options.threads:
        torch.set_num_threads(options.threads)
    else:
        use_threads(model)
    compiled = compile_now(model, place, tuple(options.batch)) if options.compile else "not asked for"
    runs = [_measured(options, model, codec, batch, graph) for batch in options.batch for graph in options.graph]
    peak = peak_memory(place.device)
    most = bandwidth(place.device)
    if not options.no_baseline:
        if place.precision == "int8":
            del model
            model, _, _ = _made(options, next(name for name, each in PRECISIONS.items() if each == place.dtype))
        plain = measure_baseline(model, max(1, options.frames // 4))
        for each in runs:
            each["times_the_baseline"] = each["batch"] * 1e3 * plain / each["frame_ms"]
    for each in runs:
        each["share_of_bandwidth"] = each["gb_a_frame"] * 1e12 / each["frame_ms"] / most
    facts: dict[str, Any] = {
        "model": options.shape or str(options.checkpoint),
        "device": str(place.device),
        "precision": place.precision,
        "threads": torch.get_num_threads(),
        "compiled": compiled,
        "bandwidth_gb_a_second": most / 1e9,
        "peak_memory_gb": peak / 1e9,
    }
    if not options.no_baseline:
        facts["baseline_frame_ms"] = 1e3 * plain
    _print(options, facts, runs)
    return 0


def _measured(options: Namespace, model: DualAR, codec: Codec, batch: int, graph: str) -> dict[str, Any]:
    from engine.bench_measure import measure
    from engine.static_frame import StaticFrames

    capture = graph == "on" and model.slow.stack.norm.weight.device.type == "cuda"
    measured = measure(model, codec, batch, options.frames, StaticFrames(model, True) if capture else None)
    return {
        "batch": batch,
        "graph": capture,
        "prefill_ms": 1e3 * measured.prefill,
        "first_sound_ms": 1e3 * measured.first_sound,
        "frame_ms": 1e3 * measured.frame,
        "rtf": measured.frame * codec.sample_rate / codec.hop + measured.decode_a_second * batch,
        "encode_ms_a_second": 1e3 * measured.encode_a_second,
        "decode_ms_a_second": 1e3 * measured.decode_a_second,
        "gb_a_frame": measured.bytes_a_frame / 1e9,
    }


def _print(options: Namespace, facts: dict[str, Any], runs: list[dict[str, Any]]) -> None:
    if options.json:
        print_json(_rounded(facts) | {"runs": [_rounded(each) for each in runs]})
        return
    for name, value in _rounded(facts).items():
        print(f"{name.replace('_', ' '):<24}{value}")
    for name in runs[0]:
        print(f"{name.replace('_', ' '):<24}" + "".join(f"{_rounded(each)[name]!s:<12}" for each in runs).rstrip())


def _rounded(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 3) if isinstance(value, float) else value for name, value in facts.items()}


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
