"""The counterfactual composer: from a factual count and an if-clause to the counterfactual count, without a model.

It decides only what its grammar covers ("if 2 more plates were added", "if half of them left", "if one giraffe left and
two arrived") and abstains otherwise: a model sees, the grammar imagines.
"""

from countersight.composing.clauses import counted_thing, events, is_of_the_opposite, same_colours, supposition
from countersight.composing.effects import Effect, apply
from countersight.composing.grammar import effect_of, tells_of

__all__ = ["Effect", "compose", "effects"]


def compose(count: int, question: str) -> int | None:
    """What a factual count becomes in the world of a counterfactual question, or None where that is not decided."""
    found = effects(question)
    if found is None or count < 0:
        return None
    number = count
    for effect in found:
        changed = apply(effect, number)
        if changed is None:
            return None
        number = changed
    return number


def effects(question: str) -> list[Effect] | None:
    """What the if-clause of a question does to the number it asks for, one after the other; None if not understood."""
    clause = supposition(question)
    if clause is None:
        return None
    asked, supposed = clause
    if not same_colours(asked, supposed) or is_of_the_opposite(asked, supposed):
        return None
    counted = counted_thing(asked)
    found: list[Effect] = []
    for together in events(supposed):
        # Of several that do the same thing together, only those that are counted count.
        for event in [event for event in together if tells_of(event, counted)] or together:
            effect = effect_of(event, counted)
            if effect is None:
                return None
            found.append(effect)
    return found or None
