"""The scenes of a dataset by the id of their case, found without keeping them all in memory."""

from contextlib import suppress
from pathlib import Path

import msgspec

from countersight.scenes import SCENES_FILE, Scene, SceneRecord


class _Id(msgspec.Struct):
    id: str


class SceneIndex:
    """Scenes of a dataset we drew; of any other dataset there are none."""

    def __init__(self, dataset: Path) -> None:
        self._path = dataset / SCENES_FILE
        self._places: dict[str, tuple[int, int]] = {}
        self._decoder = msgspec.json.Decoder(SceneRecord)
        if not self._path.is_file():
            return
        at, decoder = 0, msgspec.json.Decoder(_Id)
        with open(self._path, "rb") as lines:
            for line in lines:
                # A case whose scene cannot be read is audited like any photograph.
                with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                    self._places[decoder.decode(line).id] = at, len(line)
                at += len(line)

    def scene(self, case: str) -> Scene | None:
        """What is drawn in a case's picture, or None where that is not known."""
        if case not in self._places:
            return None
        at, length = self._places[case]
        with open(self._path, "rb") as file:
            file.seek(at)
            line = file.read(length)
        try:
            return self._decoder.decode(line).scene
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
