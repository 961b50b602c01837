"""The finding of a report in a sentence, with cautions."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from countersight.case import TWO_WORLDS, World
from countersight.html import TOO_FEW_CASES, Bounds, Figure, count, interval, name, p_value, percent, shortened
from countersight.reports.advice import WARNING_THRESHOLD
from countersight.reports.data import ReportData, RunScores
from countersight.scoring import NOTABLE_UNREAD_DIFFERENCE, Interval
from countersight.suites import AS_IT_IS, BOTH_WORLDS, UNDER_A_CHANGE
from countersight.text import several

_MAX_LISTED_RUNS = 3
"""Up to this many runs are described one by one; of more, only those that lose most and least."""
_GUESSING_MARGIN = 0.25
"""A model is no better than guessing if its interval includes chance and ends at most this far above it."""
_NO_BETTER = "no better than guessing:"
_MAX_DATASET_NAME = 40
_RunFigure = tuple[RunScores, Figure]


class FindingSentence(NamedTuple):
    """A sentence of a report: the finding itself (lede), a reason for caution (caution), or a note."""

    words: str
    kind: Literal["lede", "caution", "note"] = "caution"


def sentence(report: ReportData) -> str:
    """Return what was asked, the result, and the cautions, as one text."""
    return " ".join(each.words for each in sentences(report))


def sentences(report: ReportData) -> list[FindingSentence]:
    """Return the sentences in order: incomplete results are reported first, other cautions last."""
    asked = f"{_asked_cases(report)} of {shortened(name(report.dataset), _MAX_DATASET_NAME)}"
    if len(report.runs) <= _MAX_LISTED_RUNS:
        asked += f", {report.terms.about or _ABOUT[report.worlds]}"
    who = report.runs[0].short_label(report.runs) if len(report.runs) == 1 else f"{count(len(report.runs))} runs"
    found = finding(report)
    past, present = ("was", "is") if len(report.runs) == 1 else ("were", "are")
    tense = present if any(run.overall.missing for run in report.runs) else past
    words = f"{who} {tense} asked {asked}{f': {found}' if found else '.'}"
    is_anything_found = bool(_main_figures(report))
    before = [run for run in report.runs if _is_unfinished(run) or not is_anything_found]
    others = [run for run in report.runs if run not in before]
    first, last = (list(map(FindingSentence, _caveats(report, runs))) for runs in (before, others))
    early = (
        FindingSentence(f"{run.short_label(report.runs)}: {run.stopping_note}", "note")
        for run in report.runs
        if run.stopping_note
    )
    after = (*_at_chance(report), *_unread(report), *_differing_unread_rates(report))
    return [*first, FindingSentence(words, "lede"), *_imagination_gap(report), *last, *early, *after]


def _asked_cases(report: ReportData) -> str:
    """Return the number of cases that the runs were asked, as a range if they differ."""
    counts = sorted({run.overall.n for run in report.runs})
    if len(counts) == 1:
        return several(counts[0], "case")
    return f"{count(counts[0])} {'and' if len(report.runs) == 2 else 'to'} {several(counts[-1], 'case')}"


def _imagination_gap(report: ReportData) -> Iterator[FindingSentence]:
    """Yield a note on the gain from showing the changed picture; for many runs, only the largest and smallest gain."""
    gaps = [(run, run.overall.imagination_gap) for run in report.runs]
    found = sorted(((gap.value, run, gap) for run, gap in gaps if gap), key=lambda each: -each[0])
    if len(found) > _MAX_LISTED_RUNS:
        found = [found[0], found[-1]]
    parts = [
        f"{'' if len(report.runs) == 1 else f'{run.short_label(report.runs)}: '}{percent(value)} points "
        f"({interval(gap)}; {several(gap.n, 'case')}{f'; {TOO_FEW_CASES}' * gap.too_few})"
        for value, run, gap in found
    ]
    if parts:
        which = " (largest and smallest)" * (len(parts) < sum(gap is not None for _, gap in gaps))
        yield FindingSentence(f"Imagination gap, shown minus counterfactual{which}: {'; '.join(parts)}.", "note")


def _caveats(report: ReportData, candidates: list[RunScores]) -> Iterator[str]:
    """Yield which of these runs are unfinished or have no usable replies; if there are many, only their number."""
    for kind in ("No finding", "Unfinished"):
        runs = [run for run in candidates if _caveat(report, run) == kind]
        if len(runs) > _MAX_LISTED_RUNS:
            yield f"{kind}: {len(runs)} of {several(len(report.runs), 'run')}; see the tables for details."
        else:
            yield from (f"{kind}: {run.short_label(report.runs)}, {run.progress}." for run in runs)


def _unread(report: ReportData) -> Iterator[FindingSentence]:
    """Yield the share of replies without an answer; of several runs, the largest share."""
    shares = []
    for run in report.runs:
        scores = run.overall
        without = scores.unread + scores.cut + scores.empty
        if without and not _caveat(report, run):
            shares.append((without / (scores.scored + scores.cut + scores.empty), run.short_label(report.runs)))
    if shares:
        share, worst = max(shares, key=lambda each: each[0])
        of = "" if len(report.runs) == 1 else f" of {worst}"
        most = " (the largest share of a run)" * (len(shares) > 1)
        words = f"Unread, cut off or empty: {percent(share)}% of the replies{of}{most}."
        yield FindingSentence(words, "caution" if share > WARNING_THRESHOLD else "note")


def _at_chance(report: ReportData) -> Iterator[FindingSentence]:
    """Yield a warning if a model cannot answer questions about the unchanged picture: its drop is then meaningless."""
    kinds = {
        True: "answered factual questions no better than random guessing: the drop says nothing.",
        False: "answered too few factual questions to tell the answers from random guessing.",
    }
    known = _main_figures(report)
    for kind, words in kinds.items():
        found = [(run, drop) for run, drop in known if _guesses(report, run, drop) is kind]
        if kind and len(known) > 1:  # the finding already names runs without a clear drop
            found = [(run, drop) for run, drop in found if drop.is_clear]
        runs = [run.short_label(report.runs) for run, _ in found]
        if runs:
            who = "It" if len(report.runs) == 1 else " and ".join(runs[:_MAX_LISTED_RUNS])
            who += f" and {len(runs) - _MAX_LISTED_RUNS} more" if len(runs) > _MAX_LISTED_RUNS else ""
            yield FindingSentence(f"{who} {words}")


def _guesses(report: ReportData, run: RunScores, drop: Figure) -> bool | None:
    """Return True if a model is no better than guessing, None if it is better, and False if there are too few cases."""
    factual, chance = run.overall.figure("factual"), run.overall.chance.get("factual")
    if not report.two_worlds or drop.too_few or not factual or chance is None or factual.low > chance:
        return None
    return factual.high <= chance + _GUESSING_MARGIN


def _differing_unread_rates(report: ReportData) -> Iterator[FindingSentence]:
    """Yield a warning if the unread rates of the compared runs differ by more than 3 points."""
    rates = [(run.overall.unread_rate or 0.0, run.short_label(report.runs)) for run, _ in _main_figures(report)]
    (low, few), (high, many) = min(rates, default=(0.0, "")), max(rates, default=(0.0, ""))
    if high - low > NOTABLE_UNREAD_DIFFERENCE:
        yield FindingSentence(
            f"Unread replies, which count as not right, differ between the runs: {percent(high)}% of {many}, "
            f"{percent(low)}% of {few}. A run may decline more often, or word "
            f"its answers in another way; to repeat those of {many}: `countersight run … --again unread`, "
            "in Python again='unread'."
        )


def finding(report: ReportData) -> str:
    """Return how much accuracy each model loses under a change, or its accuracy if there is only one world."""
    known = _main_figures(report)
    if not known:
        where = " in one of the two worlds" if any(run.overall.scored for run in report.runs) else ""
        return f"no answer could be scored{where}, so there is no finding."
    if len(known) == 1:
        [(run, figure)] = known
        who = "it" if len(report.runs) == 1 else name(run.label)
        words = _drop(report, run, figure) if report.two_worlds else _accuracy(report, run, figure)
        return f"{who} {words}."
    known.sort(key=lambda each: -(each[1].value or 0.0))
    unclear = [each for each in known if report.two_worlds and not each[1].is_clear]
    clear = [each for each in known if each not in unclear]
    if report.two_worlds and len(report.runs) > _MAX_LISTED_RUNS:
        return "; ".join([*_most_and_least(report, clear), *_unclear_drops(report, unclear)]) + "."
    # Of many runs, only the highest and the lowest are named.
    ends = clear if len(clear) <= _MAX_LISTED_RUNS else [clear[0], clear[-1]]
    parts = [
        f"{run.short_label(report.runs)} "
        + (_drop(report, run, figure, short=True) if report.two_worlds else _accuracy(report, run, figure))
        for run, figure in ends
    ]
    return "; ".join([*parts, *_unclear_drops(report, unclear)]) + "."


def _most_and_least(report: ReportData, clear: list[_RunFigure]) -> Iterator[str]:
    """Yield, for many runs, how many lose or gain accuracy, and for which it falls most and least."""
    if not clear:
        return
    losing = sum((figure.value or 0.0) > 0 for _, figure in clear)
    counts = ((losing, "lose"), (len(clear) - losing, "gain"))
    who = " and ".join(f"{number} {verb if number > 1 else verb + 's'}" for number, verb in counts if number)
    who = f"all {who}" if losing == len(report.runs) else f"of {len(report.runs)} runs, {who}"
    ends = dict(zip(("most", "least"), (clear[0], clear[-1])[: len(clear)], strict=False))
    named = (
        f"{which} {run.short_label(report.runs)} ({_fall(run, drop)}"
        + (f"; {_cases(run, drop)})" if drop.n < run.overall.n else ")")
        for which, (run, drop) in ends.items()
    )
    yield f"{who} accuracy under a change, {', '.join(named)}"


def _fall(run: RunScores, drop: Figure) -> str:
    before, after = _both_shares(run)
    return f"{percent(drop.value or 0.0)} points, from {before}% to {after}%"


def _cases(run: RunScores, figure: Figure) -> str:
    """Return the number of cases of a figure, and whether only those answered in both worlds are counted."""
    return several(figure.n, "case") + " answered in both worlds" * (figure.n < run.overall.n)


def _both_shares(run: RunScores) -> tuple[str, ...]:
    """Return both accuracies over the cases of the drop."""
    figures = (run.overall.figure(world) for world in TWO_WORLDS)
    return tuple(percent(figure.value or 0.0) if figure else "–" for figure in figures)


def _unclear_drops(report: ReportData, unclear: list[_RunFigure]) -> Iterator[str]:
    """Yield a clause for each reason why some of these runs have no clear drop."""
    reasons: dict[str, list[_RunFigure]] = {}
    for run, drop in unclear:
        if drop.too_few:
            reason = "too few cases to tell for"
        elif _guesses(report, run, drop):
            reason = _NO_BETTER
        else:
            reason = "no clear drop for" if drop.low <= 0 <= drop.high else "too many replies are unread to tell for"
        reasons.setdefault(reason, []).append((run, drop))
    for reason, runs in reasons.items():
        if reason == _NO_BETTER:  # the figures of a guessing model are meaningless
            yield f"{reason} {', '.join(run.short_label(report.runs) for run, _ in runs)}"
        else:
            yield f"{reason} {_list_drops(report, runs)}"


def _main_figures(report: ReportData) -> list[_RunFigure]:
    figures = [(run, _figure(report, run)) for run in report.runs]
    return [(run, figure) for run, figure in figures if figure is not None]


def _list_drops(report: ReportData, runs: list[_RunFigure]) -> str:
    if len(report.runs) > _MAX_LISTED_RUNS and len(runs) > 1:
        numbers = sorted(run.number for run, _ in runs)
        which = f" ({', '.join(f'#{number}' for number in numbers)})" if all(numbers) else ""
        return several(len(runs), "run") + which
    named = [
        f"{run.short_label(report.runs)} ({_fall(run, figure)}; {_cases(run, figure)}; interval {interval(figure)}"
        f"{_left_open(figure.bounds)})"
        for run, figure in runs
    ]
    return " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)


def _left_open(bounds: Bounds | None) -> str:
    """Return the bounds due to unread replies, to be appended to a clause; empty if every reply was read."""
    return f"; {interval(bounds)} depending on how unread replies are counted" if bounds else ""


def _caveat(report: ReportData, run: RunScores) -> str:
    """Return "No finding" if a world has no scored answer, "Unfinished" if replies are missing or failed, else ""."""
    if _figure(report, run) is None:
        return "No finding"
    return "Unfinished" if _is_unfinished(run) else ""


def _is_unfinished(run: RunScores) -> bool:
    return bool(run.overall.missing or run.overall.failed)


def _figure(report: ReportData, run: RunScores) -> Figure | None:
    figure: Figure | None = run.overall.drop if report.two_worlds else getattr(run.overall, report.worlds[-1])
    return figure if figure and figure.value is not None else None


def _drop(report: ReportData, run: RunScores, drop: Figure, *, short: bool = False) -> str:
    """Return a drop in words: "loses 12.5 points under a change (factual 84.3% right, …)".

    `short` leaves out the interval and the p value, for sentences about several runs.
    """
    value = drop.value or 0.0
    before, after = _both_shares(run)
    chance = run.overall.chance.get("counterfactual")
    guessing = "" if chance is None else f"; random guessing gives {percent(chance)}%"
    shares = f"factual {before}% right, counterfactual {after}%{guessing}"
    gained = value < 0  # a gain is reported with its sign reversed, and so are its interval and bounds
    ends = Interval(-drop.high, -drop.low) if gained else drop
    bounds = drop.bounds
    if gained and bounds:
        bounds = Bounds(-bounds.high, -bounds.low)
    cases, verb = _cases(run, drop), "gains" if gained else "loses"
    if short:
        return f"{verb} {percent(abs(value))} points ({shares}; {cases}{_left_open(bounds)})"
    level = percent(report.confidence, 0)
    sure = f"{level}% interval {interval(ends)}; {cases}; {p_value(drop.p or 0)}{_left_open(bounds)}"
    if drop.is_clear:
        return f"{verb} {percent(abs(value))} points under a change ({shares}; {sure})"
    if drop.too_few:
        return (
            f"{verb} {percent(abs(value))} points ({shares}; {sure}), with too few cases for a conclusion; "
            "`countersight describe DATASET --power 0.1` says how many are needed"
        )
    if drop.low <= 0 <= drop.high:
        words = f"shows no clear {'gain' if gained else 'drop'}"
    else:
        words = f"may {'gain' if gained else 'lose'}, but too many replies are unread to tell"
    return f"{words}: {percent(abs(value))} points ({shares}; {sure})"


def _accuracy(report: ReportData, run: RunScores, figure: Figure) -> str:
    words = "VQA accuracy of" if report.soft else "answers right"
    words += " under a change" if len(report.worlds) > 1 else ""
    chance = run.overall.chance.get(report.worlds[-1])
    level = f"{percent(report.confidence, 0)}% interval {interval(figure)}; {several(figure.n, 'case')}"
    words = f"{'has a ' if report.soft else ''}{words} {percent(figure.value or 0.0)}% ({level})"
    if chance is None:
        return words
    beyond = (
        "more than"
        if figure.low > chance
        else "less than"
        if figure.high < chance
        else "not significantly different from"
    )
    return f"{words}, {beyond} the {percent(chance)}% of random guessing"


_ABOUT: dict[tuple[World, ...], str] = {
    TWO_WORLDS: BOTH_WORLDS,
    ("factual",): AS_IT_IS,
    ("counterfactual",): UNDER_A_CHANGE,
}
