"""`countersight leaderboard`: runs of any suites on one page, beside what papers report."""

import argparse
from pathlib import Path

from countersight.cli.parsing import Verbs, verb
from countersight.errors import CountersightError


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    leaderboard = verb(
        verbs,
        "leaderboard",
        _leaderboard,
        "runs of any suites on one page that can be sorted, beside what papers report",
        "countersight leaderboard runs/* -o leaderboard",
    )
    leaderboard.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    leaderboard.add_argument(
        "-o", "--output", type=Path, default=Path("leaderboard"), metavar="DIR", help="default: leaderboard"
    )
    leaderboard.add_argument(
        "--dataset",
        type=Path,
        nargs="+",
        action="extend",
        default=[],
        metavar="DIR",
        help="where datasets are now, if they were moved; each run finds its own",
    )
    leaderboard.add_argument("--gold", type=Path, metavar="PATH", help="answers corrected since: a dataset or a table")
    leaderboard.add_argument("--key", type=Path, metavar="KEY", help="of a dataset whose answers are hidden")


def _leaderboard(chosen: argparse.Namespace) -> int:
    from countersight.leaderboards import write_leaderboard
    from countersight.text import several

    if chosen.key and chosen.gold:
        raise CountersightError("--key has the answers of a hidden dataset; leave out --gold")
    files = write_leaderboard(chosen.runs, chosen.output, datasets=chosen.dataset, gold=chosen.key or chosen.gold)
    for suite in files.data.suites:
        print(f"{suite.title}: {several(suite.runs, 'run')}, {several(len(suite.boards), 'table')}")
    print(f"The page: {files.html.resolve()}")
    return 0
