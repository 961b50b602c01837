"""Explanations of our scenes, in two wordings, true of whatever numbers they are given."""

from collections.abc import Mapping
from typing import Final

from countersight.english import listed
from countersight.scenes import PLACES

WORDINGS: Final = 2
_CIRCLES = [f"dots in the {place} circle" for place in PLACES]


def explained(fact: str, facts: Mapping[str, int], wording: int) -> str:
    """Why the answer to the question for a fact is what it is, by these facts; `wording` is 0 or 1."""
    thing, _, colour = fact.rpartition(" ")
    number = facts[fact]
    match thing, fact:
        case "flowers inside", _:
            return (
                f"I counted {number} flowers inside the {colour} polygons, of {facts['flowers']} in the picture.",
                f"There are {facts['flowers']} flowers in the picture, and {number} of them are inside the {colour} "
                "polygons; I looked at each and at the outline around it.",
            )[wording]
        case "flowers outside", _:
            within = facts[f"flowers inside {colour}"]
            return (
                f"I counted {facts['flowers']} flowers in the picture and {within} of them are inside the {colour} "
                f"polygons, so {number} are outside.",
                f"The picture shows {facts['flowers']} flowers in total. {within} of them are inside the {colour} "
                f"polygons. That leaves {number} flowers outside the {colour} polygons.",
            )[wording]
        case _, "dots":
            row = listed([facts[circle] for circle in _CIRCLES])
            return (
                f"I counted {row} dots in the circles, row by row, {number} together.",
                f"Going row by row, I see {row} dots in the circles, row by row. That makes {number} dots in all.",
            )[wording]
        case _, "dots in the top row":
            row = listed([facts[circle] for circle in _CIRCLES[:3]])
            return (
                f"I counted {row} dots in the circles of the top row, {number} together.",
                f"The circles at the top matter here: {row} dots in the circles of the top row, {number} together, "
                "and I left the circles below aside.",
            )[wording]
        case _, "most dots in a circle":
            row = listed([facts[circle] for circle in _CIRCLES])
            return (
                f"I counted {row} dots in the circles, row by row, and the most is {number}.",
                f"One circle is fuller than the others. I see {row} dots in the circles, row by row, "
                f"and the most is {number}.",
            )[wording]
    raise ValueError(f"there is no explanation for {fact!r}")
