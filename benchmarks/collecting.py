"""Load-test `countersight collect`: simulated workers run whole flows over real HTTP, on SQLite or PostgreSQL.

`python -m benchmarks.collecting [--flow cosim cfmm …] [--database postgresql] [--kills 20]`. For each flow,
`countersight collect serve` runs in a separate process with a half-finished campaign of 10,000 items. Workers take
items of any phase, read pages, save drafts, send the requests of a browser while somebody types, flag and submit, with
pauses in between; reviewers decide the flags. Afterwards the database is checked: everything acknowledged must be
stored exactly once and paid, and no assignment may be given to two workers or stay reserved forever.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from crowd import PAUSE, Load, run
from large_campaigns import large_campaign
from losses import faults
from postgresql import cluster

from countersight.collect.flows import FLOWS


def main(arguments: list[str] | None = None) -> None:
    """Print the figures of one database, with or without kills."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flow", nargs="+", choices=list(FLOWS), default=list(FLOWS))
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--workers", type=int, default=200)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--pause", type=float, nargs=2, default=PAUSE, metavar=("LEAST", "MOST"))
    chosen = parser.parse_args(arguments)
    for flow in chosen.flow:
        _measure(flow, chosen)


def _measure(flow: str, chosen: argparse.Namespace) -> None:
    before = os.getloadavg()[0]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = stack.enter_context(cluster(durable=True)) if chosen.database == "postgresql" else None
        large_campaign(folder, flow, chosen.items, database)
        how = {"workers": chosen.workers, "seconds": chosen.seconds, "kills": chosen.kills}
        load = asyncio.run(run(folder, database, **how, pause=tuple(chosen.pause)))
        found = faults(folder, database, load)
    requests = sum(map(len, load.seconds.values()))
    print(
        f"{flow} on {chosen.database}: {chosen.workers} workers, pausing {chosen.pause[0]:g} to {chosen.pause[1]:g} s, "
        f"{chosen.items:,} items, {chosen.seconds:g} s, {chosen.kills} kills; "
        f"load of the machine before {before:.1f}, after {os.getloadavg()[0]:.1f}"
    )
    print(f"  requests: {requests:,} ({requests / chosen.seconds:.0f} a second); processor time of the server: "
          f"{1000 * load.processor / requests:.2f} ms a request")  # fmt: skip
    _print_times(load)
    print("  " + "; ".join(f"{name} {number:,}" for name, number in (found | load.failures).items()))


def _print_times(load: Load) -> None:
    """Print the percentiles of every kind of request, and of all pages together."""
    pages = [name for name in load.seconds if name.startswith("GET")]
    for names in (pages, *([name] for name in load.seconds)):
        title = names[0] if len(names) == 1 else "all pages"
        p50, p95, p99 = (load.percentile(names, share) for share in (0.5, 0.95, 0.99))
        number = sum(len(load.seconds[name]) for name in names)
        print(f"  {title:28} p50 {p50:7.1f} ms   p95 {p95:7.1f} ms   p99 {p99:7.1f} ms   ({number:,})", flush=True)


if __name__ == "__main__":
    main()
