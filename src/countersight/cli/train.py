"""`countersight train`: train the embedded model again."""

import argparse
from pathlib import Path

from countersight.cli.parsing import Verbs, verb


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    train = verb(
        verbs,
        "train",
        _train,
        "train the embedded model again, from scratch",
        "countersight train embedded -o training",
    )
    train.add_argument("what", choices=["embedded"], help="which model")
    train.add_argument("--plan", type=Path, metavar="TOML", help="another plan than that of the shipped model")
    train.add_argument(
        "--from-shipped",
        action="store_true",
        help="keep the shipped encoder and go on from the shipped decoders, instead of from scratch",
    )
    train.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DIR", help="checkpoints, curves and weights"
    )


def _train(chosen: argparse.Namespace) -> int:
    from countersight.training import train

    train(chosen.output, plan=chosen.plan, from_shipped=chosen.from_shipped)
    return 0
