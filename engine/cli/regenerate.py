"""`regenerate`: a span of a take, or the words in which a new text differs, spoken anew and spliced in."""

from __future__ import annotations

import math
import secrets
import time
from argparse import Namespace
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.cli import retaken
from engine.cli.output import Meter, print_json
from engine.errors import EngineError, RequestError
from engine.request import (
    Failed,
    Finished,
    Free,
    Part,
    Progress,
    Prompt,
    Regenerate,
    Score,
    Span,
    Take,
)
from engine.splice import BREATH, check_made
from engine.take_file import read_take
from engine.text import (
    changed,
    clean,
    has_words,
    moved,
    places_to_speak,
    spoken,
    turns,
    words_in_span,
)

if TYPE_CHECKING:
    from engine.speech import Engine


@dataclass(frozen=True)
class _Place:
    """One stretch to speak anew: the prompt as it shall be then, what is replaced, the new words, frames if given."""

    prompt: Prompt
    old: tuple[int, int]
    new_words: str
    span: Span | None = None


def run(options: Namespace) -> int:
    """Speak the places anew, left to right, the best candidate of each going on; write the last take."""
    meter = Meter()
    take = read_take(options.take)
    places = _places(take, options.span, None if options.text is None else clean(options.text).strip())
    seed = secrets.randbelow(1 << 31) if options.seed is None else options.seed
    retaken.try_places(options)

    from engine.speech import Engine  # torch takes seconds to import: only now

    engine = Engine.open(options.checkpoint, options.device, options.precision)
    check_made(take, engine.checkpoint)
    seeds = tuple(range(seed, seed + options.candidates))
    entries = []
    began = time.perf_counter()
    for number, place in enumerate(places, start=1):
        span = place.span or engine.align(take, engine.decode(take.codes)).span(*place.old)
        where = f"Place {number} of {len(places)}"
        finished = _answer(engine, take, place, span, seeds, where, meter)
        entries.append(_place_entry(take, place, span, finished))
        take = finished.takes[0]
        joins = _join_words(finished.scores[0])
        meter.note(f"{where}: frames {span[0]} to {span[1]}, {joins}, seed {take.origin.seed}")
    working_seconds = time.perf_counter() - began

    out = retaken.write(options, take, engine)
    meter.note(f"{out}: {take.seconds:.1f} s, seed {seed}")
    if options.json:
        new_frames = sum(entry["new_frames"] for entry in entries)
        spoken_seconds = new_frames / engine.frames_per_second
        print_json(
            {
                "take": take.id,
                "file": str(out),
                "wav": None if options.wav is None else str(options.wav),
                "text": take.origin.prompt.text,
                "frames": take.frames,
                "seconds": round(take.seconds, 3),
                "seed": seed,
                "capped": take.capped,
                "places": entries,
                "rtf": round(working_seconds / spoken_seconds, 4) if spoken_seconds else None,
            }
        )
    return 0


def _places(take: Take, span: tuple[int | None, int | None] | None, text: str | None) -> list[_Place]:
    """What is to be spoken anew, left to right. Raises RequestError where that is nothing or outside of the take."""
    prompt = take.origin.prompt
    new_prompt = prompt if text is None else _with_text(prompt, text)
    if not has_words(new_prompt.text):
        raise RequestError("The new text holds nothing to speak: write some words outside of tags.")
    if span is not None:
        start, stop = span[0] or 0, take.frames if span[1] is None else span[1]
        if not 0 <= start < stop <= take.frames:
            raise RequestError(f"The take has frames 0 to {take.frames}: a span START:STOP must lie in them.")
        old = words_in_span(prompt.text, (start, stop), take.frames)
        new = moved(changed(prompt.text, new_prompt.text), *old)
        if prompt.text[: old[0]] + new_prompt.text[slice(*new)] + prompt.text[old[1] :] != new_prompt.text:
            raise RequestError(
                f"The new text has other words outside of the span as well, which speaks “{prompt.text[slice(*old)]}”: "
                "leave --span out, and every changed place is spoken anew."
            )
        return [_Place(new_prompt, old, new_prompt.text[slice(*new)], (start, stop))]
    places = _changed_places(prompt, new_prompt)
    if not places:
        raise RequestError("The new text has the same words as the take: there is nothing to speak anew.")
    places[-1] = replace(places[-1], prompt=new_prompt)  # with spaces that changed after the last word
    return places


def _changed_places(old: Prompt, new: Prompt) -> list[_Place]:
    """The changed places part by part; at each, what stands before is the new text and what follows still the old."""
    places = []
    before = 0  # characters of the new parts before this one
    for number, (old_part, new_part) in enumerate(zip(old.parts, new.parts, strict=True)):
        shift = before
        for change in places_to_speak(old_part.text, new_part.text):
            then = replace(new_part, text=new_part.text[: change.new_stop] + old_part.text[change.old_stop :])
            prompt = replace(new, parts=(*new.parts[:number], then, *old.parts[number + 1 :]))
            words = new_part.text[change.new_start : change.new_stop]
            places.append(_Place(prompt, (change.old_start + shift, change.old_stop + shift), words))
            shift = before + change.new_stop - change.old_stop
        before += len(new_part.text) + 1
    return places


def _with_text(prompt: Prompt, text: str) -> Prompt:
    """The prompt with a new text for its line: plain, or with `<|speaker:N|>` for the same speakers in order."""
    said = [part for part in turns(text) if part.speaker is not None or part.text.strip()]
    parts = tuple(Part(part.speaker, part.text.strip()) for part in said)
    if len(parts) == len(prompt.parts) == 1 and parts[0].speaker is None:
        parts = (replace(prompt.parts[0], text=parts[0].text),)
    if [part.speaker for part in parts] != [part.speaker for part in prompt.parts]:
        order = " ".join(f"<|speaker:{part.speaker}|>" for part in prompt.parts)
        raise RequestError(f"The new text must have the speakers of the take in their order: {order}.")
    return replace(prompt, parts=parts)


def _answer(
    engine: Engine, take: Take, place: _Place, span: Span, seeds: tuple[int, ...], where: str, meter: Meter
) -> Finished:
    same = place.prompt.text == take.origin.prompt.text
    margin = BREATH if place.span is None else 0
    length = Free(None if same else len(spoken(place.new_words)))
    request = Regenerate(place.prompt, take, span, seeds, take.origin.settings, length, margin)
    for event in engine.generate(request):
        if isinstance(event, Progress):
            meter.show(f"{where}: frame {event.frames} of about {event.expected}")
        elif isinstance(event, Failed):
            raise event.error
        elif isinstance(event, Finished):
            return event
    raise EngineError("The engine stopped before the span was finished: regenerate it again.")


def _join_words(score: Score) -> str:
    return "nothing follows" if score.join is None else f"joins at {score.join:.2f}"


def _place_entry(take: Take, place: _Place, span: Span, finished: Finished) -> dict[str, Any]:
    def new_frames(candidate: Take) -> int:
        new = candidate.origin.span or span
        return new[1] - new[0]

    return {
        "old": take.origin.prompt.text[slice(*place.old)],
        "new": place.new_words,
        "span": list(span),
        "new_frames": new_frames(finished.takes[0]),
        "reused_share": finished.report.reused_share,
        "candidates": [
            {
                "take": candidate.id,
                "seed": candidate.origin.seed,
                "frames": new_frames(candidate),
                "join": None if score.join is None else round(score.join, 4),
                "voice": None if score.voice is None else round(score.voice, 4),
                "log_p": round(score.log_p, 4) if math.isfinite(score.log_p) else None,
            }
            for candidate, score in zip(finished.takes, finished.scores, strict=True)
        ],
    }
