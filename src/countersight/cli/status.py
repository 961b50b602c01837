"""`countersight status`: how far a run is, and which batches of it are out."""

import argparse
from pathlib import Path

from countersight.cli.parsing import Verbs, verb


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    status = verb(
        verbs, "status", _status, "say how far a run is, and which batches are out", "countersight status runs/gpt"
    )
    status.add_argument("run", type=Path, metavar="RUN")


def _status(chosen: argparse.Namespace) -> int:
    import time

    from countersight.engine import RunFolder, outstanding
    from countersight.scoring import judge_run

    print(str(judge_run(RunFolder.open(chosen.run)).scores()).splitlines()[0])
    for event in outstanding(chosen.run).values():
        hours = (time.time() - event.at) / 3600
        name = event.batch or f"{event.label} (not known to have arrived)"
        print(f"{name}: {len(event.names):,} questions out for {hours:.1f} h")
    return 0
