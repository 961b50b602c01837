"""Questions about several changes to a scene of dots: two ordered changes, or a change with an "unless".

The order of two changes matters in about half of the cases; a change with an "unless" is made in about half of them.
Counting the dots is not enough: the options cover all possible results, or both sides of the "unless".
"""

from collections.abc import Sequence
from functools import cache
from itertools import product
from random import Random

from msgspec.structs import replace

from countersight.scenes import PLACES, Edit, Remove, Scene, apply, dot_scene, facts_of, top_row
from countersight.suites.cvqa.puzzles import Amounts, Numbers, Puzzle, Template
from countersight.suites.cvqa.templates import circles_of

_TOP = 3
"""The number of circles in the upper row; they are the first of the six."""
_TAKEN = 2
"""The number of dots that are removed from each circle of the upper row."""
_FULLEST = (5, 6, 7, 8)
"""The possible numbers of dots in the fullest circle after this removal, all equally likely."""
_TOTALS = range(24, 30)
_MATTERS = 0.9
"""The probability that the order matters, if it can. It cannot if 8 dots are left in the fullest circle."""


def _without_top_dots(numbers: Sequence[int]) -> list[int]:
    """Return the numbers of dots after dots were removed from each circle of the upper row."""
    return [number - _TAKEN if circle < _TOP else number for circle, number in enumerate(numbers)]


def _in_order(numbers: Numbers) -> int:
    """Return the dots left after removing dots from the upper circles, and then the fullest circle."""
    after = _without_top_dots(numbers)
    return sum(after) - max(after)


def _in_reverse_order(numbers: Numbers) -> int:
    """Return the dots left after removing the fullest circle, and then dots from the upper circles."""
    fullest = numbers.index(max(numbers))
    after = _without_top_dots(numbers)
    return sum(after) - after[fullest]


def _order_matters(numbers: Numbers) -> bool:
    return _in_order(numbers) != _in_reverse_order(numbers)


@cache
def _possible_numbers() -> dict[tuple[int, int, bool], list[Numbers]]:
    """Return all numbers of dots for which one circle is always the fullest, by their sum, by the dots in the removed
    circle, and by whether the order matters."""
    found: dict[tuple[int, int, bool], list[Numbers]] = {}
    for numbers in product(range(3, 9), repeat=6):
        after = _without_top_dots(numbers)
        if numbers.count(max(numbers)) == after.count(max(after)) == 1:
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
    first, second = amounts.circles
    return amounts.numbers[first] > amounts.numbers[second]


def _with_and_without(amounts: Amounts) -> tuple[int, int]:
    """Return the number of dots with and without the first named circle."""
    total = sum(amounts.numbers)
    return total, total - amounts.numbers[amounts.circles[0]]


def _unless_answers(amounts: Amounts) -> tuple[int, int]:
    """Return the number of dots before and after the change."""
    total, without = _with_and_without(amounts)
    return total, total if _exception_holds(amounts) else without


def _unless(rng: Random, _colour: str, amounts: Amounts) -> Puzzle:
    scene = dot_scene(rng, amounts.numbers)
    first, second = amounts.circles
    edits: tuple[Edit, ...] = () if _exception_holds(amounts) else (Remove((scene.circles[first].id,)),)
    return _dots_puzzle(
        scene,
        edits,
        f"the {PLACES[first]} circle were removed with its dots, unless it has more dots than the {PLACES[second]} "
        "circle",
    )


def _dots_puzzle(scene: Scene, edits: tuple[Edit, ...], presupposition: str) -> Puzzle:
    return Puzzle(
        scene,
        edits,
        question="How many dots are there in all the circles together?",
        if_question="How many dots would there be in all the circles together",
        presupposition=presupposition,
        count=lambda scene: facts_of(scene).dots,
        repeat=lambda changed: None,
    )


class _TwoChanges(Template, frozen=True):
    """Two ordered changes; the options are the results for every possible number of dots in the fullest circle."""

    def _wrong(self, amounts: Amounts, others: Sequence[Amounts]) -> tuple[tuple[int, int], ...]:
        left = sum(_without_top_dots(amounts.numbers))
        wrong = [left - fullest for fullest in _FULLEST if left - fullest != _in_order(amounts.numbers)]
        return tuple(zip((sum(other.numbers) for other in others), wrong, strict=True))

    def _draw_amounts(self, rng: Random, like: Amounts | None = None) -> Amounts:
        return Amounts(self.draw_numbers(rng))


class _Unless(Template, frozen=True):
    """A change with an "unless".

    The options are the numbers of dots with and without the named circle, in this scene and in a similar one.
    """

    def _wrong(self, amounts: Amounts, others: Sequence[Amounts]) -> tuple[tuple[int, int], ...]:
        total, without = _with_and_without(amounts)
        own_wrong = without if _exception_holds(amounts) else total
        wrong = own_wrong, *_with_and_without(others[0])
        return tuple(zip((sum(other.numbers) for other in others), wrong, strict=True))

    def _draw_amounts(self, rng: Random, like: Amounts | None = None) -> Amounts:
        first, second = like.circles if like else rng.sample(range(6), 2)
        numbers = list(self.draw_numbers(rng))
        numbers[first] = rng.randint(3, 6)
        # Near the first, so that full circles do not stay more often.
        numbers[second] = numbers[first] + rng.choice((-2, -1, 1, 2))
        return Amounts(tuple(numbers), circles=(first, second))


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
    _Unless(8, "unless", ("remove",), _ANY, _ANY, circles_of, _unless_answers, _unless),
)
