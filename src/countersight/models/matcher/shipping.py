"""The files of a trained matcher, and the sheet that describes them."""

import os
from collections.abc import Callable
from pathlib import Path

import msgspec

from countersight.errors import ModelError
from countersight.models.matcher.sequences import Inputs

GRAPH, TOKENIZER, SHEET = "matcher.onnx", "tokenizer.json", "matcher.json"
PLAN = "plan.json"
"""The settings of a training run, in the parent folder of its seeds."""


class Sheet(msgspec.Struct, frozen=True):
    """Describes the inputs that a matcher was trained with, so that it gets the same inputs later."""

    inputs: Inputs
    view: str = ""
    """The encoder of its pictures: `embedded`, `hf:FOLDER`, `files`, or empty for none."""
    surface: bool = False
    """Whether it gets surface features (`counting.surface`)."""
    features: str = ""
    """The folder of regions it was trained on, if they came from files."""
    version: int = 1
    region: int = 0
    """The number of features of a region; 0 if it uses none, or if an older version did not record it."""

    def with_folders(self, rename: Callable[[str], str]) -> "Sheet":
        """Return the sheet with every folder replaced by `rename(folder)`."""
        kind, colon, tower = self.view.partition(":")
        view = f"{kind}{colon}{rename(tower)}" if tower else self.view
        return msgspec.structs.replace(self, view=view, features=rename(self.features) if self.features else "")


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
    """Write the sheet of one matcher, with paths relative to its folder.

    The paths then work from any working directory, and after all folders are moved together.
    """
    placed = sheet.with_folders(lambda path: _relative_path(folder, path) if Path(path).exists() else path)
    (folder / SHEET).write_bytes(msgspec.json.format(msgspec.json.encode(placed)) + b"\n")


def _relative_path(folder: Path, path: str) -> str:
    """Return the relative path from one folder to another, with parent links resolved, so that ".." is correct."""
    asked = Path(path).absolute()
    return os.path.relpath(asked.parent.resolve() / asked.name, folder.resolve())


def read_sheet(folder: Path) -> Sheet:
    """Read the sheet of one matcher, with its paths resolved."""
    try:
        sheet = msgspec.json.decode((folder / SHEET).read_bytes(), type=Sheet)
    except (OSError, msgspec.DecodeError) as error:
        raise ModelError(f"{folder / SHEET}: {error}") from None
    return sheet.with_folders(lambda path: _resolved_path(folder, path))


def _resolved_path(folder: Path, path: str) -> str:
    """Return the full path of a folder in a sheet; model names, and paths from older versions, are unchanged."""
    placed = os.path.realpath(folder / path)
    return placed if path.startswith(os.pardir) or Path(placed).exists() else path
