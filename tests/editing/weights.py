"""Real weights that others published, no part of this repository: tests that read them are skipped without them."""

import os
from pathlib import Path

import pytest


def weights(name, source):
    """A file of weights by its path inside the folder that COUNTERSIGHT_WEIGHTS names."""
    path = Path(os.environ.get("COUNTERSIGHT_WEIGHTS", "")) / name
    if "COUNTERSIGHT_WEIGHTS" not in os.environ or not path.is_file():
        pytest.skip(f"no {name} ({source}); name the folder that holds it in COUNTERSIGHT_WEIGHTS")
    return path
