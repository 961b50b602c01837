"""Reports, statistics and files from datasets and runs: `report`, `describe`, `export` and others."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from countersight.audits import MANIFEST as AUDIT_MANIFEST
from countersight.audits.page import AuditTableFiles, write_audit_tables
from countersight.authoring import read_funnel
from countersight.blindness import Blind, measure_dataset
from countersight.description import DatasetStatistics
from countersight.description import describe as describe_cases
from countersight.exchange import Export, Split, export_to, push_to_hub
from countersight.exchange import import_run as import_run_of
from countersight.files import refuse_foreign_folder
from countersight.leaderboards import LeaderboardFiles, write_leaderboard
from countersight.progress import Progress, usual
from countersight.reports import ReportFiles, ScoreChange, read_scores, score_changes, write_report
from countersight.results import Audit, Run
from countersight.verbs.inputs import (
    SomeDataset,
    SomeRun,
    check_from,
    checked,
    dataset_of,
    folder_of,
    folders_of,
    path_of,
    run_of,
)


@checked
def report(
    runs: SomeRun | Audit | Sequence[SomeRun | Audit],
    *,
    out: Path | str = "report",
    dataset: SomeDataset | None = None,
    gold: SomeDataset | None = None,
    gallery: int = 3000,
    seed: int = 0,
    reference: Sequence[str] | None = None,
    groups: Path | str | None = None,
    progress: Progress | None = None,
) -> ReportFiles | AuditTableFiles:
    """Write tables and a page about runs of one dataset, or about several audits; returns the paths of the files."""
    check_from(0, gallery=gallery)
    paths = list(folders_of(runs))
    refuse_foreign_folder(Path(out), "report.html")
    if paths and all((path / AUDIT_MANIFEST).is_file() for path in paths):
        return write_audit_tables(paths, Path(out), reference=reference)
    return write_report(
        paths,
        Path(out),
        dataset=path_of(dataset),
        gold=path_of(gold),
        gallery=gallery,
        seed=seed,
        reference=reference,
        groups=path_of(groups),
        progress=progress or usual(),
    )


@checked
def compare(old: SomeRun, new: SomeRun) -> list[ScoreChange]:
    """Compare the scores of two runs or reports on one dataset; returns the change of each score, new minus old.

    `old` and `new` are runs, folders of runs or reports, or the `scores.json` of a report.
    """
    before, after = (read_scores(each.path if isinstance(each, Run) else Path(each)) for each in (old, new))
    return score_changes(before, after)


@checked
def leaderboard(
    runs: SomeRun | Sequence[SomeRun],
    *,
    out: Path | str = "leaderboard",
    datasets: Sequence[SomeDataset] = (),
    gold: SomeDataset | None = None,
) -> LeaderboardFiles:
    """Write one page that compares runs of any suites with published results; returns the paths of the files."""
    return write_leaderboard(
        list(folders_of(runs)),
        Path(out),
        datasets=[folder_of(each) for each in datasets],
        gold=path_of(gold),
    )


@checked
def describe(dataset: SomeDataset) -> DatasetStatistics:
    """Compute statistics of a dataset: number of cases, length of questions, balance of answers."""
    opened = dataset_of(dataset)
    return describe_cases((case for _, case in opened.cases()), read_funnel(opened.path))


@checked
def blind(dataset: SomeDataset, *, runs: Iterable[SomeRun] = (), graphs: Path | str | None = None) -> Blind:
    """Measure what can be answered without the pictures: probes of text, options and templates, compared with chance.

    `runs` are runs without the pictures (`prompt="text-only"`); each is one more probe.
    `graphs` is a mined folder from which common knowledge is derived (default: the folder that contains the dataset).
    """
    return measure_dataset(dataset_of(dataset), runs=[run_of(run) for run in runs], graphs=path_of(graphs))


@checked
def export(
    source: SomeDataset | SomeRun,
    out: Path | str,
    *,
    to: str,
    split: Split = "train",
    yes_train_on_test: bool = False,
    rai: Path | str | None = None,
) -> int:
    """Write a dataset or a run in the format of another tool; returns the number of cases or samples written.

    Training files contain the pictures of one `split`; test pictures are refused. `rai` is a file of responsible-AI
    facts for Croissant.
    """
    order = Export(folder_of(source), Path(out), split=split, train_on_test=yes_train_on_test, facts=path_of(rai))
    return export_to(to, order).count


@checked
def push(source: SomeDataset | SomeRun, to: str, *, public: bool = False) -> str:
    """Upload a dataset or a run to the Hugging Face Hub, at `hf://OWNER/NAME`; return the address of the repository.

    The token is taken from HF_TOKEN. A new repository is private unless `public` is true.
    """
    return push_to_hub(folder_of(source), to, public=public)


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
    """Import answers collected with another tool as a run; `model` names the model if the file does not.

    Rows that cannot be read are passed to `on_bad`.
    """
    imported = import_run_of(tool, path, dataset_of(dataset), out, model=model, on_bad=on_bad or (lambda reason: None))
    return Run.open(imported.run.path)
