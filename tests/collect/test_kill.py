"""A server that is killed under load: nothing that was acknowledged is missing, nothing stays reserved."""

import asyncio
from pathlib import Path

import pytest
from crowd import run
from large_campaigns import large_campaign
from losses import WRONG, faults

KILLS, BETWEEN = 20, 5


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_twenty_kills_lose_nothing_that_was_acknowledged(tmp_path: Path, database: str | None):
    large_campaign(tmp_path, "cosim", 400, database)
    how = {"workers": 6, "seconds": 600, "kills": KILLS, "after": BETWEEN, "pause": (0.01, 0.1)}
    load = asyncio.run(run(tmp_path, database, **how))
    found = faults(tmp_path, database, load)
    assert found["acknowledged"] >= KILLS * BETWEEN
    assert {name: found[name] for name in WRONG} == dict.fromkeys(WRONG, 0)
