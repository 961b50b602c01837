"""What a program may ask of a picture: where things are, and what a model would say about a part of it."""

from typing import Protocol

import msgspec

from countersight.picture import LONGEST_SIDE, Picture

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels; right and bottom are just past it."""
MOST_FOUND = 500
"""Things of one name that a program gets: it may compare each with each."""
SIDEWAYS = frozenset({5, 6, 7, 8})
"""How the camera was held, as EXIF numbers it, where width and height change places."""


class Patch(msgspec.Struct, frozen=True):
    """A part of a picture, such as one where something was found."""

    box: Box
    name: str = ""
    """What it was found as."""
    outline: str = ""
    """The name of the region it is, where the eyes see its outline and not only its box."""
    regions: frozenset[str] = frozenset()
    """The regions it lies in, by name."""

    @property
    def middle(self) -> tuple[float, float]:
        """The middle of the box."""
        left, top, right, bottom = self.box
        return (left + right) / 2, (top + bottom) / 2

    def is_in(self, other: "Patch") -> bool:
        """Whether it lies in another: within the outline where that is seen, else with its middle in the box."""
        if other.outline:
            return other.outline in self.regions
        x, y = self.middle
        left, top, right, bottom = other.box
        return left <= x < right and top <= y < bottom


class ToolFailed(Exception):  # noqa: N818 - it names what happened
    """A tool could not do what the program asked; the message is the reason."""


class Vision(Protocol):
    """Eyes for programs. `settings` are what they see depends on beside the picture; they go into run.json."""

    name: str
    settings: dict[str, object]

    async def find(self, picture: Picture, what: str, within: Patch | None) -> list[Patch]:
        """Where things of that name are, in the whole picture or in a part of it; raises ToolFailed."""
        ...

    async def query(self, picture: Picture, question: str, within: Patch | None) -> str:
        """A short answer to a question about the picture or a part of it; raises ToolFailed."""
        ...

    async def close(self) -> None:
        """Let go of connections and memory."""
        ...


async def look_for(vision: Vision, picture: Picture, what: str, within: Patch | None) -> list[Patch]:
    """Where things of that name are; raises ToolFailed, also where there are more than a program can go through."""
    found = await vision.find(picture, what, within)
    if len(found) > MOST_FOUND:
        raise ToolFailed(f"{vision.name} found {len(found):,} of {what[:60]!r}; a program gets at most {MOST_FOUND}")
    return found


def size_as_seen(picture: Picture) -> tuple[int, int]:
    """Width and height of a picture as a viewer shows it, which is what boxes count in, without decoding it."""
    shrink = min(1.0, LONGEST_SIDE / max(picture.width, picture.height))
    width, height = (max(1, round(side * shrink)) for side in (picture.width, picture.height))
    return (height, width) if picture.orientation in SIDEWAYS else (width, height)
