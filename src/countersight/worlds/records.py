"""The worlds of a dataset as a file, one line per case, so that its pictures can be redrawn or changed further."""

import msgspec

from countersight.worlds.changes import WorldChange
from countersight.worlds.disc_changes import DiscChange
from countersight.worlds.discs import Discs
from countersight.worlds.things import Supports

WORLDS_FILE = "worlds.jsonl"
World = Supports | Discs


class WorldRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """The world of a case, and the change that leads to its counterfactual picture."""

    id: str
    world: World
    change: WorldChange | DiscChange | None
    then: WorldChange | DiscChange | None = None
    """The second of two changes."""


def encode_world(record: WorldRecord) -> bytes:
    """Return one line of a worlds file."""
    return msgspec.json.encode(record) + b"\n"
