"""Reverse questions about scenes of flowers and dots: which is the smallest change that reaches a goal?"""

from collections.abc import Callable
from random import Random
from typing import NamedTuple

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
)
from countersight.suites.cvqa.files import SYNTHETIC_NAME
from countersight.suites.cvqa.templates import circles_of, flowers_in, number_of


class Goal(NamedTuple):
    """A scene, a goal, and the offered changes, of which the first is right."""

    scene: Scene
    words: str
    options: list[str]
    edit: Edit
    """The right change."""
    counting_question: str
    """A question that is asked about both pictures."""
    count: Callable[[Scene], int]
    """Returns its answer."""


def _remove_a_circle(rng: Random) -> Goal:
    """Ask which circle to remove so that a given number of dots is left. No other circle has as many dots."""
    emptier = rng.randrange(4)  # how many of the three wrong circles have fewer dots than the right one
    fuller = 3 - emptier
    while True:
        numbers = circles_of(rng)
        right = rng.randrange(len(numbers))
        with_fewer = [circle for circle, dots in enumerate(numbers) if dots < numbers[right]]
        with_more = [circle for circle, dots in enumerate(numbers) if dots > numbers[right]]
        is_unique = numbers.count(numbers[right]) == 1
        if is_unique and len(with_fewer) >= emptier and len(with_more) >= fuller:
            break
    offered = [right, *rng.sample(with_fewer, emptier), *rng.sample(with_more, fuller)]
    scene = dot_scene(rng, numbers)
    return Goal(
        scene,
        f"exactly {number_of(sum(numbers) - numbers[right], 'dot')} are left",
        [f"the {PLACES[circle]} circle is taken away with its dots" for circle in offered],
        Remove((scene.circles[right].id,)),
        "How many dots are there in all the circles together?",
        lambda scene: facts_of(scene).dots,
    )


def _remove_flowers(rng: Random) -> Goal:
    """Ask how many flowers to remove, and from which side, so that as many are inside as outside."""
    colour = rng.choice(list(NAMED))
    more_inside, least = rng.choice((True, False)), rng.randint(1, 3)
    difference = least + rng.randint(0, 1)
    while True:
        regions = [rng.randint(1, 8) for _ in range(4)]
        inside, outside = regions[0] + regions[2], regions[1] + regions[3]
        if inside - outside == (difference if more_inside else -difference):
            break
    offered = [(within, number) for within in (True, False) for number in (least, least + 1)]
    offered.sort(key=lambda change: change != (more_inside, difference))
    scene = flower_scene(rng, (colour, rng.choice(distinct_colours(colour))), FlowerRegions(*regions))
    within = [flower.id for flower in flowers_in(scene, colour)]
    removable = within if more_inside else [flower.id for flower in scene.flowers if flower.id not in within]
    return Goal(
        scene,
        f"as many flowers are inside the {colour} polygon as outside it",
        [
            f"{number_of(number, 'flower')} {'inside' if within else 'outside'} the {colour} polygon "
            f"{'is' if number == 1 else 'are'} taken away"
            for within, number in offered
        ],
        Remove(tuple(rng.sample(removable, difference))),
        f"How many flowers are inside the {colour} polygons?",
        lambda scene: len(flowers_in(scene, colour)),
    )


def least_change(seed: int, index: int) -> tuple[Case, Scene, Edit]:
    """Return a case that asks for the smallest change, its scene, and the change.

    The result depends on the seed and the index only.
    """
    key = f"{seed}/least-change"
    goal = (_remove_a_circle, _remove_flowers)[index % 2](Random(f"{key}/{index}"))
    letter = balanced_answer("ABCD", f"{key}/letter", index)
    options = Random(f"{key}/{index}/options").sample(goal.options[1:], len(goal.options) - 1)
    options.insert(LETTERS.index(letter), goal.options[0])
    text = f"What is the smallest change after which {goal.words}?"
    before, after = goal.count(goal.scene), goal.count(apply(goal.scene, (goal.edit,)))
    case = Case(
        id=f"{SYNTHETIC_NAME}-{index + 1:06d}",
        image=f"images/{index + 1:06d}.png",
        suite=SYNTHETIC_NAME,
        group="least-change",
        factual=Question(goal.counting_question, str(before), "number"),
        counterfactual=Question(text, letter, "choice", tuple(map(Option, options))),
        counterfactual_image=f"images/{index + 1:06d}-counterfactual.png",
        shown=Question(goal.counting_question, str(after), "number"),
        provenance={"seed": seed, "index": index},
    )
    return case, goal.scene, goal.edit
