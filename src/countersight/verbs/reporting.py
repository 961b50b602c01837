"""Verbs that write pages about runs: `report` and `leaderboard`."""

from collections.abc import Sequence
from pathlib import Path

from countersight.arguments import check_from, checked
from countersight.audits import MANIFEST as AUDIT_MANIFEST
from countersight.audits.page import AuditTableFiles, write_audit_tables
from countersight.errors import CountersightError
from countersight.leaderboards import LeaderboardFiles, write_leaderboard
from countersight.progress import Progress, usual
from countersight.reports import GroupsFile, ReportFiles, write_report
from countersight.results import Audit
from countersight.suites.cvqa import NAME as CVQA_READING
from countersight.suites.cvqa import read_otherwise
from countersight.text import unknown
from countersight.verbs.inputs import SomeDataset, SomeRun, folder_of, folders_of, path_of, run_of


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
    groups: GroupsFile | None = None,
    reading: str | None = None,
    progress: Progress | None = None,
) -> ReportFiles | AuditTableFiles:
    """Write tables and a page about runs of one dataset, or about audits side by side; says where they are.

    `reading="cvqa"` sets a table beside the others in which C-VQA's plain rules read the replies.
    """
    check_from(0, gallery=gallery)
    paths = list(folders_of(runs))
    if paths and all((path / AUDIT_MANIFEST).is_file() for path in paths):
        return write_audit_tables(paths, Path(out), reference=reference, seed=seed)
    paths = [run_of(path).path for path in paths]
    if reading not in (None, CVQA_READING):
        raise CountersightError(unknown("reading", str(reading), [CVQA_READING]))
    where, right = path_of(dataset), path_of(gold)
    return write_report(
        paths,
        Path(out),
        dataset=where,
        gold=right,
        gallery=gallery,
        seed=seed,
        reference=reference,
        groups=groups,
        readings=[read_otherwise(paths, dataset=where, gold=right)] if reading else (),
        progress=progress or usual(),
    )


@checked
def leaderboard(
    runs: SomeRun | Sequence[SomeRun],
    *,
    out: Path | str = "leaderboard",
    datasets: Sequence[SomeDataset] = (),
    gold: SomeDataset | None = None,
) -> LeaderboardFiles:
    """Write one page about runs of whatever suites, beside what papers report; says where it is."""
    return write_leaderboard(
        [run_of(path).path for path in folders_of(runs)],
        Path(out),
        datasets=[folder_of(each) for each in datasets],
        gold=path_of(gold),
    )
