"""Compute a counterfactual count from a factual one and a supposition."""

from collections.abc import Iterator

from countersight.composer.changes import effect_of
from countersight.composer.effects import Effect, apply
from countersight.composer.questions import counted_in, counts_the_same, supposition, words_in

_LONGEST_QUESTION = 1000
"""Characters; no question about a picture is longer."""
_BETWEEN_CLAUSES = frozenset({"and", "then", "but", ",", ";", ".", ":"})


def compose(count: int, question: str, factual: str = "") -> int | None:
    """Return the counterfactual count for a factual count and a question, or None if it is undecided.

    If the factual question is given, both have to count the same things.

    """
    effects = effects_of(question, factual)
    if effects is None or count < 0:
        return None
    changed: int | None = count
    for effect in effects:
        changed = None if changed is None else apply(effect, changed)
    return changed


def effects_of(question: str, factual: str = "") -> list[Effect] | None:
    """Return the effects of the supposition in a question, one per clause; None if they are undecided."""
    parts = supposition(question) if len(question) <= _LONGEST_QUESTION else None
    asked = None if parts is None else counted_in(parts[0])
    before = counted_in(factual[:_LONGEST_QUESTION])
    if parts is None or asked is None or asked.is_of_absence or not counts_the_same(asked, before):
        return None
    found = [effect_of(clause, asked.also(before)) for clause in _clauses(words_in(parts[1]))]
    effects = [effect for effect in found if effect is not None]
    if not effects or len(effects) < len(found):
        return None
    in_a_row = all(effect.kind in ("add", "remove", "scale") for effect in effects)
    return effects if in_a_row or len(effects) == 1 else None  # not "three left and two stayed"


def _clauses(words: list[str]) -> Iterator[list[str]]:
    """The clauses of a supposition; "all but two" is one."""
    clause: list[str] = []
    for word in [*words, ";"]:
        if word in _BETWEEN_CLAUSES and not (word == "but" and clause[-1:] == ["all"]):
            if clause:
                yield clause
            clause = []
        else:
            clause.append(word)
