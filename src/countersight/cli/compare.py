"""`countersight compare`: how the scores of two reports differ, and whether that is more than allowed."""

import argparse
import sys
from pathlib import Path

from countersight.cli.parsing import Verbs, verb


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    compare = verb(
        verbs,
        "compare",
        _compare,
        "compare the scores of two reports, and fail where a measure changed more than allowed",
        "countersight compare main-report new-report --fail-if 'drop > 2' --fail-if 'counterfactual < -1'",
    )
    compare.add_argument("old", type=Path, metavar="OLD", help="a report, or its scores.json")
    compare.add_argument("new", type=Path, metavar="NEW", help="the same of another version, model or prompt")
    compare.add_argument(
        "--fail-if",
        action="append",
        default=[],
        metavar="CONDITION",
        help="exit with 1 if a measure changed so, new minus old in points: 'drop > 2', 'counterfactual < -1'",
    )


def _compare(chosen: argparse.Namespace) -> int:
    from rich.console import Console

    from countersight.html import print_grids
    from countersight.reports import Condition, changes_grid, read_scores, score_changes
    from countersight.text import printable

    conditions = [Condition.parse(words) for words in chosen.fail_if]
    old, new = read_scores(chosen.old), read_scores(chosen.new)
    found = score_changes(old, new)
    print_grids([changes_grid(old, new, found)], Console())
    failed = [(each, condition) for condition in conditions for each in found if condition.holds(each)]
    for change, condition in failed:
        words = f"{change.measure} changed by {change.points:+.1f} points ({condition})"
        print(f"{printable(change.run)}: {words}", file=sys.stderr)
    unknown = [each for each in conditions if each.measure not in {change.measure for change in found}]
    for condition in unknown:
        print(f"{condition}: the two files have no common figure for it", file=sys.stderr)
    return 1 if failed or unknown else 0
