"""Snapshots: what users rely on, as text files that a person can read in a diff.

A test computes a text and compares it with `snapshots/NAME.txt`. To change a promise on purpose, name it:

    pytest tests/promises --rewrite-promises='python,made/*'

That writes the named snapshots and nothing else, and the rewriting tests still fail: run the tests again, read the
diff, and say in CHANGELOG.md what changed for users.
"""

import difflib
import tarfile
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

import pytest

SNAPSHOTS = Path(__file__).parent / "snapshots"
DATA = Path(__file__).parent / "data"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-promises", default="", metavar="NAMES", help="snapshots to rewrite, with commas")


@pytest.fixture
def promised(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the snapshot of a name, or rewrite that snapshot where its name was given."""
    rewritten = request.config.getoption("rewrite_promises", default="").split(",")

    def compare(name: str, found: str) -> None:
        path = SNAPSHOTS / f"{name}.txt"
        kept = path.read_text(encoding="utf-8") if path.exists() else ""
        if found == kept:
            return
        if any(fnmatch(name, pattern) for pattern in rewritten):
            path.parent.mkdir(exist_ok=True)
            path.write_text(found, encoding="utf-8")
            pytest.fail(f"snapshots/{name}.txt was rewritten: read its diff, and name the change in CHANGELOG.md")
        lines = difflib.unified_diff(kept.splitlines(), found.splitlines(), "promised", "found", lineterm="", n=1)
        shown = list(lines)[:60]
        pytest.fail(f"snapshots/{name}.txt differs from what was found:\n" + "\n".join(shown), pytrace=False)

    return compare


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Folders as commit 2753a27 left them, to be read and gone on with: see data/README.md."""
    with tarfile.open(DATA / "2753a27.tar.xz") as archive:
        archive.extractall(tmp_path / "old", filter="data")
    return tmp_path / "old"
