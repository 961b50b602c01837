"""Reverse questions and questions about several changes, for scenes of flowers and dots.

The smallest change is found by trying all changes of its kind; no other change of its size reaches the goal. The order
of two changes matters in about half of the cases; a change with an "unless" is made in about half of them. Counting the
dots is not enough: the options cover all possible results, or both sides of the "unless".
"""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from countersight.case import LETTERS, Case, Option, Question
from countersight.random_choice import balanced_answer
from countersight.scenes import (
    NAMED,
    PLACES,
    Edit,
    FlowerRegions,
    Remove,
    Scene,
    apply,
    distinct_colours,
    dot_scene,
    facts_of,
    flower_scene,
    top_row,
)
from countersight.suites.cvqa.files import SYNTHETIC_NAME
from countersight.suites.cvqa.templates import Amounts, Numbers, Puzzle, Template, circles_of, flowers_in, number_of
from countersight.suites.searching import smallest

_TOP = 3
"""The number of circles in the upper row; they are the first of the six."""


class LeastChange(NamedTuple):
    """A scene, a goal, and the offered changes, of which the first is right."""

    scene: Scene
    goal: str
    options: list[str]
    edit: Edit
    seen: str
    """A counting question that is asked about both pictures."""
    count: Callable[[Scene], int]


def _circle_to_go(rng: Random) -> LeastChange:
    """Ask which circle to remove so that a given number of dots is left."""
    found, fewer, more = list[int](), list[int](), list[int]()
    rank = rng.randrange(4)  # the number of wrong options that have fewer dots than the right one
    while len(found) != 1 or len(fewer) < rank or len(more) < 3 - rank:
        numbers = circles_of(rng)
        left = {-1: sum(numbers), **{nth: sum(numbers) - number for nth, number in enumerate(numbers)}}
        wanted = left[rng.randrange(len(numbers))]
        reached = {nth for nth, dots in left.items() if dots == wanted}
        found = smallest([(int(nth >= 0), nth) for nth in left], reached.__contains__)
        fewer, more = ([nth for nth in left if nth >= 0 and sign * (left[nth] - wanted) > 0] for sign in (1, -1))
    (right,) = found
    offered = [right, *rng.sample(fewer, rank), *rng.sample(more, 3 - rank)]
    scene = dot_scene(rng, numbers)
    return LeastChange(
        scene,
        f"exactly {number_of(wanted, 'dot')} are left",
        [f"the {PLACES[nth]} circle is taken away with its dots" for nth in offered],
        Remove((scene.circles[right].id,)),
        "How many dots are there in all the circles together?",
        lambda scene: facts_of(scene).dots,
    )


def _flowers_to_go(rng: Random) -> LeastChange:
    """Ask how many flowers to remove, and from which side, so that as many are inside as outside."""
    colour = rng.choice(list(NAMED))
    more, least = rng.choice((True, False)), rng.randint(1, 3)
    off = least + rng.randint(0, 1)
    while True:
        regions = [rng.randint(1, 8) for _ in range(4)]
        inside, outside = regions[0] + regions[2], regions[1] + regions[3]
        if inside - outside == (off if more else -off):
            break
    ways = [(a + b, (a, b)) for a in range(inside + 1) for b in range(outside + 1)]
    (right,) = smallest(ways, lambda gone: inside - gone[0] == outside - gone[1], most=len(ways))
    many = max(right)
    offered = [(within, number) for within in (True, False) for number in (least, least + 1)]
    offered.sort(key=lambda one: one != (bool(right[0]), many))
    scene = flower_scene(rng, (colour, rng.choice(distinct_colours(colour))), FlowerRegions(*regions))
    side = [flower.id for flower in flowers_in(scene, colour)]
    gone = side if right[0] else [flower.id for flower in scene.flowers if flower.id not in side]
    return LeastChange(
        scene,
        f"as many flowers are inside the {colour} polygon as outside it",
        [
            f"{number_of(number, 'flower')} {'inside' if within else 'outside'} the {colour} polygon "
            f"{'is' if number == 1 else 'are'} taken away"
            for within, number in offered
        ],
        Remove(tuple(rng.sample(gone, many))),
        f"How many flowers are inside the {colour} polygons?",
        lambda scene: len(flowers_in(scene, colour)),
    )


def least_change(seed: int, index: int) -> tuple[Case, Scene, Edit]:
    """Return a case that asks for the smallest change, its scene, and the change.

    The result depends on the seed and the index only.
    """
    key = f"{seed}/least-change"
    task = (_circle_to_go, _flowers_to_go)[index % 2](Random(f"{key}/{index}"))
    letter = balanced_answer("ABCD", f"{key}/letter", index)
    options = Random(f"{key}/{index}/options").sample(task.options[1:], len(task.options) - 1)
    options.insert(LETTERS.index(letter), task.options[0])
    text = f"What is the smallest change after which {task.goal}?"
    before, after = task.count(task.scene), task.count(apply(task.scene, (task.edit,)))
    case = Case(
        id=f"{SYNTHETIC_NAME}-{index + 1:06d}",
        image=f"images/{index + 1:06d}.png",
        suite=SYNTHETIC_NAME,
        group="least-change",
        factual=Question(task.seen, str(before), "number"),
        counterfactual=Question(text, letter, "choice", tuple(map(Option, options))),
        counterfactual_image=f"images/{index + 1:06d}-counterfactual.png",
        shown=Question(task.seen, str(after), "number"),
        provenance={"seed": seed, "index": index},
    )
    return case, task.scene, task.edit


_TAKEN = 2
"""The number of dots that are removed from each circle of the upper row."""
_FULLEST = (5, 6, 7, 8)
"""The possible numbers of dots in the fullest circle after this removal, all equally likely."""
_TOTALS = range(24, 30)
_MATTERS = 0.9
"""The probability that the order matters, if it can. It cannot if 8 dots are left in the fullest circle."""


def _in_order(numbers: Numbers, *, swapped: bool = False) -> int:
    """Return the dots left after removing dots from the upper circles and then the fullest circle, or the reverse."""
    left = dict(enumerate(numbers))
    for step in ("fullest", "dots") if swapped else ("dots", "fullest"):
        if step == "fullest":
            del left[max(left, key=lambda nth: left[nth])]
        else:
            left = {nth: number - _TAKEN * (nth < _TOP) for nth, number in left.items()}
    return sum(left.values())


def _order_matters(numbers: Numbers) -> bool:
    """Return whether the reverse order of the two changes leads to another number of dots."""
    return _in_order(numbers) != _in_order(numbers, swapped=True)


@cache
def _possible_numbers() -> dict[tuple[int, int, bool], list[Numbers]]:
    """Return all numbers of dots for which one circle is always the fullest, by their sum, by the dots in the removed
    circle, and by whether the order matters."""
    found: dict[tuple[int, int, bool], list[Numbers]] = {}
    for numbers in product(range(3, 9), repeat=6):
        after = [number - _TAKEN * (nth < _TOP) for nth, number in enumerate(numbers)]
        if all(some.count(max(some)) == 1 for some in (numbers, after)):
            found.setdefault((sum(numbers), max(after), _order_matters(numbers)), []).append(numbers)
    return found


def _ordered_numbers(rng: Random) -> Numbers:
    """Draw numbers of dots whose sum does not reveal the result; the order matters in about half of the cases."""
    total, fullest, matters = rng.choice(_TOTALS), rng.choice(_FULLEST), rng.random() < _MATTERS
    found = _possible_numbers()
    return rng.choice(found.get((total, fullest, matters)) or found[total, fullest, False])


def _two_changes(rng: Random, _colour: str, amounts: Amounts) -> Puzzle:
    scene = dot_scene(rng, amounts.numbers)
    dots = tuple(dot.id for circle in top_row(scene) for dot in rng.sample(circle.dots, _TAKEN))
    fullest = max(apply(scene, (Remove(dots),)).circles, key=lambda circle: len(circle.dots))
    puzzle = _dots_puzzle(
        scene,
        (Remove(dots), Remove((fullest.id,))),
        f"first {_TAKEN} dots were removed from each of the top three circles, and then the circle with the most dots, "
        "together with its dots",
    )
    order = "matters" if _order_matters(amounts.numbers) else "does not matter"
    return replace(puzzle, provenance={"order": order})


def _exception_holds(amounts: Amounts) -> bool:
    """Return whether the change is not made, because the first named circle has more dots than the second."""
    gone, than = divmod(amounts.removed, 6)
    return amounts.numbers[gone] > amounts.numbers[than]


def _unless(rng: Random, _colour: str, amounts: Amounts) -> Puzzle:
    scene = dot_scene(rng, amounts.numbers)
    gone, than = divmod(amounts.removed, 6)
    edits: tuple[Edit, ...] = () if _exception_holds(amounts) else (Remove((scene.circles[gone].id,)),)
    return _dots_puzzle(
        scene,
        edits,
        f"the {PLACES[gone]} circle were removed with its dots, unless it has more dots than the {PLACES[than]} circle",
    )


def _dots_puzzle(scene: Scene, edits: tuple[Edit, ...], presupposition: str) -> Puzzle:
    return Puzzle(
        scene,
        edits,
        asked="How many dots are there in all the circles together?",
        supposed="How many dots would there be in all the circles together",
        presupposition=presupposition,
        count=lambda scene: facts_of(scene).dots,
        anew=lambda changed: None,
    )


class _TwoChanges(Template, frozen=True):
    """Two ordered changes; the options are the results for every possible number of dots in the fullest circle."""

    def _wrong(self, amounts: Amounts, others: Sequence[Amounts]) -> tuple[tuple[int, int], ...]:
        left = sum(amounts.numbers) - _TOP * _TAKEN
        wrong = [left - fullest for fullest in _FULLEST if left - fullest != _in_order(amounts.numbers)]
        return tuple(zip((sum(other.numbers) for other in others), wrong, strict=True))

    def _draw_amounts(self, rng: Random, removed: int | None = None) -> Amounts:
        return Amounts(self.strew(rng), _TAKEN)


class _Unless(Template, frozen=True):
    """A change with an "unless"; `removed` encodes the circle to remove and the one it is compared with.

    The options are the numbers of dots with and without that circle, in this scene and in a similar one.
    """

    def _wrong(self, amounts: Amounts, others: Sequence[Amounts]) -> tuple[tuple[int, int], ...]:
        own, other = (
            (sum(some.numbers), sum(some.numbers) - some.numbers[amounts.removed // 6]) for some in (amounts, others[0])
        )
        wrong = own[_exception_holds(amounts)], *other
        return tuple(zip((sum(other.numbers) for other in others), wrong, strict=True))

    def _draw_amounts(self, rng: Random, removed: int | None = None) -> Amounts:
        gone, than = rng.sample(range(6), 2) if removed is None else divmod(removed, 6)
        numbers = list(self.strew(rng))
        numbers[gone] = rng.randint(3, 6)
        numbers[than] = numbers[gone] + rng.choice((-2, -1, 1, 2))  # so that full circles do not stay more often
        return Amounts(tuple(numbers), 6 * gone + than)


_ANY = range(100)
SEVERAL: tuple[Template, ...] = (
    _TwoChanges(
        7,
        "several-changes",
        ("remove",),
        _ANY,
        _ANY,
        _ordered_numbers,
        lambda amounts: (sum(amounts.numbers), _in_order(amounts.numbers)),
        _two_changes,
    ),
    _Unless(
        8,
        "unless",
        ("remove",),
        _ANY,
        _ANY,
        circles_of,
        lambda amounts: (
            sum(amounts.numbers),
            sum(amounts.numbers) - (0 if _exception_holds(amounts) else amounts.numbers[amounts.removed // 6]),
        ),
        _unless,
    ),
)
