"""The files of a trained matcher, and the sheet that describes them."""

import os
from collections.abc import Callable
from pathlib import Path

import msgspec

from countersight.errors import ModelError
from countersight.models.matcher.sequences import Inputs

GRAPH, TOKENIZER, SHEET = "matcher.onnx", "tokenizer.json", "matcher.json"
PLAN = "plan.json"
"""The settings of a training, in the folder above its seeds."""


class Sheet(msgspec.Struct, frozen=True):
    """The inputs of a matcher in training, so that it gets the same when it is asked."""

    inputs: Inputs
    view: str = ""
    """The encoder of its pictures: `embedded`, `hf:FOLDER`, `files`, or empty for none."""
    surface: bool = False
    """Whether it gets counted features (`surface`)."""
    features: str = ""
    """The folder of regions it was trained on, if they came from files."""
    version: int = 1
    region: int = 0
    """The number of features of a region; 0 if it uses none, or if an older version did not record it."""

    def with_folders(self, told: Callable[[str], str]) -> "Sheet":
        """Return the sheet with its folders replaced by `told(folder)`."""
        kind, colon, tower = self.view.partition(":")
        view = f"{kind}{colon}{told(tower)}" if tower else self.view
        return msgspec.structs.replace(self, view=view, features=told(self.features) if self.features else "")


def members(folder: Path) -> list[Path]:
    """Return the matchers in a folder: one, or one per seed, whose scores are averaged."""
    if (folder / SHEET).is_file():
        return [folder]
    found = sorted(one.parent for one in folder.glob(f"seed-*/{SHEET}")) if folder.is_dir() else []
    if not found:
        raise ModelError(f"{folder} contains no matcher; train one with `countersight train matcher … -o {folder}`")
    return found


def untrained_seeds(folder: Path) -> list[int]:
    """Return the planned seeds that were not trained; empty if there is no plan."""
    try:
        planned = msgspec.json.decode((folder / PLAN).read_bytes())["plan"]["seeds"]
    except (OSError, msgspec.MsgspecError, KeyError, TypeError):
        return []
    return [seed for seed in planned if not (folder / f"seed-{seed}" / SHEET).is_file()]


def write_sheet(folder: Path, sheet: Sheet) -> None:
    """Write the sheet of one matcher, with folders relative to its own.

    It may be opened from another working directory, and all folders may be moved together.
    """
    placed = sheet.with_folders(lambda path: _from(folder, path) if Path(path).exists() else path)
    (folder / SHEET).write_bytes(msgspec.json.format(msgspec.json.encode(placed)) + b"\n")


def _from(folder: Path, path: str) -> str:
    """Return the relative path from one folder to another, with links above both resolved, so that ".." is correct."""
    asked = Path(path).absolute()
    return os.path.relpath(asked.parent.resolve() / asked.name, folder.resolve())


def read_sheet(folder: Path) -> Sheet:
    """Read the sheet of one matcher, with folders as paths from here."""
    try:
        sheet = msgspec.json.decode((folder / SHEET).read_bytes(), type=Sheet)
    except (OSError, msgspec.DecodeError) as error:
        raise ModelError(f"{folder / SHEET}: {error}") from None
    return sheet.with_folders(lambda path: _reached(folder, path))


def _reached(folder: Path, path: str) -> str:
    """Return a folder of a sheet; if it is not next to the matcher, it is a model's name or from an older version."""
    placed = os.path.realpath(folder / path)
    return placed if path.startswith(os.pardir) or Path(placed).exists() else path
