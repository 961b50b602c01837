"""`countersight make`: make or import a dataset."""

import argparse
import sys
from pathlib import Path

from countersight.cli.parsing import Verbs, positive, verb
from countersight.errors import CountersightError
from countersight.suites import IMPORTERS
from countersight.wording import printable, several

BAD_ROWS_SHOWN = 20


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    make = verb(
        verbs,
        "make",
        _make,
        "make or import a dataset",
        "countersight make cvqa-synthetic --size 3000 --seed 7 -o flowers",
    )
    make.add_argument("suite", choices=list(IMPORTERS), help="which benchmark; see: countersight list suites")
    make.add_argument("--size", type=positive, default=3000, metavar="N", help="cases to make (default: 3000)")
    make.add_argument("--seed", type=int, default=0, help="same seed, same pixels (default: 0)")
    make.add_argument("--workers", type=positive, metavar="N", help="processes (default: one a core)")
    make.add_argument(
        "--from", dest="source", type=Path, metavar="FILE", help="import the published questions from this file"
    )
    make.add_argument("--pictures", type=Path, metavar="DIR", help="with --from: the folder of the published pictures")
    make.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="the dataset folder to make")


def _make(chosen: argparse.Namespace) -> int:
    if chosen.source is not None:
        return _import(chosen)
    if chosen.suite != "cvqa-synthetic":
        importer = IMPORTERS[chosen.suite]
        raise CountersightError(f"{chosen.suite} is imported: name its file with --from ({importer.file})")
    if chosen.pictures is not None:
        raise CountersightError("--pictures goes with --from")
    from countersight.progress import counting
    from countersight.suites import cvqa_synthetic

    with counting("Drawing", chosen.size, "cases") as progress:
        cvqa_synthetic.make_dataset(
            chosen.output, size=chosen.size, seed=chosen.seed, workers=chosen.workers, progress=progress
        )
    print(f"{several(chosen.size, 'case')} in {chosen.output}")
    return 0


def _import(chosen: argparse.Namespace) -> int:
    shown = iter(range(BAD_ROWS_SHOWN))

    def bad(line: int, field: str, reason: str) -> None:
        if next(shown, None) is not None:
            print(printable(f"{chosen.source} line {line}: {field}: {reason}"), file=sys.stderr)

    importer = IMPORTERS[chosen.suite]
    imported = importer.import_dataset(chosen.source, chosen.output, pictures=chosen.pictures, on_bad=bad)
    print(f"{several(imported.cases, 'case')} in {chosen.output}, {several(imported.bad, 'bad row')} left out")
    if imported.without_picture:
        print(
            f"{imported.without_picture:,} without a picture: models that look cannot be asked about them, and "
            "Hugging Face opens only folders with pictures; give theirs with --pictures"
        )
    return 0
