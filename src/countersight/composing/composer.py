"""A counterfactual count, worked out of a factual one and an if-clause."""

from countersight.composing.asked import read_asked
from countersight.composing.clauses import events, supposition
from countersight.composing.effects import Effect, apply
from countersight.composing.grammar import effect_of, names_a_known_thing, tells_of

_LONGEST_QUESTION = 1000
"""Signs; no question about a picture is longer."""


def compose(count: int, question: str, factual: str = "") -> int | None:
    """What a factual count becomes in the world of a counterfactual question, or None where that is not decided.

    Where the factual question is given, both have to count the same things.
    """
    found = effects_of(question)
    if found is None or count < 0 or not _counts_the_same(factual, question):
        return None
    number: int | None = count
    for before, effect in zip((None, *found), found, strict=False):
        if number is None or (_takes_off(before) and effect.kind == "keep" and number != effect.by):
            return None  # "three left and two stayed", of six
        number = apply(effect, number)
    return number


def _takes_off(effect: Effect | None) -> bool:
    return effect is not None and effect.kind in ("remove", "part")


def effects_of(question: str) -> list[Effect] | None:
    """What the if-clause of a question does to the number it asks for, one after the other; None if not understood."""
    clause = _apart(question)
    asked = None if clause is None else read_asked(clause[0])
    if clause is None or asked is None:
        return None
    found: list[Effect] = []
    for together in events(clause[1]):
        # Of several that do the same thing together, only those that are counted count.
        counted = [event for event in together if tells_of(event, asked)]
        if counted and asked.members and not all(event in counted or names_a_known_thing(event) for event in together):
            return None  # "a man and his son joined": a son may be one of the people
        for event in counted or together:
            effect = effect_of(event, asked)
            if effect is None:
                return None
            found.append(effect)
    return found or None


def _apart(question: str) -> tuple[str, str] | None:
    return supposition(question) if len(question) <= _LONGEST_QUESTION else None


def _counts_the_same(factual: str, question: str) -> bool:
    """Whether the factual question counts what the other one does; one that names nothing may be about anything."""
    clause, counted = _apart(question), read_asked(factual[:_LONGEST_QUESTION])
    asked = None if clause is None else read_asked(clause[0])
    return counted is None or asked is None or asked.is_counted_by(counted)
