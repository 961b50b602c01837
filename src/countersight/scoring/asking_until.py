"""Run a model on growing parts of a dataset until a stopping rule is met."""

from pathlib import Path
from typing import Any, Final

import msgspec

from countersight.dataset import Dataset
from countersight.engine import MANIFEST, RunFolder, RunOptions, Sample, ask_dataset
from countersight.errors import CountersightError
from countersight.models import Model
from countersight.scoring.run_scores import judge_run
from countersight.scoring.stopping import UNTIL, PictureOrder, StoppingStatus, Until, stopping_status

PICTURES_BEFORE_FIRST_CHECK: Final = 16
"""The number of pictures in the run at the first check of the rule."""
GROWTH_BETWEEN_CHECKS: Final = 1.1
"""The factor by which the number of pictures grows between checks."""


async def ask_until(
    rule: Until | None, dataset: Dataset, out: Path, model: Model, options: RunOptions, **how: Any
) -> RunFolder:
    """Run a model on a dataset; with a stopping rule, on growing parts of it until the rule is met."""
    if rule is None:
        return await ask_dataset(dataset, out, model, options, **how)
    if options.sample or options.again:
        raise CountersightError("`until` chooses the number of cases itself: leave out `cases` and `again`")
    before = stopping_status(RunFolder.open(out)) if (out / MANIFEST).exists() else None
    if before and before.met and before.rule.is_as_strict_as(rule):
        run = RunFolder.open(out)
        if not _has_failed_questions(run):
            await model.close()
            return run
        rule = before.rule  # failed questions are asked again, under the stricter rule
    order = PictureOrder(dataset, rule.seed, rule.metric)
    pictures = before.pictures if before else min(len(order), PICTURES_BEFORE_FIRST_CHECK)

    async def more(run: RunFolder) -> Sample | None:
        nonlocal pictures
        if _check(rule, order, run, pictures).met or pictures == len(order):
            return None
        pictures = min(len(order), max(pictures + 1, int(pictures * GROWTH_BETWEEN_CHECKS)))
        return Sample(pictures, rule.seed, "picture")

    options = msgspec.structs.replace(options, sample=Sample(pictures, rule.seed, "picture"))
    return await ask_dataset(dataset, out, model, options, more=more, **how)


def _has_failed_questions(run: RunFolder) -> bool:
    states = {(reply.row, reply.world, reply.telling): reply.state for reply in run.replies()}
    return "failed" in states.values()


def _check(rule: Until, order: PictureOrder, run: RunFolder, pictures: int) -> StoppingStatus:
    """Return the status of a run after this many pictures, and record it in the run folder."""
    found, _, cases, of = order.interval(judge_run(run).outcomes, pictures, rule.metric, aim=rule.aim)
    status = StoppingStatus(rule, rule.is_met_by(found), found.low, found.high, pictures, len(order), cases, of)
    run.observe({UNTIL: msgspec.to_builtins(status)})
    return status
