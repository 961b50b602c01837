"""The scenes of a dataset as a file, one line per case, so that its pictures can be redrawn or edited further."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from countersight.errors import SceneError
from countersight.scenes.edits import Edit
from countersight.scenes.scene import Scene

SCENES_FILE = "scenes.jsonl"


class SceneRecord(msgspec.Struct, frozen=True):
    """The scene of a case, and the edits that lead to its counterfactual picture."""

    id: str
    scene: Scene
    change: tuple[Edit, ...]


def encode_record(record: SceneRecord) -> bytes:
    """Return one line of a scenes file."""
    return msgspec.json.encode(record) + b"\n"


def read_scenes(path: Path) -> Iterator[SceneRecord]:
    """Return the records of a scenes file; an invalid line is a SceneError that names it."""
    decoder = msgspec.json.Decoder(SceneRecord)
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise SceneError(f"{path.name} line {number}: {error}") from error
