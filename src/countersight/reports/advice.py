"""Advice on what to do about a run before trusting it: continue, repeat, or look at unread replies."""

import os
import shlex
from collections.abc import Iterator
from typing import Final

from countersight.engine import LEFT_OUT, RunFolder
from countersight.models import MODELS
from countersight.scoring import GroupScores, damaged_lines
from countersight.text import several

WARNING_THRESHOLD: Final = 0.01
"""The share of cut, empty or unread replies above which a report warns about them."""


def advice(run: RunFolder, row: GroupScores, damaged: int = 0) -> Iterator[str]:
    """Yield the problems of a run and what to do about them, worst first."""
    if damaged:
        yield f"{damaged_lines(damaged)}: run it again to ask the questions without a reply."
    left_out: dict[str, int] = run.manifest.observed.get(LEFT_OUT, {}) if row.missing else {}
    for reason, number in left_out.items():
        yield f"{several(number, 'question')} not asked: {reason}."
    unasked = row.missing - sum(left_out.values())
    if unasked > 0 and not damaged:
        yield f"{several(unasked, 'question')} not asked yet: the run is unfinished; run it again."
    if row.failed:
        yield f"{several(row.failed, 'question')} without a reply: run it again to ask only these."
    if _many(row.cut, row):
        yield (
            f"{several(row.cut, 'answer')} cut off by the token limit and left out; repeat these with a larger "
            f"limit: {_rerun_command(run, 'cut')}"
        )
    if _many(row.empty, row):
        yield (
            f"{several(row.empty, 'answer')} empty and left out; a reasoning model may have used up its tokens "
            f"before it answered: {_rerun_command(run, 'empty')}"
        )
    if _many(row.unread, row):
        told = f"{several(row.unread, 'question')} without a readable answer, counted as not right"
        told += " (the model declined, or answered in other words)"
        if row.restated or any(again.what == "unread" for again in run.manifest.again):
            yield f"{told}, although the model was asked to restate its answers; see the gallery."
        else:
            yield f"{told}; {_how_to_restate(run)}"


def _how_to_restate(run: RunFolder) -> str:
    """Return how to get answers from unread replies: ask the model to restate them, or let another model read them."""
    manifest = run.manifest
    if "function" in manifest.settings:
        return f"let the function state only its final answer: run(…, out={str(run.path)!r}, again='unread')"
    if "asked with" in manifest.settings or not MODELS.knows(manifest.model):
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
