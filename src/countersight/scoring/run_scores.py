"""Score a run by joining its replies with its dataset. Neither is modified."""

from array import array
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from arro3.core import RecordBatch
from numpy.typing import NDArray

from countersight.case import Case, Cell, Reply
from countersight.dataset import Dataset, check_key, hidden_in
from countersight.engine import RunFolder, Sample
from countersight.errors import RunError
from countersight.scoring.answer_table import (
    ScoredAnswer,
    answered,
    as_table,
    batches,
    write_csv,
    write_frame,
)
from countersight.scoring.controls import Controls, chance_if_ignored, false_alarm_rates, split_controls
from countersight.scoring.gold import Gold
from countersight.scoring.outcome import MISSING, Outcomes, outcomes
from countersight.scoring.scores import Scores, score
from countersight.scoring.sets import SetPositions, SetScores, as_fourth, set_positions, set_scores, shown_sets
from countersight.scoring.stopping import stopping_status, with_anytime_intervals

SCORES = "scores.parquet"
"""The file with one row per answer."""

ReplyWatch = Callable[[Iterable[Reply]], Iterable[Reply]]


class JudgedRun(msgspec.Struct, frozen=True, eq=False):
    """A run with the outcome of every question of its dataset."""

    run: RunFolder
    dataset: Dataset
    gold: Gold | None
    outcomes: Outcomes
    """The outcomes of the cases, without controls."""
    controls: Controls | None = None
    positions: SetPositions | None = None
    """The positions of the cases in sets of questions and pictures."""
    damaged: int = 0
    """The number of damaged lines in the journal."""
    suite: str = ""
    """The suite of all cases; empty if there are several."""

    @property
    def name(self) -> str:
        """The name of the model and of the dataset, and the source of corrected answers."""
        gold = f" (corrected answers: {self.gold})" if self.gold else ""
        return f"{self.run.manifest.model} on {self.dataset.name}{gold}"

    def cases(self, *, controls: bool = False) -> Iterator[tuple[int, Case]]:
        """Iterate over the cases, or the controls, as they were asked, with the current right answers."""
        asked = _asked(self.run, self.dataset, self.gold)
        return ((row, case) for row, case in asked if bool(case.control_of) == controls)

    @property
    def control_count(self) -> int:
        """The number of controls in the dataset."""
        return len(self.controls.outcomes) if self.controls else 0

    def scores(self, divided: Iterable[tuple[str, NDArray[np.bool_]]] = ()) -> Scores:
        """Compute accuracy, drop and other scores by group and overall, and set scores by category in `divided`."""
        found = score(self.outcomes, self.name)
        rule = stopping_status(self.run)
        if rule and rule.pictures < rule.of_pictures:
            found = with_anytime_intervals(found, self.outcomes, self.dataset, rule)
        sets: tuple[SetScores, ...] = ()
        if self.positions:
            sets = set_scores(self.outcomes, self.positions, divided)
        elif self.run.manifest.shown:
            sets = shown_sets(self.outcomes, self.fourths())
        return msgspec.structs.replace(
            found,
            alarms=false_alarm_rates(self.outcomes, self.controls) if self.controls else (),
            sets=sets,
            damaged=self.damaged,
            imported=self.run.manifest.is_imported,
        )

    def fourths(self) -> Outcomes:
        """Return the outcomes of questions with "if" about the counterfactual picture, as counterfactual outcomes."""
        cases = ((row, as_fourth(case)) for row, case in self.cases())
        replies = (reply for reply in self.run.replies() if reply.telling == "twice")
        as_told = (msgspec.structs.replace(reply, telling="told") for reply in replies)
        return outcomes(cases, as_told, self.run.manifest.prompt.reads, by_id=True)

    def answers(self) -> Iterator[ScoredAnswer]:
        """Iterate over all questions with reply and outcome, in the order of the dataset; controls come last."""
        find = self.run.numbered().at
        yield from answered(self.outcomes, self.cases(), find)
        if self.controls:
            yield from answered(self.controls.outcomes, self.cases(controls=True), find)

    def rows(self, label: str = "") -> Iterator[RecordBatch]:
        """Iterate over one row per answer, in Arrow batches, with a label for the run."""
        return batches(label or self.run.manifest.model, self.answers())

    def write_answers(self, path: Path) -> None:
        """Write one row per answer to a .csv file or, for any other name, a Parquet file."""
        if path.suffix.lower() == ".csv":
            write_csv(self.run.manifest.model, self.answers(), path)
        else:
            write_frame(self.rows(), path)

    def frame(self, kind: str = "arrow") -> Any:
        """Return one row per answer, as an Arrow table or as a data frame of pandas or Polars."""
        return as_table(self.rows(), kind)


def judge_run(
    run: RunFolder,
    *,
    dataset: Path | None = None,
    gold: Gold | None = None,
    watch_replies: ReplyWatch = iter,
) -> JudgedRun:
    """Read and judge all replies of a run.

    `dataset` is the current path of the dataset if it was moved; `gold` has corrected answers. `watch_replies`
    may observe or change the stream of replies.
    """
    source, moved = _source(run, dataset, gold)
    if gold is not None and gold.key is not None:
        check_key(source, gold.key)
    elif hidden_in(source) is not None:
        raise RunError(
            f"the answers of {source.path} are hidden: submit the run to the holder of the key, who can score it "
            "with --key"
        )
    cells: list[Cell | None] = []
    control_of: list[str] = []
    suites: set[str] = set()
    guessed = array("d")

    def recorded() -> Iterator[tuple[int, Case]]:
        for row, case in _asked(run, source, gold):
            cells.append(case.cell)
            suites.add(case.suite)
            control_of.append(case.control_of)
            guessed.append(chance_if_ignored(case))
            yield row, case

    prompt = run.manifest.prompt
    damaged: list[None] = []
    replies = watch_replies(run.replies(lambda: damaged.append(None)))
    found = outcomes(recorded(), replies, prompt.reads, factual_from=prompt.of("factual").reads, by_id=moved)
    if sample := run.manifest.observed.get("sample"):  # unanswered questions outside the sample are not missing
        outside = ~np.isin(found.rows, list(msgspec.convert(sample, Sample).rows(source)))
        codes = np.where(outside[:, None] & (found.codes == MISSING), 0, found.codes).astype(np.uint8)
        found = msgspec.structs.replace(found, codes=codes)
    positions = set_positions([cell for cell, of in zip(cells, control_of, strict=True) if not of])
    split = split_controls(found, control_of, np.array(guessed))
    suite = suites.pop() if len(suites) == 1 else ""
    return JudgedRun(run, source, gold, *split, positions, len(damaged), suite)


def score_run(run: RunFolder | Path | str, *, dataset: Path | None = None, gold: Path | str | None = None) -> Scores:
    """Return the scores of a run, by group and overall; `gold` is a dataset or a table with corrected answers."""
    opened = run if isinstance(run, RunFolder) else RunFolder.open(run)
    return judge_run(opened, dataset=dataset, gold=Gold.open(gold) if gold else None).scores()


def _source(run: RunFolder, dataset: Path | None, gold: Gold | None) -> tuple[Dataset, bool]:
    """Return the dataset of a run, and whether its rows may have moved, because answers were corrected in the dataset
    itself."""
    try:
        return run.dataset(dataset), False
    except RunError:
        if gold is None or not gold.path.is_dir():
            raise
        return Dataset.open(gold.path), True


def _asked(run: RunFolder, source: Dataset, gold: Gold | None) -> Iterator[tuple[int, Case]]:
    """Iterate over the cases with only the questions that the run asks, so that the others do not count as missing."""
    cases = source.cases() if gold is None else gold.corrected(source.cases())
    for row, case in cases:
        yield row, case if run.manifest.shown else msgspec.structs.replace(case, shown=None, twice=None)
