"""`countersight export`: a dataset's questions in the layout of its paper."""

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
        "write a dataset's questions in the published layout: C-VQA's CSV, or CELLO's JSONL by the name of the file",
        "countersight export flowers -o questions.csv",
    )
    export.add_argument("dataset", type=Path, metavar="DATASET")
    export.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="a .csv, or a .jsonl for CELLO"
    )


def _export(chosen: argparse.Namespace) -> int:
    from countersight.dataset import Dataset
    from countersight.suites.cello import export_jsonl
    from countersight.suites.cvqa import export_csv

    write = export_jsonl if chosen.output.suffix == ".jsonl" else export_csv
    written = write((case for _, case in Dataset.open(chosen.dataset).cases(print_bad)), chosen.output)
    print(f"{several(written, 'case')} in {chosen.output}")
    return 0
