"""Boxes as the page draws them over a picture: in parts of its sides, so that they fit it at any size."""

from countersight.dataset import Dataset
from countersight.detection import size_as_seen
from countersight.errors import BadPicture
from countersight.reports.data import Boxed

_DIGITS = 4


def size_of(file_name: str | None, source: Dataset) -> tuple[int, int] | None:
    """The width and height of a picture of the dataset, or None where it cannot be read."""
    try:
        return size_as_seen(source.picture(file_name)) if file_name is not None else None
    except BadPicture:
        return None


def in_parts(corners: tuple[float, float, float, float], size: tuple[int, int]) -> Boxed:
    """Left, top, width and height in parts of the sides, of a box given by left, top, right and bottom in pixels."""
    width, height = size
    left, top, right, bottom = (
        round(min(max(0.0, at / side), 1.0), _DIGITS)
        for at, side in zip(corners, (width, height, width, height), strict=True)
    )
    return left, top, round(right - left, _DIGITS), round(bottom - top, _DIGITS)
