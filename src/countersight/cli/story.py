"""The whole story on a fresh machine, without keys or downloads: make the suite, ask, report."""

from pathlib import Path

from countersight.cli.progress import counting
from countersight.cli.run import ask
from countersight.cli.stopping import STOPPED
from countersight.dataset import Dataset
from countersight.engine import RetryPolicy, RunOptions, find_prompt
from countersight.models import open_model
from countersight.reports import print_overview, write_report
from countersight.suites.cvqa import make_synthetic
from countersight.suites.worlds import make_supports

SEED = 7
MODELS = {
    "embedded": "embedded",
    "embedded:factual": "embedded-factual",
    "visprog:reference;vision=scene": "visprog-reference",
}
"""Who is asked, and the folder of the run."""


def demo(folder: Path, size: int) -> int:
    """Make a small suite, ask our own models in both worlds, write the report; goes on where it was stopped."""
    from rich.console import Console

    dataset = folder / "cvqa-synthetic"
    if not dataset.exists():
        with counting(f"Drawing {size:,} cases in two worlds", size, "cases") as progress:
            make_synthetic(dataset, size=size, seed=SEED, workers=None, progress=progress)
    print(f"Made {dataset}: C-VQA-Synthetic, seed {SEED}, every picture drawn in both worlds.")
    print("Asking embedded, which learned to imagine; embedded:factual, which sees as well but never met an if; and")
    print("visprog:reference, programs that count what classical vision finds: the ceiling of what can be seen here.")
    runs = {model: folder / "runs" / name for model, name in MODELS.items()}
    for model, run in runs.items():
        status = ask(
            dataset, run, open_model(model), RunOptions(find_prompt("0-shot"), shown=True), retry=RetryPolicy()
        )
        if status == STOPPED:
            return status
    report = write_report(list(runs.values()), folder / "report", progress=counting)
    print_overview(report.data, Console())
    print(f"\nThe report, with every case: {report.html.resolve()}")
    _show_a_world(folder / "supports")
    return 0


def _show_a_world(folder: Path) -> None:
    """One case of a world whose counterfactual is solved, told with its two pictures."""
    if not folder.exists():
        make_supports(folder, size=1, seed=SEED, workers=1, progress=counting)
    case = next(case for _, case in Dataset.open(folder).cases())
    asked = case.counterfactual
    assert asked is not None
    print(f"\nAnother suite has worlds that are solved (countersight make supports): {asked.text} {asked.answer}.")
    print(f"Before and after: {folder.resolve() / str(case.image)}, {case.counterfactual_image}")
