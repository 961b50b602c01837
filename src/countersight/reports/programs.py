"""Analyses of programs and composed answers in runs.

The authors of C-VQA examined by hand why programs fail (C-VQA 4.1, D); here failures are counted. With the prompt
`compose`, a grammar computes some of the counterfactual answers; their number and their accuracy are reported too.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import get_args

import numpy as np

from countersight.case import VARIANTS, QuestionVariant
from countersight.html import Grid, Line, name, shortened, table_line
from countersight.number_formats import count, percent
from countersight.programs import FailureKind
from countersight.reports.data import Analysis
from countersight.reports.loaded_run import LoadedRun, ProgramOutcome
from countersight.scoring import CONFIDENCE, RIGHT, share

_MAX_REASONS = 3
_MAX_REASON_LENGTH = 80

_Results = list[tuple[ProgramOutcome, bool]]
"""How each program ended, and whether its answer is right."""


def program_analysis(runs: Sequence[LoadedRun]) -> Analysis:
    """Analyse how the programs of the runs failed, for each way of asking."""
    found = [
        (run, variant, results) for run in runs for variant in VARIANTS if (results := list(_results(run, variant)))
    ]
    failures = Counter(each for _, _, results in found for each, _ in results if each.failure)
    met = {each.failure for each in failures}
    kinds = [kind for kind in get_args(FailureKind) if kind in met]
    kinds += sorted(met - set(kinds))
    heads = ("answered", "right, of all", *kinds)
    reasons = [(each.reason, times) for each, times in failures.most_common() if each.reason][:_MAX_REASONS]
    most = "; ".join(f"{shortened(name(reason), _MAX_REASON_LENGTH)} ({count(times)})" for reason, times in reasons)
    grid = Grid(
        "Programs",
        ("run", "questions", "programs", *heads),
        tuple(_line(*each, kinds) for each in found),
        f"Most frequent failures: {most}." if most else "",
        key="programs",
        measures=("", "", *heads),
    )
    return Analysis(
        heading="Programs",
        about=(
            f"Outcomes of the programs written by a code model, each share with its {percent(CONFIDENCE, 0)}% interval."
        ),
        tables=(grid,) if found else (),
    )


def _results(run: LoadedRun, variant: QuestionVariant) -> Iterator[tuple[ProgramOutcome, bool]]:
    column = VARIANTS.index(variant)
    for place, code in zip(run.outcomes.replies[:, column].tolist(), run.outcomes.codes[:, column], strict=True):
        if place in run.recorder.programs:
            yield run.recorder.programs[place], bool(code == RIGHT)


def _line(run: LoadedRun, variant: QuestionVariant, results: _Results, kinds: Sequence[str]) -> Line:
    n, failed = len(results), Counter(program.failure for program, _ in results)
    counts = (failed[""], sum(right for _, right in results), *(failed[kind] for kind in kinds))
    return table_line(run.label, variant, n, *(share(each, n) for each in counts), n=n, run=run.label, group=variant)


def composed_analysis(runs: Sequence[LoadedRun]) -> Analysis:
    """Compare composed and asked counterfactual answers."""
    heads = ("composed", "right if composed", "right if asked")
    lines = tuple(_composed_line(run) for run in runs if run.recorder.composed)
    grid = Grid("Composed and asked under a change", ("run", "n", *heads), lines, key="composed", measures=("", *heads))
    return Analysis(
        heading="Composed answers",
        about=(
            "Counterfactual numbers that the composer computed from the model's factual count; for all other "
            "questions, the model was asked."
        ),
        tables=(grid,) if lines else (),
    )


def _composed_line(run: LoadedRun) -> Line:
    outcomes = run.outcomes
    composed = np.isin(outcomes.rows, list(run.recorder.composed))
    scored, right = outcomes.scored("counterfactual"), outcomes.right("counterfactual")
    n = int(scored.sum())
    shares = [share(int((right & part).sum()), int(part.sum())) for part in (composed & scored, ~composed & scored)]
    return table_line(run.label, n, share(int((composed & scored).sum()), n), *shares, n=n, run=run.label)
