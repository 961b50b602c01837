"""The six templates of C-VQA-Synthetic (C-VQA 3.3, Table 2), and a control for each.

A puzzle is a scene, a question about it and a supposed change; both answers come from the same count, applied to the
scene before and after the change. The wording is the paper's, with corrected grammar. The numbers are distributed as in
the published set: four regions of 1 to 12 flowers, all equally likely; one circle with 4 to 8 dots and five others with
fewer; and a random number of removed items.

The options must not reveal the right one to a model that does not look. In the published set, wrong options differ from
the right one by one of 11 gaps, so that the right one is most often in the middle: "the option nearest to the mean of
the options" answers more than half of the questions correctly without looking. Our options are the answers of four
similar scenes; one of these scenes is shown.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

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

NUMBER = 4
"""The number of options."""
SPREAD = 11
"""The largest difference between options, as in the published set."""

Numbers = tuple[int, ...]
"""Flowers in the named polygon only, in the other only, in both, in neither; or dots in six circles, row by row."""

_TRIES = 100
"""The number of attempts to draw four scenes before the number of removed items is redrawn, because some numbers allow
too few answers.
"""


class Puzzle(msgspec.Struct, frozen=True):
    """A scene, a question about it, and a supposed change."""

    scene: Scene
    edits: tuple[Edit, ...]
    question: str
    """The question about the scene."""
    if_question: str
    """The question about the changed scene, up to the "if"."""
    presupposition: str
    """What follows the "if"."""
    count: Callable[[Scene], int]
    changed_question: str = ""
    """The question about a picture of the changed scene, if it differs from the original one."""


class Amounts(msgspec.Struct, frozen=True):
    """The numbers that determine the answers: items in each place, and items removed by the change."""

    numbers: Numbers
    removed: int = 0


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
    draw_numbers: Callable[[Random], Numbers]
    answers_of: Callable[[Amounts], tuple[int, int]]
    """Returns the answers before and after the change, from the amounts alone."""
    make_puzzle: Callable[[Random, str, Amounts], Puzzle]
    """Returns a random puzzle with these amounts, about polygons of a colour if there are polygons."""
    says_how_many: bool = False
    """Whether the question says how many of the counted items are removed."""

    @property
    def published_type(self) -> str:
        """The name of its type in the published file."""
        return f"abs_counting_{self.number}"

    def solved(self, seed: int, index: int) -> Solved:
        """Return the puzzle with this index and its answers; they depend only on the seed and the index."""
        rng = Random(f"{seed}/{self.number}/{index}")
        colour = balanced(tuple(NAMED), f"{seed}/{self.number}/colour", index)
        amounts, *others = self._draw_similar(rng)
        puzzle = self.make_puzzle(rng, colour, amounts)
        changed = apply(puzzle.scene, puzzle.edits)
        answer, new = puzzle.count(puzzle.scene), puzzle.count(changed)
        return Solved(puzzle, changed, answer, new, tuple(map(self.answers_of, others)), colour)

    def random_puzzle(self, rng: Random, colour: str) -> Puzzle:
        """Return a random puzzle; if it is about polygons, they have the given colour."""
        return self.make_puzzle(rng, colour, self._draw_amounts(rng))

    def _draw_similar(self, rng: Random) -> list[Amounts]:
        """Draw the amounts of several scenes that all fit the same question, with different answers that are near each
        other."""
        while True:
            like = self._draw_amounts(rng)
            for _ in range(_TRIES):
                drawn = [self._draw_amounts(rng, like) for _ in range(NUMBER)]
                worlds = zip(*map(self.answers_of, drawn), strict=True)
                if all(len(set(world)) == NUMBER and max(world) - min(world) <= SPREAD for world in worlds):
                    return drawn

    def _draw_amounts(self, rng: Random, like: Amounts | None = None) -> Amounts:
        """Draw random amounts with answers in the published range; they fit the question of `like`, if given."""
        while True:
            numbers, removed = self.draw_numbers(rng), like.removed if like else 0
            if like is None and self.says_how_many:
                removed = rng.randint(1, self.answers_of(Amounts(numbers))[0])
            amounts = Amounts(numbers, removed)
            answer, new = self.answers_of(amounts)
            if answer in self.answers and new in self.new_answers and answer != new:
                return amounts


def number_question(text: str, right: int, wrong: Sequence[int], letter: str, rng: Random) -> Question:
    """Return a question with numbers as options, the right one at the letter and the others in random order."""
    numbers = rng.sample(wrong, len(wrong))
    numbers.insert(LETTERS.index(letter), right)
    return Question(text, letter, "choice", tuple(Option(str(number)) for number in numbers))


# ---- the six templates -----------------------------------------------------------------------------------------------


def _flowers_outside(rng: Random, colour: str, amounts: Amounts) -> Puzzle:
    scene = _flower_scene(rng, colour, rng.choice(distinct_colours(colour)), amounts.numbers)
    return Puzzle(
        scene,
        (Recolour(tuple(polygon.id for polygon in scene.polygons if polygon.colour != colour), colour),),
        question=f"How many flowers are outside the {colour} polygons?",
        if_question=f"How many flowers would be outside the {colour} polygons",
        presupposition=f"all polygons were {colour}",
        count=lambda scene: len(scene.flowers) - len(flowers_in(scene, colour)),
    )


def _flowers_removed(rng: Random, colour: str, amounts: Amounts) -> Puzzle:
    scene = _flower_scene(rng, colour, rng.choice(distinct_colours(colour)), amounts.numbers)
    gone = rng.sample(flowers_in(scene, colour), amounts.removed)
    return Puzzle(
        scene,
        (Remove(tuple(flower.id for flower in gone)),),
        question=f"How many flowers are inside the {colour} polygons?",
        if_question=f"How many flowers would be inside {colour} polygons",
        presupposition=f"we removed {number_of(len(gone), 'flower')} in {colour} polygons",
        count=lambda scene: len(flowers_in(scene, colour)),
    )


def _polygon_emptied(rng: Random, colour: str, amounts: Amounts) -> Puzzle:
    other = rng.choice(distinct_colours(colour))
    scene = _flower_scene(rng, colour, other, amounts.numbers)
    return Puzzle(
        scene,
        (Remove(tuple(flower.id for flower in flowers_in(scene, other))),),
        question=f"How many flowers are inside the {colour} polygons?",
        if_question=f"How many flowers would be inside {colour} polygons",
        presupposition=f"all flowers in {other} polygons were removed",
        count=lambda scene: len(flowers_in(scene, colour)),
    )


def _dots_removed(rng: Random, _colour: str, amounts: Amounts) -> Puzzle:
    scene = dot_scene(rng, amounts.numbers)
    gone = rng.sample([dot for circle in scene.circles for dot in circle.dots], amounts.removed)
    return Puzzle(
        scene,
        (Remove(tuple(dot.id for dot in gone)),),
        question="How many dots are there in all the circles together?",
        if_question="How many dots would there be in all the circles together",
        presupposition=f"{number_of(len(gone), 'dot')} were removed from the circles",
        count=lambda scene: sum(len(circle.dots) for circle in scene.circles),
    )


def _circles_removed(rng: Random, _colour: str, amounts: Amounts) -> Puzzle:
    scene = dot_scene(rng, amounts.numbers)
    return Puzzle(
        scene,
        (Remove(tuple(circle.id for circle in rightmost(scene, 2))),),
        question="How many dots are there in the top three circles together?",
        if_question="How many dots would there be in the top three circles together",
        presupposition="the two rightmost circles and the dots in them were removed",
        count=lambda scene: sum(len(circle.dots) for circle in top_row(scene)),
        changed_question="How many dots are there in the top row of circles together?",  # only two are left in it
    )


def _fullest_removed(rng: Random, _colour: str, amounts: Amounts) -> Puzzle:
    scene = dot_scene(rng, amounts.numbers)
    fullest = max(scene.circles, key=lambda circle: len(circle.dots))
    return Puzzle(
        scene,
        (Remove((fullest.id,)),),
        question="How many dots does a circle contain at most?",
        if_question="How many dots would a circle contain at most",
        presupposition="one of the circles with the most dots were removed",
        count=lambda scene: max(len(circle.dots) for circle in scene.circles),
    )


def _regions(rng: Random) -> Numbers:
    return tuple(rng.randint(1, 12) for _ in range(4))


def circles_of(rng: Random) -> Numbers:
    """Return random numbers of dots in six circles, one of which has the most."""
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


# ---- controls: changes that do not affect the answer -----------------------------------------------------------------

Irrelevant = tuple[Edit, str]
"""An edit that does not affect the answer, and its words after "if"."""


def _inner_flowers_removed(rng: Random, scene: Scene, colour: str) -> Irrelevant:
    inside = [flower.id for flower in flowers_in(scene, colour)]
    gone = rng.sample(inside, rng.randint(1, len(inside)))
    return Remove(tuple(gone)), f"we removed {number_of(len(gone), 'flower')} in {colour} polygons"


def _outer_flowers_removed(rng: Random, scene: Scene, colour: str) -> Irrelevant:
    outside = _ids_outside(scene, colour)
    gone = rng.sample(outside, rng.randint(1, len(outside)))
    return Remove(tuple(gone)), f"we removed {number_of(len(gone), 'flower')} outside the {colour} polygons"


def _all_outside(_rng: Random, scene: Scene, colour: str) -> Irrelevant:
    return Remove(tuple(_ids_outside(scene, colour))), f"all flowers outside the {colour} polygons were removed"


def _dots_recoloured(rng: Random, scene: Scene, _colour: str) -> Irrelevant:
    colour = rng.choice(list(NAMED))
    dots = tuple(dot.id for circle in scene.circles for dot in circle.dots)
    return Recolour(dots, colour), f"all the dots were {colour}"


def _bottom_emptied(_rng: Random, scene: Scene, _colour: str) -> Irrelevant:
    top = {circle.id for circle in top_row(scene)}
    dots = tuple(dot.id for circle in scene.circles if circle.id not in top for dot in circle.dots)
    return Remove(dots), "all dots in the bottom three circles were removed"


def _emptiest_removed(rng: Random, scene: Scene, _colour: str) -> Irrelevant:
    fewest = min(len(circle.dots) for circle in scene.circles)
    gone = rng.choice([circle for circle in scene.circles if len(circle.dots) == fewest])
    return Remove((gone.id,)), "one of the circles with the fewest dots were removed"


def _ids_outside(scene: Scene, colour: str) -> list[str]:
    inside = {flower.id for flower in flowers_in(scene, colour)}
    return [flower.id for flower in scene.flowers if flower.id not in inside]


CONTROLS: Final[dict[int, Callable[[Random, Scene, str], Irrelevant]]] = {
    1: _inner_flowers_removed,
    2: _outer_flowers_removed,
    3: _all_outside,
    4: _dots_recoloured,
    5: _bottom_emptied,
    6: _emptiest_removed,
}
"""Functions that make the control of each template, from a random generator, the scene and the named colour."""
