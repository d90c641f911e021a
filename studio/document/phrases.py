"""The phrases that S2's documents and its users name, by what they do. Any other may be written just as well."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

MOST_RECENT = 8
_SHOWN_RECENT = 5


@dataclass(frozen=True)
class Offer:
    """A phrase for a tag; `note` says in a few words what it does, `section` where it is listed."""

    phrase: str
    note: str = ""
    section: str = ""


_LISTED = {
    "Voice": (
        ("whispering", "close to the ear, without voice"),
        ("whispers sweetly", "soft and near, with a smile"),
        ("low voice", "lower in pitch and a little hushed"),
        ("deep voice", "from the chest"),
        ("high-pitched voice", "lighter, higher"),
        ("soft voice", "gentle, without edge"),
        ("breathy voice", "more air than tone"),
        ("raspy voice", "rough at the edges"),
        ("hoarse", "worn out, after shouting"),
        ("nasal voice", "through the nose"),
        ("childlike voice", "small and bright"),
        ("old and frail", "thin, with a tremble"),
        ("professional broadcast tone", "even and clear, as on the news"),
        ("storyteller's voice", "warm, with long arcs"),
        ("radio announcer", "bright and forward"),
        ("robotic voice", "flat, without melody"),
        ("singing", "carries a tune"),
        ("humming", "a tune without words"),
        ("mumbling", "half swallowed"),
        ("with strong accent", "exaggerates where somebody comes from"),
        ("monotone", "no rise, no fall"),
        ("echo", "as in a large empty room"),
        ("on the phone", "narrow, a little far"),
        ("murmuring", "low, to oneself"),
    ),
    "Emotion": (
        ("excited", "quick and bright"),
        ("happy", "a smile in the voice"),
        ("cheerful", "light, sunny"),
        ("delighted", "pleased and surprised"),
        ("joyful", "openly glad"),
        ("amused", "close to a laugh"),
        ("playful", "teasing"),
        ("tender", "warm and careful"),
        ("loving", "warm, unhurried"),
        ("proud", "chest out"),
        ("confident", "firm, without doubt"),
        ("relieved", "the weight is off"),
        ("hopeful", "leaning forward"),
        ("grateful", "meant, quiet"),
        ("curious", "wants to know"),
        ("surprised", "did not see it coming"),
        ("amazed", "wide-eyed"),
        ("shocked", "struck"),
        ("confused", "cannot follow"),
        ("doubtful", "does not quite believe it"),
        ("hesitant", "feels its way"),
        ("shy", "small, looking down"),
        ("embarrassed", "wishes to be elsewhere"),
        ("nervous", "unsteady"),
        ("anxious", "tight, waiting for bad news"),
        ("scared", "afraid"),
        ("terrified", "beside oneself with fear"),
        ("panicked", "too fast to think"),
        ("desperate", "last chance"),
        ("sad", "heavy"),
        ("heartbroken", "close to breaking"),
        ("melancholic", "a quiet ache"),
        ("lonely", "nobody answers"),
        ("disappointed", "let down"),
        ("regretful", "wishes it undone"),
        ("guilty", "knows it was wrong"),
        ("resigned", "has given up"),
        ("bored", "would rather not"),
        ("tired", "drained"),
        ("angry", "sharp, pressing"),
        ("furious", "beyond control"),
        ("annoyed", "short"),
        ("frustrated", "nothing works"),
        ("impatient", "hurry up"),
        ("bitter", "old anger"),
        ("jealous", "should have been mine"),
        ("disgusted", "pushes it away"),
        ("contemptuous", "looks down"),
        ("sarcastic", "means the opposite"),
        ("smug", "knew it all along"),
        ("mocking", "imitates to hurt"),
        ("cold", "no feeling shown"),
        ("serious", "weight on each word"),
        ("solemn", "as at a ceremony"),
        ("calm", "even, unhurried"),
        ("reassuring", "it will be all right"),
        ("pleading", "begs"),
        ("apologetic", "sorry"),
        ("stern", "no nonsense"),
        ("threatening", "quiet danger"),
        ("mysterious", "keeps something back"),
        ("dreamy", "far away"),
        ("nostalgic", "looks back"),
        ("determined", "will do it"),
    ),
    "Pace": (
        ("speaking slowly", "takes its time"),
        ("speaking quickly", "hurries"),
        ("in a hurry", "on the way out"),
        ("slow and deliberate", "each word set down"),
        ("rapid-fire", "no room to breathe"),
        ("drawn out", "vowels held"),
        ("rushed", "trips over itself"),
        ("hurried whisper", "quick, hidden"),
        ("gradually faster", "picks up speed"),
        ("gradually slower", "winds down"),
        ("stammering", "cannot get it out"),
        ("trailing off", "lets the end go"),
        ("interrupting", "cuts in"),
        ("dragging", "too tired to go on"),
        ("measured", "even steps"),
        ("clipped", "short and hard"),
    ),
    "Volume": (
        ("shouting", "across the yard"),
        ("screaming", "at full voice"),
        ("yelling", "angry and loud"),
        ("loud", "more voice"),
        ("volume up", "louder from here"),
        ("volume down", "quieter from here"),
        ("low volume", "quiet"),
        ("very quietly", "hardly heard"),
        ("calling out", "to somebody far"),
        ("with emphasis", "weight on the next words"),
        ("emphasis", "stress what follows"),
        ("hushed", "not to wake anybody"),
        ("building up", "grows to the end"),
        ("fading", "goes away"),
        ("barking orders", "hard and loud"),
        ("under one's breath", "not meant to be heard"),
    ),
    "Breath and body": (
        ("sighs", "a breath let out"),
        ("long sigh", "a long breath let out"),
        ("sigh of relief", "it went well"),
        ("inhale", "breathes in"),
        ("deep breath", "a full breath in"),
        ("sharp inhale", "a start"),
        ("exhale", "breathes out"),
        ("gasps", "breath caught"),
        ("panting", "after running"),
        ("out of breath", "breathless words"),
        ("laughing", "laughs while speaking"),
        ("laughs", "a laugh, then words"),
        ("laughing nervously", "laughs it away"),
        ("chuckling", "a small laugh"),
        ("chuckles", "one short laugh"),
        ("giggling", "high and light"),
        ("snickering", "behind a hand"),
        ("bursts out laughing", "cannot hold it"),
        ("laughing tone", "words on the edge of laughter"),
        ("crying", "speaks through tears"),
        ("sobbing", "broken by sobs"),
        ("sniffling", "a wet nose"),
        ("voice breaking", "cracks on the way"),
        ("trembling voice", "shakes"),
        ("clearing throat", "before beginning"),
        ("coughing", "coughs"),
        ("sneezes", "a sneeze"),
        ("yawning", "a yawn in the words"),
        ("groaning", "with effort or pain"),
        ("moaning", "in pain"),
        ("grunts", "short effort"),
        ("gulps", "swallows"),
        ("tsk", "tongue against teeth"),
        ("scoffs", "a puff of scorn"),
        ("snorts", "a short laugh through the nose"),
        ("humming in thought", "a hum before the words"),
        ("chewing", "mouth full"),
        ("shivering", "cold"),
        ("straining", "lifting something"),
        ("hiccups", "a hiccup"),
        ("smacks lips", "a small smack"),
        ("blows a kiss", "a kiss in the air"),
        ("teeth clenched", "through the teeth"),
        ("audience laughter", "laughter around"),
        ("applause", "hands around"),
    ),
    "Pauses": (
        ("pause", "a stop"),
        ("short pause", "half a breath"),
        ("long pause", "a stop that is felt"),
        ("beat", "a moment for it to land"),
        ("silence", "nothing for a while"),
        ("hesitates", "stops, then goes on"),
        ("dramatic pause", "makes them wait"),
        ("takes a moment", "thinks first"),
        ("breath", "room for a breath"),
        ("swallows hard", "before something difficult"),
    ),
}

PHRASES = tuple(Offer(phrase, note, section) for section, listed in _LISTED.items() for phrase, note in listed)
SECTIONS = tuple(_LISTED)
RECENT, FAVOURITES = "Recent", "Favourites"
# What stands there before anybody has used or chosen any.
FIRST = ("whispers sweetly", "sighs", "laughing nervously", "pause", "excited", "low voice", "chuckling", "shouting")


def offers(recent: Iterable[str] = (), favourites: Iterable[str] = ()) -> tuple[Offer, ...]:
    """All phrases, each once: the favourites first, then those used last, then the others by section."""
    notes = {offer.phrase: offer.note for offer in PHRASES}
    first = [Offer(phrase, notes.get(phrase, ""), FAVOURITES) for phrase in dict.fromkeys(favourites)]
    named = {offer.phrase for offer in first}
    used = [phrase for phrase in dict.fromkeys(recent) if phrase not in named][:_SHOWN_RECENT]
    first += [Offer(phrase, notes.get(phrase, ""), RECENT) for phrase in used]
    named |= set(used)
    return tuple(first) + tuple(offer for offer in PHRASES if offer.phrase not in named)


def offers_with(typed: str, offered: Iterable[Offer]) -> tuple[Offer, ...]:
    """Those with `typed` in phrase or note: phrases that begin so, then those with a word that does, then the rest."""
    wanted = " ".join(typed.casefold().split())

    def rank(offer: Offer) -> int:
        phrase = offer.phrase.casefold()
        if phrase.startswith(wanted):
            return 0
        return 1 if f" {wanted}" in phrase else 2 if wanted in phrase else 3

    found = (offer for offer in offered if wanted in offer.phrase.casefold() or wanted in offer.note.casefold())
    return tuple(sorted(found, key=rank))


def with_recent(recent: Iterable[str], phrase: str) -> tuple[str, ...]:
    """The phrases used last, newest first, with another one."""
    return tuple(dict.fromkeys((phrase, *recent)))[:MOST_RECENT]


def toggled(favourites: tuple[str, ...], phrase: str) -> tuple[str, ...]:
    """The favourites with a phrase put in, or taken out where it was one."""
    return tuple(each for each in favourites if each != phrase) if phrase in favourites else (*favourites, phrase)
