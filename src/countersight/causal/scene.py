"""The nouns of scene graphs: what people marked in a picture, and how it is related. Pure data."""

import msgspec

from countersight.causal.graph import Box, Thing


class SceneRelation(msgspec.Struct, frozen=True, omit_defaults=True):
    """Two things and how the first is related to the second."""

    subject: str
    relation: str
    """In the words of whoever marked it: "on", "sitting on", "ON", "pv:attach to"."""
    object: str
    """Subject and object are ids of things."""
    synset: str = ""


class Description(msgspec.Struct, frozen=True, omit_defaults=True):
    """A description of a region of the picture."""

    text: str
    box: Box | None = None


class SceneGraph(msgspec.Struct, frozen=True, omit_defaults=True):
    """What people marked in a picture, or in a region of one."""

    id: str
    things: tuple[Thing, ...] = ()
    relations: tuple[SceneRelation, ...] = ()
    image: str = ""
    """The id of the picture, where known."""
    descriptions: tuple[Description, ...] = ()


class Malformed(msgspec.Struct, frozen=True):
    """A part of a file that could not be read and was left out: where it stands and what is wrong with it."""

    file: str
    entry: int
    """Counted from 1: the element of a JSON file, the line of a CSV or JSONL file."""
    field: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file} entry {self.entry}: {self.field}: {self.reason}"
