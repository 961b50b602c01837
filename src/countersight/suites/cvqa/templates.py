"""The six puzzles of C-VQA-Synthetic (C-VQA 3.3, Table 2): a scene, a question of it, and a change to it.

The wording is the paper's, mended where its grammar is not right. Numbers follow the published set: four regions of
1 to 12 flowers, every number as likely; one circle with 4 to 8 dots and five others with fewer; as many items
removed as chance says. Both answers of a puzzle come from one count: of the scene, and of the scene after the change.
"""

from collections.abc import Callable
from random import Random

import msgspec

from countersight.chance import balanced as balanced
from countersight.scenes import (
    NAMED,
    Edit,
    Flower,
    Recolour,
    Regions,
    Remove,
    Scene,
    apply,
    as_points,
    dot_scene,
    flower_scene,
    inside,
    rightmost,
    top_row,
    unlike,
)


class Puzzle(msgspec.Struct, frozen=True):
    """A scene, what is asked of it, and what is presupposed to be otherwise."""

    scene: Scene
    edits: tuple[Edit, ...]
    asked: str
    """The question about the scene."""
    supposed: str
    """The question about the changed scene, up to its "if"."""
    presupposition: str
    """What follows the "if"."""
    count: Callable[[Scene], int]
    shown: str = ""
    """The question asked of a picture of the changed scene, where it is not the one asked of the scene."""


class Solved(msgspec.Struct, frozen=True):
    """A puzzle, the scene after its change, and the number in each."""

    puzzle: Puzzle
    changed: Scene
    answer: int
    new_answer: int


class Template(msgspec.Struct, frozen=True):
    """One of the six kinds of puzzle, with the answers the published set has."""

    number: int
    group: str
    kinds: tuple[str, ...]
    answers: range
    new_answers: range
    pose: Callable[[Random, str], Puzzle]
    """A puzzle by chance about polygons of a colour, where there are polygons."""

    @property
    def published_type(self) -> str:
        """What the published file calls it."""
        return f"abs_counting_{self.number}"

    def solved(self, seed: int, index: int) -> Solved:
        """The puzzle with this number and its answers: the same for the same seed, whatever else is made."""
        rng = Random(f"{seed}/{self.number}/{index}")
        colour = balanced(tuple(NAMED), f"{seed}/{self.number}/colour", index)
        while True:
            puzzle = self.pose(rng, colour)
            changed = apply(puzzle.scene, puzzle.edits)
            answer, new = puzzle.count(puzzle.scene), puzzle.count(changed)
            if answer in self.answers and new in self.new_answers and answer != new:
                return Solved(puzzle, changed, answer, new)


def _flowers_outside(rng: Random, colour: str) -> Puzzle:
    scene = _flower_scene(rng, colour, rng.choice(unlike(colour)))
    return Puzzle(
        scene,
        (Recolour(tuple(polygon.id for polygon in scene.polygons if polygon.colour != colour), colour),),
        asked=f"How many flowers are outside the {colour} polygons?",
        supposed=f"How many flowers would be outside the {colour} polygons",
        presupposition=f"all polygons were {colour}",
        count=lambda scene: len(scene.flowers) - len(_flowers_in(scene, colour)),
    )


def _flowers_removed(rng: Random, colour: str) -> Puzzle:
    scene = _flower_scene(rng, colour, rng.choice(unlike(colour)))
    within = _flowers_in(scene, colour)
    gone = rng.sample(within, rng.randint(1, len(within)))
    return Puzzle(
        scene,
        (Remove(tuple(flower.id for flower in gone)),),
        asked=f"How many flowers are inside the {colour} polygons?",
        supposed=f"How many flowers would be inside {colour} polygons",
        presupposition=f"we removed {_number_of(len(gone), 'flower')} in {colour} polygons",
        count=lambda scene: len(_flowers_in(scene, colour)),
    )


def _polygon_emptied(rng: Random, colour: str) -> Puzzle:
    other = rng.choice(unlike(colour))
    scene = _flower_scene(rng, colour, other)
    return Puzzle(
        scene,
        (Remove(tuple(flower.id for flower in _flowers_in(scene, other))),),
        asked=f"How many flowers are inside the {colour} polygons?",
        supposed=f"How many flowers would be inside {colour} polygons",
        presupposition=f"all flowers in {other} polygons were removed",
        count=lambda scene: len(_flowers_in(scene, colour)),
    )


def _dots_removed(rng: Random, _colour: str) -> Puzzle:
    scene = _dot_scene(rng)
    dots = [dot for circle in scene.circles for dot in circle.dots]
    gone = rng.sample(dots, rng.randint(1, len(dots)))
    return Puzzle(
        scene,
        (Remove(tuple(dot.id for dot in gone)),),
        asked="How many dots are there in all the circles together?",
        supposed="How many dots would there be in all the circles together",
        presupposition=f"{_number_of(len(gone), 'dot')} were removed from the circles",
        count=lambda scene: sum(len(circle.dots) for circle in scene.circles),
    )


def _circles_removed(rng: Random, _colour: str) -> Puzzle:
    scene = _dot_scene(rng)
    return Puzzle(
        scene,
        (Remove(tuple(circle.id for circle in rightmost(scene, 2))),),
        asked="How many dots are there in the top three circles together?",
        supposed="How many dots would there be in the top three circles together",
        presupposition="the two rightmost circles and the dots in them were removed",
        count=lambda scene: sum(len(circle.dots) for circle in top_row(scene)),
        shown="How many dots are there in the top row of circles together?",  # only two are left in it
    )


def _fullest_removed(rng: Random, _colour: str) -> Puzzle:
    scene = _dot_scene(rng)
    fullest = max(scene.circles, key=lambda circle: len(circle.dots))
    return Puzzle(
        scene,
        (Remove((fullest.id,)),),
        asked="How many dots does a circle contain at most?",
        supposed="How many dots would a circle contain at most",
        presupposition="one of the circles with the most dots were removed",
        count=lambda scene: max(len(circle.dots) for circle in scene.circles),
    )


TEMPLATES = (
    Template(1, "1 polygon recoloured", ("recolour",), range(2, 25), range(1, 13), _flowers_outside),
    Template(2, "2 flowers removed", ("remove",), range(3, 24), range(0, 22), _flowers_removed),
    Template(3, "3 polygon emptied", ("remove",), range(2, 25), range(1, 13), _polygon_emptied),
    Template(4, "4 dots removed", ("remove",), range(9, 39), range(0, 38), _dots_removed),
    Template(5, "5 two circles removed", ("remove",), range(3, 22), range(2, 16), _circles_removed),
    Template(6, "6 fullest circle removed", ("remove",), range(4, 9), range(2, 8), _fullest_removed),
)


def _flower_scene(rng: Random, colour: str, other: str) -> Scene:
    colours = (colour, other) if rng.random() < 0.5 else (other, colour)
    return flower_scene(rng, colours, Regions(*(rng.randint(1, 12) for _ in range(4))))


def _dot_scene(rng: Random) -> Scene:
    most = rng.randint(4, 8)
    numbers = [rng.randint(1, most - 1) for _ in range(5)]
    numbers.insert(rng.randrange(6), most)
    return dot_scene(rng, numbers)


def _flowers_in(scene: Scene, colour: str) -> list[Flower]:
    """The flowers inside polygons of a colour. None crosses an edge, so its middle says where it is."""
    middles = as_points([(flower.x, flower.y) for flower in scene.flowers])
    within = [inside(middles, polygon.points) for polygon in scene.polygons if polygon.colour == colour]
    return [flower for nth, flower in enumerate(scene.flowers) if any(here[nth] for here in within)]


def _number_of(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
