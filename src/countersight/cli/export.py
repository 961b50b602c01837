"""`countersight export`: a dataset's questions as the published CSV."""

import argparse
from pathlib import Path

from countersight.cli.parsing import Verbs, print_bad, verb
from countersight.text import several


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    export = verb(
        verbs,
        "export",
        _export,
        "write a dataset's questions in the published CSV layout",
        "countersight export flowers -o questions.csv",
    )
    export.add_argument("dataset", type=Path, metavar="DATASET")
    export.add_argument("-o", "--output", type=Path, required=True, metavar="CSV")


def _export(chosen: argparse.Namespace) -> int:
    from countersight.dataset import Dataset
    from countersight.suites.cvqa import export_csv

    written = export_csv((case for _, case in Dataset.open(chosen.dataset).cases(print_bad)), chosen.output)
    print(f"{several(written, 'case')} in {chosen.output}")
    return 0
