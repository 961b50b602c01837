"""Small datasets and pictures for tests, made on the spot."""

import io
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from PIL import Image

from countersight.case import Case, Change, Option, Question
from countersight.dataset import DatasetWriter, Section
from countersight.scenes import SceneRecord


def picture(colour: tuple[int, int, int] = (200, 30, 30), size: int = 16, kind: str = "PNG") -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (size, size), colour).save(file, kind)
    return file.getvalue()


def choice(text: str, answer: str = "A") -> Question:
    return Question(text, answer, "choice", tuple(Option(str(number)) for number in (3, 5, 7, 9)))


def case(number: int, **changes: object) -> Case:
    fields: dict[str, object] = {
        "id": f"case-{number}",
        "image": f"images/{number}.png",
        "group": f"group {number % 2}",
        "factual": choice(f"How many dots are there in picture {number}?", "ABCD"[number % 4]),
        "change": Change("two dots were removed", ("remove",)),
        "counterfactual": choice(f"How many dots would there be in picture {number} if 2 were removed?", "B"),
        "counterfactual_image": f"images/{number}-counterfactual.png",
        "shown": choice(f"How many dots are there in picture {number}?", "B"),
    }
    return Case(**(fields | changes))


def dataset(folder: Path, cases: Iterable[Case] | int, sections: Sequence[Section] = ()) -> Path:
    """A dataset folder with these cases (or so many) and their pictures."""
    cases = [case(number) for number in range(cases)] if isinstance(cases, int) else list(cases)
    with DatasetWriter(
        folder, name="tiny", description="For tests.", license="CC0-1.0", provenance={"seed": 0}, sections=sections
    ) as writer:
        for number, one in enumerate(cases):
            for name, green in ((one.image, 0), (one.counterfactual_image, 200)):
                if name:
                    (writer.staging / name).write_bytes(picture((number % 256, green, 0)))
            for place, name in enumerate(one.further_images, 1):
                (writer.staging / name).write_bytes(picture((number % 256, 100, place)))
            writer.add(one)
    return folder


def read_scenes(path: Path) -> list[SceneRecord]:
    """Return the records of a scenes file."""
    return [msgspec.json.decode(line, type=SceneRecord) for line in path.read_bytes().splitlines()]
