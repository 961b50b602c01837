"""Compare the scores of two runs or reports, and check limits on how far a measure may change."""

import operator
import re
from collections.abc import Iterator
from typing import Final

import msgspec

from countersight.errors import CountersightError
from countersight.figures import Figure
from countersight.html import Grid, TableCell, name, table_line
from countersight.number_formats import count, interval
from countersight.reports.scores_file import MEASURES, GroupOfScores, ScoredRun, ScoresFile
from countersight.scoring import Interval, difference_of, share_interval
from countersight.text import unknown


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
        """The 95 % interval of the change, as a share, if the two runs were independent."""
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
    """A limit on how far a measure may change, such as `drop > 2`: the drop has grown by more than two points."""

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
        made = f"Old: Countersight {old.countersight}; new: Countersight {new.countersight}."
        points = (
            "Shares in per cent and changes in points, with their 95% intervals. The interval of a change treats the "
            "two runs as independent; `countersight report OLD NEW` with two runs compares them case by case, which "
            "is more exact. Figures are rounded: a change may differ by 0.1 from the difference of the shown figures."
        )
        yield Grid(title, ("measure", "old", "new", "new minus old"), tuple(lines), " ".join([*notes, points, made]))
