"""The findings of a verification, and the comparison of records and pictures with recomputed ones."""

import re
from typing import Any, Final, Literal

import msgspec
import numpy as np

from countersight.errors import BadPicture
from countersight.picture import Picture, as_seen, check_picture
from countersight.scenes import Scene, draw
from countersight.text import printable

What = Literal["altered", "missing", "added", "broken", "not verified"]
"""“not verified” means neither sound nor proven wrong, for example because another version wrote the file."""
APART: Final = 0.01
"""The largest allowed difference of a measure between machines; 0.5 pixels for the alignment of an edit."""
_FIGURE: Final = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_SHOWN: Final = 100
"""The maximum number of characters of a value in a finding."""


class Finding(msgspec.Struct, frozen=True):
    """Something that was changed, or does not follow from the log."""

    what: What
    file: str
    why: str = ""

    def __str__(self) -> str:
        return printable(f"{self.what}: {self.file}" + (f" ({self.why})" if self.why else ""))


class Note(msgspec.Struct, frozen=True):
    """Something that cannot be recomputed, and why; it is evidence neither for nor against a bundle."""

    what: str
    why: str
    trusted: bool = True
    """Whether the verdict depends on it."""

    def __str__(self) -> str:
        return printable(f"{'Taken on trust' if self.trusted else 'Not checked'}: {self.what} ({self.why})")


def difference(given: Any, made: Any, name: str = "") -> str:
    """Return the first difference between a record and the recomputed one, in words; "" if there is none.

    Both are plain JSON values. Measures may differ slightly, because machines round differently.
    """
    if given == made:
        return ""
    if isinstance(given, dict) and isinstance(made, dict):
        pairs = [(f"{name}.{key}".lstrip("."), given.get(key), made.get(key)) for key in given | made]
    elif isinstance(given, list | tuple) and isinstance(made, list | tuple) and len(given) == len(made):
        pairs = [(name, one, other) for one, other in zip(given, made, strict=True)]
    elif isinstance(given, float) and isinstance(made, float):
        near = abs(given - made) <= (50 * APART if name.endswith("warp") else APART)
        return "" if near else f"{name} is {given:g} in the log; recomputed it is {made:g}"
    elif name.endswith("seen") and _same_but_for_rounding(given, made):
        return ""
    else:
        both = enumerate(zip(str(given), str(made), strict=False))
        start = max(0, next((place for place, (one, other) in both if one != other), 0) - 40)
        return f"{name} is {_show(given, start)} in the log; recomputed it is {_show(made, start)}"
    return next((found for key, one, other in pairs if (found := difference(one, other, key))), "")


def _same_but_for_rounding(one: str, other: str) -> bool:
    """Whether two sentences differ only in their numbers, and by at most one in the last digit."""
    if _FIGURE.split(one) != _FIGURE.split(other):
        return False
    for first, second in zip(_FIGURE.findall(one), _FIGURE.findall(other), strict=True):
        places = len(first.partition(".")[2])
        if places != len(second.partition(".")[2]) or round(abs(float(first) - float(second)) * 10**places) > 1:
            return False
    return True


def _show(value: object, start: int) -> str:
    """Return the part of a long value where it differs from another."""
    text = "nothing" if value in (None, "", [], ()) else str(value)
    if len(text) <= _SHOWN:
        return text
    return "…" * bool(start) + text[start : start + _SHOWN] + "…" * (start + _SHOWN < len(text))


def same_picture(given: bytes, made: bytes) -> bool:
    """Whether two pictures have the same pixels; their files may differ in compression or metadata."""
    if given == made:
        return True
    try:
        one, other = (np.asarray(as_seen(check_picture(data))) for data in (given, made))
    except BadPicture:
        return False
    return np.array_equal(one, other)


LEVELS, EDGES = 32, 0.01
"""The largest difference of an edge pixel between versions of the rasteriser, and the largest share of such pixels."""


def is_drawing(picture: Picture, scene: Scene) -> bool:
    if (picture.width, picture.height) != (scene.width, scene.height):
        return False  # a scene of another size may be too large to draw
    try:
        seen, drawn = np.asarray(as_seen(picture).convert("RGB")), draw(scene)[:, :, :3]
    except (BadPicture, ValueError, KeyError):
        return False
    apart = np.abs(seen.astype(np.int16) - drawn).max(axis=2)
    return bool(apart.max() <= LEVELS and (apart > 0).mean() <= EDGES)
