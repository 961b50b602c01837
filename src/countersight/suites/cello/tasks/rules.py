"""The rules that exclude a query: its answer is not certain, or it can be answered without the picture.

Each rule gives its reason in a sentence. The rules of single tasks are listed with the tasks.
"""

from collections.abc import Iterator
from typing import Final

from countersight.causal import (
    classes_of,
    descendants,
    is_one_way,
    may_suffice_alone,
    singular,
    words_in,
)
from countersight.suites.cello.tasks.query import Candidate, Rule, Task
from countersight.suites.cello.things import NOT_SEEN, can_be_chosen, may_keep

_UNMOVED = frozenset({"ground", "place", "water"})
"""Classes of things that support everything."""
_SELF_MOVING = frozenset({"creature", "emission", "leafage", "liquid", "mount", "vehicle"})
"""Classes of things that can leave by themselves."""
_CARRIED = frozenset({"creature", "figure", "movable"})
"""Classes of things that others may support; only the picture shows whether they do."""
_BEARING = frozenset({"bearer", "creature", "figure", "mount", "structure", "vehicle"})
_MIXING = frozenset({"edible", "layer", "liquid"})
"""Classes of things that may be inside each other: broth and chicken, ice and water."""
_FASTENING = frozenset({
    "bolt", "button", "clasp", "nail", "pin", "rivet", "screw", "staple", "tack", "thumbtack", "zip", "zipper",
})  # fmt: skip
"""Parts that fasten a thing together with others of their kind."""
_STICKING = frozenset({"magnet", "sticker", "tape"})
"""Things that may hold what hangs beside them."""
_BABIES = frozenset({"baby", "infant", "toddler"})
"""Words for people who are usually held by others."""
_PARTS = ("attachment", "wearing")
"""Kinds of cause between a thing and its part, and between a person and a garment."""


def can_be_the_answer(task: Task, kind: str) -> bool:
    """Return whether a cause of that kind may link the answer of a task to the thing next to it."""
    return not (task.asks_for_effect and kind in _PARTS)


def _is_on_ground_of_two(candidate: Candidate) -> bool:
    return candidate.graph.kind == "direct" and any(candidate.classes(thing) & _UNMOVED for thing in candidate.causes)


def _keeps_a_place(candidate: Candidate) -> bool:
    return not may_suffice_alone(candidate.graph) and any(
        "ground" in candidate.classes(thing) for thing in candidate.effects
    )


def _needs_another(candidate: Candidate) -> bool:
    return any(
        "against" in edge.relation or edge.relation.startswith(("lean", "prop", "hang"))
        for edge in candidate.graph.edges
    )


def _is_part_or_garment(candidate: Candidate) -> bool:
    return any(edge.kind in _PARTS for edge in candidate.graph.edges if edge.effect in candidate.effects)


def _may_hang_on_a_nail(candidate: Candidate) -> bool:
    kind = candidate.kinds[candidate.yes_no.cause, candidate.yes_no.effect]
    return kind == "attachment" and "mark" not in candidate.classes(candidate.yes_no.effect)


def _is_obvious_support(candidate: Candidate) -> bool:
    lost, effect = candidate.yes_no.cause, candidate.yes_no.effect
    if lost not in descendants(frozenset(candidate.kinds), effect):
        return False
    one, other = candidate.names[lost], candidate.names[effect]
    could = classes_of(one) & _BEARING and classes_of(other) & _CARRIED and may_keep(one, other)
    return not could or candidate.kinds.get((effect, lost)) != "support"


def _pair(candidate: Candidate) -> tuple[str, str]:
    """Return the two effects in a fork: the one supposed to change, and the one asked about."""
    return (*candidate.yes_no.held, candidate.yes_no.cause)[0], candidate.yes_no.effect


def _orders(candidate: Candidate) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Yield the classes of the two effects in a fork, in both orders."""
    one, other = map(candidate.classes, _pair(candidate))
    yield one, other
    yield other, one


def _nouns(candidate: Candidate) -> set[str]:
    return {candidate.noun(thing) for thing in _pair(candidate)}


def _are_on_a_dish(candidate: Candidate) -> bool:
    dish = candidate.classes(candidate.graph.things[0].id)
    return "food" in dish or ("dish" in dish and any("edible" in one for one, _ in _orders(candidate)))


def _may_mix(candidate: Candidate) -> bool:
    one, other = map(candidate.classes, _pair(candidate))
    return bool(one & other & _MIXING or (one | other) & {"frame", "pane"} or ("mount" in one and "vehicle" in other))


def _is_only_one_a_part(candidate: Candidate) -> bool:
    shared = candidate.graph.things[0].id
    return len({candidate.kinds[shared, thing] == "attachment" for thing in _pair(candidate)}) > 1


def _may_be_in_arms(candidate: Candidate) -> bool:
    people = all("person" in candidate.classes(thing) for thing in _pair(candidate))
    return people and bool(_nouns(candidate) & _BABIES)


def _are_told_together(candidate: Candidate) -> bool:
    return any(_says_with(text, _nouns(candidate)) for text in candidate.graph.descriptions)


def _says_with(text: str, nouns: set[str]) -> bool:
    """Return whether a text says that one of two things is with the other, or uses it: "toothbrush with toothpaste"."""
    words = [singular(word) for word in words_in(text)]
    places = [place for place, word in enumerate(words) if word in nouns]
    return len(places) > 1 and bool({"with", "using"} & set(words[places[0] : places[-1]]))


CHOICE_RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "Only certain things can be options.",
        lambda candidate: not all(can_be_chosen(candidate.names[thing]) for thing in candidate.choice.answer),
    ),
)
"""The rules for questions with options."""
ONE_WAY = Rule(
    "The effect may also keep the cause in place.",
    lambda candidate: not is_one_way(candidate.graph, candidate.yes_no.cause, candidate.yes_no.effect),
)
"""The rule for all yes/no questions."""
KEEPING_RULES: Final[tuple[Rule, ...]] = (
    Rule("The effect is a place, and nothing keeps a place where it is: snow covers a roof.", _keeps_a_place),
    Rule("In a graph of two things, it is trivial that the effect needs the ground.", _is_on_ground_of_two),
)
"""The rules for all graphs whose causes keep things in place."""
FASTENED = Rule(
    "Several parts of a kind fasten a thing, so no single one keeps it in place.",
    lambda candidate: any(candidate.noun(edge.cause) in _FASTENING for edge in candidate.graph.edges),
)
ONE_MAY_SUFFICE = Rule(
    "One of several causes may be enough alone.", lambda candidate: may_suffice_alone(candidate.graph)
)
MAY_LEAVE = Rule(
    "The effect can leave by itself: nothing certainly keeps it, and its absence proves nothing.",
    lambda candidate: any(candidate.classes(thing) & _SELF_MOVING for thing in candidate.effects),
)
NEEDS_ANOTHER = Rule(
    "What leans on a wall also stands on the floor, and what hangs has a hook or a string.", _needs_another
)
ANY_FOOD = Rule(
    "Any of several things on a dish could be right.",
    lambda candidate: any("food" in candidate.classes(between) for between in candidate.choice.partial),
)
PART_OR_GARMENT = Rule("No single part of a thing or garment of a person is the right answer.", _is_part_or_garment)
ENOUGH_WITHOUT_NAIL = Rule(
    "A thing fixed to a wall may hang on a hidden nail, so the wall may not be enough; writing does not.",
    lambda candidate: not candidate.yes_no.effect_goes and _may_hang_on_a_nail(candidate),
)
NEEDED_WITHOUT_NAIL = Rule(
    "A thing fixed to a wall may have lost a hidden nail instead; writing has none.",
    lambda candidate: candidate.yes_no.effect_goes and _may_hang_on_a_nail(candidate),
)
HELD_UNCHANGED = Rule(
    "Without bottles, a table is as before: the loss must change the held thing.",
    lambda candidate: (candidate.yes_no.cause, candidate.yes_no.held[0]) not in candidate.kinds,
)
OBVIOUS_SUPPORT = Rule(
    "It is obvious that a table stays without a bottle, and a shirt without its pocket; a remote control without the "
    "cat that lies on it is worth asking about.",
    _is_obvious_support,
)
FORK_RULES: Final[tuple[Rule, ...]] = (
    Rule("Things on a dish may lie on each other.", _are_on_a_dish),
    Rule("The two may be inside each other, or one may pull the other.", _may_mix),
    Rule("Only one of the two is a part of their common cause.", _is_only_one_a_part),
    Rule("A sticking thing may hold what hangs beside it.", lambda candidate: bool(_nouns(candidate) & _STICKING)),
    Rule("People usually hold babies.", _may_be_in_arms),
    Rule(
        "The leaves may belong to the plant.",
        lambda candidate: any("leafage" in one and "plant" in other for one, other in _orders(candidate)),
    ),
    Rule(
        "The picture may not show one of the things.",
        lambda candidate: bool({*_nouns(candidate), candidate.noun(candidate.graph.things[0].id)} & NOT_SEEN),
    ),
    Rule("A description says that the two belong together.", _are_told_together),
    Rule(
        "The one may keep the other in place.",
        lambda candidate: may_keep(*(candidate.names[thing] for thing in _pair(candidate))),
    ),
)
"""The rules for two effects of a common cause: they must clearly not depend on each other."""
