"""Conversations of mixed lengths with pictures of mixed sizes."""

import io

import numpy as np
from PIL import Image

from countersight.case import Option
from countersight.models.protocol import Request, Turn
from countersight.picture.checking import Picture, check_picture


def picture(width: int = 64, height: int = 48, seed: int = 0) -> Picture:
    """A picture that differs everywhere, so that any lost part is noticed."""
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return check_picture(file.getvalue())


def request(text: str, shown: Picture | None = None, *options: str, key: str = "case/factual/told") -> Request:
    turn = Turn("user", text, shown)
    return Request(key, (turn,), "choice" if options else "open", tuple(map(Option, options)))


def mixed() -> list[Request]:
    """Three questions of very different lengths about pictures of different shapes, the last two about the same."""
    wide, tall = picture(200, 100, seed=1), picture(30, 90, seed=2)
    return [
        request("What color would the car be if it were painted red, or blue, or yellow?", wide, key="a"),
        request("no", tall, key="b"),
        request("How many cats would there be?", tall, key="c"),
    ]
