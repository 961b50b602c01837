"""Verbs that speak with other tools: `export` and `import_run`."""

from collections.abc import Callable
from pathlib import Path

from countersight.arguments import checked
from countersight.exchange import Export, Split, export_to
from countersight.exchange import import_run as bring_in
from countersight.results import Audit, Run
from countersight.verbs.inputs import SomeDataset, SomeRun, dataset_of, folder_of, maybe_path


@checked
def export(
    source: SomeDataset | SomeRun | Audit,
    out: Path | str,
    *,
    to: str = "cvqa",
    split: Split = "train",
    yes_train_on_test: bool = False,
    rai: Path | str | None = None,
) -> int:
    """Write a dataset, a run or an audit in the format of another tool; how many cases, questions or samples it has.

    Files for training hold the pictures of one `split`; those that are there to test with are refused. `rai` is a file
    of what people know of the dataset, for Croissant.
    """
    order = Export(folder_of(source), Path(out), split=split, train_on_test=yes_train_on_test, facts=maybe_path(rai))
    return export_to(to, order).count


@checked
def import_run(
    path: Path | str,
    dataset: SomeDataset,
    out: Path | str,
    *,
    tool: str,
    model: str = "",
    on_bad: Callable[[str], None] | None = None,
) -> Run:
    """Bring answers that were got with another tool in as a run; `model` names who answered where the file does not.

    What cannot be read of it is told to `on_bad`.
    """
    come = bring_in(tool, path, dataset_of(dataset), out, model=model, on_bad=on_bad or (lambda reason: None))
    return Run.open(come.run.path)
