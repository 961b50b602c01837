"""Scenes, their pictures, and a short way to ask for an edit."""

import asyncio
import io
from random import Random

import numpy as np
from PIL import Image

from countersight.editing.protocol import EditRequest, Instruction, open_editor
from countersight.picture.checking import check_picture
from countersight.scenes.drawing import draw, encode
from countersight.scenes.random_scenes import FlowerRegions, dot_scene, flower_scene


def flowers(seed=3, colours=("red", "blue"), regions=(4, 5, 3, 6)):
    return flower_scene(Random(seed), colours, FlowerRegions(*regions))


def dots(seed=2, numbers=(3, 5, 2, 6, 1, 4)):
    return dot_scene(Random(seed), numbers)


def drawing(scene):
    return check_picture(encode(draw(scene)))


def instruction(action, target="", value=""):
    return Instruction(target or "it", "object", action, f"{action} {target} {value}", target=target, value=value)


def edit(editor, picture, action, target="", value="", **more):
    """What an editor makes of a picture."""
    opened = open_editor(editor) if isinstance(editor, str) else editor
    return asyncio.run(opened.edit(EditRequest(picture, instruction(action, target, value), **more)))


def exactly(scene, action, target="", value="", **more):
    """What the exact editor makes of a scene."""
    return edit("exact", drawing(scene), action, target, value, scene=scene, **more)


def pixels(data):
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image.convert("RGB"))


def white(mask):
    with Image.open(io.BytesIO(mask)) as image:
        return np.asarray(image) == 255
