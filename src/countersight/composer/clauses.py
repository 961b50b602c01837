"""Parse a clause of a supposition: its quantity, the name of the counted things, and the words around them.

The composer's safety comes from one rule: every word of a clause must be accounted for. It must belong to the quantity,
to the name of the counted things or to a listed verb, be a function word, or occur in the question. Any other word
("toy", "nearly", "on the shelf") may change what happens, so the clause is left undecided.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from countersight.composer.quantities import Quantity, quantity_at
from countersight.composer.questions import Counted
from countersight.composer.vocabulary import ABSENT, GRAMMAR, KINDS, PLACES, SEEING, WORDS, noun_key, verb_of
from countersight.english import is_plural

_ARTICLES: Final = frozenset({"a", "an", "the"})
_DETERMINERS: Final = _ARTICLES | {"these", "those", "his", "her", "their", "its", "my", "your", "our"}
_ADJECTIVE_ENDINGS: Final = ("y", "ed", "est", "er", "ing")
_LONGEST_NAME = 5


class Clause(msgspec.Struct, frozen=True):
    """A clause, split at its quantity."""

    before: tuple[str, ...]
    quantity: Quantity
    name: tuple[str, ...]
    after: tuple[str, ...]


def is_accounted(word: str, asked: Counted) -> bool:
    """Whether a word cannot change what happens: a function word, a word for the picture, or a word of the question."""
    is_known = word in GRAMMAR or word in WORDS["companies"] or (word in SEEING and word != "left")
    return is_known or noun_key(word) in PLACES or asked.knows(word)


def taken_apart(words: list[str], asked: Counted) -> Clause | None:
    """Split a clause at its only quantity of the counted things; None if there is not exactly one reading."""
    found: list[Clause] = []
    place = 0
    while place < len(words):
        read = quantity_at(words, place)
        start = place + 1 if read is None else read[1]
        end = None if read is None else name_end(words, start, read[0], asked)
        if read is not None and end is not None:
            quantity = _definite_quantity(words[end - 1]) if read[0].is_plain_definite else read[0]
            after = words[end:]
            if after[:1] in (["less"], ["fewer"]):  # "one bus less"
                quantity, after = msgspec.structs.replace(quantity, fewer=True), after[1:]
            elif after[:1] == ["more"]:
                quantity, after = msgspec.structs.replace(quantity, more=True), after[1:]
            found.append(Clause(tuple(words[:place]), quantity, tuple(words[start:end]), tuple(after)))
        elif read is not None and words[place] not in _ARTICLES:
            return None
        place = max(start, end or 0)
    return found[0] if len(found) == 1 and _names_the_same(found[0], asked) else None


def name_end(words: Sequence[str], start: int, quantity: Quantity, asked: Counted) -> int | None:
    """Return the index after the name of the counted things; `start` if nothing is named, None for other things."""
    members = KINDS.get(asked.head, frozenset()) if quantity.number is not None else frozenset()
    for place in range(start, min(start + _LONGEST_NAME, len(words))):
        word = words[place]
        if noun_key(word) == asked.head or noun_key(word) in members:
            return place + 1
        if not asked.names(word) and (word in GRAMMAR or word in SEEING or verb_of(word)):
            break
    if quantity.is_plain_definite or words[start - 1] in _DETERMINERS:
        return None
    if start >= len(words) or words[start] in ("ones", "one"):
        return min(start + 1, len(words))
    word = words[start]
    is_verb = verb_of(word) is not None and not is_plural(word)
    is_said = asked.knows(word) and (word in asked.predicate or word.endswith("ing"))
    return start if word in GRAMMAR | SEEING | ABSENT | {"not"} or is_verb or is_said else None


def _definite_quantity(noun: str) -> Quantity:
    """Return the quantity of a noun after an article: "the cats" means all, "the cat" means the only one."""
    if is_plural(noun) and not is_plural(noun_key(noun)):
        return Quantity(is_all=True, definite=True)
    return Quantity(number=1, definite=True, given=1)


def _names_the_same(clause: Clause, asked: Counted) -> bool:
    """Whether a clause names exactly the counted things: no other things, and not only some of them."""
    if not clause.name:  # "two left", not "two open doors", in which the adjective looks like a verb
        is_adjective = any(map(verb_of, clause.after[:1]))
        return not is_adjective or {asked.head, "one"}.isdisjoint(map(noun_key, clause.after[1:2]))
    if clause.name[-1] in ("ones", "one"):
        return True
    quantity = clause.quantity
    if not WORDS["companies"].isdisjoint(clause.after[:1]):  # "a tourist group"
        return False
    if not all(map(asked.knows, clause.name[:-1])):  # "dry towels" are other things than those counted
        return False
    is_piece = quantity.share is not None or (quantity.is_all and clause.before[-1:] == ("of",))
    if is_piece and not is_plural(clause.name[-1]):  # "half of the pizza"
        return False
    missing = asked.modifiers - {noun_key(word) for word in (*clause.name, *clause.after)}
    return quantity.definite or not any(map(_is_adjective, missing))


def _is_adjective(word: str) -> bool:
    return word in WORDS["qualities"] or word.endswith(_ADJECTIVE_ENDINGS)
