"""`countersight demo`: a complete example without keys or downloads: makes a dataset, runs models, writes a report."""

import argparse
from typing import Final

from countersight.cli.parsing import Verbs, verb
from countersight.cli.terminal import EXIT_STOPPED, counting

SEED: Final = 7
MODELS: Final = {
    "embedded": "embedded",
    "embedded:factual": "embedded-factual",
    "visprog:reference?vision=scene": "visprog-reference",
}
"""The models that are run, and the folder of each run."""


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    options = {"-o, --output DIR=demo": "the folder to write", "--size N=240": "number of cases"}
    verb(
        verbs,
        "demo",
        _demo,
        "run a complete example: create cases, run models, write a report",
        "countersight demo",
        options,
    )


def _demo(chosen: argparse.Namespace) -> int:
    """Make a small suite, run the built-in models in both worlds and write the report; resumes an interrupted demo."""
    from rich.console import Console

    from countersight.cli.asking import ask
    from countersight.dataset import Dataset
    from countersight.engine import RetryPolicy, RunOptions, find_prompt
    from countersight.models import open_model
    from countersight.reports import print_overview, write_report
    from countersight.suites.cvqa import make_synthetic

    folder, size = chosen.output, chosen.size
    dataset = folder / "cvqa-synthetic"
    if not dataset.exists():
        make_synthetic(dataset, size=size, seed=SEED, progress=counting)
    print(f"Made {dataset}: C-VQA-Synthetic, seed {SEED}, every picture drawn in both worlds.")
    print("Running three models. embedded was trained on questions with and without a change, embedded:factual only on")
    print("questions without one. visprog:reference runs programs that count objects found by classical")
    print("computer vision.")
    runs = {model: folder / "runs" / name for model, name in MODELS.items()}
    opened, options = Dataset.open(dataset), RunOptions(find_prompt("0-shot"), shown=True)
    for model, run in runs.items():
        status = ask(opened, run, open_model(model), options, RetryPolicy())
        if status == EXIT_STOPPED:
            return status
    report = write_report(list(runs.values()), folder / "report", progress=counting)
    print_overview(report.data, Console())
    print(f"\nReport: {report.html.resolve()}")
    return 0
