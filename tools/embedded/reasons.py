"""The reasons that the model learns to give: one or two sentences, filled in with the counts."""

from collections.abc import Mapping

from countersight.english import listed
from countersight.models.embedded import UNKNOWN
from countersight.scenes import COLOURS, Facts

BECAUSE: dict[str, str] = {
    "inside": "I counted {x} flowers inside the {c} polygons, of {flowers} in the picture.",
    "outside": "I counted {flowers} flowers in the picture and {inside} of them are inside the {c} polygons, "
    "so {x} are outside.",
    "flowers": "I counted {x} flowers in the picture, {free} of them outside all polygons.",
    "both": "I counted {x} flowers where the two polygons overlap.",
    "both_named": "I counted {x} flowers where the {c} and the {o} polygon overlap.",
    "free": "I counted {flowers} flowers in the picture and {x} of them are inside no polygon.",
    "dots": "I counted {row} dots in the circles, row by row, {x} together.",
    "top": "I counted {upper} dots in the circles of the top row, {x} together.",
    "bottom": "I counted {lower} dots in the circles of the bottom row, {x} together.",
    "most": "I counted {row} dots in the circles, row by row, and the most is {x}.",
    "circle": "I counted {x} dots in the {p} circle.",
    "circles": "I counted {x} circles.",
    "outside, all one colour": "I counted {flowers} flowers in the picture. With all polygons {c}, only flowers "
    "inside no polygon are outside, and these are {x}.",
    "inside, all one colour": "I counted {flowers} flowers in the picture and {free} of them are inside no polygon. "
    "With all polygons {c}, the other {x} are inside.",
    "inside, take from colour": "I counted {inside} flowers inside the {c} polygons. "
    "Without {n} of them {x} would be left.",
    "inside, give to colour": "I counted {inside} flowers inside the {c} polygons. With {n} more there would be {x}.",
    "inside, empty colour": "I counted {inside} flowers inside the {c} polygons and {gone} of them are inside the {o} "
    "polygons too. Without these {x} would be left.",
    "flowers, empty colour": "I counted {flowers} flowers in the picture and {gone} of them are inside the {o} "
    "polygons. Without these {x} would be left.",
    "flowers, take flowers": "I counted {flowers} flowers in the picture. Without {n} of them {x} would be left.",
    "flowers, give flowers": "I counted {flowers} flowers in the picture. With {n} more there would be {x}.",
    "dots, take dots": "I counted {row} dots in the circles, row by row, {dots} together. "
    "Without {n} of them {x} would be left.",
    "dots, give dots": "I counted {row} dots in the circles, row by row, {dots} together. "
    "With {n} more there would be {x}.",
    "top, take right": "I counted {upper} dots in the circles of the top row. "
    "Without the rightmost circle {x} would be left.",
    "top, take left": "I counted {upper} dots in the circles of the top row. "
    "Without the leftmost circle {x} would be left.",
    "bottom, take right": "I counted {lower} dots in the circles of the bottom row. "
    "Without the rightmost circle {x} would be left.",
    "dots, take right": "I counted {row} dots in the circles, row by row, {dots} together. "
    "Without the two rightmost circles {x} would be left.",
    "outside, take outside": "I counted {out} flowers outside the {c} polygons. Without {n} of them {x} would be left.",
    "outside, empty colour": "I counted {out} flowers outside the {c} polygons and {gone} of them are inside the {o} "
    "polygons. Without these {x} would be left.",
    "flowers, empty outside": "I counted {flowers} flowers in the picture. Without those outside the {c} polygons {x} "
    "would be left.",
    "dots, take emptiest": "I counted {row} dots in the circles, row by row, {dots} together. "
    "Without the circle of {least} there would be {x}.",
    "dots, empty bottom": "I counted {upper} dots in the circles of the top row. With none in the other row there "
    "would be {x}.",
    "dots, empty top": "I counted {lower} dots in the circles of the bottom row. With none in the other row there "
    "would be {x}.",
    "top, take top": "I counted {upper} dots in the circles of the top row. Without {n} of them {x} would be left.",
    "bottom, take bottom": "I counted {lower} dots in the circles of the bottom row. "
    "Without {n} of them {x} would be left.",
    "most, take fullest": "I counted {row} dots in the circles, row by row. "
    "Without the circle of {most} the most would be {x}.",
    "dots, take fullest": "I counted {row} dots in the circles, row by row, {dots} together. "
    "Without the circle of {most} there would be {x}.",
}

KEPT = "The change does not touch what is asked for."
"""Added to the reason of the count itself."""
LETTERED = "So the answer is {letter}."
YES, NO = "Yes.", "No."
OTHER_PICTURE = "I see neither flowers in polygons nor dots in circles."
OFF_TOPIC = "I only know flowers in polygons and dots in circles."
NEAR = "I do not know how to count that, or it is not there."
REPLIES = (KEPT, LETTERED, YES, NO, UNKNOWN, OTHER_PICTURE, OFF_TOPIC, NEAR)


def because(name: str, slots: Mapping[str, str | int], facts: Facts, answer: int) -> str:
    """Return the named reason for an answer, filled in with the counts."""
    numbers = [number or 0 for number in facts.circles]
    counted = {
        "flowers": facts.flowers,
        "free": facts.outside,
        "inside": facts.inside[COLOURS.index(str(slots["c"]))],
        "out": facts.flowers - facts.inside[COLOURS.index(str(slots["c"]))],
        "dots": facts.dots,
        "most": max(numbers),
        "least": min((number for number in facts.circles if number is not None), default=0),
        "row": listed(numbers),
        "upper": listed(numbers[:3]),
        "lower": listed(numbers[3:]),
    }
    if name in BECAUSE:
        return BECAUSE[name].format(**slots, **counted, x=answer)
    topic, _, _ = name.partition(", ")
    return f"{because(topic, slots, facts, answer)} {KEPT}"
