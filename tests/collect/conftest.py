"""What the tests of collecting share."""

from pathlib import Path

import pytest

from countersight.audit import Options, audit_dataset, find_prompts
from countersight.engine import Patience
from countersight.suites.cvqa import make_synthetic


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small audit of our own model on drawn scenes, judged exactly."""
    folder = tmp_path_factory.mktemp("audited")
    make_synthetic(folder / "scenes", size=2, seed=5, workers=1, progress=lambda done: None)
    options = Options(
        model="embedded",
        extractor="rules",
        editor="exact",
        judges=("exact",),
        prompts=find_prompts("brief"),
        patience=Patience(concurrency=4, attempts=3, backoff=0.01),
    )
    audit_dataset(folder / "scenes", folder / "audit", options)
    return folder / "audit"
