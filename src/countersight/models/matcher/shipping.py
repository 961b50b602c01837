"""The files of a trained matcher, and the sheet that says what they are."""

from pathlib import Path

import msgspec

from countersight.errors import ModelError
from countersight.models.matcher.sequences import Inputs

GRAPH, TOKENIZER, SHEET = "matcher.onnx", "tokenizer.json", "matcher.json"


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


def members(folder: Path) -> list[Path]:
    """The matchers of a folder: one, or one a seed, whose opinions are averaged."""
    if (folder / SHEET).is_file():
        return [folder]
    found = sorted(one.parent for one in folder.glob(f"seed-*/{SHEET}")) if folder.is_dir() else []
    if not found:
        raise ModelError(f"{folder} holds no matcher; `countersight train matcher … -o {folder}` makes one")
    return found


def read_sheet(folder: Path) -> Sheet:
    """The sheet of one matcher."""
    try:
        return msgspec.json.decode((folder / SHEET).read_bytes(), type=Sheet)
    except (OSError, msgspec.DecodeError) as error:
        raise ModelError(f"{folder / SHEET}: {error}") from None
