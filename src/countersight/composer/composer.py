"""Compute a counterfactual count from a factual one and a supposition."""

from itertools import pairwise

from countersight.composer.changes import effect_of
from countersight.composer.clauses import is_accounted, taken_apart
from countersight.composer.effects import Effect, apply
from countersight.composer.quantities import quantity_at
from countersight.composer.questions import Counted, counted_in, supposition, words_in
from countersight.composer.vocabulary import GRAMMAR, verb_of
from countersight.english import number_at

_LONGEST_QUESTION = 1000
"""The maximum number of characters in a question."""
_BE = frozenset({"was", "were", "is", "are", "been", "being", "be", "got"})
_PRONOUNS = frozenset({"it", "they", "them"})
_BETWEEN_CLAUSES = frozenset({"and", "then", "but", ",", ";", ".", ":"})


def compose(count: int, question: str, factual: str = "") -> int | None:
    """Return the counterfactual count for a factual count and a question, or None if it is undecided.

    The result is also None if a factual question is given that counts other things.
    """
    effects = effects_of(question, factual)
    if effects is None or count < 0:
        return None
    changed: int | None = count
    for effect in effects:
        changed = None if changed is None else apply(effect, changed)
    return changed


def effects_of(question: str, factual: str = "") -> list[Effect] | None:
    """Return the effects of the supposition in a question, one per clause; None if any is undecided."""
    parts = supposition(question) if len(question) <= _LONGEST_QUESTION else None
    named = None if parts is None else counted_in(parts[0])
    before = counted_in(factual[:_LONGEST_QUESTION])
    if parts is None or named is None or named.is_of_absence:
        return None
    asked = named.continues(before)
    if asked is None:
        return None
    effects: list[Effect] = []
    clauses = _clauses(_rewritten(words_in(parts[1]), asked))
    while clauses:
        clause, *clauses = clauses
        effect = effect_of(clause, asked)
        while clauses and _is_without_things(clauses[0]):
            further = effect_of(_with_things_before(clause, clauses.pop(0), asked), asked)
            effect = further if effect in (None, further) else None
        if effect is None:
            return None
        effects.append(effect)
    if not effects:
        return None
    in_a_row = all(effect.kind in ("add", "remove", "scale") for effect in effects)
    return effects if in_a_row or len(effects) == 1 else None  # not "three left and two stayed"


def _clauses(words: list[str]) -> list[list[str]]:
    """Split a supposition into clauses; "all but two" stays in one clause."""
    clauses: list[list[str]] = [[]]
    for word in words:
        if word in _BETWEEN_CLAUSES and not (word == "but" and clauses[-1][-1:] == ["all"]):
            clauses.append([])
        else:
            clauses[-1].append(word)
    clauses = [clause for clause in clauses if clause]
    for place, (clause, following) in enumerate(pairwise(clauses)):
        if not any(quantity_at(clause, at) for at in range(len(clause))) and verb_of(following[0]):
            merged = [*clause[:-1], *following]  # "she peeled and ate two bananas"
            return [*clauses[:place], merged, *clauses[place + 2 :]]
    return clauses


def _is_without_things(words: list[str]) -> bool:
    """Whether a clause begins with a verb or a pronoun and names no quantity: "… and were thrown away"."""
    begins = words[0] in _BE | _PRONOUNS or verb_of(words[0]) is not None or words[0].endswith("ed")
    return begins and not any(quantity_at(words, place) for place in range(len(words)))


def _with_things_before(first: list[str], words: list[str], asked: Counted) -> list[str]:
    """Return a clause without a quantity, with the things of the clause before it added: "two fell and (two) broke"."""
    clause = taken_apart(first, asked)
    if clause is None or "not" in first or "back" in words:
        return words
    around = (*clause.before, *clause.after)
    unknown = [word for word in around if not is_accounted(word, asked) and verb_of(word) is None]
    is_object = any(verb_of(word) or word in unknown for word in clause.before)
    is_passive = words[0] != "left" and (is_object or not _BE.isdisjoint(clause.after))
    things = first[len(clause.before) : len(first) - len(clause.after)]
    said = [word for word in words if word not in _PRONOUNS]
    return words if len(unknown) > 1 else [*things, *(["were"] if is_passive else []), *said]


def _rewritten(words: list[str], asked: Counted) -> list[str]:
    """Return a supposition in simpler words: "the dog was joined by two more" becomes "two more joined"."""
    if words[:2] == ["there", "being"]:
        words = ["there", "were", *words[2:]]
    joins = next((place for place, word in enumerate(words) if word in ("joined", "accompanied")), None)
    if joins is None or {"each", "every"} & set(words):
        return words
    subject, rest = words[:joins], words[joins + 1 :]
    is_of_them = all(word in GRAMMAR or asked.names(word) for word in subject)
    if rest[:1] == ["by"] and is_of_them and not any(number_at(subject, place) for place in range(joins)):
        return [*rest[1:], "joined"]  # "the dog was joined by two more"
    whom = 1 if rest[:1] in (["them"], ["him"], ["her"], ["it"]) else 2
    is_same = whom == 1 or (rest[:1] == ["the"] and asked.names(rest[1] if rest[1:] else ""))
    return [*subject, "joined", *rest[whom:]] if is_same else words
