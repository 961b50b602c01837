"""Models as probes: what they answered when they were asked without the pictures."""

from collections.abc import Iterable, Iterator

from countersight.blindness.asked import Answered
from countersight.case import World
from countersight.dataset import Dataset
from countersight.engine import RunFolder
from countersight.errors import RunError
from countersight.scoring import Outcome, Outcomes, judge_run

_UNASKED: tuple[Outcome, ...] = ("missing", "failed")


def answered_blind(runs: Iterable[RunFolder], dataset: Dataset) -> dict[str, Answered]:
    """What each run got right of a dataset, by the name of its model; a run that was shown the pictures is refused."""
    found: dict[str, Answered] = {}
    for run in runs:
        asked = run.manifest
        if asked.prompt.picture:
            raise RunError(f"{run.path} was asked with its pictures; ask the model with the prompt text-only")
        if asked.dataset.fingerprint != dataset.fingerprint:
            raise RunError(f"{run.path} asked another dataset than {dataset.path}")
        found[asked.model if asked.model not in found else f"{asked.model} ({run.path.name})"] = _right(run, dataset)
    return found


def _right(run: RunFolder, dataset: Dataset) -> Answered:
    judged = judge_run(run, dataset=dataset.path)
    became = list(_told(judged.outcomes))
    if judged.controls:
        became += _told(judged.controls.outcomes)
    unasked = sum(outcome in _UNASKED for _, _, outcome in became)
    if unasked:
        raise RunError(f"{run.path} has no answer to {unasked:,} of {len(became):,} questions; go on with it first")
    return {(case, world): outcome == "right" for case, world, outcome in became}


def _told(outcomes: Outcomes) -> Iterator[tuple[str, World, Outcome]]:
    for case in outcomes:
        if case.factual:
            yield case.case, "factual", case.factual
        if case.counterfactual:
            yield case.case, "counterfactual", case.counterfactual
