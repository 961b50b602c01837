"""Collecting under load: simulated workers over real HTTP through a whole flow, on SQLite and on PostgreSQL.

`python -m benchmarks.collecting [--database postgresql] [--kills 20]`. A campaign of 10,000 items is served by
`countersight collect serve` in a process of its own. Every worker takes an item, reads its page, saves a draft and
sends it, with pauses between; answers are such that some items go to a third person. Afterwards the database is asked:
is every contribution that was acknowledged there, once; is any seat taken twice, or held for ever?
"""

import argparse
import asyncio
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from crowd import PAUSE, Load, faults, look, make_campaign, run
from postgresql import cluster


def main(arguments: list[str] | None = None) -> None:
    """Print the figures of one database, with or without kills."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--workers", type=int, default=200)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--pause", type=float, nargs=2, default=PAUSE, metavar=("LEAST", "MOST"))
    parser.add_argument("--looks", type=int, default=40, help="how often a lead looks at every page afterwards")
    chosen = parser.parse_args(arguments)
    before = os.getloadavg()[0]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = stack.enter_context(cluster(durable=True)) if chosen.database == "postgresql" else None
        make_campaign(folder, chosen.items, database)
        how = {"workers": chosen.workers, "seconds": chosen.seconds, "kills": chosen.kills}
        load = asyncio.run(run(folder, database, **how, pause=tuple(chosen.pause)))
        found = faults(folder, database, load)
        looked = asyncio.run(look(folder, database, chosen.looks))
    requests = sum(map(len, load.seconds.values()))
    print(
        f"{chosen.database}: {chosen.workers} workers, {chosen.items:,} items, {chosen.seconds:g} s, "
        f"{chosen.kills} kills"
    )
    print(
        f"  load of the machine before: {before:.1f}; requests: {requests:,} ({requests / chosen.seconds:.0f} a second)"
    )
    print(f"  processor time of the server: {1000 * load.processor / requests:.2f} ms a request, its starts included")
    print_times(load)
    for name, number in (found | load.failures).items():
        print(f"  {name}: {number:,}")
    print("  then, with nobody else at work:")
    print_times(looked)


def print_times(load: Load) -> None:
    """The percentiles of every kind of request."""
    for name, seconds in load.seconds.items():
        p50, p95, p99 = (load.percentile(name, share) for share in (0.5, 0.95, 0.99))
        print(f"  {name:14} p50 {p50:7.1f} ms   p95 {p95:7.1f} ms   p99 {p99:7.1f} ms   ({len(seconds):,})")


if __name__ == "__main__":
    main()
