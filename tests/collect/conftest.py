"""What the tests of collecting share."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from collecting import Visitor, make_campaign, opened
from postgresql import binaries, cluster
from sqlalchemy import create_engine, text

from countersight.collect.campaign import Campaign


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small audit of our own model on drawn scenes, judged exactly."""
    folder = tmp_path_factory.mktemp("audited")
    make = ["make", "cvqa-synthetic", "--size", "4", "--seed", "5", "--workers", "1", "-o", str(folder / "scenes")]
    audit = ["audit", str(folder / "scenes"), "--model", "embedded", "--editor", "exact", "--judge", "exact"]
    for words in (make, [*audit, "--extractor", "rules", "-o", str(folder / "audit")]):
        # In a process of its own: while a browser is open, its event loop runs in this one.
        subprocess.run([sys.executable, "-m", "countersight", *words], check=True, stdout=subprocess.DEVNULL)
    return folder / "audit"


@pytest.fixture
def opening(tmp_path: Path) -> Iterator[Callable[..., tuple[partial[Visitor], Campaign]]]:
    """Open a campaign until the test ends, made first if a flow is named: what makes its visitors, and itself."""
    with ExitStack() as stack:

        def make(flow: str = "", *more: int, **sources: object) -> tuple[partial[Visitor], Campaign]:
            if flow:
                make_campaign(tmp_path / "campaign", flow, *more, **sources)
            app, campaign = stack.enter_context(opened(tmp_path / "campaign"))
            return partial(Visitor, app, campaign), campaign

        yield make


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """A PostgreSQL server of our own, for all tests of one process."""
    if binaries() is None:
        pytest.skip("there is no PostgreSQL on this machine")
    with cluster() as address:
        yield address


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> Iterator[str | None]:
    """The database of a campaign: SQLite in its folder, and a fresh one on a real PostgreSQL server."""
    if request.param == "sqlite":
        yield None
        return
    address = request.getfixturevalue("server")
    name = f"campaign_{uuid4().hex}"
    engine = create_engine(address.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    yield address.replace("/postgres?", f"/{name}?")
