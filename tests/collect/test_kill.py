"""A server that is killed under load: nothing that was acknowledged is missing, nothing is held for ever."""

import asyncio
from pathlib import Path

import pytest
from crowd import run
from large_campaigns import large_campaign
from losses import WRONG, faults


def assert_nothing_is_lost(folder: Path, database: str | None, *, kills: int, seconds: float) -> None:
    large_campaign(folder, "cosim", 200, database)
    load = asyncio.run(run(folder, database, workers=6, seconds=seconds, kills=kills, pause=(0.01, 0.1)))
    found = faults(folder, database, load)
    assert found["acknowledged"] > 5
    assert {name: found[name] for name in WRONG} == dict.fromkeys(WRONG, 0)


@pytest.mark.slow
def test_twenty_kills_lose_nothing_that_was_acknowledged(tmp_path: Path, database: str | None):
    assert_nothing_is_lost(tmp_path, database, kills=20, seconds=80)
