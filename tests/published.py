"""Files that others published. They are not part of this repository: tests that read them are skipped without them."""

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("COUNTERSIGHT_DATA", Path(__file__).parents[2] / "shared" / "data"))


def published(name: str) -> Path:
    """A published file by its path inside the data folder."""
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"{name} is not here; name the folder that holds it in COUNTERSIGHT_DATA")
    return path
