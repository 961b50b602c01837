"""scores.json: the scores of runs in a file with a documented schema, and how two such files differ."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from countersight import __version__
from countersight.errors import CountersightError
from countersight.files import write_text
from countersight.html import NOTHING, Figure, Grid, Line, TableCell, count, name, percent
from countersight.reports.data import ReportData, RunScores
from countersight.suites import PLAIN_MEASURES
from countersight.text import unknown

SCORES_JSON: Final = "scores.json"
MEASURES: Final = (*PLAIN_MEASURES, "unread_rate")
"""What can be compared."""


class ScoreValue(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A share or a difference of shares from 0 to 1 (-1 to 1), its 95 % interval, and the cases that it rests on."""

    value: float
    low: float
    high: float
    n: int
    p: float | None = None
    """Of a difference: two-sided."""


class GroupOfScores(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The scores of one group of cases. A measure is absent where nothing was scored."""

    n: int
    """Cases in the group."""
    questions: int
    scored: int
    """Questions that count: right, wrong or unread."""
    unread_rate: float | None = None
    factual: ScoreValue | None = None
    counterfactual: ScoreValue | None = None
    drop: ScoreValue | None = None
    both_right: ScoreValue | None = None
    shown: ScoreValue | None = None
    imagination_gap: ScoreValue | None = None
    fell_back: ScoreValue | None = None


class ScoredRun(msgspec.Struct, frozen=True, kw_only=True):
    """One model asked one dataset in one way; `groups` has one entry per group, and "all"."""

    label: str
    model: str
    prompt: str
    answering: str
    started: str
    groups: dict[str, GroupOfScores]


class ScoresFile(msgspec.Struct, frozen=True, kw_only=True):
    """What scores.json holds."""

    format: Literal["countersight-scores-1"] = "countersight-scores-1"
    countersight: str
    dataset: str
    fingerprint: str
    cases: int
    confidence: float
    runs: tuple[ScoredRun, ...]


class ScoreChange(msgspec.Struct, frozen=True):
    """How a measure of a run differs between two files: new minus old, in points."""

    run: str
    measure: str
    old: float
    new: float

    @property
    def points(self) -> float:
        """New minus old."""
        return 100 * (self.new - self.old)


def scores_file(report: ReportData) -> ScoresFile:
    """The scores of a report."""
    return ScoresFile(
        countersight=__version__,
        dataset=report.dataset,
        fingerprint=report.fingerprint,
        cases=report.cases,
        confidence=report.confidence,
        runs=tuple(map(_run, report.runs)),
    )


def _run(run: RunScores) -> ScoredRun:
    groups = {
        scores.group: GroupOfScores(
            n=scores.n,
            questions=scores.questions,
            scored=scores.scored,
            unread_rate=scores.unread_rate,
            **{key: _value(getattr(scores, key)) for key in PLAIN_MEASURES},
        )
        for scores in run.groups
    }
    return ScoredRun(
        label=run.label,
        model=run.model,
        prompt=run.prompt,
        answering=run.answering,
        started=run.started,
        groups=groups,
    )


def _value(figure: Figure | None) -> ScoreValue | None:
    if figure is None or figure.value is None:
        return None
    return ScoreValue(value=figure.value, low=figure.low, high=figure.high, n=figure.n, p=figure.p)


def write_scores(report: ReportData, path: Path) -> Path:
    """Write the scores of a report."""
    return write_text(path, msgspec.json.format(msgspec.json.encode(scores_file(report)), indent=2).decode() + "\n")


def read_scores(path: Path) -> ScoresFile:
    """Read a scores.json, or the one in the folder of a report."""
    file = path / SCORES_JSON if path.is_dir() else path
    if not file.is_file():
        raise CountersightError(f"there is no {file}; name the folder of a report, or a scores.json that one has")
    try:
        return msgspec.json.decode(file.read_bytes(), type=ScoresFile)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise CountersightError(f"{file} is not a scores.json of this version: {error}") from None


def score_changes(old: ScoresFile, new: ScoresFile) -> list[ScoreChange]:
    """How the runs of two files differ over all cases. Runs are matched by label; one and one are matched anyhow."""
    if old.fingerprint != new.fingerprint:
        raise CountersightError(
            f"the scores are of different datasets: {old.dataset} ({old.fingerprint[:12]}) and {new.dataset} "
            f"({new.fingerprint[:12]}); compare runs on the same cases"
        )
    before = {run.label: run for run in old.runs}
    pairs = [(before[run.label], run) for run in new.runs if run.label in before]
    if not pairs and len(old.runs) == len(new.runs) == 1:
        pairs = [(old.runs[0], new.runs[0])]
    if not pairs:
        raise CountersightError(
            f"no run is in both: {', '.join(before)} and {', '.join(run.label for run in new.runs)}; "
            "write reports with the same runs, or with one each"
        )
    found = (
        (two.label, measure, _measured(one, measure), _measured(two, measure))
        for one, two in pairs
        for measure in MEASURES
    )
    return [ScoreChange(run, what, a, b) for run, what, a, b in found if a is not None and b is not None]


def _measured(run: ScoredRun, measure: str) -> float | None:
    found = getattr(run.groups["all"], measure)
    return found.value if isinstance(found, ScoreValue) else found


_CONDITION = re.compile(r"\s*(\w+)\s*(<=|>=|<|>)\s*([+-]?\d+(?:\.\d+)?)\s*")


class Condition(msgspec.Struct, frozen=True):
    """A limit on how far a measure may change, such as `drop > 2`: the drop has grown by more than two points."""

    measure: str
    sign: str
    points: float

    @classmethod
    def parse(cls, words: str) -> "Condition":
        """The condition as text."""
        found = _CONDITION.fullmatch(words)
        if not found:
            raise CountersightError(f"{words!r} is no condition; write one as in 'drop > 2' or 'counterfactual < -1.5'")
        if found[1] not in MEASURES:
            raise CountersightError(unknown("measure", found[1], MEASURES))
        return cls(found[1], found[2], float(found[3]))

    def holds(self, change: ScoreChange) -> bool:
        """Whether a change meets the condition; differences are rounded to a millionth of a point."""
        if change.measure != self.measure:
            return False
        points = round(change.points, 6)
        return {
            "<": points < self.points,
            ">": points > self.points,
            "<=": points <= self.points,
            ">=": points >= self.points,
        }[self.sign]

    def __str__(self) -> str:
        return f"{self.measure} {self.sign} {self.points:g}"


def changes_grid(old: ScoresFile, new: ScoresFile, found: Sequence[ScoreChange]) -> Grid:
    """The changes as a table: a line for each run, with what each measure was and is."""
    measures = [measure for measure in MEASURES if any(each.measure == measure for each in found)]
    runs: dict[str, dict[str, ScoreChange]] = {}
    for each in found:
        runs.setdefault(each.run, {})[each.measure] = each
    lines = (
        Line((TableCell(name(run)), *(_cell(of_run[key]) if key in of_run else NOTHING for key in measures)))
        for run, of_run in runs.items()
    )
    title = f"{name(new.dataset)}, {count(new.cases)} cases: new minus old, in points"
    note = f"Old: Countersight {old.countersight}; new: Countersight {new.countersight}."
    return Grid(title, ("run", *(key.replace("_", " ") for key in measures)), tuple(lines), note)


def _cell(change: ScoreChange) -> TableCell:
    return TableCell(f"{change.points:+z.1f}".replace("-", "−"), (f"{percent(change.old)} → {percent(change.new)}",))
