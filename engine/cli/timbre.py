"""`timbre`: the acting of a take kept, the semantic codes, and its sound drawn anew, in a span or from end to end."""

from __future__ import annotations

import secrets
from argparse import Namespace

from engine.cli import retaken
from engine.cli.output import Meter, print_json
from engine.errors import EngineError, RequestError
from engine.request import Failed, Finished, Progress, Retimbre, Take
from engine.take_file import read_take


def run(options: Namespace) -> int:
    """Draw candidates, write the best."""
    meter = Meter()
    take = read_take(options.take)
    first, last = options.span or (None, None)
    start, stop = first or 0, take.frames if last is None else last
    if not 0 <= start < stop <= take.frames:
        raise RequestError(f"The take has frames 0 to {take.frames}: a span START:STOP must lie in them.")
    seed = secrets.randbelow(1 << 31) if options.seed is None else options.seed
    retaken.try_places(options)

    from engine.speech import Engine  # torch takes seconds to import: only now

    engine = Engine.open(options.checkpoint, options.device, options.precision)
    request = Retimbre(take, (start, stop), tuple(range(seed, seed + options.candidates)), take.origin.settings)
    made: Finished | None = None
    for event in engine.generate(request):
        if isinstance(event, Progress):
            meter.show(f"Frame {event.frames} of {event.expected}")
        elif isinstance(event, Failed):
            raise event.error
        elif isinstance(event, Finished):
            made = event
    if made is None:
        raise EngineError("The engine stopped before the timbre was drawn: try again.")
    best: Take = made.takes[0]
    out = retaken.write(options, best, engine)
    meter.note(f"{out}: frames {start} to {stop} in another timbre, seed {best.origin.seed}")
    if options.json:
        candidates = [
            {"take": each.id, "seed": each.origin.seed, "join": score.join, "log_p": round(score.log_p, 4)}
            for each, score in zip(made.takes, made.scores, strict=True)
        ]
        wav = None if options.wav is None else str(options.wav)
        print_json({"take": best.id, "file": str(out), "wav": wav, "span": [start, stop], "candidates": candidates})
    return 0
