"""`countersight export` and `countersight import-run`: out to other tools, and in from them."""

import argparse
import sys
from pathlib import Path

from countersight.cli.parsing import Verbs, print_bad, verb
from countersight.text import printable, several


def add(verbs: Verbs) -> None:
    """Add the verbs to the command line."""
    export = verb(
        verbs,
        "export",
        _export,
        "write a dataset, a run or an audit in the format of another tool; see: countersight list formats",
        "countersight export runs/qwen --to inspect -o logs/qwen.eval",
    )
    export.add_argument("source", type=Path, metavar="DATASET|RUN|AUDIT")
    export.add_argument("--to", metavar="FORMAT", help="(default: the paper's layout, by the ending .csv or .jsonl)")
    export.add_argument("-o", "--output", type=Path, required=True, metavar="PATH", help="the file or folder to write")
    export.add_argument("--dataset", type=Path, metavar="DIR", help="where the dataset of a run is, if it was moved")
    export.add_argument(
        "--split",
        choices=("train", "test", "all"),
        default="train",
        help="which pictures go into a file for training (default: train)",
    )
    export.add_argument(
        "--yes-train-on-test",
        action="store_true",
        help="let a file for training hold what is there to test with",
    )
    export.add_argument("--rai", type=Path, metavar="FILE", help="croissant: what people know of the data (JSON)")
    _add_import(verbs)


def _add_import(verbs: Verbs) -> None:
    bring = verb(
        verbs,
        "import-run",
        _import,
        "bring in answers that were got with another tool, as a run",
        "countersight import-run --from inspect logs/2026.eval --dataset flowers -o runs/there",
    )
    bring.add_argument("path", type=Path, metavar="PATH", help="what the other tool wrote")
    bring.add_argument("--from", dest="tool", required=True, metavar="TOOL", help="see: countersight list tools")
    bring.add_argument("--dataset", type=Path, required=True, metavar="DIR", help="the dataset that was asked")
    bring.add_argument("--model", default="", metavar="NAME", help="who answered, where the files do not say")
    bring.add_argument("-o", "--output", type=Path, required=True, metavar="RUN", help="the run folder to make")


def _export(chosen: argparse.Namespace) -> int:
    from countersight.exchange import Export, export_to

    papers = "cello" if chosen.output.suffix == ".jsonl" else "cvqa"
    order = Export(
        chosen.source,
        chosen.output,
        dataset=chosen.dataset,
        split=chosen.split,
        train_on_test=chosen.yes_train_on_test,
        facts=chosen.rai,
        on_bad=print_bad,
    )
    written = export_to(chosen.to or papers, order)
    print(f"{several(written.count, written.noun)} in {chosen.output}")
    if written.note:
        print(written.note)
    return 0


def _import(chosen: argparse.Namespace) -> int:
    from countersight.exchange import import_run
    from countersight.scoring import score_run

    come = import_run(chosen.tool, chosen.path, chosen.dataset, chosen.output, model=chosen.model, on_bad=print_bad)
    amiss = {
        "failed": come.failed,
        "for questions that the dataset does not have": come.strays,
        "for questions that have an answer already": come.repeated,
    }
    words = "".join(f"; {number:,} {what}" for what, number in amiss.items() if number)
    print(printable(f"{several(come.answers, 'answer')} of {come.run.manifest.model} in {chosen.output}{words}"))
    told = [come.unfinished] if come.unfinished else []
    if come.unanswered:
        told.append(f"no answer to {several(come.unanswered, 'question')} of the dataset")
    if told:
        print(printable(f"{chosen.path} is not complete: {'; '.join(told)}"), file=sys.stderr)
    print(score_run(come.run))
    return 0
