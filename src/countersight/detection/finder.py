"""What finds things in a picture: one small protocol for every sort of model."""

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from countersight.detection.found import Found
from countersight.detection.names import COCO
from countersight.errors import ModelError

if TYPE_CHECKING:
    from PIL import Image

MOST_CLASSES = 10_000
LONGEST_LABELS = 1024 * 1024

IMAGE_MEAN = (0.485, 0.456, 0.406)
IMAGE_STD = (0.229, 0.224, 0.225)
"""Of ImageNet's pictures: what most detectors take their colours against."""


class Finder(Protocol):
    """A detection model, loaded."""

    classes: tuple[str, ...]
    """The names of what it finds; none where it takes any words."""
    least: float
    """The score from which on it is believed, unless the user says otherwise."""
    settings: dict[str, object]
    """What its boxes depend on: goes into run.json."""

    def find(self, image: "Image.Image", words: str, least: float) -> list[Found]:
        """What is in a picture, in its pixels; `words` only matter to one that takes any. May raise anything."""
        ...


def read_labels(path: Path) -> tuple[str, ...]:
    """The names in a labels file, one a line; an empty line is a class without a name."""
    try:
        with open(path, "rb") as file:
            data = file.read(LONGEST_LABELS + 1)
        lines = data.decode().rstrip().splitlines()
    except OSError as error:
        raise ModelError(f"the labels {path} cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ModelError(f"the labels {path} are not UTF-8 text, one name a line") from None
    if not 0 < len(lines) <= MOST_CLASSES or len(data) > LONGEST_LABELS:
        raise ModelError(f"the labels {path} are not 1 to {MOST_CLASSES:,} names, one a line")
    return tuple(line.strip() for line in lines)


def coco_labels(number: int) -> tuple[str, ...] | None:
    """The names of so many classes where that can only be COCO: its 80 in order, or one for every id up to 90."""
    if number == len(COCO):
        return tuple(COCO.values())
    return tuple(COCO.get(id, "") for id in range(number)) if number in (91, 92) else None
