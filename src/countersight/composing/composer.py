"""A counterfactual count, worked out of a factual one and an if-clause."""

import msgspec

from countersight.composing.aftermath import joined, partly_undone, undone
from countersight.composing.asked import Asked, read_asked
from countersight.composing.clauses import TO_ANOTHER, events, supposition
from countersight.composing.effects import Effect, apply
from countersight.composing.grammar import effect_of, is_of_others_alone
from countersight.composing.likeness import is_scenery, names_a_known_thing, names_kin, tells_of
from countersight.composing.places import is_of_another_place, may_stay_within
from countersight.composing.pronouns import in_full
from countersight.composing.vocabulary import thing_of
from countersight.composing.wordings import in_plain_words

_LONGEST_QUESTION = 1000
"""Signs; no question about a picture is longer."""
_NOTHING = Effect("add", 0)


def compose(count: int, question: str, factual: str = "") -> int | None:
    """What a factual count becomes in the world of a counterfactual question, or None where that is not decided.

    Where the factual question is given, both have to count the same things.
    """
    told = _apart(question, factual)
    found = None if told is None else _effects(*told)
    if told is None or found is None or count < 0 or not _counts_the_same(factual, *told):
        return None
    number: int | None = count
    for before, effect in zip((None, *found), found, strict=False):
        if number is None or (_takes_off(before) and effect.kind == "keep" and number != effect.by):
            return None  # "three left and two stayed", of six
        number = apply(effect, number)
    return number


def _names_their_like(event: str, asked: Asked) -> bool:
    """Whether an event that leaves out the name of the counted things tells of such as they are: two green."""
    return bool(asked.modifiers & set(map(thing_of, event.split())))


def _takes_off(effect: Effect | None) -> bool:
    return effect is not None and effect.kind in ("remove", "part")


def effects_of(question: str) -> list[Effect] | None:
    """What the if-clause of a question does to the number it asks for, one after the other; None if not understood."""
    told = _apart(question)
    return None if told is None else _effects(*told)


def _effects(asked: Asked, supposed: str) -> list[Effect] | None:
    found: list[Effect] = []
    told = [together for together in events(supposed) if not all(is_scenery(event, asked) for event in together)]
    told = joined(told, asked)
    others = [event for each in told for event in each if is_of_others_alone(event, asked)]
    if _tells_of_another_place(supposed, asked):
        return None
    for together in told[_when_all_have_gone(told, asked) :]:
        # Of several that do the same thing together, only those that are counted count.
        counted = [event for event in together if tells_of(event, asked)]
        if counted and asked.members and not all(event in counted or names_a_known_thing(event) for event in together):
            return None  # "a man and his son joined": a son may be one of the people
        if counted and any(names_kin(event) for event in together if event not in counted):
            return None  # "a mother and two cubs came along"
        if counted and any(_names_their_like(event, asked) for event in together if event not in counted):
            return None  # "two green and three blue bottles were added"
        for event in counted or together:
            effect = partly_undone(event, found[-1] if found else None, asked)
            if effect is None and (not others or tells_of(event, asked)):
                effect = _effect(event, asked)
            if effect is not None:
                found.append(effect)
            elif event not in others:
                return None  # also of "three cats came and they all left": these may be the others
    return found or ([_NOTHING] if others and all(effect_of(event, asked) == _NOTHING for event in others) else None)


def _when_all_have_gone(told: list[list[str]], asked: Asked) -> int:
    """The place of the last event by which all have gone, and are named: what was before it does not matter."""
    gone = (
        place
        for place, together in enumerate(told)
        if len(together) == 1 and tells_of(together[0], asked) and _effect(together[0], asked) == Effect("remove_all")
    )
    return max(gone, default=0)


def _effect(event: str, asked: Asked) -> Effect | None:
    return undone(event, asked) or effect_of(event, asked)


def _apart(text: str, factual: str = "") -> tuple[Asked, str] | None:
    """What is asked for, and what is supposed; a question may leave the name of the things to the factual one."""
    clause = supposition(text) if len(text) <= _LONGEST_QUESTION else None
    if clause is None:
        return None
    goals = TO_ANOTHER.findall(clause[1].casefold())
    if any(may_stay_within(goal, told) for goal in goals for told in (clause[0], factual[:_LONGEST_QUESTION])):
        return None
    question = in_full(clause[0], factual[:_LONGEST_QUESTION], clause[1])
    asked = None if question is None else read_asked(question)
    if asked is None:
        return None
    counted = read_asked(factual[:_LONGEST_QUESTION], asked)
    asked = asked if counted is None else msgspec.structs.replace(asked, scene=counted.words)
    return asked, in_plain_words(clause[1], asked)


def _counts_the_same(factual: str, asked: Asked, supposed: str) -> bool:
    """Whether the factual question counts what the other one does; one that names nothing may be about anything."""
    counted = read_asked(factual[:_LONGEST_QUESTION], asked)
    if counted is None:
        return True
    if not asked.is_counted_by(counted) or _tells_of_another_place(supposed, counted):
        return False
    # What leaves the chairs as many as they are does not leave so those that are black.
    return _effects(asked, supposed) != [_NOTHING] or _effects(counted, supposed) == [_NOTHING]


def _tells_of_another_place(supposed: str, asked: Asked) -> bool:
    return any(is_of_another_place(event, asked) for together in events(supposed) for event in together)
