"""A server that is killed under load: nothing that was acknowledged is missing, nothing is held for ever."""

import asyncio
from pathlib import Path

import pytest
from crowd import faults, make_campaign, run


@pytest.mark.slow
def test_a_killed_server_loses_nothing_it_acknowledged(tmp_path: Path):
    make_campaign(tmp_path, 60, None)
    load = asyncio.run(run(tmp_path, None, workers=6, seconds=8, kills=2, pause=(0.01, 0.1)))
    found = faults(tmp_path, None, load)
    assert found["acknowledged"] > 5
    wrong = ("lost", "doubled", "seats taken twice", "held for ever", "locked", "server errors")
    assert {name: found[name] for name in wrong} == dict.fromkeys(wrong, 0)
