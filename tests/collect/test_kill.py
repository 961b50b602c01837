"""A server that is killed under load: nothing that was acknowledged is missing, nothing is held for ever."""

import asyncio
from pathlib import Path

import pytest
from crowd import run
from large_campaigns import large_campaign
from losses import WRONG, faults


@pytest.mark.slow
def test_a_killed_server_loses_nothing_it_acknowledged(tmp_path: Path):
    large_campaign(tmp_path, "cosim", 200)
    load = asyncio.run(run(tmp_path, None, workers=6, seconds=8, kills=2, pause=(0.01, 0.1)))
    found = faults(tmp_path, None, load)
    assert found["acknowledged"] > 5
    assert {name: found[name] for name in WRONG} == dict.fromkeys(WRONG, 0)
