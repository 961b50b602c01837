"""Common knowledge about a question, without the picture: it agrees with the answer, disagrees with it, or is silent.

Questions are chosen so that it agrees about as often as it disagrees. Every case records which of the three applies,
and the report scores them separately.
"""

from collections.abc import Iterator

import msgspec

from countersight.causal import CausalGraph, Knowledge, acting_kind, classes_of, compare_counts
from countersight.suites.cello.queries import ChoiceQuery, Shape, Task, YesNoQuery
from countersight.suites.cello.terms import PriorVerdict

_CAN_ACT = frozenset({"creature", "emission", "mount", "vehicle", "water"})
"""Classes of things that are expected to act on others, or to give something off."""


class Hints(msgspec.Struct, frozen=True):
    """What counts in other pictures suggest about the things in a yes/no question: each hint is 1 or -1 (see the
    fields), or 0 if the counts are equal."""

    lost_keeps_effect: int
    """1 if the lost thing usually keeps the effect in place, -1 if the effect usually keeps the lost thing in place."""
    lost_before_held: int | None = None
    """1 if the lost thing supports the effect more often than the held thing does, -1 if less often."""
    held_keeps_lost: int | None = None
    """1 if the held thing usually keeps the lost thing in place, -1 in the reverse case."""

    @property
    def guess(self) -> int:
        """The first hint that is not 0: 1 if the counts suggest that the effect is also lost, -1 if not; 0 if they are
        equal."""
        return self.held_keeps_lost or self.lost_before_held or self.lost_keeps_effect

    def items(self) -> Iterator[tuple[str, int]]:
        """Return every hint with its name."""
        return ((name, hint) for name, hint in msgspec.structs.asdict(self).items() if hint is not None)


def hints(known: Knowledge, graph: CausalGraph, query: YesNoQuery) -> Hints:
    """Return the hints for the things in a yes/no question."""
    names = {thing.id: thing.name for thing in (*graph.things, *graph.others)}
    picture = graph.image or graph.scene

    def keeps(one: str, other: str) -> int:
        return known.keeps(names[one], names[other], picture)

    lost, effect = query.cause, query.effect
    if acting_kind(graph):
        return Hints(1 if classes_of(names[lost]) & _CAN_ACT else -1)
    between = compare_counts(keeps(lost, effect), keeps(effect, lost))
    if not query.held:
        return Hints(between)
    (held,) = query.held
    return Hints(
        between,
        lost_before_held=compare_counts(keeps(lost, effect), keeps(held, effect)),
        held_keeps_lost=compare_counts(keeps(held, lost), keeps(lost, held)),
    )


def verdict_on_yes_no(task: Task, query: YesNoQuery, hinted: Hints) -> PriorVerdict:
    """Return whether common knowledge agrees with the right answer to a yes/no question."""
    guess = -hinted.guess if task.short in ("NIE", "SC") else hinted.guess
    if not guess:
        return "silent"
    return "agrees" if (guess > 0) == query.effect_goes else "disagrees"


def support_counts(known: Knowledge, task: Task, shape: Shape, query: ChoiceQuery, name: str) -> tuple[int, int]:
    """Return how often an option supports the thing asked about, directly and through another thing; for AR, the
    reverse."""
    picture = shape.graph.image or shape.graph.scene
    about = shape.names[query.about[-1]]
    ends = (about, name) if task.asks_for_effect else (name, about)
    return known.keeps(*ends, picture), known.through(*ends, picture)


def verdict_on_choice(counts: list[int]) -> PriorVerdict:
    """Return whether the counts of the options (the answer's first) favour the answer."""
    if not any(counts):
        return "silent"
    return "agrees" if counts[0] > max(counts[1:]) else "disagrees"
