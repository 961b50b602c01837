"""Training pictures: generated scenes with further random changes, and pictures of other kinds.

Every scene has a seed that begins with "train/". Seeds of suites begin with "NUMBER/…", so no case of a suite is ever
among the training pictures.
"""

from random import Random

import msgspec
import numpy as np
from PIL import Image

from countersight.models.embedded import shrink
from countersight.picture import Pixels
from countersight.scenes import COLOURS, Facts, Recolour, Remove, Scene, apply, draw, facts_of
from countersight.suites.cvqa import TEMPLATES
from tools.embedded.out_of_domain import out_of_domain
from tools.embedded.targets import CELLS, LAYERS, Map, target

OUT_OF_DOMAIN = 0.12
"""Share of pictures of other kinds."""


class Sample(msgspec.Struct, frozen=True):
    """A picture with its target maps and facts."""

    picture: Pixels
    target: Map
    facts: Facts


def sample(seed: str) -> Sample:
    """Return the picture of a seed."""
    rng = Random(f"train/{seed}")
    if rng.random() < OUT_OF_DOMAIN:
        return Sample(out_of_domain(rng), np.zeros((LAYERS, CELLS, CELLS), np.uint8), Facts("other"))
    scene = random_scene(rng)
    return Sample(shrink(Image.fromarray(draw(scene))), target(scene), facts_of(scene))


def random_scene(rng: Random) -> Scene:
    """Return a scene of the suites: unchanged, after the change of its question, or after a random change."""
    template = rng.choice(TEMPLATES)
    puzzle = template.random_puzzle(rng, rng.choice(COLOURS))
    chance = rng.random()
    if chance < 0.5:
        return puzzle.scene
    if chance < 0.75:
        return apply(puzzle.scene, puzzle.edits)
    return _changed(rng, puzzle.scene)


def _changed(rng: Random, scene: Scene) -> Scene:
    """Return the scene with random removals and recolouring, beyond the changes that questions suppose."""
    items = [flower.id for flower in scene.flowers]
    items += [dot.id for circle in scene.circles for dot in circle.dots]
    scene = apply(scene, [Remove(tuple(rng.sample(items, rng.randint(0, len(items)))))])
    if scene.polygons and rng.random() < 0.5:
        scene = apply(scene, [Recolour((rng.choice(scene.polygons).id,), rng.choice(COLOURS))])
    if scene.circles and rng.random() < 0.5:
        circles = rng.sample(scene.circles, rng.randint(1, 4))
        scene = apply(scene, [Remove(tuple(circle.id for circle in circles))])
    return scene
