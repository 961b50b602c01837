"""Editors behind a server, and a short way to ask them for an edit."""

import asyncio
import io
import json

import numpy as np
from PIL import Image

from countersight.editing.protocol import EditorSettings, EditRequest, Instruction, open_editor
from countersight.picture.checking import check_picture

SETTINGS = EditorSettings(timeout=60)
KEY = "sk-very/secret+0123456789"
CHANGE = Instruction("the red square", "object", "recolour", "The square is blue", "A red square", "square", "blue")
NOTHING = Instruction("", "object", "nothing", "The picture as it is.")
SERVICES = {
    "flux:flux-2-pro": ("BFL", ""),
    "chat-image:google/painter": ("OPENROUTER", "/api/v1"),
}
FLUX, CHAT = SERVICES
FIRST = {FLUX: "order", CHAT: "ask"}
"""Where the first request to a service arrives."""


def photograph(width=48, height=32, kind="PNG", **more):
    drawn = np.random.default_rng(1).integers(0, 255, (height, width, 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(drawn).save(file, kind, **more)
    return check_picture(file.getvalue())


def square():
    """A red square on a white ground."""
    image = Image.new("RGB", (48, 32), "white")
    image.paste("red", (6, 6, 22, 18))
    file = io.BytesIO()
    image.save(file, "PNG")
    return check_picture(file.getvalue())


PICTURE, SQUARE = photograph(), square()


def annotated_square(path):
    """A COCO file with the outline of that square, for the file name a.png."""
    thing = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [6, 6, 16, 12]}
    thing["segmentation"] = [[6, 6, 22, 6, 22, 18, 6, 18]]
    image = {"id": 1, "file_name": "a.png", "width": 48, "height": 32}
    file = {"images": [image], "annotations": [thing], "categories": [{"id": 1, "name": "square"}]}
    path.write_text(json.dumps(file))
    return path


def edits(name, *requests, settings=SETTINGS):
    """What an editor makes of each request, or how it fails."""

    async def all_of_them():
        editor = open_editor(name, settings)
        try:
            return await asyncio.gather(*map(editor.edit, requests), return_exceptions=True)
        finally:
            await editor.close()

    return asyncio.run(all_of_them())


def edit(name, picture=PICTURE, instruction=CHANGE, settings=SETTINGS, **more):
    (made,) = edits(name, EditRequest(picture, instruction, **more), settings=settings)
    if isinstance(made, BaseException):
        raise made
    return made
