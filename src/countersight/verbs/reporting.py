"""Verbs that write pages about runs: `report` and `leaderboard`."""

from collections.abc import Sequence
from pathlib import Path

from countersight.errors import CountersightError
from countersight.leaderboard import LeaderboardFiles, write_leaderboard
from countersight.progress import Progress, usual
from countersight.report import GroupsFile, ReportFiles, write_report
from countersight.suites.cvqa import NAME as CVQA_READING
from countersight.suites.cvqa import read_otherwise
from countersight.text import unknown
from countersight.verb import before_room
from countersight.verbs.given import SomeRun, run_of, runs_of


@before_room
def report(
    runs: SomeRun | Sequence[SomeRun],
    *,
    out: Path | str = "report",
    dataset: Path | None = None,
    gold: Path | None = None,
    gallery: int = 3000,
    seed: int = 0,
    reference: Sequence[str] | None = None,
    groups: GroupsFile | None = None,
    reading: str | None = None,
    progress: Progress | None = None,
) -> ReportFiles:
    """Write tables and a page about runs of one dataset; says where they are.

    `reading="cvqa"` sets a table beside the others in which C-VQA's plain rules read the replies.
    """
    paths = [run_of(each).path for each in runs_of(runs)]
    if reading not in (None, CVQA_READING):
        raise CountersightError(unknown("reading", str(reading), [CVQA_READING]))
    return write_report(
        paths,
        Path(out),
        dataset=dataset,
        gold=gold,
        gallery=gallery,
        seed=seed,
        reference=reference,
        groups=groups,
        readings=[read_otherwise(paths, dataset=dataset, gold=gold)] if reading else (),
        progress=progress or usual(),
    )


@before_room
def leaderboard(
    runs: SomeRun | Sequence[SomeRun],
    *,
    out: Path | str = "leaderboard",
    datasets: Sequence[Path] = (),
    gold: Path | None = None,
) -> LeaderboardFiles:
    """Write one page about runs of whatever suites, beside what papers report; says where it is."""
    return write_leaderboard([run_of(each).path for each in runs_of(runs)], Path(out), datasets=datasets, gold=gold)
