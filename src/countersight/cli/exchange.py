"""`countersight export`, `push` and `import-run`: exchange datasets and runs with other tools."""

import argparse
import sys
from typing import Final

from countersight.cli.parsing import Verbs, print_bad, shared_options, verb
from countersight.text import printable, several

_EXPORT: Final = {
    "SOURCE": "a dataset or a run",
    "-o, --output PATH!": "the file or folder to write",
    "--to FORMAT!": "see: countersight list formats",
    "--split {train,test,all}=train": "the split of the pictures in a training file",
    "--yes-train-on-test": "allow training files to contain pictures of the test split",
    "--rai FILE": "croissant: responsible-AI information about the data (JSON)",
}
_PUSH: Final = {
    "SOURCE": "a dataset or a run",
    "TARGET": "the repository on the Hugging Face Hub: hf://OWNER/NAME; the token comes from HF_TOKEN",
    "--public": "make a new repository public (default: private)",
}
_IMPORT: Final = {
    "PATH": "the output of the other tool",
    "-o, --output RUN!": "the run folder to make",
    "--dataset DIR!": "the dataset whose questions were answered",
    "--from TOOL!>tool": "see: countersight list tools",
    "--model NAME=": "name of the model, if the files do not contain it",
}


def add(verbs: Verbs) -> None:
    """Add the commands of this module to the parser."""
    summary = "write a dataset or a run in the format of another tool"
    example = "countersight export runs/qwen --to inspect -o logs/qwen.eval"
    verb(verbs, "export", _export, summary, example, _EXPORT, shared_options("dataset"))
    summary = "upload a dataset or a run to the Hugging Face Hub"
    verb(verbs, "push", _push, summary, "countersight push flowers hf://my-name/flowers", _PUSH)
    summary = "import answers that were collected with another tool, as a run"
    example = "countersight import-run --from inspect logs/2026.eval --dataset flowers -o runs/there"
    verb(verbs, "import-run", _import, summary, example, _IMPORT)


def _export(chosen: argparse.Namespace) -> int:
    from countersight.exchange import Export, export_to

    order = Export(
        chosen.source,
        chosen.output,
        dataset=chosen.dataset,
        split=chosen.split,
        train_on_test=chosen.yes_train_on_test,
        facts=chosen.rai,
        on_bad=print_bad,
    )
    written = export_to(chosen.to, order)
    print(f"{several(written.count, written.noun)} in {chosen.output}")
    if written.note:
        print(written.note)
    return 0


def _push(chosen: argparse.Namespace) -> int:
    from countersight.exchange import push_to_hub

    print(push_to_hub(chosen.source, chosen.target, public=chosen.public))
    return 0


def _import(chosen: argparse.Namespace) -> int:
    from countersight.exchange import import_run
    from countersight.scoring import judge_run
    from countersight.suites import named_scores

    imported = import_run(chosen.tool, chosen.path, chosen.dataset, chosen.output, model=chosen.model, on_bad=print_bad)
    skipped = {
        "failed": imported.failed,
        "skipped: the question is not in the dataset": imported.strays,
        "skipped: the question already has an answer": imported.repeated,
    }
    words = "".join(f"; {number:,} {what}" for what, number in skipped.items() if number)
    answers = several(imported.answers, "answer")
    if imported.unanswered:
        total = imported.answers + imported.failed + imported.unanswered
        answers = f"imported {imported.answers:,} of {several(total, 'answer')}"
    print(printable(f"{answers} of {imported.run.manifest.model} in {chosen.output}{words}"))
    notes = [imported.unfinished] if imported.unfinished else []
    if imported.unanswered:
        notes.append(f"no answer to {several(imported.unanswered, 'question')} of the dataset")
    if notes:
        print(printable(f"{chosen.path} is not complete: {'; '.join(notes)}"), file=sys.stderr)
    print(named_scores(judge_run(imported.run)))
    return 0
