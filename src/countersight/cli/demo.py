"""`countersight demo`: the whole story on a fresh machine."""

import argparse
from pathlib import Path

from countersight.cli.parsing import Verbs, positive, verb


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    demo = verb(verbs, "demo", _demo, "the whole story on a fresh machine: make, ask, report", "countersight demo")
    demo.add_argument("-o", "--output", type=Path, default=Path("demo"), metavar="DIR", help="folder (default: demo)")
    demo.add_argument("--size", type=positive, default=240, metavar="N", help="cases to make (default: 240)")


def _demo(chosen: argparse.Namespace) -> int:
    from countersight.cli.story import demo

    return demo(chosen.output, chosen.size)
