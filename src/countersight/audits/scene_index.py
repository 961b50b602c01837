"""The scenes behind the pictures of a dataset that we drew."""

from contextlib import suppress
from pathlib import Path

import msgspec

from countersight.scenes import SCENES_FILE, Scene, SceneRecord

_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class _Id(msgspec.Struct):
    id: str


class SceneIndex:
    """The scenes of a dataset that we drew; empty for other datasets."""

    def __init__(self, dataset: Path) -> None:
        self._file = dataset / SCENES_FILE
        self._lines: dict[str, tuple[int, int]] = {}
        if not self._file.is_file():
            return
        at, decoder = 0, msgspec.json.Decoder(_Id)
        with open(self._file, "rb") as lines:
            for line in lines:
                # A case whose scene cannot be read is audited like any photograph.
                with suppress(*_UNREADABLE):
                    self._lines[decoder.decode(line).id] = at, len(line)
                at += len(line)

    def scene(self, case: str) -> Scene | None:
        """Return the scene in a case's picture, or None if unknown."""
        if case not in self._lines:
            return None
        at, length = self._lines[case]
        with open(self._file, "rb") as file:
            file.seek(at)
            line = file.read(length)
        try:
            return msgspec.json.decode(line, type=SceneRecord).scene
        except _UNREADABLE:
            return None
