"""Further analyses of the runs of a report, as tables."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final, get_args

import numpy as np

from countersight.case import TWO_WORLDS, VARIANTS, QuestionVariant
from countersight.html import Grid, Line, TableCell, name, shortened, table_line
from countersight.number_formats import count, interval, percent
from countersight.programs import FailureKind
from countersight.reports.data import Analysis
from countersight.reports.drop_by_group import bias_analysis
from countersight.reports.loaded_run import LoadedRun
from countersight.reports.picture_groups import PictureGroups
from countersight.reports.tables import group_line
from countersight.scoring import (
    CONFIDENCE,
    RIGHT,
    Correlation,
    ProgramOutcome,
    Ranking,
    alarm_grids,
    compare_prompts,
    correlation,
    ranking,
    set_grid,
    share,
)
from countersight.suites import Terms

_LEVEL: Final = percent(CONFIDENCE, 0)
_MAX_REASONS, _MAX_REASON_LENGTH = 3, 80
"""The number of reasons for failed programs that are shown, and their maximum length."""
FIRST_PROMPT: Final = "0-shot"
"""The baseline prompt that other prompts are compared with."""


def analyses(
    runs: Sequence[LoadedRun],
    terms: Terms,
    groups: Sequence[PictureGroups],
    *,
    suite: str,
) -> tuple[Analysis, ...]:
    """Return every analysis that has data: sets, controls, observations, prompts, programs, picture groups."""
    found = [
        _sets(runs, terms),
        _alarms(runs, terms),
        _observations(runs, terms) if suite == "cfmm" else None,
        _prompts(runs, terms),
        _composed(runs),
        _programs(runs),
        *(bias_analysis(each, runs, terms) for each in groups),
    ]
    return tuple(analysis for analysis in found if analysis is not None and analysis.tables)


def _alarms(runs: Iterable[LoadedRun], terms: Terms) -> Analysis:
    """Analyse whether answers change when they should, and only then."""
    return Analysis(
        heading="Misses and false alarms",
        about=(
            "Every case has a control with the same picture and question, but a change that must not affect the "
            "answer. Only pairs with a right factual answer are counted."
        ),
        tables=tuple(
            grid
            for run in runs
            for grid in alarm_grids(run.alarms, partial(group_line, run, terms), terms.group, f": {name(run.label)}")
        ),
    )


def _sets(runs: Iterable[LoadedRun], terms: Terms) -> Analysis:
    """Analyse how often all answers to a question, about a picture, or in a set are right."""
    return Analysis(
        heading="Complete sets of questions and pictures",
        about=(
            "Each question is asked about several pictures, and the right answers differ. A model that ignores the "
            "pictures gives the same answer for all of them, so it never answers a question right for all pictures."
        ),
        tables=tuple(
            set_grid(run.sets, partial(group_line, run, terms), terms.group, f": {name(run.label)}", terms.wholes)
            for run in runs
            if run.sets
        ),
    )


def _observations(runs: Sequence[LoadedRun], terms: Terms) -> Analysis:
    """Repeat the analyses of the CFMM paper (section 4.2) for these runs."""
    correlations = [(run, found) for run in runs if (found := correlation(run.outcomes))]
    asked = [world for world in TWO_WORLDS if world in terms.measures]
    rankings = [(run, best) for run in runs for world in asked if (best := ranking(run.outcomes, world))]
    return Analysis(
        heading="Observations",
        about=f"Observations of the CFMM paper, computed for these runs, each with its {_LEVEL}% interval.",
        tables=(
            *([_correlation_table(correlations, terms)] if correlations else []),
            *(_ranking_table(run, found, terms) for run, found in rankings),
        ),
    )


def _correlation_table(found: Sequence[tuple[LoadedRun, Correlation]], terms: Terms) -> Grid:
    heads = {key: terms.measures.get(key, key) for key in ("factual", "counterfactual", "drop")} | {"phi": "phi"}
    heads |= {"after_right": "counterfactual, if factually right", "after_wrong": "counterfactual, if not"}
    lines = []
    for run, correlated in found:
        worlds = (run.overall.figure(key) for key in ("factual", "counterfactual", "drop"))
        cells = (*worlds, correlated.phi, correlated.after_right, correlated.after_wrong)
        lines.append(table_line(run.label, *cells, n=correlated.n, run=run.label))
    title, head = "Factual and counterfactual accuracy", ("run", *heads.values())
    return Grid(title, head, tuple(lines), key="observations", measures=tuple(heads))


def _ranking_table(run: LoadedRun, found: Ranking, terms: Terms) -> Grid:
    measure = terms.measures[found.variant]
    return Grid(
        f"From best to worst, {measure}: {name(run.label)}",
        (terms.group, "n", measure),
        tuple(group_line(run, terms, group, rate.n, rate) for group, rate in found.rates),
        f"Best and worst are {percent(found.spread.value or 0.0)} points apart ({interval(found.spread)}).",
        key="observations",
        measures=("", found.variant),
    )


def _prompts(runs: Sequence[LoadedRun], terms: Terms) -> Analysis:
    """Analyse the effect of another prompt, or of leaving the picture out, for the same model."""
    changes = []
    for run in runs:
        firsts = [first for first in runs if (first.manifest.model, first.prompt) == (run.manifest.model, FIRST_PROMPT)]
        # Writing and ranking give different answers, so a baseline that was answered in the same way is preferred.
        firsts.sort(key=lambda first: first.manifest.answering != run.manifest.answering)
        if firsts and run.prompt != FIRST_PROMPT:
            changes.append((run, firsts[0], compare_prompts(run.outcomes, firsts[0].outcomes)))
    measures = [key for key in terms.measures if any(effect.get(key) for _, _, effect in changes)]
    lines = []
    for run, first, effect in changes:
        words = {"rank": "options ranked", "generate": "answers written"}
        ways = [words[each.manifest.answering] for each in (run, first)]
        called = TableCell(
            name(f"{run.label} minus {first.label}"), (" minus ".join(ways),) if ways[0] != ways[1] else ()
        )
        cells = (effect[key] for key in measures)
        lines.append(table_line(called, *cells, run=run.label, minus_run=first.label))
    note = "Differences in points over the cases scored in both runs, case by case."
    head = ("difference of runs", *(terms.measures[key] for key in measures))
    grid = Grid("Effect of prompts", head, tuple(lines), note, "prompts", tuple(measures))
    return Analysis(
        heading="Prompts",
        about=f"Runs compared with the {FIRST_PROMPT} run of the same model, case by case.",
        tables=(grid,) if lines else (),
    )


_Result = tuple[ProgramOutcome, bool]
"""How a program ended, and whether its answer is right."""


def _programs(runs: Sequence[LoadedRun]) -> Analysis:
    """Analyse how the programs of the runs failed, for each question variant (C-VQA 4.1, D)."""
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
        tuple(_program_line(*each, kinds) for each in found),
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


def _results(run: LoadedRun, variant: QuestionVariant) -> Iterator[_Result]:
    column = VARIANTS.index(variant)
    for place, code in zip(run.outcomes.replies[:, column].tolist(), run.outcomes.codes[:, column], strict=True):
        if place in run.judged.programs:
            yield run.judged.programs[place], bool(code == RIGHT)


def _program_line(
    run: LoadedRun, variant: QuestionVariant, results: list[tuple[ProgramOutcome, bool]], kinds: Sequence[str]
) -> Line:
    n, failed = len(results), Counter(program.failure for program, _ in results)
    counts = (failed[""], sum(right for _, right in results), *(failed[kind] for kind in kinds))
    return table_line(run.label, variant, n, *(share(each, n) for each in counts), n=n, run=run.label, group=variant)


def _composed(runs: Sequence[LoadedRun]) -> Analysis:
    """Compare composed counterfactual answers with those of the model."""
    heads = ("composed", "right if composed", "right if asked")
    lines = tuple(_composed_line(run) for run in runs if run.judged.composed)
    grid = Grid("Composed and model answers", ("run", "n", *heads), lines, key="composed", measures=("", *heads))
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
    composed = np.isin(outcomes.rows, list(run.judged.composed))
    scored, right = outcomes.scored("counterfactual"), outcomes.right("counterfactual")
    n = int(scored.sum())
    shares = [share(int((right & part).sum()), int(part.sum())) for part in (composed & scored, ~composed & scored)]
    return table_line(run.label, n, share(int((composed & scored).sum()), n), *shares, n=n, run=run.label)
