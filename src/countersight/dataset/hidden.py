"""Datasets with hidden answers: the right answers are in a separate key file, and only its holder can score.

The key contains a salt on its first line and the complete rows after it. The dataset contains a commitment instead, the
hash of salt and rows: the holder cannot change an answer unnoticed, and nobody can derive an answer from the
commitment.
"""

import hashlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from countersight import __version__
from countersight.case import TWO_WORLDS, Case, Option, Question
from countersight.dataset.folder import METADATA, Dataset
from countersight.dataset.writing import DatasetWriter
from countersight.errors import DatasetError
from countersight.files import write_whole

HIDDEN: Final = "hidden.json"
_KIND: Final = "countersight key"
_TOLD: Final = "## Accuracy without the pictures"


class Hidden(msgspec.Struct, frozen=True):
    """The commitment to the hidden answers of a dataset, and the number of cases."""

    commitment: str
    cases: int


class _Head(msgspec.Struct, frozen=True):
    """The first line of a key."""

    kind: str
    salt: str
    fingerprint: str
    """The fingerprint of the published rows, to detect later changes of the dataset."""


class AnswerKey(msgspec.Struct, frozen=True):
    """An opened key: the cases with their answers, and the commitment to them."""

    path: Path
    fingerprint: str
    commitment: str
    cases: dict[str, Case]


def secret_seed(seed: int | None) -> int:
    """Return a secret seed for a hidden dataset; raises if a seed was chosen."""
    if seed is not None:
        raise DatasetError(
            "a hidden dataset uses a secret random seed, because a known seed would reveal the answers; leave out "
            "`seed`"
        )
    return secrets.randbits(62)


@contextmanager
def whole_beside(folder: Path, key: Path) -> Iterator[tuple[Path, Path]]:
    """Yield a temporary folder for the dataset with its answers, and the folder for the version without them."""
    if key.exists():
        raise DatasetError(f"{key} already exists and may be the only key of a dataset; choose another name")
    if folder.exists() and (folder.is_file() or any(folder.iterdir())):
        raise DatasetError(f"{folder} exists already; remove it or choose another name")
    if key.resolve().is_relative_to(folder.resolve()):
        raise DatasetError(f"{key} is inside the dataset folder, where everybody could read it; choose another place")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.whole-", dir=folder.parent) as place:
        yield Path(place) / folder.name, folder


def hidden_in(dataset: Dataset) -> Hidden | None:
    """Return the record of a dataset's hidden answers, or None if its answers are not hidden."""
    file = dataset.path / HIDDEN
    if not file.exists():
        return None
    try:
        return msgspec.json.decode(file.read_bytes(), type=Hidden)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DatasetError(f"{file} is damaged ({error}); get a new copy of the dataset") from error


def hide(whole: Dataset, folder: Path, key: Path) -> Hidden:
    """Write a copy of a dataset without its answers to a new folder, and the key to a new file.

    Everything from which answers could be derived is left out: scenes, seed, causal graphs, roles of options, and the
    pictures of the changed worlds with the questions about them.
    """
    rows, salt = (whole.path / METADATA).read_bytes(), secrets.token_hex(32)
    hidden = Hidden(_commitment(salt, rows), whole.count)
    card = msgspec.json.decode((whole.path / "croissant.json").read_bytes())
    writer = DatasetWriter(
        folder,
        name=card["name"],
        description=card["description"],
        license=card.get("license", "unknown"),
        provenance={"answers": "hidden", "commitment": hidden.commitment, "countersight": __version__},
        sections=(lambda _: _section(whole, hidden),),
    )
    with writer:
        for _, case in whole.cases():
            shown = _without_answers(case)
            for name in filter(None, (shown.image, *shown.further_images)):
                if not (writer.staging / name).exists() and (whole.path / name).exists():
                    (writer.staging / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(whole.path / name, writer.staging / name)
            writer.add(shown)
        write_whole(writer.staging / HIDDEN, msgspec.json.format(msgspec.json.encode(hidden), indent=1) + b"\n")
    head = _Head(_KIND, salt, Dataset.open(folder).fingerprint)
    write_whole(key, msgspec.json.encode(head) + b"\n" + rows)
    os.chmod(key, 0o600)  # noqa: PTH101 - only its owner may read it
    return hidden


def is_key(path: Path) -> bool:
    """Whether a file is a key."""
    with open(path, "rb") as file:
        return file.read(len(_KIND) + 32).find(_KIND.encode()) >= 0


def open_key(path: Path) -> AnswerKey:
    """Read the cases of a key and compute the commitment to them."""
    line, _, rows = path.read_bytes().partition(b"\n")
    try:
        head = msgspec.json.decode(line, type=_Head)
        cases = [msgspec.json.decode(row, type=Case) for row in rows.splitlines() if row.strip()]
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} is not a complete key file: {error}") from error
    return AnswerKey(path, head.fingerprint, _commitment(head.salt, rows), {case.id: case for case in cases})


def check_key(dataset: Dataset, key: AnswerKey) -> None:
    """Raise DatasetError if the key does not belong to this dataset, or if the dataset was changed since."""
    hidden = hidden_in(dataset)
    if hidden is None:
        raise DatasetError(f"the answers of {dataset.path} are not hidden; leave out the key")
    if key.commitment != hidden.commitment:
        raise DatasetError(f"{key.path} is not the key of {dataset.path}: its answers do not match the commitment")
    if key.fingerprint != dataset.fingerprint:
        raise DatasetError(
            f"the rows of {dataset.path} were changed after its answers were hidden; get a new copy of the dataset"
        )


def _commitment(salt: str, rows: bytes) -> str:
    return hashlib.sha256(f"{_KIND}\n{salt}\n".encode() + rows).hexdigest()


def _without_answers(case: Case) -> Case:
    """Return the case without its answers and without anything that reveals them."""
    questions = {
        name: Question(
            question.text, "", question.kind, tuple(Option(option.text) for option in question.options), hidden=True
        )
        for name in TWO_WORLDS
        if (question := getattr(case, name))
    }
    return msgspec.structs.replace(
        case,
        **questions,
        shown=None,
        twice=None,
        counterfactual_image=None,
        counterfactual_digest="",
        provenance={},
        graph=None,
    )


def _section(whole: Dataset, hidden: Hidden) -> str:
    """Return the section of the card about hidden answers, and the original card's section about guessing."""
    _, heading, guessing = whole.card()[1].partition(_TOLD)
    return f"""## Hidden answers

The right answers of the {hidden.cases:,} cases are not in this folder. Their commitment is `{hidden.commitment}`, the
SHA-256 of a salt and of the rows with their answers; it shows whether the holder of the key changed them later.
Pictures after the change, and the questions about them, are left out, because they would reveal the answers.

```sh
countersight run THIS_FOLDER --model MODEL -o answers    # then submit the folder "answers"
countersight score answers --key KEY                     # by the holder of the key
```

{heading}{guessing}"""
