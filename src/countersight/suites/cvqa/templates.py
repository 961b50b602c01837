"""The six puzzles of C-VQA-Synthetic (C-VQA 3.3, Table 2): a scene, a question about it, and a change to it.

The wording is the paper's, with corrected grammar. Numbers follow the published set: four regions of 1 to 12 flowers,
all equally likely; one circle with 4 to 8 dots and five others with fewer; a random number of removed items. Both
answers of a puzzle come from the same count, of the scene and of the scene after the change. Wrong options come from
the amounts of similar scenes that are not shown.

The options must not reveal the right one to a model that does not look. In the published set, wrong options differ from
the right one by one of 11 gaps, so that the right one is most often in the middle: "the option nearest to the mean of
the options" answers more than half of the questions blind. Our options are the answers of four similar scenes, of which
one is chosen at random to be shown.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Literal

import msgspec

from countersight.case import LETTERS, Option, Question
from countersight.random_choice import balanced
from countersight.scenes import (
    NAMED,
    Edit,
    Flower,
    FlowerRegions,
    Recolour,
    Remove,
    Scene,
    apply,
    as_points,
    distinct_colours,
    dot_scene,
    flower_scene,
    inside,
    rightmost,
    top_row,
)

Way = Literal["fair", "published"]
"""How options are drawn: from the answers of other scenes, or as in the published set."""
NUMBER = 4
SPREAD = 11
"""Largest difference between options; the same as between the published gaps."""
GAPS = (*range(-5, 0), *range(1, 7))
"""Differences of wrong options from the right one in the published set, all equally likely."""

Numbers = tuple[int, ...]
"""Flowers in the named polygon only, in the other only, in both, in neither; or dots in six circles, row by row."""

_TRIES = 100
"""Attempts to draw four scenes before the number of removed items changes: 21 of 23 flowers leave too few answers."""


class Puzzle(msgspec.Struct, frozen=True):
    """A scene, a question about it, and a supposed change."""

    scene: Scene
    edits: tuple[Edit, ...]
    asked: str
    """The question about the scene."""
    supposed: str
    """The question about the changed scene, up to its "if"."""
    presupposition: str
    """What follows the "if"."""
    count: Callable[[Scene], int]
    anew: Callable[[Scene], tuple[Edit, ...] | None]
    """Returns the same change applied to the changed scene; None if its items no longer exist."""
    shown: str = ""
    """The question about a picture of the changed scene, if it differs from the original one."""
    supposed_anew: str = ""
    """The "if" question about the changed picture, if it differs from `supposed`."""
    provenance: dict[str, str] = {}
    """Further facts recorded in the case's provenance."""

    def twice(self, changed: Scene) -> int | None:
        """Return the answer after making the change once more; None if that is impossible."""
        edits = self.anew(changed)
        return None if edits is None else self.count(apply(changed, edits))


class Amounts(msgspec.Struct, frozen=True):
    """The numbers that determine the answers: items in each place, and items removed by the change."""

    numbers: Numbers
    removed: int = 0
    circles: tuple[int, ...] = ()
    """The circles that the question names, by their number."""


class Solved(msgspec.Struct, frozen=True):
    """A puzzle, the scene after its change, and the number in each."""

    puzzle: Puzzle
    changed: Scene
    answer: int
    new_answer: int
    others: tuple[tuple[int, int], ...]
    """Wrong answers before and after the change."""
    colour: str
    """The colour of the polygons in the question, if there are polygons."""


class Template(msgspec.Struct, frozen=True):
    """One of the six kinds of puzzle, with the range of its answers in the published set."""

    number: int
    group: str
    kinds: tuple[str, ...]
    answers: range
    new_answers: range
    strew: Callable[[Random], Numbers]
    both: Callable[[Amounts], tuple[int, int]]
    """Returns the answers before and after the change, from the amounts alone."""
    pose: Callable[[Random, str, Amounts], Puzzle]
    """Returns a random puzzle with these amounts, about polygons of a colour if there are polygons."""
    says_how_many: bool = False
    """Whether the question says how many of the counted items are removed."""

    @property
    def published_type(self) -> str:
        """The name of the type in the published file."""
        return f"abs_counting_{self.number}"

    def solved(self, seed: int, index: int, way: Way = "fair") -> Solved:
        """Return the puzzle with this number and its answers; they depend on the seed and the number only."""
        rng = Random(f"{seed}/{self.number}/{index}")
        colour = balanced(tuple(NAMED), f"{seed}/{self.number}/colour", index)
        amounts, *others = self._draw_similar(rng) if way == "fair" else [self._draw_amounts(rng)]
        puzzle = self.pose(rng, colour, amounts)
        changed = apply(puzzle.scene, puzzle.edits)
        answer, new = puzzle.count(puzzle.scene), puzzle.count(changed)
        return Solved(puzzle, changed, answer, new, self._wrong(amounts, others) if others else (), colour)

    def random_puzzle(self, rng: Random, colour: str) -> Puzzle:
        """Return a random puzzle, about polygons of a colour if there are polygons."""
        return self.pose(rng, colour, self._draw_amounts(rng))

    def _draw_similar(self, rng: Random) -> list[Amounts]:
        """Draw the amounts of several interchangeable scenes with different answers that are near each other: what the
        question says about one holds for all."""
        while True:
            like = self._draw_amounts(rng)
            for _ in range(_TRIES):
                drawn = [self._draw_amounts(rng, like) for _ in range(NUMBER)]
                worlds = zip(self.both(drawn[0]), *self._wrong(drawn[0], drawn[1:]), strict=True)
                if all(len(set(world)) == NUMBER and max(world) - min(world) <= SPREAD for world in worlds):
                    return drawn

    def _wrong(self, amounts: Amounts, others: Sequence[Amounts]) -> tuple[tuple[int, int], ...]:
        """Return the wrong answers in both worlds: the right answers of similar scenes."""
        return tuple(map(self.both, others))

    def _draw_amounts(self, rng: Random, like: Amounts | None = None) -> Amounts:
        """Draw random amounts with answers in the published range; the question can be the same as for `like`."""
        while True:
            numbers, removed = self.strew(rng), like.removed if like else 0
            if like is None and self.says_how_many:
                removed = rng.randint(1, self.both(Amounts(numbers))[0])
            amounts = Amounts(numbers, removed)
            if self._fits(amounts):
                return amounts

    def _fits(self, amounts: Amounts) -> bool:
        answer, new = self.both(amounts)
        return answer in self.answers and new in self.new_answers and answer != new


def _flowers_outside(rng: Random, colour: str, amounts: Amounts) -> Puzzle:
    scene = _flower_scene(rng, colour, rng.choice(distinct_colours(colour)), amounts.numbers)
    return Puzzle(
        scene,
        (Recolour(tuple(polygon.id for polygon in scene.polygons if polygon.colour != colour), colour),),
        asked=f"How many flowers are outside the {colour} polygons?",
        supposed=f"How many flowers would be outside the {colour} polygons",
        presupposition=f"all polygons were {colour}",
        count=lambda scene: len(scene.flowers) - len(flowers_in(scene, colour)),
        anew=lambda changed: (),  # all polygons have this colour already
    )


def _flowers_removed(rng: Random, colour: str, amounts: Amounts) -> Puzzle:
    scene = _flower_scene(rng, colour, rng.choice(distinct_colours(colour)), amounts.numbers)
    gone = rng.sample(flowers_in(scene, colour), amounts.removed)
    return Puzzle(
        scene,
        (Remove(tuple(flower.id for flower in gone)),),
        asked=f"How many flowers are inside the {colour} polygons?",
        supposed=f"How many flowers would be inside {colour} polygons",
        presupposition=f"we removed {number_of(len(gone), 'flower')} in {colour} polygons",
        count=lambda scene: len(flowers_in(scene, colour)),
        anew=lambda changed: _remove_any(amounts.removed, [flower.id for flower in flowers_in(changed, colour)]),
    )


def _polygon_emptied(rng: Random, colour: str, amounts: Amounts) -> Puzzle:
    other = rng.choice(distinct_colours(colour))
    scene = _flower_scene(rng, colour, other, amounts.numbers)
    return Puzzle(
        scene,
        (Remove(tuple(flower.id for flower in flowers_in(scene, other))),),
        asked=f"How many flowers are inside the {colour} polygons?",
        supposed=f"How many flowers would be inside {colour} polygons",
        presupposition=f"all flowers in {other} polygons were removed",
        count=lambda scene: len(flowers_in(scene, colour)),
        anew=lambda changed: (),  # none are left
    )


def _dots_removed(rng: Random, _colour: str, amounts: Amounts) -> Puzzle:
    scene = dot_scene(rng, amounts.numbers)
    gone = rng.sample([dot for circle in scene.circles for dot in circle.dots], amounts.removed)
    return Puzzle(
        scene,
        (Remove(tuple(dot.id for dot in gone)),),
        asked="How many dots are there in all the circles together?",
        supposed="How many dots would there be in all the circles together",
        presupposition=f"{number_of(len(gone), 'dot')} were removed from the circles",
        count=lambda scene: sum(len(circle.dots) for circle in scene.circles),
        anew=lambda changed: _remove_any(
            amounts.removed, [dot.id for circle in changed.circles for dot in circle.dots]
        ),
    )


def _circles_removed(rng: Random, _colour: str, amounts: Amounts) -> Puzzle:
    scene = dot_scene(rng, amounts.numbers)
    return Puzzle(
        scene,
        (Remove(tuple(circle.id for circle in rightmost(scene, 2))),),
        asked="How many dots are there in the top three circles together?",
        supposed="How many dots would there be in the top three circles together",
        presupposition="the two rightmost circles and the dots in them were removed",
        count=lambda scene: sum(len(circle.dots) for circle in top_row(scene)),
        anew=lambda changed: (Remove(tuple(circle.id for circle in rightmost(changed, 2))),),
        shown="How many dots are there in the top row of circles together?",  # only two are left in it
        supposed_anew="How many dots would there be in the top row of circles together",
    )


def _fullest_removed(rng: Random, _colour: str, amounts: Amounts) -> Puzzle:
    scene = dot_scene(rng, amounts.numbers)

    def without_fullest(scene: Scene) -> tuple[Edit, ...]:
        return (Remove((max(scene.circles, key=lambda circle: len(circle.dots)).id,)),)

    return Puzzle(
        scene,
        without_fullest(scene),
        asked="How many dots does a circle contain at most?",
        supposed="How many dots would a circle contain at most",
        presupposition="one of the circles with the most dots were removed",
        count=lambda scene: max(len(circle.dots) for circle in scene.circles),
        anew=without_fullest,
    )


def _remove_any(number: int, items: list[str]) -> tuple[Edit, ...] | None:
    """Return the removal of a number of these items, or None if there are fewer."""
    return (Remove(tuple(items[:number])),) if number <= len(items) else None


def _regions(rng: Random) -> Numbers:
    return tuple(rng.randint(1, 12) for _ in range(4))


def circles_of(rng: Random) -> Numbers:
    """Return random numbers of dots in six circles, of which one has the most."""
    most = rng.randint(4, 8)
    numbers = [rng.randint(1, most - 1) for _ in range(5)]
    numbers.insert(rng.randrange(6), most)
    return tuple(numbers)


def _within(amounts: Amounts) -> int:
    """Return the number of flowers in the named polygon."""
    named, _, both, _ = amounts.numbers
    return named + both


def _most(amounts: Amounts) -> tuple[int, int]:
    *_, second, first = sorted(amounts.numbers)
    return first, second


TEMPLATES = (
    Template(
        1,
        "1 polygon recoloured",
        ("recolour",),
        range(2, 25),
        range(1, 13),
        _regions,
        lambda amounts: (amounts.numbers[1] + amounts.numbers[3], amounts.numbers[3]),
        _flowers_outside,
    ),
    Template(
        2,
        "2 flowers removed",
        ("remove",),
        range(3, 24),
        range(0, 22),
        _regions,
        lambda amounts: (_within(amounts), _within(amounts) - amounts.removed),
        _flowers_removed,
        says_how_many=True,
    ),
    Template(
        3,
        "3 polygon emptied",
        ("remove",),
        range(2, 25),
        range(1, 13),
        _regions,
        lambda amounts: (_within(amounts), amounts.numbers[0]),
        _polygon_emptied,
    ),
    Template(
        4,
        "4 dots removed",
        ("remove",),
        range(9, 39),
        range(0, 38),
        circles_of,
        lambda amounts: (sum(amounts.numbers), sum(amounts.numbers) - amounts.removed),
        _dots_removed,
        says_how_many=True,
    ),
    Template(
        5,
        "5 two circles removed",
        ("remove",),
        range(3, 22),
        range(2, 16),
        circles_of,
        lambda amounts: (sum(amounts.numbers[:3]), sum(amounts.numbers[:2])),
        _circles_removed,
    ),
    Template(6, "6 fullest circle removed", ("remove",), range(4, 9), range(2, 8), circles_of, _most, _fullest_removed),
)


def _flower_scene(rng: Random, colour: str, other: str, numbers: Numbers) -> Scene:
    named, alone, both, outside = numbers
    if rng.random() < 0.5:
        return flower_scene(rng, (colour, other), FlowerRegions(named, alone, both, outside))
    return flower_scene(rng, (other, colour), FlowerRegions(alone, named, both, outside))


def flowers_in(scene: Scene, colour: str) -> list[Flower]:
    """Return the flowers inside polygons of a colour. No flower crosses an edge, so testing its centre is enough."""
    middles = as_points([(flower.x, flower.y) for flower in scene.flowers])
    within = [inside(middles, polygon.points) for polygon in scene.polygons if polygon.colour == colour]
    return [flower for nth, flower in enumerate(scene.flowers) if any(here[nth] for here in within)]


def number_of(number: int, noun: str) -> str:
    """Return a number with a noun: "1 flower", "3 flowers"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def number_question(text: str, right: int, wrong: Sequence[int], letter: str, rng: Random) -> Question:
    """Return a question with numbers as options, the right one at the letter and the others in random order."""
    numbers = rng.sample(wrong, len(wrong))
    numbers.insert(LETTERS.index(letter), right)
    return Question(text, letter, "choice", tuple(Option(str(number)) for number in numbers))


def by_published_gaps(right: int, rng: Random) -> list[int]:
    """Return three wrong options with the gaps of the published set."""
    return rng.sample([right + gap for gap in GAPS if right + gap >= 0], NUMBER - 1)


def near(right: int, rng: Random, number: int = NUMBER) -> list[int]:
    """Return wrong options near the right one, whose rank is random; no option is negative."""
    while True:
        numbers = rng.sample(range(SPREAD + 1), number)
        wrong = [right + other - numbers[0] for other in numbers[1:]]
        if min(wrong, default=0) >= 0:
            return wrong
