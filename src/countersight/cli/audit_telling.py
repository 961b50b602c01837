"""What the verbs of an audit tell while they work and at the end."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from countersight.audits import AuditTally, Finished


@contextmanager
def telling(name: str, tally: "AuditTally") -> Iterator[None]:
    """Show the steps of an audit while they are done, and what happened at the end."""
    from countersight.engine import showing

    try:
        with showing(name, tally, "steps"):
            yield
    finally:
        if tally.total:  # else it never began, and the error says why
            print(tally.summary(), file=sys.stderr)


def finish_audit(folder: Path, chosen: argparse.Namespace) -> "Finished":
    """Write, seal and tell what came of an audit."""
    from rich.console import Console

    from countersight.audits import finish, tell
    from countersight.cli.progress import counting

    finished = finish(folder, against=chosen.against, gallery=chosen.gallery, progress=counting)
    tell(finished.scores, Console(), finished.warnings, finished.conclusion)
    print(f"The page, case by case: {finished.html.resolve()}\nThe seal of the bundle: {finished.seal}")
    zip_audit(folder, chosen.zip)
    return finished


def zip_audit(folder: Path, to: Path | None) -> None:
    """The bundle in one file, where that is asked for."""
    if to is not None:
        from countersight.audits.bundle import zip_bundle

        zip_bundle(folder, to)
        print(f"The bundle in one file: {to}")
