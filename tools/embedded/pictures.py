"""Pictures to learn from: scenes of our generator with further changes by chance, and pictures of anything else.

Every scene comes from a seed that begins with "train/". The suites seed theirs with "NUMBER/…", so no case of a suite,
whatever its seed, is ever among these.
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
"""Share of pictures that are not ours."""


class Sample(msgspec.Struct, frozen=True):
    """One picture with what is true of it."""

    picture: Pixels
    target: Map
    facts: Facts


def sample(seed: str) -> Sample:
    """The picture of a seed."""
    rng = Random(f"train/{seed}")
    if rng.random() < OUT_OF_DOMAIN:
        return Sample(out_of_domain(rng), np.zeros((LAYERS, CELLS, CELLS), np.uint8), Facts("other"))
    scene = random_scene(rng)
    return Sample(shrink(Image.fromarray(draw(scene))), target(scene), facts_of(scene))


def random_scene(rng: Random) -> Scene:
    """A scene as the suites make them: as it is, after the change a question supposes, or after another by chance."""
    template = rng.choice(TEMPLATES)
    puzzle = template.random_puzzle(rng, rng.choice(COLOURS))
    chance = rng.random()
    if chance < 0.5:
        return puzzle.scene
    if chance < 0.75:
        return apply(puzzle.scene, puzzle.edits)
    return _changed(rng, puzzle.scene)


def _changed(rng: Random, scene: Scene) -> Scene:
    """Some items taken out, a polygon in another colour: more than any question supposes."""
    items = [flower.id for flower in scene.flowers]
    items += [dot.id for circle in scene.circles for dot in circle.dots]
    scene = apply(scene, [Remove(tuple(rng.sample(items, rng.randint(0, len(items)))))])
    if scene.polygons and rng.random() < 0.5:
        scene = apply(scene, [Recolour((rng.choice(scene.polygons).id,), rng.choice(COLOURS))])
    if scene.circles and rng.random() < 0.5:
        circles = rng.sample(scene.circles, rng.randint(1, 4))
        scene = apply(scene, [Remove(tuple(circle.id for circle in circles))])
    return scene
