"""Score runs of one dataset for a report, give each a short name, and say how to fix its problems."""

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import msgspec
import numpy as np

from countersight.case import TWO_WORLDS, World
from countersight.engine import MANIFEST, RunFolder, RunManifest
from countersight.errors import DatasetError, RunError
from countersight.figures import Figure
from countersight.html import name, shortened
from countersight.models import MODELS
from countersight.reports.data import MAX_NAME_LENGTH, DividedScores, RunScores
from countersight.scoring import (
    NO_GROUP,
    Comparison,
    Divisions,
    Gold,
    GroupScores,
    JudgedRun,
    Outcomes,
    Scores,
    damaged_lines,
    divide,
    judge_run,
    score_group,
    stopping_status,
    summed,
)
from countersight.suites import Terms, terms
from countersight.text import several


class LoadedRun(RunScores, frozen=True, kw_only=True, eq=False):
    """The scores of a run, with its answers."""

    judged: JudgedRun

    @property
    def outcomes(self) -> Outcomes:
        """The outcomes of its questions."""
        return self.judged.outcomes

    @property
    def manifest(self) -> RunManifest:
        """The manifest of the run."""
        return self.judged.run.manifest

    @property
    def worlds(self) -> tuple[World, ...]:
        """The worlds of the questions; both if there are no cases."""
        return _worlds(self.outcomes)


def _worlds(outcomes: Outcomes) -> tuple[World, ...]:
    return tuple(world for world in TWO_WORLDS if outcomes.asked(world).any()) or TWO_WORLDS


class DamagedRun(NamedTuple):
    """A run that is left out, because its files or its dataset cannot be read."""

    path: Path
    error: Exception


@contextmanager
def listing_damage(path: Path, damaged: list[DamagedRun]) -> Iterator[None]:
    """Add the run at `path` to `damaged` if it cannot be read; a folder that is not a run still raises an error."""
    try:
        yield
    except (RunError, DatasetError, OSError) as error:
        if not (path / MANIFEST).is_file():
            raise
        damaged.append(DamagedRun(path, error))


def open_runs(paths: Iterable[Path], damaged: list[DamagedRun]) -> list[RunFolder]:
    """Open runs; those that cannot be read are added to `damaged`. Raises an error if there is no other run."""
    found = []
    for path in paths:
        with listing_damage(path, damaged):
            found.append(RunFolder.open(path))
    if damaged and not found:
        raise damaged[0].error
    return found


def load_runs(
    runs: Sequence[RunFolder], damaged: list[DamagedRun], *, dataset: Path | None = None, gold: Gold | None = None
) -> list[LoadedRun]:
    """Score runs of one dataset, whose cases are divided along the axes of the suite.

    Runs that cannot be read are added to `damaged`. Raises an error if there is no other run.
    """
    found = []
    for folder in runs:
        with listing_damage(folder.path, damaged):
            found.append(judge_run(folder, dataset=dataset, gold=gold))
    if damaged and not found:
        raise damaged[0].error
    divisions = divide((case for _, case in found[0].cases()), terms(found[0].suite).axes)
    labels = _numbered_labels([judged.run for judged in found])
    return [_loaded(*label, judged, divisions) for label, judged in zip(labels, found, strict=True)]


def _loaded(number: int, label: str, judged: JudgedRun, divisions: Divisions) -> LoadedRun:
    manifest, outcomes = judged.run.manifest, judged.outcomes
    scores = judged.scores(line for lines in divisions.values() for line in lines.items())
    suite_terms = terms(judged.suite, _worlds(outcomes))
    rows = in_order(scores.rows, suite_terms)
    rule = stopping_status(judged.run)
    return LoadedRun(
        **msgspec.structs.asdict(msgspec.structs.replace(scores, rows=rows)),
        label=label,
        number=number,
        model=manifest.model,
        prompt=manifest.prompt.name,
        started=manifest.started,
        version=manifest.countersight,
        answering=manifest.answering,
        settings=tuple((key, str(value)) for key, value in manifest.answer_settings().items()),
        shows_pictures=manifest.prompt.picture,
        total=_total(rows[:-1], suite_terms),
        divisions=tuple(_scored_divisions(outcomes, divisions)),
        advice=tuple(advice(judged.run, scores)),
        stopping_note=rule.describe(judged.cost) if rule else "",
        judged=judged,
    )


def _scored_divisions(outcomes: Outcomes, divisions: Divisions) -> Iterator[DividedScores]:
    for axis, lines in divisions.items():
        if lines:
            scores = tuple(score_group(outcomes, line, mask) for line, mask in lines.items())
            yield DividedScores(axis, scores, int((~np.logical_or.reduce(list(lines.values()))).sum()))


_Line = TypeVar("_Line", GroupScores, Comparison)


def in_order(rows: tuple[_Line, ...], terms: Terms) -> tuple[_Line, ...]:
    """Return the rows of the groups in the order of the suite's paper, then the row of all cases."""
    *groups, everything = rows
    if [row.group for row in groups] == [""]:  # a dataset without groups
        return (everything,)
    order = list(terms.groups)
    groups.sort(key=lambda row: order.index(row.group) if row.group in order else len(order))
    return (*(row if row.group else msgspec.structs.replace(row, group=NO_GROUP) for row in groups), everything)


def _total(rows: Sequence[GroupScores], terms: Terms) -> dict[str, Figure]:
    """Return the sums over the groups; empty unless the run has exactly the groups that the paper adds up."""
    if not terms.adds_up or {row.group for row in rows} != set(terms.groups):
        return {}
    sums = {key: summed([row.figure(key) for row in rows]) for key in ("factual", "counterfactual", "both_right")}
    return {key: found for key, found in sums.items() if found}


def _labels(runs: Sequence[RunFolder]) -> list[str]:
    """Return a unique short name for each run: the model, then what else distinguishes the runs."""
    full = [run.manifest.model for run in runs]
    short = [short_name(model) for model in full]
    models = short if len(set(short)) == len(set(full)) else full
    ranked = [", ranked" if run.manifest.answering == "rank" else "" for run in runs]
    ways = [model + way for model, way in zip(models, ranked, strict=True)]
    prompts = [f"{words}, {run.manifest.prompt.name}" for words, run in zip(ways, runs, strict=True)]
    folders = [f"{words} ({run.path.resolve().name})" for words, run in zip(prompts, runs, strict=True)]
    for names in (models, ways, prompts, folders):
        if len(set(names)) == len(names):
            return names
    return [f"{number}: {words}" for number, words in enumerate(folders, 1)]


def _numbered_labels(runs: Sequence[RunFolder]) -> list[tuple[int, str]]:
    """Return the number and the label of each run; if all names are short, numbers are 0 and not part of the label."""
    names = _labels(runs)
    if len(names) == 1 or all(shortened(each, MAX_NAME_LENGTH) == each for each in map(name, names)):
        return [(0, each) for each in names]
    return [(number, f"#{number} {each}") for number, each in enumerate(names, 1)]


_ADDRESS = re.compile(r"openai:|\w+:\w+://[^;+]*#")
_OWNER = re.compile(r"^(?:\w+:)?[\w.-]+/(?=[\w.-]+$)", re.ASCII)
"""The owner in a name such as Qwen/Qwen2.5-VL-7B-Instruct or hf:Qwen/Qwen2.5-VL-7B-Instruct."""


def short_name(model: str) -> str:
    """Return a model's name without its provider, address and owner, such as gpt-4o for openai:gpt-4o."""
    return _OWNER.sub("", _ADDRESS.sub("", model))


WARNING_THRESHOLD: Final = 0.01
"""The share of cut, empty or unread replies above which a report warns about them."""


def advice(run: RunFolder, scores: Scores) -> Iterator[str]:
    """Yield the problems of a run and what to do about them, worst first."""
    row, damaged = scores.overall, scores.damaged
    if damaged:
        yield f"{damaged_lines(damaged)}: run it again to ask the questions without a reply."
    left_out = scores.left_out if row.missing else {}
    for reason, number in left_out.items():
        yield f"{several(number, 'question')} not asked: {reason}."
    unasked = row.missing - sum(left_out.values())
    if unasked > 0 and not damaged:
        yield f"{several(unasked, 'question')} not asked yet: the run is unfinished; run it again."
    if row.failed:
        yield f"{several(row.failed, 'question')} without a reply: run it again to ask only these."
    is_imported = run.manifest.is_imported  # its questions cannot be asked again
    if _many(row.cut, row):
        told = f"{several(row.cut, 'answer')} cut off by the token limit and left out"
        yield f"{told}." if is_imported else f"{told}; repeat these with a larger limit: {_rerun_command(run, 'cut')}"
    if _many(row.empty, row):
        told = f"{several(row.empty, 'answer')} empty and left out"
        why = "a reasoning model may have used up its tokens before it answered"
        yield f"{told}." if is_imported else f"{told}; {why}: {_rerun_command(run, 'empty')}"
    if _many(row.unread, row):
        told = f"{several(row.unread, 'question')} without a readable answer, not counted as right"
        told += " (the model declined, or its wording was not understood)"
        if row.restated or any(again.what == "unread" for again in run.manifest.again):
            yield f"{told}, although the model was asked to restate its answers; see the gallery."
        else:
            yield f"{told}; {_how_to_restate(run)}"


def _how_to_restate(run: RunFolder) -> str:
    """Return how to get answers from unread replies: ask the model to restate them, or let another model read them."""
    manifest = run.manifest
    if manifest.is_imported or "function" in manifest.settings or not MODELS.knows(manifest.model):
        return f"let another model read them: {shlex.join(['countersight', 'report', str(run.path)])} --reader MODEL"
    return f"let the model state only its final answer: {_rerun_command(run, 'unread')}"


def _many(number: int, row: GroupScores) -> bool:
    return number > WARNING_THRESHOLD * row.questions


def _rerun_command(run: RunFolder, what: str) -> str:
    """Return the shell command that repeats the questions of a run with this outcome, such as "cut"."""
    manifest = run.manifest
    dataset = os.path.normpath(run.path / manifest.dataset.path)
    words = ["countersight", "run", dataset, "--model", manifest.model, "--again", what]
    if what != "unread":
        limit = manifest.settings.get("max_tokens")
        words += ["--max-tokens", str(4 * (limit if isinstance(limit, int) else manifest.prompt.max_tokens))]
    return shlex.join([*words, "-o", str(run.path)])
