"""Which words of a line are not the ones that were spoken, and what has to be spoken anew for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from engine.text.cutting import clause_stop
from engine.text.writing import Tag, Token, has_words, tags, tokens, words

# Above this many differing tokens difflib may take its short cut: still right, perhaps not the shortest answer.
_MOST_EXACT_TOKENS = 2000


@dataclass(frozen=True)
class Change:
    """old[old_start:old_stop] has become new[new_start:new_stop]; one side may be empty."""

    old_start: int
    old_stop: int
    new_start: int
    new_stop: int


def changed(old: str, new: str) -> tuple[Change, ...]:
    """Where two texts differ, in whole words (tags are words; characters where a script writes no spaces), in order.

    Changes with no word or tag between them are one. Applied to `old` they give `new`; equal texts have none.
    """
    if old == new:
        return ()
    before, after = list(tokens(old)), list(tokens(new))
    old_words, new_words = [old[t.start : t.stop] for t in before], [new[t.start : t.stop] for t in after]
    same = 0
    while same < min(len(before), len(after)) and old_words[same] == new_words[same]:
        same += 1
    rest = 0
    while rest < min(len(before), len(after)) - same and old_words[-1 - rest] == new_words[-1 - rest]:
        rest += 1
    old_words, new_words = old_words[same : len(before) - rest], new_words[same : len(after) - rest]

    # Spaces and punctuation are no anchors of their own: they count as kept where the words beside them are.
    matcher = SequenceMatcher(
        lambda word: not has_words(word) and not tags(word),
        old_words,
        new_words,
        autojunk=max(len(old_words), len(new_words)) > _MOST_EXACT_TOKENS,
    )
    changes: list[Change] = []
    last_old = 0
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            continue
        between = before[same + last_old : same + a]
        change = Change(
            _place(before, same + a, old),
            _place(before, same + b, old),
            _place(after, same + c, new),
            _place(after, same + d, new),
        )
        if changes and not any(token.kind in ("word", "tag") for token in between):
            change = Change(changes[-1].old_start, change.old_stop, changes.pop().new_start, change.new_stop)
        changes.append(change)
        last_old = b
    return tuple(changes)


def _place(all_tokens: list[Token], index: int, text: str) -> int:
    return all_tokens[index].start if index < len(all_tokens) else len(text)


def changed_words(changes: Iterable[Change], new: str) -> int:
    """How many words and tags of the new text lie in changes; a change that only takes away counts as one."""
    count = 0
    for change in changes:
        inside = list(tokens(new[change.new_start : change.new_stop]))
        here = sum(token.kind in ("word", "tag") for token in inside)
        count += here or (change.new_start == change.new_stop)
    return count


def moved(changes: tuple[Change, ...], start: int, stop: int) -> tuple[int, int]:
    """Where a range of the old text lies in the new one; an edge within a change moves to that change's edge."""
    new_start = _moved_edge(changes, start, False)
    return new_start, max(new_start, _moved_edge(changes, stop, True))


def _moved_edge(changes: tuple[Change, ...], place: int, is_stop: bool) -> int:
    shift = 0
    for change in changes:
        if place <= change.old_start:
            break
        if place < change.old_stop:
            return change.new_stop if is_stop else change.new_start
        shift = change.new_stop - change.old_stop
    return place + shift


def tag_reach(text: str, tag: Tag) -> tuple[int, int]:
    """What a tag colours: from its bracket to the end of the clause that is spoken after it."""
    first = next((start for start, _ in words(text[tag.stop :])), None)
    return tag.start, len(text) if first is None else clause_stop(text, tag.stop + first)


def places_to_speak(old: str, new: str) -> tuple[Change, ...]:
    """What has to be spoken anew so that a performance of `old` speaks `new`: the changes, widened where needed.

    A tag that came or went takes in its reach; where nothing was spoken before (words put in, other punctuation), the
    word before goes along, or the one after. Changes of spaces alone are not heard.
    """
    changes = changed(old, new)
    heard = [
        change
        for change in changes
        if (old[change.old_start : change.old_stop] + new[change.new_start : change.new_stop]).strip()
    ]
    places: list[Change] = []
    for change in heard:
        place = _with_neighbour(_with_reach(change, changes, old, new), changes, old)
        while places and (place.old_start <= places[-1].old_stop and place.new_start <= places[-1].new_stop):
            earlier = places.pop()
            place = Change(
                min(earlier.old_start, place.old_start),
                max(earlier.old_stop, place.old_stop),
                min(earlier.new_start, place.new_start),
                max(earlier.new_stop, place.new_stop),
            )
        places.append(place)
    return tuple(places)


def _with_reach(change: Change, changes: tuple[Change, ...], old: str, new: str) -> Change:
    """The change up to where the tags in it reach, in both texts."""
    old_stop = max(
        [tag_reach(old, tag)[1] for tag in tags(old) if change.old_start <= tag.start < change.old_stop]
        + [change.old_stop]
    )
    new_stop = max(
        [tag_reach(new, tag)[1] for tag in tags(new) if change.new_start <= tag.start < change.new_stop]
        + [change.new_stop]
    )
    back = tuple(Change(c.new_start, c.new_stop, c.old_start, c.old_stop) for c in changes)
    while True:  # each side may carry the other over one more change
        further_new = max(new_stop, moved(changes, change.old_start, old_stop)[1])
        further_old = max(old_stop, moved(back, change.new_start, further_new)[1])
        if (further_old, further_new) == (old_stop, new_stop):
            return Change(change.old_start, old_stop, change.new_start, new_stop)
        old_stop, new_stop = further_old, further_new


def _with_neighbour(change: Change, changes: tuple[Change, ...], old: str) -> Change:
    """The change with the kept word beside it, where its old side speaks nothing."""
    if has_words(old[change.old_start : change.old_stop]):
        return change
    kept_from = max(
        (
            c.old_stop
            for c in changes
            if c.old_stop <= change.old_start
            and c.new_stop <= change.new_start
            and (c.old_start, c.new_start) < (change.old_start, change.new_start)
        ),
        default=0,
    )
    before = words(old[kept_from : change.old_start])
    if before:
        back = change.old_start - kept_from - before[-1][0]
        return Change(change.old_start - back, change.old_stop, change.new_start - back, change.new_stop)
    kept_to = min(
        (
            c.old_start
            for c in changes
            if c.old_start >= change.old_stop
            and c.new_start >= change.new_stop
            and (c.old_start, c.new_start) != (change.old_start, change.new_start)
        ),
        default=len(old),
    )
    after = words(old[change.old_stop : kept_to])
    forward = after[0][1] if after else 0
    return Change(change.old_start, change.old_stop + forward, change.new_start, change.new_stop + forward)
