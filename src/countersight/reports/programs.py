"""Analyses of programs and composed answers in runs.

The authors of C-VQA examined by hand why programs fail (C-VQA 4.1, D); here failures are counted. With the prompt
`compose`, a grammar computes some of the counterfactual answers; their number and their accuracy are reported too.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import get_args

import msgspec
import numpy as np

from countersight.case import VARIANTS, QuestionVariant
from countersight.figures import Figure
from countersight.html import Grid, name, shortened
from countersight.number_formats import count, percent
from countersight.programs import FailureKind
from countersight.reports.data import Analysis
from countersight.reports.loaded_run import LoadedRun
from countersight.reports.tables import group_line
from countersight.scoring import ALL, CONFIDENCE, RIGHT, share
from countersight.suites import PLAIN_MEASURES, Terms

_MAX_REASONS = 3
_MAX_REASON_LENGTH = 80


def _groups_in_order(run: LoadedRun, terms: Terms) -> list[str]:
    """Return the groups of a run in the order of the suite's paper, then the others; none if there is only one."""
    found = run.outcomes.group_names
    named = [group for group in terms.groups if group in found]
    named += [group for group in found if group not in named]
    return named if len(named) > 1 else []


class _ProgramResult(msgspec.Struct, frozen=True):
    """The result of one program."""

    group: str
    variant: QuestionVariant
    failure: str
    reason: str
    right: bool


def program_analysis(runs: Sequence[LoadedRun], terms: Terms) -> Analysis:
    """Analyse how the programs of the runs failed."""
    found = [(run, list(_results(run))) for run in runs]
    return Analysis(
        heading="Programs",
        about=(
            f"Outcomes of the programs written by a code model, each share with its {percent(CONFIDENCE, 0)}% interval."
        ),
        tables=tuple(table for run, results in found for table in _tables(run, results, terms)),
    )


def _results(run: LoadedRun) -> Iterator[_ProgramResult]:
    outcomes, programs = run.outcomes, run.recorder.programs
    for case, places in enumerate(outcomes.replies.tolist()):
        group = outcomes.group_names[outcomes.groups[case]]
        for variant, place in zip(VARIANTS, places, strict=True):
            if place in programs:
                right = bool(outcomes.codes[case, VARIANTS.index(variant)] == RIGHT)
                yield _ProgramResult(group, variant, programs[place].failure, programs[place].reason, right)


def _tables(run: LoadedRun, results: Sequence[_ProgramResult], terms: Terms) -> Iterator[Grid]:
    """Yield a table for each way of asking, with a line per group and a column per kind of failure."""
    met = dict.fromkeys(result.failure for result in results if result.failure)
    known = [kind for kind in get_args(FailureKind) if kind in met]
    kinds = [*known, *(kind for kind in met if kind not in known)]
    for variant in VARIANTS:
        here = [result for result in results if result.variant == variant]
        if not here:
            continue
        parts = [
            (group, [result for result in here if result.group == group]) for group in _groups_in_order(run, terms)
        ]
        lines = (
            group_line(run, group, terms, len(those), *_shares(those, kinds)) for group, those in (*parts, (ALL, here))
        )
        reasons = Counter(each.reason for each in here if each.failure and each.reason).most_common(_MAX_REASONS)
        most = "; ".join(f"{shortened(name(reason), _MAX_REASON_LENGTH)} ({count(times)})" for reason, times in reasons)
        yield Grid(
            f"Programs, {terms.measures.get(variant, PLAIN_MEASURES[variant])}: {name(run.label)}",
            (terms.group, "programs", "answered", "right, of all", *kinds),
            tuple(lines),
            f"Most frequent failures: {most}." if most else "",
            key="programs",
            measures=("", *(f"{variant}: {what}" for what in ("answered", "right of all", *kinds))),
        )


def _shares(results: Sequence[_ProgramResult], kinds: Sequence[str]) -> Iterator[Figure]:
    n = len(results)
    yield share(sum(not result.failure for result in results), n)
    yield share(sum(result.right for result in results), n)
    yield from (share(sum(result.failure == kind for result in results), n) for kind in kinds)


def composed_analysis(runs: Sequence[LoadedRun], terms: Terms) -> Analysis:
    """Compare composed and asked counterfactual answers."""
    return Analysis(
        heading="Composed answers",
        about=(
            "Counterfactual numbers that the composer computed from the model's factual count; for all other "
            "questions, the model was asked."
        ),
        tables=tuple(_composed_table(run, run.recorder.composed, terms) for run in runs if run.recorder.composed),
    )


def _composed_table(run: LoadedRun, rows: set[int], terms: Terms) -> Grid:
    outcomes = run.outcomes
    composed = np.isin(outcomes.rows, np.fromiter(rows, np.int64, len(rows)))
    scored, right = outcomes.scored("counterfactual"), outcomes.right("counterfactual")
    lines = []
    for group in (*_groups_in_order(run, terms), ALL):
        inside = scored if group == ALL else scored & (outcomes.groups == outcomes.group_names.index(group))
        n, parts = int(inside.sum()), (composed & inside, ~composed & inside)
        shares = [share(int((right & part).sum()), int(part.sum())) for part in parts]
        lines.append(group_line(run, group, terms, n, share(int(parts[0].sum()), n), *shares))
    heads = ("composed", "right if composed", "right if asked")
    title = f"Composed and asked under a change: {name(run.label)}"
    return Grid(title, (terms.group, "n", *heads), tuple(lines), key="composed", measures=("", *heads))
