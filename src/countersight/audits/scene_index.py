"""What is drawn in the pictures of a dataset, by the id of their case, found without keeping it all in memory."""

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from countersight.editing import Drawn
from countersight.scenes import SCENES_FILE, SceneRecord
from countersight.worlds import WORLDS_FILE, WorldRecord

_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class _Id(msgspec.Struct):
    id: str


class _Line(NamedTuple):
    file: str
    at: int
    length: int


class SceneIndex:
    """Scenes and worlds of a dataset we drew; of any other dataset there are none."""

    def __init__(self, dataset: Path) -> None:
        self._dataset = dataset
        self._lines: dict[str, _Line] = {}
        for file in (SCENES_FILE, WORLDS_FILE):
            if (dataset / file).is_file():
                self._note(file)

    def _note(self, file: str) -> None:
        at, decoder = 0, msgspec.json.Decoder(_Id)
        with open(self._dataset / file, "rb") as lines:
            for line in lines:
                # A case whose scene cannot be read is audited like any photograph.
                with suppress(*_UNREADABLE):
                    self._lines[decoder.decode(line).id] = _Line(file, at, len(line))
                at += len(line)

    def scene(self, case: str) -> Drawn | None:
        """What is drawn in a case's picture, or None where that is not known."""
        where = self._lines.get(case)
        if where is None:
            return None
        with open(self._dataset / where.file, "rb") as file:
            file.seek(where.at)
            line = file.read(where.length)
        try:
            if where.file == SCENES_FILE:
                return msgspec.json.decode(line, type=SceneRecord).scene
            return msgspec.json.decode(line, type=WorldRecord).world
        except _UNREADABLE:
            return None
