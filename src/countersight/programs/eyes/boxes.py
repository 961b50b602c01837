"""Reads the boxes out of what a model says when it is asked where things are, in the ways models have of saying it."""

import re
from collections.abc import Iterable

from countersight.detection import Box

LONGEST = 20_000
"""Signs of a reply that are looked at."""
MOST = 200
"""Boxes that are read; a model that repeats itself writes thousands."""
_NUMBER = r"\s*(-?\d{1,6}(?:\.\d{1,12})?)\s*"
_LISTED = re.compile(rf"(?:[\"']?(\w{{1,20}})[\"']?\s*:\s*)?[\[(]{_NUMBER},{_NUMBER},{_NUMBER},{_NUMBER}[\])]")
_CORNERS = re.compile(rf"[\[(]{_NUMBER},{_NUMBER}[\])]\s*,?\s*[\[(]{_NUMBER},{_NUMBER}[\])]")
_TOKENS = re.compile(r"<loc(\d{4})><loc(\d{4})><loc(\d{4})><loc(\d{4})>")
_UNDERLINED = re.compile(r"<loc_(\d{1,4})><loc_(\d{1,4})><loc_(\d{1,4})><loc_(\d{1,4})>")
_NAMED = re.compile(
    r",\s*".join(
        rf"[\"']?(?:{side})[\"']?\s*:{_NUMBER}"
        for side in ("x_?1|x_?min|left", "y_?1|y_?min|top", "x_?2|x_?max|right", "y_?2|y_?max|bottom")
    ),
    re.IGNORECASE,
)
# "No idea" and "No, I cannot see it" are no word on what there is.
_NONE = re.compile(
    r"\[\s*\]|^\W*(?:no\b(?! (?:idea|clue|problem)\b|, I can)|none\b|there (?:is|are) (?:no|none)\b)", re.IGNORECASE
)
Sides = tuple[float, float, float, float]


def read_boxes(text: str, width: int, height: int) -> list[Box] | None:
    """The boxes in a reply about a picture of that size; [] where it says there is nothing, None where it says neither.

    Known are left, top, right and bottom, as lists or by name, in pixels, thousandths or fractions; `box_2d`, which
    begins with the top and counts in thousandths; two corners in thousandths; and location tokens of 1,024 or 1,000
    steps.
    """
    text = " ".join(text[:LONGEST].split())  # long runs of blanks would be gone over again and again
    shares = _shares(text, width, height)
    if shares is None:
        return [] if _NONE.search(text) else None
    found: dict[Box, None] = {}
    for left, top, right, bottom in shares:
        box = (round(left * width), round(top * height), round(right * width), round(bottom * height))
        box = (max(box[0], 0), max(box[1], 0), min(box[2], width), min(box[3], height))
        if box[0] < box[2] and box[1] < box[3]:
            found[box] = None
    return list(found)[:MOST]


def _shares(text: str, width: int, height: int) -> list[Sides] | None:
    """Left, top, right and bottom of each box as shares of the picture."""
    if tokens := _numbers(_TOKENS.finditer(text)):
        return [(left / 1024, top / 1024, right / 1024, bottom / 1024) for top, left, bottom, right in tokens]
    if tokens := _numbers(_UNDERLINED.finditer(text)):
        return _thousandths(tokens)
    listed = [match for match, _ in zip(_LISTED.finditer(text), range(MOST), strict=False)]
    if not listed and (named := _numbers(_NAMED.finditer(text))):
        return _in_any_unit(named, width, height)
    if not listed:
        corners = _numbers(_CORNERS.finditer(text))
        return _thousandths(corners) if corners else None
    boxes = _numbers(listed, 2)
    if any(match[1] == "box_2d" for match in listed):
        return _thousandths([(left, top, right, bottom) for top, left, bottom, right in boxes])
    return _in_any_unit(boxes, width, height)


def _in_any_unit(boxes: list[Sides], width: int, height: int) -> list[Sides]:
    """Boxes in pixels, thousandths or fractions, whichever fits all of them."""
    if all(0 <= side <= 1 for box in boxes for side in box):
        return boxes
    beyond = any(right > width * 1.02 or bottom > height * 1.02 for _, _, right, bottom in boxes)
    if beyond and all(side <= 1000 for box in boxes for side in box):
        return _thousandths(boxes)
    return [(left / width, top / height, right / width, bottom / height) for left, top, right, bottom in boxes]


def _numbers(matches: Iterable[re.Match[str]], first: int = 1) -> list[Sides]:
    return [
        (float(match[first]), float(match[first + 1]), float(match[first + 2]), float(match[first + 3]))
        for match, _ in zip(matches, range(MOST), strict=False)
    ]


def _thousandths(boxes: list[Sides]) -> list[Sides]:
    return [(left / 1000, top / 1000, right / 1000, bottom / 1000) for left, top, right, bottom in boxes]
