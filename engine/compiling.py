"""Layers as torch.compile makes them: an option, for machines on which they are faster.

To compile takes minutes, so a process of its own does it, at the lowest priority, with random layers of the same
shapes. It writes down whether they compute the same, and how fast. What it made stays in a cache: the next time the
checkpoint is opened it is there within seconds, is compared once more on the checkpoint's own layers, and reads single
positions. Whatever goes wrong, the plain layers go on.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import platformdirs
import psutil
import torch
from torch import Tensor, nn

from engine.checkpoint import Place, put
from engine.config import ModelConfig, read_config
from engine.dual_ar import Block, DualAR, Halves, Stack
from engine.dual_ar import Place as Where
from engine.transformer import rotary_table
from engine.whole_file import WholeFile

BACKEND = "inductor"
LENGTH = 300  # positions in the memory that layers are compared with
GAIN = 0.95  # times the plain layers' time that compiled ones may take
ALLOWED = {torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 3e-2}  # of the largest number in an answer
ROUNDS = 30
NOT_NEEDED = "not needed, since small ones are read by loops"
_started: list[subprocess.Popen[bytes]] = []


def use_compiled(model: DualAR, place: Place, folder: Path, rows: tuple[int, ...]) -> str:
    """Have so many rows at a time read by compiled layers, or have these made for the next time; what came of it."""
    if _reads_by_loops(model):
        return NOT_NEEDED
    path = verdict_path(model.config, place, rows)
    verdict = _read(path)
    if verdict is None or ("pid" in verdict and not psutil.pid_exists(verdict["pid"])):
        return _begin(path, place, folder, rows)
    if "pid" in verdict:
        return "being compiled, for the next time"
    if "failed" in verdict:
        return f"not compiled: {verdict['failed']}"
    if verdict["compiled"] > GAIN * verdict["plain"]:
        return f"not used: {verdict['compiled']:.2f} ms compiled, {verdict['plain']:.2f} ms plain"
    return compile_now(model, place, rows)


def compile_now(model: DualAR, place: Place, rows: tuple[int, ...]) -> str:
    """Compile the layers, or take them from the cache, and use them where they compute the same; what came of it."""
    if _reads_by_loops(model):
        return NOT_NEEDED
    halves = _halves(rows)
    stacks = (model.slow.stack, model.fast.stack)
    try:
        for stack in stacks:
            for count in rows:
                _compare(stack, count, halves, place)
    except Exception as error:  # of a compiler that is missing, or fails at something
        return f"not compiled: {_first_line(error)}"
    torch.compiler.set_stance("eager_on_recompile")  # what was not compiled here is read plainly, at once
    for stack in stacks:
        for block in stack.layers:
            assert isinstance(block, Block)
            block.compiled = halves
    return "in use"


def verdict_path(config: ModelConfig, place: Place, rows: tuple[int, ...]) -> Path:
    """The file that says what came of compiling layers of such shapes on this machine."""
    device = torch.cuda.get_device_name(place.device) if place.device.type == "cuda" else place.device.type
    made_for = (torch.__version__, device, place.precision, rows, asdict(config.slow), asdict(config.fast))
    return _cache() / f"{hashlib.sha256(repr(made_for).encode()).hexdigest()[:16]}.json"


def main(folder: Path, device: str, precision: str, rows: tuple[int, ...]) -> None:
    """What the process of its own does: compile, compare, measure, and write down what came of it."""
    with contextlib.suppress(OSError, psutil.Error):
        psutil.Process().nice(19 if os.name == "posix" else psutil.IDLE_PRIORITY_CLASS)
    config, place = read_config(folder), Place(torch.device(device), precision)
    path = verdict_path(config, place, rows)
    _write(path, {"pid": os.getpid()})
    try:
        _write(path, measured(config, place, rows))
    except Exception as error:
        _write(path, {"failed": _first_line(error)})


def measured(config: ModelConfig, place: Place, rows: tuple[int, ...]) -> dict[str, Any]:
    """Milliseconds of a layer of each stack, plain and compiled; raises where they do not compute the same."""
    with torch.device("meta"):
        model = DualAR(config)
    halves, seconds = _halves(rows), [0.0, 0.0]
    for stack in (model.slow.stack, model.fast.stack):
        stack.layers = stack.layers[:1]
    for name, parameter in list(model.named_parameters()):
        if ".layers." in name or name.endswith("stack.norm.weight"):
            put(model, name, _random(parameter, place.device), place)
    for stack in (model.slow.stack, model.fast.stack):
        for count in rows:
            _compare(stack, count, halves, place)
            for number, each in enumerate((None, halves)):
                seconds[number] += _seconds(
                    _reading(stack, count, each, place, place.device.type == "cuda"), place.device
                )
    return {"plain": 1e3 * seconds[0], "compiled": 1e3 * seconds[1]}


def _reads_by_loops(model: DualAR) -> bool:
    return None not in (model.slow.stack.steps, model.fast.stack.steps)


def _halves(rows: tuple[int, ...]) -> Halves:
    compile_it: Any = torch.compile  # whose overloads do not know how methods are compiled
    before = compile_it(Block.before, dynamic=False, backend=BACKEND)
    return Halves(before, compile_it(Block.after, dynamic=False, backend=BACKEND), frozenset(rows))


def _compare(stack: Stack, rows: int, halves: Halves, place: Place) -> None:
    """Raises ValueError where compiled halves of a stack's first layer do not compute what it does: for rows of one
    length and, where there are such, for rows that each have a position of their own."""
    for apart in {rows > 1 or place.device.type == "cuda", place.device.type == "cuda"}:
        plain, compiled = (_reading(stack, rows, each, place, apart)() for each in (None, halves))
        difference = float((plain - compiled).abs().max() / plain.abs().max())
        if not difference <= ALLOWED[place.dtype]:
            raise ValueError(f"compiled layers differ by {difference:.1e} of the largest number")


def _reading(stack: Stack, rows: int, halves: Halves | None, place: Place, apart: bool) -> Callable[[], Tensor]:
    """One position of each row through a stack's first layer, after some others."""
    config, device, block = stack.config, place.device, stack.layers[0]
    assert isinstance(block, Block)
    length = min(LENGTH, stack.positions - 1)
    table = rotary_table(stack.positions, config.head_dim, config.rope_base, device)
    with torch.inference_mode():
        chance = torch.Generator(device).manual_seed(0)
        x = torch.randn(rows, 1, config.dim, generator=chance, device=device).to(place.dtype)
        memory = stack.memory(rows, length + 1)
        memory.keys.normal_(generator=chance)
        memory.values.normal_(generator=chance)
        memory.lengths = [length] * rows
        where = memory.place(1)
        if apart:
            where = Where(None, length + 1, torch.full((rows, 1), length, device=device))
        rotary = where.rows_of(table)[:, :, None]

    @torch.inference_mode()
    def read() -> Tensor:
        block.compiled = halves
        try:
            return block(x, rotary, memory, 0, where)
        finally:
            block.compiled = None

    return read


def _seconds(read: Callable[[], Tensor], device: torch.device) -> float:
    """The best of some rounds; on CUDA replayed as a graph, as frames are, elsewhere by the processor's time, of which
    others take nothing."""
    clock = time.perf_counter if device.type == "cuda" else time.process_time
    if device.type == "cuda":
        read()
        torch.cuda.synchronize(device)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            read()
        read = graph.replay  # type: ignore[assignment]
    best = float("inf")
    for _ in range(ROUNDS):
        began = clock()
        read()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        best = min(best, clock() - began)
    return best


def _random(parameter: nn.Parameter, device: torch.device) -> Tensor:
    if parameter.ndim == 1:
        return torch.ones(parameter.shape, device=device)
    return torch.randn(parameter.shape, device=device) * parameter.shape[1] ** -0.5


def _begin(path: Path, place: Place, folder: Path, rows: tuple[int, ...]) -> str:
    environment = os.environ | {
        "PYTHONPATH": str(Path(__file__).parents[1]),
        "TORCHINDUCTOR_CACHE_DIR": os.environ["TORCHINDUCTOR_CACHE_DIR"],
        "OMP_NUM_THREADS": str(torch.get_num_threads()),
    }
    arguments = [str(folder.absolute()), str(place.device), place.precision, *map(str, rows)]
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "engine.compiling", *arguments],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    except OSError as error:
        return f"not compiled: {_first_line(error)}"
    _started.append(process)
    _write(path, {"pid": process.pid})
    return "being compiled, for the next time"


def _read(path: Path) -> dict[str, Any] | None:
    try:
        verdict = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return verdict if isinstance(verdict, dict) else None


def _write(path: Path, verdict: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with WholeFile(path) as file:
            file.write(json.dumps(verdict).encode())


def _cache() -> Path:
    return Path(platformdirs.user_cache_dir("retake", appauthor=False)) / "compiled"


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(_cache() / "torch"))

if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], tuple(map(int, sys.argv[4:])))
