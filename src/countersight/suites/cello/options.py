"""The four options of a causal question: the answer and three wrong ones, each wrong for another reason (CELLO 4.3).

A wrong option that could never keep the thing in place, or is never right, can be ruled out without looking. Wrong
options are therefore bystanders, and names of things that are not in the picture. These names are those of causes that
keep things of the same name, or similar things, in place in other graphs; they are drawn with the frequencies that they
have there. There are too few confounding graphs and graphs of force and source for that, so their wrong options are
drawn from all causes of the same kind. If there are too few names to choose from, no question is asked.

Names are excluded if they keep the answer in place elsewhere or depend on it: such a thing may be behind the answer, or
between the two. If the answer acts through another thing, the same holds for the thing that is asked about.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from random import Random

from countersight.case import Option
from countersight.causal import (
    CausalEdge,
    CausalGraph,
    Knowledge,
    acting_kind,
    classes_of,
    head,
    is_plain,
    may_be_the_same,
    plain,
    singular,
    words_in,
)
from countersight.suites.cello.queries import ChoiceQuery, Shape, Task
from countersight.suites.cello.rules import bystanders, can_be_chosen, can_be_the_answer, may_keep
from countersight.suites.cello.wording import explanation, is_explained

THROUGH = frozenset({"CA", "AR"})
"""Tasks whose answer is only indirectly connected to the thing asked about."""
_MIN_CANDIDATES = 5
"""The minimum number of different names to draw wrong options from."""
_MIN_TIMES_RIGHT = 3
_WRONG = 3
_BYSTANDER_WEIGHT = 0.1
"""The weight of a bystander (a thing outside the graph) that is not the answer in any other graph."""
_SPARE = 80
"""The number of names considered for each question when wrong options are exchanged."""
_DOMINANT_SHARE, _MANY_NAMES = 0.5, 16
"""A name with more than this share of at least this many counts is obvious without looking: trees for branches."""
_TAKEN_FOR = frozenset({
    "bag", "bedding", "branch", "cat", "dish", "door", "fastener", "figure", "flower_pot", "pane", "phone", "rock",
    "plant", "seat", "shaft", "sign", "watercraft", "wire",
})  # fmt: skip
"""Classes whose members are easily confused in a picture: a pole and a post, a plate and a platter."""
_LOOK_ALIKE = tuple(
    frozenset(names.split())
    for names in (
        "basket bin box bucket case container crate",
        "barrier fence railing",
        "bicycle bike moped motorbike motorcycle scooter",
        "bookcase bookshelf cabinet cupboard drawer dresser shelf stand",
        "bottle jar jug pitcher vase",
        "cake cupcake muffin pastry pie",
        "bowl dish pan plate platter saucer tray",
        "buggy carriage cart trolley wagon",
        "bench bleachers pew",
        "cage corral coop enclosure fence pen stable stall",
        "car jeep minivan suv van",
        "computer laptop monitor screen television tv",
        "burrito pie pizza sandwich",
        "console counter counter-top countertop desk mantel table",
        "cup glass mug",
        "engine locomotive train",
    )
)
"""Names of things that are easily confused although their classes differ."""

_BETWEEN = frozenset({"carried", "container", "dish", "garment_part", "shelf", "tray", "worn", "wrapping"})
"""Classes of things that support others and that themselves stand on or in something."""

_SEXES = dict.fromkeys(("boy", "gentleman", "guy", "man"), "male") | dict.fromkeys(("girl", "lady", "woman"), "female")
"""The sex that a word implies: a boy may also be called a man, but not a woman."""
_ADULTS = frozenset({"lady", "man", "woman"})
_CHILDREN = frozenset({"baby", "child", "infant", "kid", "toddler"})

_ANY_FOOD = frozenset({"dessert", "dish", "food", "fruit", "meal", "meat", "salad", "snack", "vegetable", "veggie"})
"""Words that apply to many kinds of food."""


def may_be_taken_for(one: str, other: str) -> bool:
    """Return whether a viewer could call one thing by the other's name."""
    shared = classes_of(one) & classes_of(other)
    heads = {singular(head(name)) for name in (one, other)}
    if "person" in shared:
        sexes = {_SEXES.get(noun, "") for noun in heads}
        return ("" in sexes or len(sexes) == 1) and not (heads & _ADULTS and heads & _CHILDREN)
    if "food" in shared and heads & _ANY_FOOD:
        return True
    alike = shared & _TAKEN_FOR or any(heads <= names for names in _LOOK_ALIKE)
    return may_be_the_same(one, other) or bool(alike)


def in_the_picture(graph: CausalGraph) -> list[str]:
    """Return the names of everything that is known to be in the picture, even if only a description mentions it."""
    told = (word for text in graph.descriptions for word in words_in(text))
    return [*(thing.name for thing in (*graph.things, *graph.others)), *(word for word in told if classes_of(word))]


class Answers:
    """The names that answer a task's questions, and the names found in the same role in other graphs."""

    def __init__(
        self,
        task: Task,
        asked: Iterable[tuple[Shape, ChoiceQuery]],
        around: Iterable[CausalGraph] = (),
        known: Knowledge | None = None,
    ) -> None:
        """`around` has further graphs whose things may be offered; `known` counts which thing keeps which other thing
        in place."""
        self._task = task
        self._known = known or Knowledge()
        found = list(asked)
        self._right = Counter(shape.names[thing] for shape, query in found for thing in query.answer)
        self._names_by_neighbour: dict[Hashable, Counter[str]] = {}
        self._related: set[Hashable] = set()
        """Pairs of the name of a thing and the name, or the classes, of a thing that it keeps in place."""
        seen: set[tuple[str, str, str]] = set()
        for graph in (*(shape.graph for shape, _ in found), *around):
            names = {thing.id: thing.name for thing in graph.things}
            for edge in graph.edges:
                if (key := (graph.scene, edge.cause, edge.effect)) not in seen:
                    seen.add(key)
                    self._count(names, edge)

    def _count(self, names: dict[str, str], edge: CausalEdge) -> None:
        cause, effect = names[edge.cause], names[edge.effect]
        self._related |= {(plain(cause), plain(effect)), (plain(cause), classes_of(effect))}
        anchor, name = (cause, effect) if self._task.asks_for_effect else (effect, cause)
        if can_be_the_answer(self._task, edge.kind) and is_plain(name) and can_be_chosen(name):
            for key in _keys(anchor, edge.kind):
                self._names_by_neighbour.setdefault(key, Counter())[name] += 1

    def is_often_right(self, name: str) -> bool:
        """Return whether the name is right in several questions, so that it may be wrong in others."""
        return self._right[name] >= _MIN_TIMES_RIGHT

    def is_known(self, shape: Shape, query: ChoiceQuery) -> bool:
        """Return whether the answer and the thing asked about keep each other in place in other pictures."""
        return not self._is_wrong(shape.names[query.answer[0]], shape, query)

    def plausible_names(self, shape: Shape, query: ChoiceQuery) -> Counter[str]:
        """Return how often each name is in the answer's place in similar graphs; empty if there are few names, or if
        one name is nearly always in that place.
        """
        anchor = (query.partial if self._task.short in THROUGH else query.about)[-1]
        answer, ends = shape.names[query.answer[0]], {anchor, *query.answer}
        kind = next(edge.kind for edge in shape.graph.edges if {edge.cause, edge.effect} <= ends)
        by_name, alike, any_thing = self._levels(shape.names[anchor], kind)
        if by_name.total() >= _MANY_NAMES and by_name.most_common(1)[0][1] > _DOMINANT_SHARE * by_name.total():
            return Counter()
        fit = {name: often for name, often in (by_name + alike).items() if self._fits(name, answer)}
        is_rare = self._task.short in ("CoI", "BAS") or acting_kind(shape.graph)
        if len(fit) < _MIN_CANDIDATES and is_rare:
            fit = _like(answer, any_thing)
        fit = {name: often for name, often in fit.items() if self._is_wrong(name, shape, query)}
        return Counter(fit) if len(fit) >= _MIN_CANDIDATES else Counter()

    def reasons_like(self, reason: str, shape: Shape, effect: str) -> Counter[str]:
        """Count the names of things that keep a thing named like the effect in place, and of things of the reason's
        classes that keep similar things, or several others, in place."""
        by_name, alike, any_thing = self._levels(shape.names[effect], shape.kind(reason, effect))
        often = {name: number for name, number in any_thing.items() if number >= _MIN_TIMES_RIGHT}
        return by_name + Counter(_like(shape.names[reason], alike + Counter(often)))

    def _levels(self, anchor: str, kind: str) -> tuple[Counter[str], Counter[str], Counter[str]]:
        """Count the names in the answer's place next to things of the same name, of the same classes, and of any
        class."""
        by_name, alike, any_thing = (self._names_by_neighbour.get(key, Counter[str]()) for key in _keys(anchor, kind))
        return by_name, alike, any_thing

    def _fits(self, name: str, answer: str) -> bool:
        """Return whether a name has as many words as the answer, and neither may keep the other in place."""
        if len(name.split()) != len(answer.split()) or self._are_related(name, answer):
            return False
        return self._task.asks_for_effect or not (_may_be_below(name, answer) or _may_be_below(answer, name))

    def _is_wrong(self, name: str, shape: Shape, query: ChoiceQuery) -> bool:
        """Return whether a name cannot also be right, judging by names alone: if the answer acts through another thing,
        the name must not keep the thing asked about in place in any other picture, or depend on it."""
        if self._task.short not in THROUGH:
            return True
        about, picture = shape.names[query.about[-1]], shape.graph.image or shape.graph.scene
        return not any(self._known.keeps(*pair, picture) for pair in ((name, about), (about, name)))

    def _are_related(self, one: str, other: str) -> bool:
        """Return whether either thing keeps the other in place in another graph."""
        pairs = ((plain(one), plain(other), classes_of(other)), (plain(other), plain(one), classes_of(one)))
        return any((keeper, kept) in self._related for keeper, *those in pairs for kept in those)


def _may_be_below(lower: str, upper: str) -> bool:
    """Return whether one thing may support the other without being seen: plates stand on something, and pizzas in ovens
    lie on trays."""
    return bool(classes_of(upper) & _BETWEEN) and may_keep(lower, upper)


def _like(answer: str, found: Mapping[str, int]) -> dict[str, int]:
    """Return the names with as many words as the answer; if enough of them have the same class, return only those."""
    as_long = {name: often for name, often in found.items() if len(name.split()) == len(answer.split())}
    alike = {name: often for name, often in as_long.items() if classes_of(name) & classes_of(answer)}
    return alike if len(alike) >= _MIN_CANDIDATES else as_long


def _keys(anchor: str, kind: str) -> tuple[Hashable, Hashable, Hashable]:
    """Return the keys under which a name is counted: the name of the thing next to it, the classes of that thing with
    the kind of cause, and the kind of cause alone."""
    return (plain(anchor), kind if kind in ("force", "source") else ""), (classes_of(anchor), kind), kind


def options(
    task: Task, query: ChoiceQuery, shape: Shape, answers: Answers, rng: Random
) -> tuple[tuple[Option, ...], list[str]] | None:
    """Return the answer and three wrong options, and names of further things that are not in the picture; None if there
    are too few suitable names.

    All options refer to different things: none is a synonym, or a broader or narrower term, of another.
    """
    if is_explained(task):
        explanations = _explanations(task, query, shape, answers, rng)
        return (explanations, []) if explanations else None
    likely = answers.plausible_names(shape, query)
    answer = shape.names[query.answer[0]]
    partial = [shape.names[thing] for thing in query.partial]
    # A partial answer is offered if several answers have its name, or if common knowledge would find the right one; a
    # bystander, if similar graphs have its name.
    fits = answers.is_often_right if task.short in THROUGH else likely.__contains__
    if task.short in THROUGH and answers.is_known(shape, query):
        fits = bool
    wrong = [Option(name, "graph") for name in partial if fits(name) and not may_be_taken_for(name, answer)][:1]
    wrong += [Option(name, "image") for name in _beside(shape, likely, [answer, *(one.text for one in wrong)], rng)][:1]
    absent = _absent(shape, likely, rng)
    text = _distinct(absent, [answer, *(option.text for option in wrong)])[: _WRONG - len(wrong)]
    if len(wrong) + len(text) < _WRONG:
        return None
    return (Option(answer, "answer"), *wrong, *(Option(name, "text") for name in text)), absent


def _explanations(
    task: Task, query: ChoiceQuery, shape: Shape, answers: Answers, rng: Random
) -> tuple[Option, ...] | None:
    """Return four explanations, each of which combines the first reason or a wrong one with the second reason or a
    wrong one. Each name occurs in two of the four sentences, so that none stands out."""
    first, second = (shape.names[thing] for thing in query.answer)
    in_place = [answers.reasons_like(reason, shape, query.about[-1]) for reason in query.answer]
    others: list[str] = []
    for names in in_place:
        others += _distinct(_absent(shape, names, rng), others)[:1]
    if len(others) < len(in_place):
        return None
    bystander = _beside(shape, in_place[0], [first, second], rng)[:1]
    if bystander:
        others[rng.randrange(2)] = bystander[0]
    effect = shape.names[query.about[-1]]
    pairs = ((first, second), (first, others[1]), (others[0], second), (others[0], others[1]))
    roles = ("answer", "graph", "graph", "image" if bystander else "text")
    return tuple(Option(explanation(task, effect, *pair), role) for pair, role in zip(pairs, roles, strict=True))


def _beside(shape: Shape, likely: Mapping[str, int], chosen: list[str], rng: Random) -> list[str]:
    """Return the names of bystanders in a random order that prefers those that are often right elsewhere."""
    found = [thing.name for thing in bystanders(shape.graph)]
    found = [name for name in found if not any(may_be_taken_for(name, other) for other in chosen)]
    return _shuffled({name: likely.get(name) or _BYSTANDER_WEIGHT for name in found}, rng)


def _absent(shape: Shape, likely: Mapping[str, int], rng: Random) -> list[str]:
    """Return the likely names that cannot refer to a thing in the picture, in a random order that prefers frequent
    names."""
    here = in_the_picture(shape.graph)
    names = _shuffled(likely, rng)[:_SPARE]
    return [name for name in names if not any(may_be_taken_for(name, other) for other in here)]


def _distinct(names: Iterable[str], chosen: list[str]) -> list[str]:
    """Return the names that cannot refer to the same thing as an earlier or a chosen name."""
    found: list[str] = []
    for name in names:
        if not any(may_be_taken_for(name, other) for other in (*chosen, *found)):
            found.append(name)
    return found


def _shuffled(weights: Mapping[str, float], rng: Random) -> list[str]:
    """Return names in a random order in which names with larger weights tend to come earlier."""
    return sorted(weights, key=lambda name: rng.random() ** (1 / weights[name]), reverse=True)
