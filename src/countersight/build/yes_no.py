"""Yes/no questions asked of a world in which what the picture shows was turned round."""

import re
from random import Random
from typing import Final

from countersight.build.drafts import Draft, Unwritten
from countersight.build.sources import Source
from countersight.build.turning import turning_of
from countersight.build.vocabulary import STATES
from countersight.english import is_plural, number_of

_PRONOUNS: Final = frozenset(
    {"it", "he", "she", "they", "there", "this", "that", "these", "those", "anyone", "someone"}
)
_PREPOSITIONS: Final = frozenset({"in", "on", "at", "near", "behind", "by", "under", "over", "above", "inside", "to"})
_ARTICLES: Final = frozenset({"a", "an", "the"})
_LONGEST_PLACE = 4
_LONGEST_NAME = 3
"""Words: what is longer may hold more than the subject."""
_OPEN_TO_MORE: Final = frozenset({"anyone", "someone", "that", "those"})
"""Words after which a place may belong to the subject."""
_NAMING: Final = frozenset({"this", "that", "these", "those"})


def write_yes_no(source: Source, chance: Random) -> Draft:
    """A counterfactual yes/no question whose answer is the other one; raises Unwritten."""
    asked = would(source.question)
    if asked is None:
        raise Unwritten("the grammar does not cover the question")
    turning = turning_of(re.findall(r"[a-z0-9'’-]+", source.question.casefold()))
    if turning is None:
        raise Unwritten("nothing it asks about can be turned round")
    pattern = chance.choice(turning.patterns)
    written = {word.casefold(): word for word in source.question.rstrip("?").split()[1:]}  # Frisbee, TV
    question, told = (_filled(pattern, asked, slots, written) for slots in (turning.in_pronouns(), turning.in_names()))
    return Draft(
        question, "no" if source.answer == "yes" else "yes", f"turn round: {turning.family}", pattern, told=told
    )


def _filled(pattern: str, asked: str, slots: dict[str, str], written: dict[str, str]) -> str:
    """The question in a wording, its words as they were written."""
    words = {name: " ".join(written.get(word, word) for word in said.split()) for name, said in slots.items()}
    question = pattern.format(asked=asked, **words)
    return re.sub(r"(^|\. )([a-z])", lambda begins: begins[1] + begins[2].upper(), question)


def would(question: str) -> str | None:
    """The question "is the TV on" as "would the TV be on"; None where it is not clear where the subject ends."""
    words = question.strip().rstrip("?!. ").split()
    first, said = words[0].casefold(), words[1:]
    if len(words) < 3 or any(not re.fullmatch(r"[\w'’-]+,?", word) for word in words):
        return None
    if first in ("does", "do"):
        return " ".join(["would", *said])
    if first not in ("is", "are"):
        return None
    ends = _subject_ends([word.casefold() for word in said])
    if ends is not None and said[ends].casefold() in ("all", "both", "still"):  # "would they both be wearing hats"
        ends += 1
    return None if ends is None else " ".join(["would", *said[:ends], "be", *said[ends:]])


def _subject_ends(words: list[str]) -> int | None:
    """Where the subject ends: after a pronoun, or before what is said of a noun with its article."""
    if words[:2] == ["there", "both"] or (words[0] in _OPEN_TO_MORE and _PREPOSITIONS & set(words[1:3])):
        return None  # "anyone in the picture wearing a hat", "that ham in the pan"
    if words[0] in _PRONOUNS and not (words[0] in _NAMING and _names(words)):
        return 1
    if words[0] not in _ARTICLES | _NAMING | {"his", "her", "their", "its"}:
        return None
    stops = [place for place, word in enumerate(words) if place > 1 and _ends_a_subject(word)]
    if not stops:
        return None
    end = stops[0]
    if {"of", "and", "or"} & set(words[:end]) or (end > _LONGEST_NAME - 1 and is_plural(words[end - 2])):
        return None  # "the front of the car bare", "the donuts chocolate flavored"
    if words[end] in _PREPOSITIONS and not any(number_of(word) for word in words[1:end]):
        later = any(_ends_a_subject(word) and word not in _ARTICLES for word in words[end + 1 :])
        return end if not later and len(words) - end <= _LONGEST_PLACE else None  # "the woman in red smiling"
    longest = _LONGEST_NAME if words[0] in _ARTICLES else _LONGEST_NAME - 1
    is_odd = any(word in ("more", "than", "less") or number_of(word) for word in words[1:end])
    return end if end <= longest and not is_odd else None


def _names(words: list[str]) -> bool:
    """Whether "this" belongs to a noun: this dog barking, but not this a dog."""
    return len(words) > 1 and words[1] not in _ARTICLES and not _ends_a_subject(words[1])


def _ends_a_subject(word: str) -> bool:
    is_verb = (word.endswith("ing") and len(word) > 4) or (word.endswith("ed") and len(word) > 4)
    return is_verb or word in STATES or word in _PREPOSITIONS or word in _ARTICLES
