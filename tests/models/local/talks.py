"""Conversations of mixed lengths with pictures of mixed sizes, and their answers and losses in order."""

import io
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from PIL import Image

from countersight.case import Option
from countersight.models.local.conversation import Loaded
from countersight.models.local.probing import ranking_sight
from countersight.models.local.ranking import Ranked, rank_requests
from countersight.models.local.writing import write_answers
from countersight.models.protocol import ModelSettings, Request, Turn
from countersight.models.request_queue import Feed
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


def rank(loaded: Loaded, requests: Sequence[Request]) -> list[Ranked]:
    """Return the losses for some requests, in order."""
    found = dict(rank_requests(ranking_sight(loaded), loaded, Feed(requests)))
    return [found[number] for number in range(len(requests))]


def write(
    loaded: Loaded, requests: Sequence[Request], settings: ModelSettings, stopped: Callable[[], bool]
) -> list[Any]:
    """Return the answers to some conversations, or the errors, in order."""
    feed = Feed(requests)
    found = dict(feed.answered(write_answers(loaded, feed, settings, stopped)))
    return [found[number] for number in range(len(requests))]
