"""The files of a trained matcher, and the sheet that says what they are."""

import os
from collections.abc import Callable
from pathlib import Path

import msgspec

from countersight.errors import ModelError
from countersight.models.matcher.sequences import Inputs

GRAPH, TOKENIZER, SHEET = "matcher.onnx", "tokenizer.json", "matcher.json"


PLAN = "plan.json"
"""What a training was begun with, in the folder above its seeds."""


class Sheet(msgspec.Struct, frozen=True):
    """What a matcher was given in training, so that it is given the same when it is asked."""

    inputs: Inputs
    view: str = ""
    """How its pictures were seen: `embedded`, `hf:FOLDER`, `files`, or nothing where it sees none."""
    others: bool = False
    """Whether the other options stand behind each, so that they are read together."""
    surface: bool = False
    """Whether it is given what can be counted (`surface`)."""
    features: str = ""
    """The folder of regions it learned from, where they came from files."""
    version: int = 1
    region: int = 0
    """How many numbers tell of a region; 0 where it sees none, or a version before did not say."""

    def with_folders(self, told: Callable[[str], str]) -> "Sheet":
        """The sheet with the folders that it names told otherwise."""
        kind, colon, tower = self.view.partition(":")
        view = f"{kind}{colon}{told(tower)}" if tower else self.view
        return msgspec.structs.replace(self, view=view, features=told(self.features) if self.features else "")


def members(folder: Path) -> list[Path]:
    """The matchers of a folder: one, or one per seed, whose scores are averaged."""
    if (folder / SHEET).is_file():
        return [folder]
    found = sorted(one.parent for one in folder.glob(f"seed-*/{SHEET}")) if folder.is_dir() else []
    if not found:
        raise ModelError(f"{folder} contains no matcher; train one with `countersight train matcher … -o {folder}`")
    return found


class _Planned(msgspec.Struct):
    seeds: list[int] = []


class _Training(msgspec.Struct):
    plan: _Planned = msgspec.field(default_factory=_Planned)


def untrained_seeds(folder: Path) -> list[int]:
    """The seeds that a training planned and did not come to; none where there is no plan beside the matchers."""
    try:
        planned = msgspec.json.decode((folder / PLAN).read_bytes(), type=_Training).plan.seeds
    except (OSError, msgspec.MsgspecError):
        return []
    return [seed for seed in planned if not (folder / f"seed-{seed}" / SHEET).is_file()]


def write_sheet(folder: Path, sheet: Sheet) -> None:
    """Write the sheet of one matcher; other folders stand there as they are reached from its own.

    Whoever asks it may stand elsewhere than whoever trained it, and all of them may have moved together.
    """
    placed = sheet.with_folders(lambda path: _from(folder, path) if Path(path).exists() else path)
    (folder / SHEET).write_bytes(msgspec.json.format(msgspec.json.encode(placed)) + b"\n")


def _from(folder: Path, path: str) -> str:
    """A folder as it is reached from another: links above either are followed, or ".." would lead elsewhere."""
    asked = Path(path).absolute()
    return os.path.relpath(asked.parent.resolve() / asked.name, folder.resolve())


def read_sheet(folder: Path) -> Sheet:
    """The sheet of one matcher, with folders as they are reached from here."""
    try:
        sheet = msgspec.json.decode((folder / SHEET).read_bytes(), type=Sheet)
    except (OSError, msgspec.DecodeError) as error:
        raise ModelError(f"{folder / SHEET}: {error}") from None
    return sheet.with_folders(lambda path: _reached(folder, path))


def _reached(folder: Path, path: str) -> str:
    """A folder of a sheet. Where it is not beside the matcher, it is a model's name or of a version before."""
    placed = os.path.realpath(folder / path)
    return placed if path.startswith(os.pardir) or Path(placed).exists() else path
