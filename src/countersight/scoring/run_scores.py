"""Score a run by joining its replies with its dataset. Neither is modified."""

import hashlib
from array import array
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from arro3.core import RecordBatch
from numpy.typing import NDArray

from countersight.case import Case, Cell, Reply
from countersight.dataset import Dataset, check_key, hidden_in
from countersight.engine import COMPOSED, LEFT_OUT, RunFolder, Sample
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
from countersight.scoring.outcome_cache import OutcomeCache
from countersight.scoring.scores import Scores, score
from countersight.scoring.sets import SetPositions, SetScores, as_fourth, set_positions, set_scores, shown_sets
from countersight.scoring.stopping import stopping_status, with_anytime_intervals

SCORES = "scores.parquet"
"""The file with one row per answer."""


class ProgramOutcome(NamedTuple):
    """How the program in a reply failed, and why; both are empty if the program gave an answer."""

    failure: str
    reason: str


class RunOutcomes(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """The outcomes of a run, and what else is read from its replies and cases. Large runs have a cache for it."""

    outcomes: Outcomes
    """The outcomes of the cases, without controls."""
    controls: Controls | None
    positions: SetPositions | None
    """The positions of the cases in sets of questions and pictures."""
    suite: str
    """The suite of all cases; empty if there are several."""
    damaged: int
    """The number of damaged lines in the journal."""
    offsets: NDArray[np.int64]
    """Where each reply starts in the journal."""
    programs: dict[int, ProgramOutcome]
    """The programs in the replies, by the number of the reply in the journal; `outcomes` shows which replies count."""
    composed: frozenset[int]
    """Rows whose counterfactual answer was composed, not asked."""
    cost: float
    """The cost of all replies, in dollars."""


class JudgedRun(RunOutcomes, frozen=True, eq=False, kw_only=True):
    """A run with the outcome of every question of its dataset."""

    run: RunFolder
    dataset: Dataset
    gold: Gold | None

    @property
    def name(self) -> str:
        """The name of the model and of the dataset, and the source of corrected answers."""
        gold = f" (corrected answers: {self.gold})" if self.gold else ""
        return f"{self.run.manifest.model} on {self.dataset.name}{gold}"

    def cases(self, *, controls: bool = False) -> Iterator[tuple[int, Case]]:
        """Iterate over the cases, or the controls, as they were asked, with the current right answers."""
        cases = self.dataset.cases() if self.gold is None else self.gold.corrected(self.dataset.cases())
        return ((row, _as_asked(self.run, case)) for row, case in cases if bool(case.control_of) == controls)

    def case_at(self, position: int) -> Case:
        """Return the case at a position in `outcomes`, without reading the others."""
        case = self.dataset.case_at(int(self.outcomes.rows[position]))
        return _as_asked(self.run, self.gold.corrected_case(case) if self.gold else case)

    def replies_at(self, numbers: Iterable[int]) -> dict[int, Reply]:
        """Return the replies with these numbers in the journal, counted from 0."""
        offsets = {number: int(self.offsets[number]) for number in numbers}
        found = self.run.replies_at(offsets.values())
        return {number: found[offset] for number, offset in offsets.items() if offset in found}

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
            left_out=self.run.manifest.observed.get(LEFT_OUT, {}),
            imported=self.run.manifest.is_imported,
            asked=self._asked_cases(),
        )

    def _asked_cases(self) -> str:
        asked = (self.outcomes.codes > MISSING).any(axis=1)
        return hashlib.blake2b("\n".join(self.outcomes.ids[asked]).encode(), digest_size=8).hexdigest()

    def fourths(self) -> Outcomes:
        """Return the outcomes of questions with "if" about the counterfactual picture, as counterfactual outcomes."""
        cases = ((row, as_fourth(case)) for row, case in self.cases())
        replies = (reply for reply in self.run.replies() if reply.telling == "twice")
        as_told = (msgspec.structs.replace(reply, telling="told") for reply in replies)
        return outcomes(cases, as_told, self.run.manifest.prompt.reads, by_id=True)

    def answers(self) -> Iterator[ScoredAnswer]:
        """Iterate over all questions with reply and outcome, in the order of the dataset; controls come last."""
        yield from answered(self.outcomes, self.cases(), self.replies_at)
        if self.controls:
            yield from answered(self.controls.outcomes, self.cases(controls=True), self.replies_at)

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
    changed: Callable[[Reply], Reply] | None = None,
) -> JudgedRun:
    """Judge all replies of a run; the outcomes of a large run are read from a cache if its files have not changed.

    `dataset` is the current path of the dataset if it was moved; `gold` has corrected answers. `changed` replaces
    replies before they are judged.
    """
    source, moved = _source(run, dataset, gold)
    if gold is not None and gold.key is not None:
        check_key(source, gold.key)
    elif hidden_in(source) is not None:
        raise RunError(
            f"the answers of {source.path} are hidden: submit the run to the holder of the key, who can score it "
            "with --key"
        )
    if gold or changed:
        found = _read_outcomes(run, source, gold, changed, by_id=moved)
    else:
        cached = OutcomeCache(run, source, RunOutcomes)
        if (kept := cached.read()) is None:
            cached.write(found := _read_outcomes(run, source))
        else:
            found = kept
    return JudgedRun(run=run, dataset=source, gold=gold, **_fields(found))


def _fields(struct: msgspec.Struct) -> dict[str, Any]:
    return {name: getattr(struct, name) for name in struct.__struct_fields__}


def _read_outcomes(
    run: RunFolder,
    source: Dataset,
    gold: Gold | None = None,
    changed: Callable[[Reply], Reply] | None = None,
    *,
    by_id: bool = False,
) -> RunOutcomes:
    cells: list[Cell | None] = []
    control_of: list[str] = []
    suites: set[str] = set()
    guessed = array("d")

    def cases() -> Iterator[tuple[int, Case]]:
        for row, case in source.cases() if gold is None else gold.corrected(source.cases()):
            cells.append(case.cell)
            suites.add(case.suite)
            control_of.append(case.control_of)
            guessed.append(chance_if_ignored(case))
            yield row, _as_asked(run, case)

    damaged: list[None] = []
    offsets, costs = array("q"), array("d")
    programs: dict[int, ProgramOutcome] = {}
    composed = set()

    def replies() -> Iterator[Reply]:
        for number, (offset, reply) in enumerate(run.located_replies(lambda: damaged.append(None))):
            offsets.append(offset)
            costs.append(reply.cost)
            if reply.trace is not None:
                failure = (reply.trace.failure or "error") if reply.state == "failed" else ""
                programs[number] = ProgramOutcome(failure, reply.reason)
            if reply.finish == COMPOSED:
                composed.add(reply.row)
            yield changed(reply) if changed else reply

    prompt = run.manifest.prompt
    found = outcomes(cases(), replies(), prompt.reads, factual_from=prompt.of("factual").reads, by_id=by_id)
    if sample := run.manifest.observed.get("sample"):  # unanswered questions outside the sample are not missing
        outside = ~np.isin(found.rows, list(msgspec.convert(sample, Sample).rows(source)))
        codes = np.where(outside[:, None] & (found.codes == MISSING), 0, found.codes).astype(np.uint8)
        found = msgspec.structs.replace(found, codes=codes)
    of_cases, controls = split_controls(found, control_of, np.array(guessed))
    return RunOutcomes(
        outcomes=of_cases,
        controls=controls,
        positions=set_positions([cell for cell, of in zip(cells, control_of, strict=True) if not of]),
        suite=suites.pop() if len(suites) == 1 else "",
        damaged=len(damaged),
        offsets=np.array(offsets, dtype=np.int64),
        programs=programs,
        composed=frozenset(composed),
        cost=sum(costs),
    )


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


def _as_asked(run: RunFolder, case: Case) -> Case:
    """Return a case with only the questions that the run asks, so that the others do not count as missing."""
    return case if run.manifest.shown else msgspec.structs.replace(case, shown=None, twice=None)
