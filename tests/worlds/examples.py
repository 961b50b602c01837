"""Worlds for tests, by chance from a number."""

from random import Random

from countersight.picture import Picture, check_picture
from countersight.scenes import encode
from countersight.worlds import Discs, Supports, build_discs, build_supports, draw_world


def supports(number: int, difficulty="medium") -> Supports:
    return build_supports(Random(f"tests/{number}"), difficulty)


def discs(number: int, difficulty="medium") -> Discs:
    return build_discs(Random(f"tests/{number}"), difficulty)


def picture_of(world: Supports | Discs) -> Picture:
    return check_picture(encode(draw_world(world)))
