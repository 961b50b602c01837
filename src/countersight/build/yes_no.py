"""Yes/no questions asked of a world in which what the picture shows were not so.

What the picture shows is not said: whoever answers has to look first. A stated condition ("if the TV was turned off")
would give the answer away.
"""

import re
from random import Random
from typing import Final

from countersight.build.drafts import Draft, Unwritten
from countersight.build.sources import Source
from countersight.build.vocabulary import CLOTHES, OPENED, OPPOSITES, STATES, SWITCHED, TURNED
from countersight.composing import KINDS, is_plural, number_of, thing_of

OPERATION: Final = "negate"
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
_LIVING: Final = frozenset(map(thing_of, ("person", "animal"))) | KINDS[thing_of("person")] | KINDS[thing_of("animal")]


def write_yes_no(source: Source, chance: Random) -> Draft:
    """A counterfactual yes/no question whose answer is the other one; raises Unwritten."""
    asked = would(source.question)
    if asked is None:
        raise Unwritten("the grammar does not cover the question")
    words = re.findall(r"[a-z'’-]+", source.question.casefold())
    pattern = chance.choice(_patterns(words))
    question = pattern.format(asked=asked, **_worn(words[-1]))
    question = re.sub(r"(^|\. )([a-z])", lambda begins: begins[1] + begins[2].upper(), question)
    return Draft(question, "no" if source.answer == "yes" else "yes", OPERATION, pattern)


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


def _patterns(words: list[str]) -> list[str]:
    """What may be supposed of what is asked: of one thing a change that takes place in the picture, or the opposite.

    Of several things some may be so and some not: what is turned round is then no more true of all than before.
    """
    said = words[1:] if words[0] == "is" and "not" not in words else []
    things = set(map(thing_of, said))
    match said[_name_length(said) :]:
        case ["wearing", "a" | "an", worn] if worn not in CLOTHES:
            return OPPOSITES["wearing"]
        case ["wearing", worn] if is_plural(worn) and worn not in CLOTHES:
            return OPPOSITES["wearing"]
        case [verb, *_] if verb.endswith("ing") and verb not in ("wearing", "going", "being"):
            return OPPOSITES["doing"]
    match said[-1:]:
        case ["on" | "off"] if things & SWITCHED:
            return OPPOSITES["switched"]
        case [state] if state in TURNED and (state not in ("open", "closed", "shut") or things & OPENED):
            return TURNED[state]
    return OPPOSITES["any"]


def _name_length(said: list[str]) -> int:
    """Of how many words the name of one living being is with which this begins; all of them where it is no such."""
    match said:
        case ["he" | "she", *_]:
            return 1
        case ["the" | "this" | "that", noun, *_] if thing_of(noun) in _LIVING and not is_plural(noun):
            return 2
    return len(said)


def _worn(noun: str) -> dict[str, str]:
    """How one speaks of something worn: a hat is put on as one, glasses as some."""
    if is_plural(noun):
        return {"worn": noun, "it": "them", "one": "some"}
    return {"worn": f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}", "it": "it", "one": "one"}
