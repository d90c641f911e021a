"""`align`: when the words of a take are said."""

from __future__ import annotations

from argparse import Namespace

from engine.cli.output import print_json, print_text
from engine.splice import check_made
from engine.take_file import read_take
from engine.text import words


def run(options: Namespace) -> int:
    """A word a row: the seconds from which and to which it is said, how sure that is, the word."""
    take = read_take(options.take)

    from engine.speech import Engine  # torch takes seconds to import: only now

    engine = Engine.open(options.checkpoint, options.device, options.precision)
    check_made(take, engine.checkpoint)
    alignment = engine.align(take, engine.decode(take.codes))
    text, seconds = take.origin.prompt.text, take.origin.hop / take.origin.rate
    found = []
    for place, sure in zip(words(text), alignment.sure.tolist(), strict=True):
        span = alignment.span(*place)
        found.append(
            {
                "word": text[slice(*place)],
                "start": round(span[0] * seconds, 3),
                "stop": round(span[1] * seconds, 3),
                "frames": list(span),
                "sure": round(sure, 3),
            }
        )
    if options.json:
        print_json({"text": text, "frames": take.frames, "words": found})
        return 0
    for each in found:
        print_text(f"{each['start']:8.3f} {each['stop']:8.3f} {each['sure']:5.2f}  {each['word']}")
    return 0
