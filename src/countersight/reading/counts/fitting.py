"""How well the number of a reply fits the question: whether it counts what was asked, and is said of that."""

import re

import msgspec

from countersight.reading.counts.company import Quantity, has_predicate, predicate
from countersight.reading.counts.question import Counted
from countersight.reading.language.asked import CALLED
from countersight.reading.language.opposites import SIDE_WORDS, SIDES, opposed_stems
from countersight.reading.language.stems import counted_words, is_empty, spelled, stem
from countersight.reading.language.vocabulary import either, words
from countersight.reading.language.whereabouts import is_elsewhere

_PAUSE = re.compile(r"[,;:(]|--")
_ASIDE = re.compile(r"[;:(]|--|\s-\s")
_PRONOUN = re.compile(r"\bof (?:them|which|whom|these|those)\b", re.IGNORECASE)
_DOING_SO = re.compile(
    r"\s*\w+(?:,? (?:out |over )?there)?,? (?:each|all|(?:who|that) are|[a-z]+(?:ing|ed))\b", re.IGNORECASE
)
_THERE = re.compile(r"\bthere\W*$", re.IGNORECASE)
_GROUPS = frozenset(map(stem, words("counts.groups")))
_POSSESSION = words("questions.possession")
_THE_OTHER = re.compile(r"the \w+(?: (?:would|will|could|still|then))*")  # "the guests would still have"
_SIDE_OF = re.compile(rf"{either(SIDE_WORDS)}(?: of)?(?: the)? (?P<what>[a-z]+)", re.IGNORECASE)  # "top shelf"
_LESS = frozenset({"minus", "without"})


class Fit(msgspec.Struct, frozen=True, order=True):
    """How well a number answers a question: by the qualities it shares with it, then by the noun, then by no more."""

    qualities: int
    noun: int
    narrower: int
    """Less than 0 for a share that is further narrowed: "2 of them are black"."""


def fit(quantity: Quantity, asked: Counted, inherited: frozenset[str]) -> Fit | None:
    """How well a number fits a question, or None where it counts something else."""
    said = quantity.words
    matched = said & asked.qualities
    noun = stem(quantity.noun) if quantity.noun else ""
    if quantity.is_short:
        matched = inherited & asked.qualities  # "five are lit and two are not"
    own = frozenset(stem(word) for word in quantity.phrase if not is_empty(word))
    opposed = _is_opposed(said - (asked.supposition - own), asked)  # "with one opened it's two", to how many are closed
    if opposed and asked.negated:
        return Fit(len(asked.qualities), 0, 0)  # "2 are unlit", to how many are not lit
    if opposed or _counts_another(quantity, noun, asked) or _is_anothers(quantity, asked):
        return None
    if _stand_at_the_asked(quantity, noun, asked) or _is_on_any_side(said, asked):
        return None
    if noun in _GROUPS and noun not in asked.nouns:
        return None
    if is_contrary(quantity, asked, matched) or _is_denied_in_short(quantity, asked, matched):
        return None
    if _PRONOUN.match(quantity.after.lstrip()) or _PRONOUN.search(quantity.before):
        matched |= inherited & asked.qualities
    if matched and not quantity.noun:
        matched |= inherited & asked.kinds  # "four fishing boats. … while one is on the beach"
    qualities = len(matched) + len(asked.owner & frozenset(counted_words(quantity.before)))
    extra = said - asked.words if quantity.is_share else frozenset[str]()
    named = asked.nouns & (own or said)
    return Fit(qualities, int(bool(named) or not quantity.noun), -len(extra))


def _counts_another(quantity: Quantity, noun: str, asked: Counted) -> bool:
    """Whether it counts what the question only mentions: the hats of "how many people wear hats"."""
    one = quantity.value == "1" and asked.of_now  # "one scarecrow, four crows on it"
    plural = one or (quantity.noun.endswith("s") and not quantity.noun.endswith("ss"))
    own = asked.qualities | asked.nouns
    verb = any(stem(word) in own for word in quantity.phrase[:-1])  # "3 wear hats", "8 rowers wear"
    verb = verb or (quantity.value == "1" and quantity.noun.endswith("s") and noun in asked.doing)  # "one faces us"
    another = plural and not verb and noun not in asked.nouns and noun in (asked.qualities - asked.kinds) | asked.owner
    return another and not quantity.are_things and not asked.text.lower().rstrip(" ?").endswith(f"are {quantity.noun}")


def _stand_at_the_asked(quantity: Quantity, noun: str, asked: Counted) -> bool:
    """Whether it counts what is at the things asked for: "two people in one of the boats", to how many boats."""
    if not noun or quantity.is_share or quantity.value == "1" or is_empty(quantity.noun) or noun in asked.qualities:
        return False
    behind = counted_words(predicate(quantity.after))
    return not asked.nouns & {*map(stem, quantity.phrase)} and bool(asked.nouns & {*behind})


def _is_on_any_side(said: frozenset[str], asked: Counted) -> bool:
    """Whether it is where the question asks, and nothing says on which side: "on two shelves", to the top shelf."""
    sides = asked.qualities & SIDES
    if not sides or sides & said:
        return False
    things = {stem(found["what"].lower()) for found in _SIDE_OF.finditer(asked.text)}
    return bool(said & asked.qualities & things)


def is_contrary(quantity: Quantity, asked: Counted, matched: frozenset[str]) -> bool:
    """Whether it is denied what was asked for, or the other way round, or is beside what was asked to be in."""
    if quantity.negated == asked.negated:
        return is_elsewhere(_PAUSE.split(quantity.after, maxsplit=1)[0], asked.text)
    return quantity.value != "0" and bool(matched)


def _is_denied_in_short(quantity: Quantity, asked: Counted, matched: frozenset[str]) -> bool:
    """Whether it is said of no more than that they are not so: "2 aren't"."""
    short = quantity.negated and not asked.negated and not quantity.words - asked.nouns - _LESS
    return short and not matched and quantity.value != "0"


def _is_opposed(said: frozenset[str], asked: Counted) -> bool:
    """Whether it is said to be what shuts out what was asked: "8 outside", to how many are inside."""
    known = asked.qualities | asked.owner
    return any(opposed_stems(word, quality) for quality in known - said for word in said - known)


def _is_anothers(quantity: Quantity, asked: Counted) -> bool:
    """Whether it is somebody else's: "the boy would have 1", to how many the girl would have."""
    said = spelled(quantity.before)
    if is_of_he_or_she(quantity, asked):
        return True
    if not asked.owner or not said or said[-1] not in _POSSESSION or _LESS.intersection(said):
        return False
    holder = frozenset(counted_words(quantity.before)) - asked.nouns - asked.qualities
    another = bool(holder & asked.supposition) or (bool(holder) and bool(_THE_OTHER.fullmatch(" ".join(said[:-1]))))
    return another and not holder & asked.owner


def is_of_he_or_she(quantity: Quantity, asked: Counted) -> bool:
    """Whether it is hers where it was asked for his: "he'd have 8 and she'd have 4", to how many the boy would have."""
    return speaks_of_him_or_her(quantity.before, asked)


def speaks_of_him_or_her(text: str, asked: Counted) -> bool:
    """Whether a text says "he" where it was asked what she has."""
    called = {word.split("'")[0] for word in spelled(text)} & CALLED.keys() if asked.owner else ()
    known = any(asked.owner & of for of in CALLED.values())
    return known and bool(called) and not any(asked.owner & CALLED[who] for who in called)


def does_just_the_asked(quantity: Quantity, asked: Counted) -> bool:
    """Whether it is said to do what was asked, and no more: "six have horns", to how many cows in the meadow do."""
    return asked.of_now and bool(quantity.words & asked.doing) and quantity.words <= asked.words


def speaks_of_another(quantity: Quantity, asked: Counted) -> bool:
    """Whether it is said of something that the question does not ask: "6 people at a table", to who wears hats."""
    after = _ASIDE.split(quantity.after, maxsplit=1)[0]
    if asked.of_now and asked.qualities <= asked.places and _DOING_SO.match(after):
        return stem(quantity.noun) not in asked.nouns  # "5 surfers waiting for a wave", to how many are in the water
    if _THERE.search(after) and stem(quantity.noun) in asked.nouns:
        return False  # "two people would be left sitting there"
    return (
        bool(asked.qualities)
        and has_predicate(after)
        and not quantity.words & asked.qualities
        and bool(frozenset(counted_words(predicate(after))) - (asked.words - asked.supposition))
    )
