"""CFMM's observations (CFMM 4.2) and the effects of prompts, for the runs of a report."""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from countersight.case import TWO_WORLDS, World
from countersight.html import (
    Grid,
    count,
    interval,
    name,
    number,
    p_value,
    percent,
    plain_interval,
    table_line,
)
from countersight.reports.data import Analysis, Point
from countersight.reports.scored import AnalysedRun, group_line, group_words
from countersight.scoring import (
    CONFIDENCE,
    LEAST_IN_A_MARGIN,
    Correlation,
    Difference,
    GroupScores,
    Phi,
    PromptEffect,
    Ranking,
    Rate,
    correlation,
    effect,
    ranking,
)
from countersight.suites import Terms
from countersight.text import several

FIRST_PROMPT: Final = "0-shot"
"""The prompt with which others are compared."""
BLIND_PROMPT: Final = "text-only"
"""The prompt without the picture: its answers come from language alone."""


class _PromptChange(msgspec.Struct, frozen=True, eq=False):
    """A run beside the run of the same model that was asked in the first way."""

    run: AnalysedRun
    first: AnalysedRun
    effect: PromptEffect


def observations(runs: Sequence[AnalysedRun], terms: Terms) -> Analysis | None:
    """What CFMM observed of its models, of these runs; None where they allow nothing of it."""
    correlations = [(run, found) for run in runs if (found := correlation(run.outcomes))]
    asked = [world for world in TWO_WORLDS if world in terms.measures]
    rankings = [(run, best) for run in runs for world in asked if (best := ranking(run.outcomes, world))]
    told = [
        Point("The drop", tuple(_drop(run, terms) for run in runs if run.scores.overall.drop)),
        Point(
            "Factual and counterfactual accuracy", tuple(_correlated(run, found, terms) for run, found in correlations)
        ),
        Point("Best and worst", tuple(_ranked(run, found, terms) for run, found in rankings)),
    ]
    points = tuple(point for point in told if point.sentences)
    if not points:
        return None
    tables = [_worlds_table(correlations, terms), *(_ranking_table(run, found, terms) for run, found in rankings)]
    return Analysis(
        heading="Observations",
        about=(
            f"Observations of the CFMM paper, computed for these runs, each with its {percent(CONFIDENCE, 0)}% "
            "interval."
        ),
        points=points,
        tables=tuple(table for table in tables if table.lines),
        definitions=tuple(_definitions(bool(correlations), bool(rankings))),
    )


def prompt_analysis(runs: Sequence[AnalysedRun], terms: Terms) -> Analysis | None:
    """Analyse the effect of another prompt, or of leaving the picture out, for the same model; None without any."""
    changes = list(_changes(runs))
    if not changes:
        return None
    seeing = [change for change in changes if change.run.prompt == BLIND_PROMPT]
    asking = [change for change in changes if change.run.prompt != BLIND_PROMPT]
    told = [
        Point("Effect of prompts", tuple(_changed(change, terms) for change in asking)),
        Point("Effect of the picture", tuple(_blind(change, terms) for change in seeing)),
    ]
    tables = (
        _changes_table("Effect of prompts", asking, terms),
        _changes_table("Without the picture", seeing, terms),
    )
    return Analysis(
        heading="Prompts",
        about=f"Runs compared with the {FIRST_PROMPT} run of the same model, case by case.",
        points=tuple(point for point in told if point.sentences),
        tables=tuple(table for table in tables if table.lines),
        definitions=(
            (
                "effect of prompts, without the picture",
                f"A run minus the {FIRST_PROMPT} run of the same model, over the cases answered in both: Tango's "
                "score interval and McNemar's exact test.",
            ),
        ),
    )


def _changes(runs: Sequence[AnalysedRun]) -> Iterator[_PromptChange]:
    for run in runs:
        if run.prompt == FIRST_PROMPT:
            continue
        firsts = [first for first in runs if (first.manifest.model, first.prompt) == (run.manifest.model, FIRST_PROMPT)]
        # Whether answers are written or ranked changes them too: the one that was answered in the same way comes first.
        firsts.sort(key=lambda first: first.manifest.answering != run.manifest.answering)
        if firsts:
            yield _PromptChange(run, firsts[0], effect(run.outcomes, firsts[0].outcomes))


def _share(scores: GroupScores, world: World) -> str:
    figure = scores.figure(world)
    return f"{percent(figure.value or 0.0)}%" if figure else "–"


def _drop(run: AnalysedRun, terms: Terms) -> str:
    *groups, total = run.scores.rows
    sentence = (
        f"{name(run.label)}: {_word('factual', terms)} {_share(total, 'factual')}, "
        f"{_word('counterfactual', terms)} {_share(total, 'counterfactual')}, a drop of {_points(total.drop)}."
    )
    drops = [row.drop for row in groups if row.drop]
    if len(drops) > 1:
        sure = sum(each.low > 0 for each in drops)
        sentence += (
            f" Accuracy falls in {sum(each.value > 0 for each in drops)} of {several(len(drops), terms.group)}; in "
            f"{count(sure) if sure else 'none'} of them the whole interval is above zero."
        )
    return sentence


def _correlated(run: AnalysedRun, found: Correlation, terms: Terms) -> str:
    if found.phi is None:
        return (
            f"{name(run.label)}: too few cases are right, or not right, in one of the two worlds to compute a "
            f"correlation; at least {LEAST_IN_A_MARGIN} of each are needed (n = {count(found.n)})."
        )
    phi = found.within or found.phi
    where = f"within the same {terms.group}, " if found.within else ""
    if phi.low <= 0 <= phi.high:
        meaning = "being right in one world is not significantly correlated with being right in the other"
    else:
        often = "less often" if phi.value < 0 else "more often"
        meaning = (
            f"cases answered correctly in the factual world are answered correctly {often} in the counterfactual one"
        )
    within = f", within each {terms.group} {_phi(found.within)}" if found.within else ""
    shares = [
        f"{percent(rate.value)}% of the {several(rate.n, 'case')} {which}"
        for rate, which in ((found.after_right, "factually right"), (found.after_wrong, "not factually right"))
        if rate.value is not None
    ]
    return (
        f"{name(run.label)}: phi = {_phi(found.phi)}{within}, n = {count(found.n)}: {where}{meaning}. Counterfactual "
        f"accuracy over all cases: {' and '.join(shares)}."
    )


def _ranked(run: AnalysedRun, found: Ranking, terms: Terms) -> str:
    best, worst = found.standings[0], found.standings[-1]
    first, last = (name(group_words(each.group, terms)) for each in (best, worst))
    return (
        f"{name(run.label)}, {terms.measures[found.asking]}: best {first} with "
        f"{_rate(best.rate)}; worst {last} with {_rate(worst.rate)}. They are "
        f"{percent(found.spread.value or 0.0)} points apart ({interval(found.spread)})."
    )


def _changed(change: _PromptChange, terms: Terms) -> str:
    prompts = f"{name(change.run.prompt)} against {name(change.first.prompt)}"
    return f"{prompts} ({name(change.run.manifest.model)}{_way(change)}): {_effects(change.effect, terms)}."


def _blind(change: _PromptChange, terms: Terms) -> str:
    total = change.run.scores.overall
    rates = [(terms.measures[asked], getattr(total, asked)) for asked in TWO_WORLDS if asked in terms.measures]
    shares = [f"{words} {_rate(rate)}" for words, rate in rates if rate.value is not None]
    return (
        f"{name(change.run.manifest.model)} without the picture{_way(change)}: "
        f"{', '.join(shares) or 'nothing answered'}; compared with {name(change.first.prompt)}, "
        f"{_effects(change.effect, terms)}."
    )


def _effects(effect: PromptEffect, terms: Terms) -> str:
    parts = [
        f"{words} {_signed(found.value)} points ({_within(found)})"
        for key, words in terms.measures.items()
        if (found := getattr(effect, key, None)) is not None
    ]
    return ", ".join(parts) or "no case was answered in both runs"


def _way(change: _PromptChange) -> str:
    if change.run.manifest.answering == change.first.manifest.answering:
        return ""
    words = {"rank": "options ranked", "generate": "answers written"}
    return f", {words[change.run.manifest.answering]} against {words[change.first.manifest.answering]}"


def _worlds_table(found: Sequence[tuple[AnalysedRun, Correlation]], terms: Terms) -> Grid:
    within = any(correlated.within for _, correlated in found)
    heads = {key: _word(key, terms) for key in ("factual", "counterfactual", "drop")} | {"phi": "phi"}
    if within:
        heads["phi_within_groups"] = f"phi within each {terms.group}"
    heads |= {"after_right": "counterfactual, if factually right", "after_wrong": "counterfactual, if not"}
    lines = []
    for run, correlated in found:
        total = run.scores.overall
        phis = [correlated.phi, correlated.within] if within else [correlated.phi]
        worlds = (total.figure(key) for key in ("factual", "counterfactual", "drop"))
        cells = (*worlds, *phis, correlated.after_right, correlated.after_wrong)
        lines.append(table_line(run.label, *cells, n=correlated.n, run=run.label))
    head = ("run", *heads.values())
    return Grid("Factual and counterfactual accuracy", head, tuple(lines), key="observations", measures=tuple(heads))


def _ranking_table(run: AnalysedRun, found: Ranking, terms: Terms) -> Grid:
    measure = terms.measures[found.asking]
    lines = (group_line(run, each.group, terms, each.rate.n, each.rate) for each in found.standings)
    head = (terms.group, "n", measure)
    title = f"From best to worst, {measure}: {name(run.label)}"
    return Grid(title, head, tuple(lines), key="observations", measures=("", found.asking))


def _changes_table(title: str, changes: Sequence[_PromptChange], terms: Terms) -> Grid:
    measures = [key for key in terms.measures if any(getattr(change.effect, key, None) for change in changes)]
    lines = (
        table_line(
            f"{change.run.label} minus {change.first.label}",
            *(getattr(change.effect, key) for key in measures),
            run=change.run.label,
            minus_run=change.first.label,
        )
        for change in changes
    )
    head = ("difference of runs", *(terms.measures[key] for key in measures))
    note = "Differences in points over the cases answered in both runs, case by case."
    return Grid(title, head, tuple(lines), note, "prompts", tuple(measures))


def _definitions(correlated: bool, ranked: bool) -> Iterator[tuple[str, str]]:
    if correlated:
        yield (
            "phi",
            "The correlation of being right in the factual and in the counterfactual world, from −1 to 1, over the "
            "cases scored in both; interval and p by Mantel and Haenszel's test. It is not computed if fewer than "
            f"{LEAST_IN_A_MARGIN} cases are right, or not right, in either world. Groups that are easier in both "
            "worlds cause a correlation by themselves; phi within each group excludes it.",
        )
    if ranked:
        yield (
            "best and worst",
            "Their distance is that of two groups chosen for being so: it is rather too large, and its interval is as "
            "wide as if every two groups had been compared (Bonferroni).",
        )


def _word(measure: str, terms: Terms) -> str:
    return terms.measures.get(measure, measure)


def _phi(phi: Phi) -> str:
    return f"{number(phi.value)} ({plain_interval(phi)})"


def _points(found: Difference | None) -> str:
    return f"{percent(found.value)} points ({_within(found)})" if found else "–"


def _within(found: Difference) -> str:
    return f"{interval(found)}; {p_value(found.p)}; n = {count(found.n)}"


def _signed(value: float) -> str:
    text = percent(value)
    return f"+{text}" if value > 0 and text.strip("0.") else text


def _rate(rate: Rate) -> str:
    if rate.value is None:
        return "–"
    return f"{percent(rate.value)}% ({percent(rate.low)} to {percent(rate.high)}; n = {count(rate.n)})"
