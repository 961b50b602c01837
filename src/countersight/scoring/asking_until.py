"""Run a model on growing parts of a dataset until a stopping rule is met."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec

from countersight.dataset import Dataset
from countersight.engine import MANIFEST, RunFolder, RunOptions, Sample, Tally, ask_dataset
from countersight.errors import CountersightError
from countersight.models import Model
from countersight.scoring.run_scores import judge_run
from countersight.scoring.stopping import (
    GROWTH_BETWEEN_CHECKS,
    PICTURES_BEFORE_FIRST_CHECK,
    PictureOrder,
    Until,
    record_stopping_status,
    stopping_status,
)


def against_folder(out: Path) -> Path:
    """Return the folder of the second run, if two models are run in lockstep."""
    return out.with_name(f"{out.name}-against")


async def ask_until(
    rule: Until | None,
    dataset: Dataset,
    out: Path,
    model: Model,
    options: RunOptions,
    *,
    against: tuple[Model, Tally] | None = None,
    **how: Any,
) -> RunFolder:
    """Run a model on a dataset; with a stopping rule, on growing parts of it until the rule is met.

    The second model in `against` is asked the same parts; its replies are written to `against_folder`.
    """
    if rule is None:
        if against:
            raise CountersightError("`against` needs a stopping rule: add `until`")
        return await ask_dataset(dataset, out, model, options, **how)
    if options.sample or options.again:
        raise CountersightError("`until` chooses the number of cases itself: leave out `cases` and `again`")
    sides = {out: (model, how)}
    if against:
        sides[against_folder(out)] = (against[0], how | {"tally": against[1]})
    before = [stopping_status(RunFolder.open(folder)) if (folder / MANIFEST).exists() else None for folder in sides]
    if before[0] and all(each and each.met and each.rule.is_as_strict_as(rule) for each in before):
        replies = ((folder, reply) for folder in sides for reply in RunFolder.open(folder).replies())
        states = {(folder, each.row, each.world, each.telling): each.state for folder, each in replies}
        if "failed" not in states.values():
            for asked, _ in sides.values():
                await asked.close()
            return RunFolder.open(out)
        rule = before[0].rule  # failed questions are asked again, under the stricter rule
    order = PictureOrder(dataset, rule.seed, rule.metric)
    pictures = max(each.pictures if each else min(len(order), PICTURES_BEFORE_FIRST_CHECK) for each in before)
    meeting = asyncio.Barrier(len(sides))
    runs: dict[Path, RunFolder] = {}
    going = True

    async def more(run: RunFolder) -> Sample | None:
        nonlocal pictures, going
        runs[run.path] = run
        try:
            if await meeting.wait() == 0:  # the first run to arrive computes for both
                judged = [(runs[folder], judge_run(runs[folder]).outcomes) for folder in sides]
                going = not record_stopping_status(rule, order, judged, pictures).met and pictures < len(order)
                pictures = min(len(order), max(pictures + 1, int(pictures * GROWTH_BETWEEN_CHECKS)))
            await meeting.wait()
        except asyncio.BrokenBarrierError:  # the other run was stopped
            return None
        return Sample(pictures, rule.seed, "picture") if going else None

    options = msgspec.structs.replace(options, sample=Sample(pictures, rule.seed, "picture"))

    async def ask(folder: Path) -> RunFolder:
        asked, so = sides[folder]
        try:
            return await ask_dataset(dataset, folder, asked, options, more=more, **so)
        finally:
            await meeting.abort()

    tasks = [asyncio.ensure_future(ask(folder)) for folder in sides]
    try:
        return (await asyncio.gather(*tasks))[0]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
