"""The command line: `python -m engine`, installed as `retake-engine`.

Exit codes: 0 done, 1 failed with one line that says what to do, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from engine import assets
from engine.cli.output import complain
from engine.cli.streams import silence, standing_streams, stopped_politely
from engine.errors import EngineError, lacking, why

_MOST_SEED = 2**31 - 1
_MOST_CANDIDATES = 64


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    with standing_streams(), stopped_politely():
        try:
            code = _run(argv)
            sys.stdout.flush()
            return code
        except EngineError as error:
            complain(str(error))
        except KeyboardInterrupt:
            complain("Stopped before it was done.")
        except BrokenPipeError:  # whoever read stdout has gone and needs no word about it
            silence(sys.stdout)
        except OSError as error:
            silence(sys.stdout)  # it may be the one that takes no more
            complain(f"{error.filename or 'Standard output'} cannot be used: {why(error)}.")
        except (MemoryError, RuntimeError) as error:
            if (memory := lacking(error)) is None:
                raise
            complain(f"There is not enough {memory} for this: close other programs, or choose another precision.")
        return 1


def _run(argv: list[str] | None) -> int:
    try:
        options = _options(argv)
    except SystemExit as stop:  # argparse has printed the help or what is wrong
        return int(stop.code or 0)
    module, name = options.run
    command: Callable[[argparse.Namespace], int] = getattr(import_module(module), name)
    return command(options)


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = _parser()
    options = parser.parse_args(argv)
    if "cast" in options:
        options.cast = dict(options.cast)
    if "text" in options and options.span is None and options.text is None:
        parser.error("regenerate needs --span, --text, or both")
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="retake-engine", description="Speak scripts with Fish Audio S2, and speak any span of a take anew."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    generate = _command(commands, "generate", "speak a script", ("engine.cli.generate", "run"))
    generate.add_argument("script", metavar="SCRIPT", help="a text file with <|speaker:N|> turns, or - for stdin")
    generate.add_argument(
        "-o",
        dest="out",
        type=Path,
        metavar="OUT.wav",
        help="the audio file, .wav or .flac; by default named like the script, in this folder, numbered if it is there",
    )
    generate.add_argument(
        "--cast",
        action="append",
        type=_cast,
        default=[],
        metavar="N=VOICE",
        help="who speaks for speaker N: an embedded voice, or a clip with its transcript as a .txt beside it",
    )
    generate.add_argument(
        "--seed", type=_whole(0, _MOST_SEED), help="line k is drawn with SEED + k - 1; by chance without it"
    )
    generate.add_argument(
        "--temperature",
        type=_number(0, 10),
        metavar="T",
        help="how freely it is drawn, 0 to 10; the checkpoint's without it",
    )
    generate.add_argument(
        "--top-p", type=_number(0, 1), metavar="P", help="the share of probability that is drawn from, 0 to 1"
    )
    generate.add_argument(
        "--top-k", type=_whole(1, 1 << 20), metavar="K", help="the most codes that are drawn from, 1 or more"
    )
    generate.add_argument(
        "--takes",
        type=Path,
        metavar="FOLDER",
        help="write every line as 001.take, 002.take, ... over those that are there",
    )

    generate.add_argument(
        "--at-once",
        type=_whole(1, _MOST_CANDIDATES),
        metavar="N",
        help="how many lines are spoken in one batch; as many as suit the device without it",
    )

    regenerate = _command(commands, "regenerate", "speak a span of a take anew", ("engine.cli.regenerate", "run"))
    regenerate.add_argument("take", type=Path, metavar="IN.take", help="a take, as generate --takes writes it")
    regenerate.add_argument(
        "--span",
        type=_span,
        metavar="START:STOP",
        help="frames, STOP not included; without it, the words in which the text differs",
    )
    regenerate.add_argument("--text", metavar="NEW-LINE", help="what the line shall say")
    regenerate.add_argument(
        "--seed", type=_whole(0, _MOST_SEED), help="candidate k is drawn with SEED + k - 1; by chance without it"
    )
    regenerate.add_argument(
        "--candidates",
        type=_whole(1, _MOST_CANDIDATES),
        default=3,
        metavar="N",
        help="how many are tried, the best is taken; 3 without it",
    )
    regenerate.add_argument("-o", dest="out", type=Path, metavar="OUT.take", help="by default beside IN.take, numbered")
    regenerate.add_argument("--wav", type=Path, metavar="OUT.wav", help="write how the whole take sounds, too")

    timbre = _command(commands, "timbre", "draw the sound of a take anew", ("engine.cli.timbre", "run"))
    timbre.add_argument("take", type=Path, metavar="IN.take", help="a take, as generate --takes writes it")
    timbre.add_argument("--span", type=_span, metavar="START:STOP", help="frames, STOP not included; all without it")
    timbre.add_argument(
        "--seed", type=_whole(0, _MOST_SEED), help="candidate k is drawn with SEED + k - 1; by chance without it"
    )
    candidates = _whole(1, _MOST_CANDIDATES)
    timbre.add_argument("--candidates", type=candidates, default=3, metavar="N", help="how many are tried")
    timbre.add_argument("-o", dest="out", type=Path, metavar="OUT.take", help="by default beside IN.take, numbered")
    timbre.add_argument("--wav", type=Path, metavar="OUT.wav", help="write how the whole take sounds, too")

    align = _command(commands, "align", "say when the words of a take are said", ("engine.cli.align", "run"))
    align.add_argument("take", type=Path, metavar="IN.take", help="a take, as generate --takes writes it")

    encode = _command(commands, "encode", "turn an audio file into codes", ("engine.cli.codes", "encode"))
    encode.add_argument("audio", type=Path, metavar="AUDIO", help="WAV, FLAC, OGG or MP3")
    encode.add_argument(
        "-o", dest="out", type=Path, required=True, metavar="CODES.npy", help="whole numbers in rows, [codebook, frame]"
    )

    decode = _command(commands, "decode", "turn codes into sound", ("engine.cli.codes", "decode"))
    decode.add_argument("codes", type=Path, metavar="CODES.npy", help="as encode writes them")
    decode.add_argument(
        "-o", dest="out", type=Path, required=True, metavar="OUT.wav", help="the audio file, .wav or .flac"
    )

    info = _command(commands, "info", "say what a checkpoint is and takes", ("engine.cli.info", "run"))

    bench = _command(commands, "bench", "measure how fast this machine speaks", ("engine.cli.bench", "run"))
    bench.add_argument("--shape", choices=("s2-pro", "mid", "nano"), help="random weights of a shape, no checkpoint")
    bench.add_argument(
        "--batch", type=_whole(1, _MOST_CANDIDATES), nargs="+", default=[1], metavar="N", help="takes at once"
    )
    bench.add_argument(
        "--graph", choices=("on", "off"), nargs="+", default=["on"], help="frames as CUDA graphs, where there are any"
    )
    bench.add_argument("--frames", type=_whole(4, 4096), default=32, metavar="N", help="frames of a round")
    bench.add_argument("--threads", type=_whole(1, 1024), metavar="N", help="of the processor; else by its size")
    bench.add_argument("--no-baseline", action="store_true", help="leave out the plain loop to compare with")
    for command in (generate, info, bench):
        command.add_argument("--compile", action="store_true", help="use compiled layers where they are faster")
    for command in (generate, regenerate, timbre, align, info, bench):
        command.add_argument("--json", action="store_true", help="print one JSON document on stdout")
    return parser


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, words: str, run: tuple[str, str]
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=words, description=f"{words.capitalize()}.")
    command.set_defaults(run=run)
    command.add_argument(
        "--checkpoint",
        type=Path,
        default=assets.folder() / "voice",
        metavar="DIR",
        help="the folder of a checkpoint; without it, the one that comes with Retake",
    )
    command.add_argument("--device", metavar="NAME", help="cpu, cuda or mps; chosen by itself without it")
    command.add_argument("--precision", metavar="NAME", help="fp32, bf16, fp16 or int8; chosen by itself without it")
    return command


def _cast(text: str) -> tuple[int, str]:
    found = re.fullmatch(r"([0-9]{1,6})=(.+)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"“{text}” is not N=VOICE, a speaker's number and a voice")
    return int(found[1]), found[2]


def _span(text: str) -> tuple[int | None, int | None]:
    found = re.fullmatch(r"([0-9]{0,9}):([0-9]{0,9})", text)
    if not found:
        raise argparse.ArgumentTypeError(f"“{text}” is not START:STOP in frames")
    start, stop = (int(edge) if edge else None for edge in found.groups())
    return start, stop


def _whole(least: int, most: int) -> Callable[[str], int]:
    def whole(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,12}", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"“{text}” is no whole number from {least} to {most}")
        return int(text)

    return whole


def _number(least: float, most: float) -> Callable[[str], float]:
    def number(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"“{text}” is no number from {least:g} to {most:g}")
        return value

    return number


if __name__ == "__main__":
    sys.exit(main())
