"""Photographs with stickers of ours on them, for tests whose right verdict is known: the edits are known exactly.

What is said of a test depends on its number and the seed alone, and not on the photograph under the stickers: so
`audit verify` can make what judges read again where the photographs are not at hand.
"""

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Final, Literal

import msgspec
import numpy as np
from msgspec.structs import replace
from PIL import Image, ImageDraw

from countersight.case import Question
from countersight.editing import Instruction
from countersight.errors import AuditError
from countersight.picture import Picture, Pixels, as_seen, check_picture, read_picture
from countersight.scenes import encode
from countersight.text import several

SIDE: Final = 512
"""Pixels of the longer side of a photograph in a test."""
_COLOURS: Final = {"red": "#d81e1e", "blue": "#1e4fd8", "green": "#1e9a3c", "yellow": "#f2cf1d", "purple": "#7d2bc4"}
_SHAPES: Final = ("circle", "square", "triangle")
_PLACES: Final = {
    "top left": (0.25, 0.25),
    "top right": (0.75, 0.25),
    "bottom left": (0.25, 0.75),
    "bottom right": (0.75, 0.75),
}
_SIZE: Final = 0.07
"""Half a sticker, as a part of the shorter side."""
_SUFFIXES: Final = (".jpg", ".jpeg", ".png", ".webp")
_LIKE: Final = 24.0
"""Levels of 255 by which pixels may differ on average, and the edit is still the one that was asked for."""
About = Literal["count", "presence", "colour"]
ABOUT: Final[tuple[About, ...]] = ("count", "presence", "colour")


class Sticker(msgspec.Struct, frozen=True):
    """Something plain that lies on a photograph."""

    colour: str
    shape: str
    place: str

    @property
    def name(self) -> str:
        """What explanations call it."""
        return f"{self.colour} {self.shape}"


Stickers = tuple[Sticker, ...]


class Stuck(msgspec.Struct, frozen=True):
    """A photograph with stickers before and after a known edit, and what is asked of it."""

    question: Question
    answer: str
    """What is right after the edit."""
    instruction: Instruction
    before: Stickers
    after: Stickers


def photographs_in(folder: Path) -> tuple[Path, ...]:
    """The photographs of a folder, by name."""
    files = sorted(file for file in folder.iterdir() if file.suffix.lower() in _SUFFIXES) if folder.is_dir() else []
    if not files:
        raise AuditError(f"{folder} holds no photographs; name a folder with .jpg, .png or .webp files")
    return tuple(files)


def stuck(nth: int, seed: int) -> Stuck:
    """The stickers, the edit and the question of one test, by chance."""
    rng = Random(f"{seed}/calibration/photographs/{nth}")
    colours = rng.sample(list(_COLOURS), 4)
    places = rng.sample(list(_PLACES), rng.randint(2, 4))
    before = tuple(Sticker(rng.choice(colours[:2]), rng.choice(_SHAPES), place) for place in places)
    one = before[0]
    about = ABOUT[nth // 12 % len(ABOUT)]
    if about == "colour":
        after = (replace(one, colour=colours[3]), *before[1:])
        text = f"What colour is the sticker at the {one.place} of the photograph?"
        return Stuck(Question(text, one.colour, "open"), colours[3], _recolour(one, colours[3]), before, after)
    after = before[1:]
    if about == "count":
        many = [str(sum(each.colour == one.colour for each in some)) for some in (before, after)]
        asked = Question(f"How many {one.colour} stickers lie on the photograph?", many[0], "number")
        return Stuck(asked, many[1], _remove(one), before, after)
    asked = Question(f"Does a sticker lie at the {one.place} of the photograph?", "yes", "boolean")
    return Stuck(asked, "no", _remove(one), before, after)


def told(stickers: Stickers, wording: int) -> str:
    """An explanation that is true of the stickers, in one of two wordings."""
    named = [f"a {each.name} at the {each.place}" for each in sorted(stickers, key=lambda each: each.place)]
    listed = ", ".join(named) or "none"
    return (
        f"I looked at the stickers on the photograph: {listed}.",
        f"{several(len(stickers), 'sticker')} can be seen on top of the photograph, namely {listed}; I went by these.",
    )[wording]


def pictures(case: Stuck, nth: int, photographs: Sequence[Path]) -> tuple[Picture, Picture, bytes]:
    """The picture before and after the known edit, and where it was edited; on grey where no photographs are given."""
    ground = _ground(photographs[nth % len(photographs)]) if photographs else Image.new("RGB", (SIDE, SIDE), "#9a9a94")
    mask = Image.new("L", ground.size)
    _paint(ImageDraw.Draw(mask), case.before[0], ground.size, fill=255)
    data = BytesIO()
    mask.save(data, "PNG")
    return _drawn(ground, case.before), _drawn(ground, case.after), data.getvalue()


def spoiled(picture: Picture, changed: Picture) -> Iterator[Picture]:
    """Edits that failed on purpose: another part of the photograph painted over, and everything made darker."""
    elsewhere = np.asarray(as_seen(picture)).copy()
    height, width = elsewhere.shape[:2]
    elsewhere[height // 2 - height // 10 : height // 2 + height // 10, width // 2 - width // 10 : width // 2] = 128
    yield check_picture(encode(elsewhere))
    yield check_picture(encode((np.asarray(as_seen(changed)) * 0.6).astype(np.uint8)))


def is_as_asked(edited: Picture, wanted: Picture, mask: bytes) -> bool:
    """Whether an edit looks as the known one does, where it was to be made."""
    one, other = as_seen(edited), as_seen(wanted)
    if one.size != other.size:
        return False
    where = np.asarray(Image.open(BytesIO(mask))) > 0
    apart = np.abs(np.asarray(one).astype(float) - np.asarray(other))[where]
    return bool(apart.mean() < _LIKE)


def _remove(one: Sticker) -> Instruction:
    target = f"{one.name} sticker"
    return Instruction(
        f"the {one.name} at the {one.place}",
        "object",
        "remove",
        f"the photograph without the {target} at the {one.place}",
        f"the {target} at the {one.place}",
        target,
    )


def _recolour(one: Sticker, colour: str) -> Instruction:
    target = f"{one.name} sticker"
    return Instruction(
        f"the {one.name} at the {one.place}",
        "attribute",
        "recolour",
        f"the {target} at the {one.place} is {colour}",
        f"the {target} is {one.colour}",
        target,
        colour,
    )


def _ground(file: Path) -> Image.Image:
    image = as_seen(read_picture(file))
    image.thumbnail((SIDE, SIDE))
    return image


def _drawn(ground: Image.Image, stickers: Stickers) -> Picture:
    image = ground.copy()
    for each in stickers:
        _paint(ImageDraw.Draw(image), each, image.size, fill=_COLOURS[each.colour])
    pixels: Pixels = np.asarray(image)
    return check_picture(encode(pixels))


def _paint(draw: ImageDraw.ImageDraw, sticker: Sticker, size: tuple[int, int], *, fill: str | int) -> None:
    across, down = _PLACES[sticker.place]
    x, y, half = across * size[0], down * size[1], _SIZE * min(size)
    match sticker.shape:
        case "circle":
            draw.ellipse((x - half, y - half, x + half, y + half), fill=fill)
        case "square":
            draw.rectangle((x - half, y - half, x + half, y + half), fill=fill)
        case _:
            draw.polygon([(x, y - half), (x + half, y + half), (x - half, y + half)], fill=fill)
