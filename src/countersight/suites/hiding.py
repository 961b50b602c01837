"""Make a dataset with hidden answers: first complete in a temporary place, with a secret seed."""

import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from countersight.errors import CountersightError


def secret_seed(seed: int | None) -> int:
    """Return a secret seed for a hidden dataset; raises if a seed was chosen."""
    if seed is not None:
        raise CountersightError(
            "a hidden dataset uses a secret random seed, because a known seed would reveal the answers; leave out "
            "`seed`"
        )
    return secrets.randbits(62)


@contextmanager
def whole_beside(folder: Path, key: Path) -> Iterator[tuple[Path, Path]]:
    """Yield a temporary folder for the dataset with its answers, and the folder for the version without them."""
    if key.exists():
        raise CountersightError(f"{key} already exists and may be the only key of a dataset; choose another name")
    if folder.exists() and (folder.is_file() or any(folder.iterdir())):
        raise CountersightError(f"{folder} exists already; remove it or choose another name")
    if key.resolve().is_relative_to(folder.resolve()):
        raise CountersightError(
            f"{key} is inside the dataset folder, where everybody could read it; choose another place"
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.whole-", dir=folder.parent) as place:
        yield Path(place) / folder.name, folder
