"""scores.json: the scores of runs in a file with a documented schema, and the comparison of two such files."""

import operator
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

import msgspec

from countersight import __version__
from countersight.case import TWO_WORLDS
from countersight.engine import MANIFEST
from countersight.errors import CountersightError
from countersight.figures import Figure, Interval
from countersight.html import Grid, TableCell, name, table_line
from countersight.number_formats import count, interval
from countersight.reports.data import ReportData, RunScores
from countersight.reports.loading import load
from countersight.scoring import GroupScores, SetScores, difference_of, share_interval
from countersight.suggestions import unknown
from countersight.suites import PLAIN_MEASURES

SCORES_JSON: Final = "scores.json"


class GroupOfScores(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The scores of one group of cases. A measure is absent if nothing was scored."""

    n: int
    """The number of cases in the group."""
    questions: int
    scored: int
    """The number of scored questions: right, wrong or unread."""
    unread_rate: float | None = None
    """The share of unread replies among the scored questions."""
    failed: int = 0
    """The number of questions without a reply, which are not scored."""
    factual: Figure | None = None
    """Accuracy over all answers about the original picture."""
    counterfactual: Figure | None = None
    """Accuracy over all answers under a change."""
    factual_in_both: Figure | None = None
    """Accuracy over the cases scored in both worlds, like the following fields up to `both_right`."""
    counterfactual_in_both: Figure | None = None
    drop: Figure | None = None
    both_right: Figure | None = None
    shown: Figure | None = None
    imagination_gap: Figure | None = None
    fell_back: Figure | None = None
    question_accuracy: Figure | None = None
    """The share of questions answered right for all their pictures; n counts questions (HallusionBench: qAcc)."""
    picture_accuracy: Figure | None = None
    """The share of pictures with all questions answered right; n counts pictures (HallusionBench: fAcc)."""
    set_accuracy: Figure | None = None
    """The share of sets with all answers right; n counts sets (NaturalBench: G-Acc, MMVP: pair accuracy)."""


_SETS: Final = {"question": "question_accuracy", "picture": "picture_accuracy", "set": "set_accuracy"}
_COUNTS: Final = ("n", "questions", "scored", "unread_rate", "failed")
MEASURES: Final = (*(key for key in GroupOfScores.__struct_fields__ if key not in _COUNTS), "unread_rate")
"""The measures that can be compared."""


class ScoredRun(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The scores of one run: one model, one dataset, one prompt."""

    label: str
    model: str
    prompt: str
    answering: str
    started: str
    groups: dict[str, GroupOfScores]
    """One entry per group, and "all"."""
    divisions: dict[str, dict[str, GroupOfScores]] = {}
    """The scores by other divisions, such as category (HallusionBench: VD and VS) or kind of change."""
    total: dict[str, Figure] = {}
    """The sum of the groups' shares, if the suite has one (CFMM: out of 6)."""
    asked: str = ""
    """A digest of the ids of the cases that were asked; absent in files of earlier versions."""


class ScoresFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The content of scores.json."""

    format: Literal["countersight-scores-1"]
    countersight: str
    dataset: str
    fingerprint: str
    cases: int
    confidence: float
    runs: tuple[ScoredRun, ...]
    gold: str = ""
    """The source of corrected answers and their number, such as "corrected.csv, 4 answers corrected"."""
    names: dict[str, str] = {}
    """The name of each measure in the suite's paper, if it differs."""


def scores_file(report: ReportData) -> ScoresFile:
    """Return the scores of a report as a file's content."""
    called = {**report.terms.measures, **{_SETS[key]: words for key, words in report.terms.wholes.items()}}
    return ScoresFile(
        format="countersight-scores-1",
        countersight=__version__,
        dataset=report.dataset,
        fingerprint=report.fingerprint,
        cases=report.cases,
        confidence=report.confidence,
        runs=tuple(map(_run, report.runs)),
        gold=report.gold,
        names={key: words for key, words in called.items() if words != PLAIN_MEASURES.get(key)},
    )


def _run(run: RunScores) -> ScoredRun:
    return ScoredRun(
        label=run.plain_label,
        model=run.model,
        prompt=run.prompt,
        answering=run.answering,
        started=run.started,
        groups={row.group: _group(row, run.sets_of(row.group)) for row in run.rows},
        divisions={
            each.name: {row.group: _group(row, run.sets_of(row.group)) for row in each.lines} for each in run.divisions
        },
        total=run.total,
        asked=run.asked,
    )


def _group(row: GroupScores, sets: SetScores | None) -> GroupOfScores:
    found = msgspec.convert(row, GroupOfScores, from_attributes=True)
    figures = {key: getattr(found, key) for key in PLAIN_MEASURES}
    figures |= {f"{world}_in_both": rate for world, rate in zip(TWO_WORLDS, row.in_both or (), strict=False)}
    if sets:
        figures |= {_SETS[unit]: rate for unit, rate in sets.rates.items()}
    known = {key: figure if figure and figure.value is not None else None for key, figure in figures.items()}
    return msgspec.structs.replace(found, **known)


def read_scores(path: Path) -> ScoresFile:
    """Read a scores.json file or the one in a report folder; for a run folder, compute the scores."""
    if (path / MANIFEST).is_file():
        return scores_file(load([path], gallery=0).report)
    file = path / SCORES_JSON if path.is_dir() else path
    if not file.is_file():
        raise CountersightError(f"{file} does not exist; specify a run, the folder of a report, or its scores.json")
    try:
        return msgspec.json.decode(file.read_bytes(), type=ScoresFile)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise CountersightError(f"{file} is not a scores.json of this version: {error}") from None


class ScoreChange(msgspec.Struct, frozen=True):
    """The change of a run's measure between two files: new minus old, in points."""

    run: str
    measure: str
    before: Figure
    after: Figure

    @property
    def points(self) -> float:
        """The new value minus the old one."""
        return 100 * ((self.after.value or 0.0) - (self.before.value or 0.0))

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the change, as a share, assuming that the two runs are independent."""
        before, after = (Interval(each.low, each.high) for each in (self.before, self.after))
        return difference_of(after, self.after.value or 0.0, before, self.before.value or 0.0)


def matched_runs(old: ScoresFile, new: ScoresFile) -> list[tuple[ScoredRun, ScoredRun]]:
    """Return the runs to compare: those with the same label in both files, or the only run of each."""
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
            f"the reports have no run in common: {', '.join(before)} and {', '.join(run.label for run in new.runs)}; "
            "write reports with the same runs, or with one run each"
        )
    return pairs


def score_changes(old: ScoresFile, new: ScoresFile) -> list[ScoreChange]:
    """Return how the runs of two files differ over all cases, measure by measure."""
    return [change for one, other in matched_runs(old, new) for change in _changes(one, other)]


def _changes(old: ScoredRun, new: ScoredRun) -> Iterator[ScoreChange]:
    for measure in MEASURES:
        before, after = (_measured(run.groups["all"], measure) for run in (old, new))
        if before and after:
            yield ScoreChange(new.label, measure, before, after)


def _measured(group: GroupOfScores, measure: str) -> Figure | None:
    if measure == "unread_rate" and group.unread_rate is not None:
        ends = share_interval(group.unread_rate * group.scored, group.scored)
        return Figure(group.unread_rate, ends.low, ends.high, group.scored)
    found: Figure | None = getattr(group, measure)
    return found


_SIGNS: Final = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}
_CONDITION = re.compile(r"\s*(\w+)\s*(<=|>=|<|>)\s*([+-]?\d+(?:\.\d+)?)\s*")


class Condition(msgspec.Struct, frozen=True):
    """A condition on the change of a measure, such as `drop > 2`: the drop has grown by more than two points."""

    measure: str
    sign: str
    points: float

    @classmethod
    def parse(cls, words: str) -> "Condition":
        """Parse a condition such as `drop > 2`."""
        found = _CONDITION.fullmatch(words)
        if not found:
            raise CountersightError(
                f"{words!r} is not a condition; write one such as 'drop > 2' or 'counterfactual < -1.5'"
            )
        if found[1] == "accuracy":
            raise CountersightError(
                f"there is one accuracy per world: write 'factual {found[2]} {found[3]}' or "
                f"'counterfactual {found[2]} {found[3]}'"
            )
        if found[1] not in MEASURES:
            raise CountersightError(unknown("measure", found[1], MEASURES))
        return cls(found[1], found[2], float(found[3]))

    def holds(self, change: ScoreChange) -> bool:
        """Return whether a change meets the condition; differences are rounded to a millionth of a point."""
        if change.measure != self.measure:
            return False
        return bool(_SIGNS[self.sign](round(change.points, 6), self.points))

    def __str__(self) -> str:
        return f"{self.measure} {self.sign} {self.points:g}"


_WORDS: Final = {
    "factual": "factual, all answers",
    "counterfactual": "counterfactual, all answers",
    "factual_in_both": "factual, scored in both worlds",
    "counterfactual_in_both": "counterfactual, scored in both worlds",
}


def _is_redundant(measure: str, *runs: ScoredRun) -> bool:
    """Return whether an accuracy over the cases scored in both worlds equals that over all answers, in every run."""
    plain = measure.removesuffix("_in_both")
    groups = [run.groups["all"] for run in runs]
    return plain != measure and all(getattr(group, measure) == getattr(group, plain) for group in groups)


def changes_grids(old: ScoresFile, new: ScoresFile) -> Iterator[Grid]:
    """Return the changes as tables, one per run: the old and the new value of each measure, with intervals and n."""
    for one, other in matched_runs(old, new):
        lines = (
            table_line(
                new.names.get(each.measure) or _WORDS.get(each.measure, each.measure.replace("_", " ")),
                *(each.before, each.after),
                TableCell(
                    f"{each.points:+z.1f}".replace("-", "−"),
                    (interval(each.interval),),
                ),
            )
            for each in _changes(one, other)
            if not _is_redundant(each.measure, one, other)
        )
        title = f"{name(new.dataset)}, {count(new.cases)} cases: {name(one.label)} (old) and {name(other.label)} (new)"
        notes = [
            f"The two runs differ in their {what}: {name(getattr(one, what))} and {name(getattr(other, what))}."
            for what in ("model", "prompt", "answering")
            if getattr(one, what) != getattr(other, what)
        ]
        cases = [run.groups["all"].n for run in (one, other)]
        if cases[0] != cases[1] or (one.asked and other.asked and one.asked != other.asked):
            numbers = " and ".join(map(count, cases))
            notes.insert(0, f"Warning: the runs cover different cases ({numbers}); a change may come from them.")
        made = f"Old: Countersight {old.countersight}; new: Countersight {new.countersight}."
        points = (
            "Shares in per cent and changes in points, with their 95% intervals. The interval of a change treats the "
            "two runs as independent; `countersight report OLD NEW` with two runs compares them case by case, which "
            "is more precise. Figures are rounded: a change may differ by 0.1 from the difference of the shown figures."
        )
        yield Grid(title, ("measure", "old", "new", "new minus old"), tuple(lines), " ".join([*notes, points, made]))
