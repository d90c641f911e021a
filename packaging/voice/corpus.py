"""Sentences like those of a dialogue, made by a seeded grammar: every seed gives other ones, the same each time.

Held-out sentences come from the same grammar by another seed, without any that the training texts hold.
"""

from __future__ import annotations

import random
from functools import cache

from voice import words

SHORTEST, LONGEST = 6, 90  # characters
HELD_OUT_SEED, HELD_OUT = 1_000_003, 400
CLIPS = ("Nobody saw the captain after the storm.", "There is a letter for you in the kitchen.")

ARTICLES = ("the", "a", "my", "your", "his", "her", "our", "their", "this", "that")
SUBJECTS = ("I", "you", "we", "they", "she", "he", "nobody", "everybody", "somebody")
PLACE_WORDS = ("in", "near", "behind", "from", "at", "outside", "across", "into", "through", "beyond")
WISHES = ("wanted to", "had to", "needed to", "tried to", "used to", "would like to", "forgot to", "decided to")
MODALS = ("can", "can't", "could", "should", "must", "might", "will", "won't", "would", "shouldn't", "couldn't", "may")
FEELINGS = ("felt", "seemed", "looked", "will be", "will never be", "became", "can't be", "must be")
LINKS = ("and", "but", "so", "because", "while", "until", "before", "after", "when", "if")
ASKS = ("Did", "Didn't", "Can", "Could", "Will", "Would", "Should", "Why did", "When did", "How did", "Where did")
UNITS = ("days", "hours", "weeks", "years", "minutes", "miles", "people", "dollars", "letters", "children", "horses")


def sentences(seed: int, count: int, without: frozenset[str] = frozenset()) -> list[str]:
    """So many different sentences of the grammar, none of them in `without`."""
    found: dict[str, None] = {}
    source = Grammar(random.Random(seed))
    while len(found) < count:
        sentence = source.sentence()
        if SHORTEST <= len(sentence) <= LONGEST and sentence not in without:
            found[sentence] = None
    return list(found)


def held_out() -> list[str]:
    """Sentences that no recording to learn from may hold."""
    return sentences(HELD_OUT_SEED, HELD_OUT, frozenset(CLIPS))


def to_learn(seed: int, count: int) -> list[str]:
    """Sentences that may be recorded to learn from."""
    return sentences(seed, count, frozenset(held_out()) | frozenset(CLIPS))


@cache
def _nouns() -> tuple[str, ...]:
    return tuple(words.PEOPLE + words.THINGS + words.PLACES)


@cache
def _verbs() -> tuple[tuple[str, str, str], ...]:
    rows = (verb.split() for verb in words.VERBS)
    return tuple((base, past, participle) for base, past, participle in rows)


@cache
def _doings() -> tuple[tuple[str, str], ...]:
    """Base and past of verbs that may be of several words, such as "wake up woke up"."""
    pairs = []
    for entry in words.DOINGS:
        parts = entry.split()
        pairs.append((" ".join(parts[: len(parts) // 2]), " ".join(parts[len(parts) // 2 :])))
    return tuple(pairs)


class Grammar:
    """Sentences drawn from one source of chance."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._shapes = (
            (14, self._telling),
            (10, self._asking),
            (8, self._wishing),
            (6, self._being),
            (7, self._joining),
            (6, self._opening),
            (5, self._ordering),
            (4, self._counting),
            (4, self._naming),
            (5, self._existing),
            (5, self._remark),
            (5, self._pairing),
        )

    def sentence(self) -> str:
        shapes = [shape for _, shape in self._shapes]
        sentence = self._chance.choices(shapes, [weight for weight, _ in self._shapes])[0]()
        return sentence[0].upper() + sentence[1:]

    def _one(self, choices: tuple[str, ...] | list[str]) -> str:
        return self._chance.choice(choices)

    def _maybe(self, text: str, share: float = 0.5) -> str:
        return f" {text}" if self._chance.random() < share else ""

    def _noun_phrase(self, nouns: tuple[str, ...] | list[str]) -> str:
        article, adjective = self._one(ARTICLES), self._maybe(self._one(words.ADJECTIVES), 0.35)
        phrase = f"{adjective} {self._one(nouns)}".lstrip()
        if article == "a" and phrase[0] in "aeiou":
            article = "an"
        return f"{article} {phrase}"

    def _thing(self) -> str:
        return self._noun_phrase(words.THINGS) if self._chance.random() < 0.85 else self._noun_phrase(words.PEOPLE)

    def _who(self) -> str:
        dice = self._chance.random()
        if dice < 0.5:
            return self._one(SUBJECTS)
        return self._one(words.NAMES) if dice < 0.65 else self._noun_phrase(words.PEOPLE)

    def _where(self) -> str:
        return f"{self._one(PLACE_WORDS)} the{self._maybe(self._one(words.ADJECTIVES), 0.2)} {self._one(words.PLACES)}"

    def _ending(self) -> str:
        dice = self._chance.random()
        if dice < 0.35:
            return ""
        if dice < 0.6:
            return f" {self._where()}"
        return f" {self._one(words.TIMES)}" if dice < 0.85 else f" {self._one(words.ADVERBS)}"

    def _clause(self) -> str:
        if self._chance.random() < 0.25:
            return f"{self._who()} {self._chance.choice(_doings())[1]}"
        return f"{self._who()} {self._chance.choice(_verbs())[1]} {self._thing()}"

    def _action(self) -> str:
        if self._chance.random() < 0.25:
            return self._chance.choice(_doings())[0]
        return f"{self._chance.choice(_verbs())[0]} {self._thing()}"

    def _telling(self) -> str:
        return f"{self._clause()}{self._ending()}{self._chance.choices('.!', (9, 1))[0]}"

    def _asking(self) -> str:
        return f"{self._one(ASKS)} {self._who()} {self._action()}{self._ending()}?"

    def _wishing(self) -> str:
        how = self._one(WISHES) if self._chance.random() < 0.4 else self._one(MODALS)
        return f"{self._who()} {how} {self._action()}{self._ending()}."

    def _being(self) -> str:
        who = self._noun_phrase(_nouns()) if self._chance.random() < 0.6 else self._who()
        return f"{who} {self._one(FEELINGS)}{self._maybe('very', 0.2)} {self._one(words.MOODS)}{self._ending()}."

    def _joining(self) -> str:
        return f"{self._clause()}{self._chance.choice((',', ''))} {self._one(LINKS)} {self._clause()}."

    def _opening(self) -> str:
        mark = self._chance.choices((",", "!"), (4, 1))[0]
        rest = self._telling()
        if mark == "!":
            rest = rest[0].upper() + rest[1:]
        return f"{self._one(words.OPENERS)}{mark} {rest}"

    def _ordering(self) -> str:
        start = self._one(["", "Please ", "Don't ", "Let's ", "Never "])
        return f"{start}{self._action()}{self._ending()}{self._chance.choices('.!', (2, 1))[0]}"

    def _counting(self) -> str:
        amount = self._one(words.NUMBERS)
        dice = self._chance.random()
        if dice < 0.3:
            return f"{self._who()} {self._chance.choice(_verbs())[1]} {amount} {self._one(UNITS)}{self._ending()}."
        if dice < 0.6:
            tens, ones = self._one(words.NUMBERS[18:]), self._one(["one", *words.NUMBERS[:8]])
            return f"There were {tens} {ones} {self._one(UNITS)} {self._where()}."
        if dice < 0.8:
            return f"It took {amount} {self._one(UNITS)} to {self._action()}."
        return f"It is {self._one(['half past', 'quarter to', 'almost', 'ten past'])} {amount}."

    def _naming(self) -> str:
        name, other = self._one(words.NAMES), self._one(words.NAMES)
        return self._one(
            [
                f"{name}, {self._clause()}.",
                f"My name is {name}.",
                f"{name} and {other} {self._chance.choice(_verbs())[1]} {self._thing()}.",
                f"Have you seen {name}{self._ending()}?",
                f"This is {name}, my {self._one(words.PEOPLE)}.",
                f"{name} told {other} about {self._thing()}.",
                f"Where is {name}{self._ending()}?",
            ]
        )

    def _existing(self) -> str:
        thing = self._noun_phrase(_nouns())
        return self._one(
            [
                f"There is {thing} {self._where()}.",
                f"{thing} is {self._where()}.",
                f"What is {self._where()}?",
                f"It was only {thing}.",
                f"I never saw {thing} before.",
                f"Where is {thing}?",
                f"Who took {thing}?",
                f"Whose {self._one(words.THINGS)} is this?",
            ]
        )

    def _remark(self) -> str:
        return self._one(words.REMARKS)

    def _pairing(self) -> str:
        """Words in odd company, so that spelling is learned rather than sentences."""
        noun, other, adjective = self._one(_nouns()), self._one(_nouns()), self._one(words.ADJECTIVES)
        return self._one(
            [
                f"{noun} and {adjective} {other}.",
                f"not {noun}, {adjective} {other}.",
                f"the {noun} or {adjective} {other}?",
                f"{self._one(words.SCENES)}, {noun}, {self._one(words.SCENES)}.",
                f"more {self._one(words.SCENES)} and {self._one(words.ADVERBS)} {adjective}.",
            ]
        )
