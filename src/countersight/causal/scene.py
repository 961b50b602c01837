"""Data types of scene graphs: the things that people annotated in a picture, and their relations."""

import msgspec

from countersight.causal.graph import Box, Thing


class SceneRelation(msgspec.Struct, frozen=True, omit_defaults=True):
    """A relation of one thing to another."""

    subject: str
    relation: str
    """In the annotator's words: "on", "sitting on", "ON", "pv:attach to"."""
    object: str
    """Subject and object are ids of things."""
    synset: str = ""


class Description(msgspec.Struct, frozen=True, omit_defaults=True):
    """A description of a region of the picture."""

    text: str
    box: Box | None = None


class SceneGraph(msgspec.Struct, frozen=True, omit_defaults=True):
    """The annotated things and relations of a picture, or of a region of one."""

    id: str
    things: tuple[Thing, ...] = ()
    relations: tuple[SceneRelation, ...] = ()
    image: str = ""
    """The id of the picture, if known."""
    descriptions: tuple[Description, ...] = ()


class Malformed(msgspec.Struct, frozen=True):
    """An unreadable part of a file, which was skipped: its position and the reason."""

    file: str
    entry: int
    """Counted from 1: the element of a JSON file, the line of a CSV or JSONL file."""
    field: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file} entry {self.entry}: {self.field}: {self.reason}"
