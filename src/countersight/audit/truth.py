"""What is true of a scene we drew: every number that a question may ask for or a sentence may claim."""

import re

import numpy as np
from numpy.typing import NDArray

from countersight.scenes import NAMED, Circle, Scene, as_points, inside

PLACES = ("top left", "top middle", "top right", "bottom left", "bottom middle", "bottom right")
"""Where the six circles of our scenes are."""

_COLOUR = "|".join(NAMED)
_ASKED = (
    (
        rf"flowers (?:are|do you see|can you see|lie) (inside|outside|in)(?: of)? (?:the |all )?({_COLOUR}) polygons?",
        lambda found: f"flowers {'outside' if found[1] == 'outside' else 'inside'} {found[2]}",
    ),
    (
        r"flowers are (?:outside (?:of )?(?:all|both|the) polygons|inside no polygon|in no polygon)",
        lambda found: "flowers inside no polygon",
    ),
    (
        r"flowers (?:are|lie) (?:inside|in) both polygons|flowers are where the (?:two )?polygons overlap",
        lambda found: "flowers where polygons overlap",
    ),
    (r"(flowers|polygons|circles)(?: are there)?(?: (?:in|on) the (?:picture|image))?", lambda found: found[1]),
    (
        r"dots (?:are|does|do) ?(?:there )?(?:in )?the (\w+ \w+) circle(?: contain)?",
        lambda f: f"dots in the {f[1]} circle",
    ),
    (
        r"dots are (?:there )?in the (top|bottom) (?:row(?: of circles)?|three circles)(?: together)?",
        lambda found: f"dots in the {found[1]} row",
    ),
    (r"dots (?:does|do) (?:a|one|any) circle contain at most", lambda found: "most dots in a circle"),
    (
        r"dots are there(?: in (?:all|all the|all of the|the) circles)?(?: together| in all| in the picture)?",
        lambda found: "dots",
    ),
)
_QUESTIONS = tuple((re.compile(f"how many {pattern}"), fact) for pattern, fact in _ASKED)


def asked_fact(question: str) -> str | None:
    """The name of the fact that a question asks for, or None where its meaning is not known."""
    text = " ".join(question.split()).casefold().rstrip("?. ")
    for pattern, fact in _QUESTIONS:
        found = pattern.fullmatch(text)
        if found:
            return fact(found)
    return None


def right_answer(question: str, scene: Scene) -> str | None:
    """The right answer to a question about a scene, or None where its meaning is not known."""
    name = asked_fact(question)
    number = facts(scene).get(name) if name else None
    return None if number is None else str(number)


def facts(scene: Scene) -> dict[str, int]:
    """Every number that a sentence about a scene may claim, by what it counts."""
    within = _within(scene)
    times = np.zeros(len(scene.flowers), np.int64)
    for here in within:
        times += here
    found = {
        "flowers": len(scene.flowers),
        "polygons": len(scene.polygons),
        "flowers inside no polygon": int((times == 0).sum()),
        "flowers where polygons overlap": int((times > 1).sum()),
        "circles": len(scene.circles),
        "dots": sum(len(circle.dots) for circle in scene.circles),
        "dots in the top row": sum(len(circle.dots) for circle in scene.circles if _row(circle, scene) == 0),
        "dots in the bottom row": sum(len(circle.dots) for circle in scene.circles if _row(circle, scene) == 1),
        "most dots in a circle": max((len(circle.dots) for circle in scene.circles), default=0),
    }
    for colour in NAMED:
        any_of = np.zeros(len(scene.flowers), np.bool_)
        for here, polygon in zip(within, scene.polygons, strict=True):
            any_of |= here & (polygon.colour == colour)
        found[f"flowers inside {colour}"] = int(any_of.sum())
        found[f"flowers outside {colour}"] = int((~any_of).sum())
        found[f"{colour} polygons"] = sum(polygon.colour == colour for polygon in scene.polygons)
    for place in PLACES:
        found[f"dots in the {place} circle"] = 0
    for circle in scene.circles:
        column = min(2, int(3 * circle.x / scene.width))
        found[f"dots in the {PLACES[column + 3 * _row(circle, scene)]} circle"] += len(circle.dots)
    return found


def _row(circle: Circle, scene: Scene) -> int:
    return int(circle.y >= scene.height / 2)


def _within(scene: Scene) -> list[NDArray[np.bool_]]:
    """For each polygon, which flowers are in it. None crosses an edge, so its middle says where it is."""
    middles = as_points([(flower.x, flower.y) for flower in scene.flowers])
    return [inside(middles, polygon.points) for polygon in scene.polygons]
