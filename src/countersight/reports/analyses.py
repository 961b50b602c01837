"""Analyses of the runs of a report beyond their scores, in sentences and tables."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from countersight.html import Figure, Grid, count, interval, name, percent, table_line
from countersight.reports.bias import bias_analysis
from countersight.reports.data import Analysis, Point
from countersight.reports.image_groups import PictureGroups
from countersight.reports.observations import observations, prompt_analysis
from countersight.reports.programs import Watched, composed_analysis, program_analysis
from countersight.reports.scored import AnalysedRun, group_line, short_name, told
from countersight.scoring import (
    ALL,
    CONFIDENCE,
    Repeated,
    SetScores,
    Whole,
    repeats,
    share_interval,
)
from countersight.suites import Terms
from countersight.text import several

_LEVEL: Final = percent(CONFIDENCE, 0)
_WAYS: Final = {"counterfactual": "told in words", "shown": "shown as a picture", "factual": "as it is"}


def analyses(
    runs: Sequence[AnalysedRun],
    watched: Sequence[Watched],
    terms: Terms,
    groups: Sequence[PictureGroups],
    *,
    seed: int,
    suite: str,
) -> tuple[Analysis, ...]:
    """Return all possible analyses: repeats, sets, controls, observations, prompts, programs, groups of pictures."""
    found = [
        repeat_analysis(runs),
        set_analysis(runs, terms),
        alarm_analysis(runs, terms),
        observations(runs, terms) if suite == "cfmm" else None,
        prompt_analysis(runs, terms),
        composed_analysis(runs, watched, terms),
        program_analysis(runs, watched, terms),
        *(bias_analysis(each, runs, terms, seed=seed) for each in groups),
    ]
    return tuple(analysis for analysis in found if analysis is not None)


def alarm_analysis(runs: Sequence[AnalysedRun], terms: Terms) -> Analysis | None:
    """Analyse whether answers change if they should and stay if they should; None if no case has a control."""
    found = [run for run in runs if any(line.balance.n for line in run.scores.alarms)]
    if not found:
        return None
    return Analysis(
        heading="Misses and false alarms",
        about=(
            "Every case has a control with the same picture and question, but a change that must not affect the "
            "answer. Only pairs with a right factual answer are counted."
        ),
        points=tuple(Point(name(run.label), tuple(_alarm_sentences(run))) for run in found),
        tables=tuple(table for run in found for table in _alarm_tables(run, terms)),
        definitions=(
            ("miss", "The change affects the answer, but the model does not give the new answer."),
            ("false alarm", "The change does not affect the answer, but the model does not give the old answer."),
            (
                "unread",
                "One of the two replies is unread; the pair is neither a miss nor a false alarm, and not right.",
            ),
            (
                "balance",
                "The mean of the accuracy on changes that affect the answer and on changes that do not. A model "
                f"that ignores every change, or follows every change, has about 50 %. {_LEVEL}% exact binomial "
                "intervals, for the number of independent pairs.",
            ),
        ),
        asked_for=True,
    )


def _alarm_sentences(run: AnalysedRun) -> Iterator[str]:
    for line in run.scores.alarms:
        if line.group == ALL and line.balance.n:
            shares = f"{told(line.misses)} missed, {told(line.false_alarms)} false alarms"
            shares += f", {told(line.unread)} unread" if line.unread.right else ""
            balance = f"{percent(line.balance.value or 0.0)}% ({interval(line.balance)})"
            ignoring = f"a model that ignores every change has {percent(line.ignoring)}%"
            yield f"Changes {_WAYS[line.asking]}: {shares}; balance {balance}, {ignoring}."


def _alarm_tables(run: AnalysedRun, terms: Terms) -> Iterator[Grid]:
    heads = ("misses", "false alarms", "unread", "balance")
    for asking in dict.fromkeys(line.asking for line in run.scores.alarms):
        lines = (
            group_line(
                run, line.group, terms, line.balance.n, line.misses, line.false_alarms, line.unread, line.balance
            )
            for line in run.scores.alarms
            if line.asking == asking and line.balance.n
        )
        yield Grid(
            f"Misses and false alarms, changes {_WAYS[asking]}: {name(run.label)}",
            (terms.group, "n", *heads),
            tuple(lines),
            key="alarms",
            measures=("", *(f"{what} {asking}" for what in heads)),
        )


def set_analysis(runs: Sequence[AnalysedRun], terms: Terms) -> Analysis | None:
    """Analyse questions, pictures and sets that are completely right; None if no case belongs to a set."""
    found = [run for run in runs if run.scores.sets]
    if not found:
        return None
    return Analysis(
        heading="Complete sets of questions and pictures",
        about=(
            "Several questions are asked about several pictures, with different answers: a model that does not look "
            "gives the same answer for all pictures, so it has no question right for all of them."
        ),
        points=tuple(Point(name(run.label), tuple(_set_sentences(run.scores.sets[-1], terms))) for run in found),
        tables=tuple(_set_table(run, terms) for run in found),
        definitions=(
            ("questions", "The share of questions that are right for all their pictures."),
            ("pictures", "The share of pictures with all questions right."),
            (
                "sets",
                "The share of sets with all questions right for all pictures. Only completely answered sets are "
                "counted.",
            ),
        ),
        asked_for=True,
    )


def _set_sentences(line: SetScores, terms: Terms) -> Iterator[str]:
    parts = zip(_wholes(terms), (line.question, line.picture, line.whole), strict=True)
    yield f"{'; '.join(f'{called} {_told_whole(whole)}' for called, whole in parts if whole)}."
    if line.fours == 0:
        yield (
            f"All {several(line.threes, 'set')} have three answers, because the question with “if” was not asked "
            "about the changed picture. The figures are not comparable with those of sets of four."
        )
    elif line.fours and line.threes:
        yield f"{several(line.fours, 'case')} have all four answers and form sets; {line.threes:,} have three."


def _wholes(terms: Terms) -> list[str]:
    return [terms.wholes.get(which, f"whole {which}s") for which in ("question", "picture", "set")]


def _told_whole(whole: Whole) -> str:
    guessing = f", guessing gives {percent(whole.chance)}%" if whole.chance else ""
    return f"{percent(whole.rate.value or 0.0)}% ({interval(whole.rate)}; n = {count(whole.rate.n)}{guessing})"


def _set_table(run: AnalysedRun, terms: Terms) -> Grid:
    fours = run.scores.sets[-1].fours
    size = "" if fours is None else f", sets of {'four' if fours else 'three'}"
    lines = (
        group_line(
            run,
            line.group,
            terms,
            line.answers.n,
            line.answers,
            *(each.rate if each else None for each in (line.question, line.picture, line.whole)),
        )
        for line in run.scores.sets
    )
    return Grid(
        f"Complete sets: {name(run.label)}{size}",
        (terms.group, "n", "answers", *_wholes(terms)),
        tuple(lines),
        key="sets",
        measures=("", "answers", "questions", "pictures", "sets"),
    )


def repeat_analysis(runs: Sequence[AnalysedRun]) -> Analysis | None:
    """Separate the model's accuracy from chance, over runs that differ only in their seed."""
    ordered = sorted(runs, key=_but_for_seed)
    families = [list(family) for _, family in groupby(ordered, key=_but_for_seed)]
    found = [(family[0], repeats([run.outcomes for run in family])) for family in families if len(family) > 1]
    if not any(figures for _, figures in found):
        return None
    return Analysis(
        heading="Repeated runs",
        about="Runs of one model that differ only in their seed, on the cases scored in all of them.",
        points=tuple(Point(name(_asked_as(first)), tuple(map(_repeat_sentence, each))) for first, each in found),
        tables=tuple(_repeat_table(first, figures) for first, figures in found),
        definitions=(
            ("expected",
                f"The average accuracy of one run, with the exact binomial {_LEVEL}% interval for the number of "
                "cases."
            ),
            ("majority",
                "The accuracy of the most frequent answer to each case; for ties, the share of the tied answers that "
                "are right."
            ),
            ("tied", "Cases without a most frequent answer."),
            ("flips", "Cases that were not answered the same every time."),
            ("within", "The variance within a case: how much repeating the run changes."),
            ("between", "The variance between cases: how much their difficulty differs."),
        ),
        asked_for=True,
    )  # fmt: skip


def _but_for_seed(run: AnalysedRun) -> str:
    return run.manifest.but_for_seed()


def _asked_as(run: AnalysedRun) -> str:
    return f"{short_name(run.manifest.model)}, {run.prompt}"


def _repeat_sentence(found: Repeated) -> str:
    return (
        f"{found.asking.capitalize()}: asked {found.runs} times, {percent(found.expected)}% right on average and "
        f"{percent(found.majority)}% by majority; the answer changes between runs in {percent(found.flips)}% of "
        f"{count(found.cases)} cases, and {percent(found.tied)}% have no majority."
    )


def _repeat_table(first: AnalysedRun, figures: Sequence[Repeated]) -> Grid:
    measures = ("expected", "majority", "tied", "flips")
    lines = (
        table_line(
            each.asking,
            each.runs,
            each.cases,
            *(_mean(getattr(each, key), each.cases) for key in measures),
            *(f"{each.within:.4f}", f"{each.between:.4f}"),
            n=each.cases,
            run=first.label,  # in files the figures stand with the first of the runs
            group=each.asking,
        )
        for each in figures
    )
    head = ("world", "times", "n", *measures, "variance within", "variance between")
    title = f"Repeated runs: {name(_asked_as(first))}"
    return Grid(title, head, tuple(lines), key="repeats", measures=("", "", *measures))


def _mean(value: float, cases: int) -> Figure:
    ends = share_interval(value * cases, cases)
    return Figure(value, ends.low, ends.high, cases)
