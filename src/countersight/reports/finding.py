"""The finding of a report in a sentence, with cautions."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from countersight.case import TWO_WORLDS, World
from countersight.english import listed
from countersight.figures import Bounds, Figure
from countersight.html import TOO_FEW_CASES, name, shortened
from countersight.number_formats import count, interval, p_value, percent
from countersight.reports.advice import WARNING_THRESHOLD
from countersight.reports.data import ReportData, RunScores
from countersight.scoring import NOTABLE_UNREAD_DIFFERENCE, Interval
from countersight.suites import AS_IT_IS, BOTH_WORLDS, UNDER_A_CHANGE
from countersight.text import several

_MAX_LISTED_RUNS = 3
"""Up to this many runs are described one by one; of more, only those that lose most and least."""
_GUESSING_MARGIN = 0.25
"""A model is no better than guessing if its interval includes chance and ends at most this far above it."""
_MAX_DATASET_NAME = 40
_ABOUT: dict[tuple[World, ...], str] = {
    TWO_WORLDS: BOTH_WORLDS,
    ("factual",): AS_IT_IS,
    ("counterfactual",): UNDER_A_CHANGE,
}
_RunFigure = tuple[RunScores, Figure]


class FindingSentence(NamedTuple):
    """A sentence of a report: the finding itself (lede), a reason for caution (caution), or a note."""

    words: str
    kind: Literal["lede", "caution", "note"] = "caution"


def sentence(report: ReportData) -> str:
    """Return what was asked, the result, and the cautions, as one text."""
    return " ".join(each.words for each in sentences(report))


def sentences(report: ReportData) -> list[FindingSentence]:
    """Return the sentences in order: an unfinished run says so in the first one, other cautions come last."""
    return list(_Finding(report).sentences())


class _Finding:
    def __init__(self, report: ReportData) -> None:
        self.report, self.runs = report, report.runs
        self.is_alone, self.are_many = len(self.runs) == 1, len(self.runs) > _MAX_LISTED_RUNS
        figures = ((run, self._main_figure(run)) for run in self.runs)
        self.known: list[_RunFigure] = sorted(
            ((run, figure) for run, figure in figures if figure), key=lambda each: -(each[1].value or 0.0)
        )
        """The runs with a main figure, which is the drop if there are two worlds; the largest first."""

    def sentences(self) -> Iterator[FindingSentence]:
        if self.are_many and self.known:  # the finding itself says which runs are unfinished
            first: list[RunScores] = []
        else:
            first = [run for run in self.runs if _is_unfinished(run) or not self.known]
        yield from self._incomplete(first)
        yield FindingSentence(self._lede(), "lede")
        yield from self._imagination_gaps()
        yield from self._incomplete([run for run in self.runs if run not in first])
        yield from (
            FindingSentence(f"{self._label(run)}: {run.stopping_note}", "note")
            for run in self.runs
            if run.stopping_note
        )
        yield from self._at_chance()
        yield from self._unread()

    def _label(self, run: RunScores) -> str:
        return run.short_label(self.runs)

    def _mark(self, run: RunScores) -> str:
        """Return only the number of a run if it has one: the figure below the finding shows its name."""
        return f"#{run.number}" if run.number else self._label(run)

    def _main_figure(self, run: RunScores) -> Figure | None:
        measure = "drop" if self.report.two_worlds else self.report.worlds[-1]
        figure: Figure | None = getattr(run.overall, measure)
        return figure if figure and figure.value is not None else None

    def _lede(self) -> str:
        """Return what was asked and found: the accuracy that is lost, or the accuracy if there is only one world."""
        counts = sorted({run.overall.n for run in self.runs})
        cases = several(counts[-1], "case")
        if len(counts) > 1:
            cases = f"{count(counts[0])} {'and' if len(self.runs) == 2 else 'to'} {cases}"
        asked = f"{cases} of {shortened(name(self.report.dataset), _MAX_DATASET_NAME)}"
        found = self._found()
        if self.are_many and found:
            unfinished = sum(map(_is_unfinished, self.runs))
            partly = f" ({several(unfinished, 'incomplete run')})" if unfinished else ""
            return f"On {asked}{partly}, {found}."
        who = self._label(self.runs[0]) if self.is_alone else f"{count(len(self.runs))} runs"
        is_going_on = any(run.overall.missing for run in self.runs)
        verb = ("is" if is_going_on else "was") if self.is_alone else ("are" if is_going_on else "were")
        asked += "" if self.are_many else f", {self.report.terms.about or _ABOUT[self.report.worlds]}"
        return f"{who} {verb} asked {asked}: {found or self._why_not()}."

    def _why_not(self) -> str:
        """Return why no run has a main figure, and what can be done if that is because all replies are unread."""
        rows = [run.overall for run in self.runs]
        if not any(row.scored for row in rows):
            return "no answer could be scored"
        if any(row.scored > row.unread for row in rows):
            return "no answer could be read in one of the two worlds"
        restate = "" if any(row.restated for row in rows) else "--again unread asks for the final answers alone and "
        words = f"{restate}report --reader MODEL lets another model read the replies"
        return f"no answer could be read, so every accuracy may be from 0 to 100%; {words}"

    def _found(self) -> str:
        """Return the main figures in words; empty if there are none."""
        if len(self.known) == 1:
            [(run, figure)] = self.known
            who = "it" if self.is_alone else name(run.label)
            return f"{who} {self._drop(run, figure) if self.report.two_worlds else self._accuracy(run, figure)}"
        if not self.report.two_worlds:
            ends = [self.known[0], self.known[-1]] if len(self.known) > _MAX_LISTED_RUNS else self.known
            return "; ".join(f"{self._label(run)} {self._accuracy(run, figure)}" for run, figure in ends)
        clear = [each for each in self.known if each[1].is_clear]
        if self.are_many:
            losing = [each for each in clear if (each[1].value or 0.0) > 0]
            gaining = [each for each in reversed(clear) if each not in losing]
            parts = [self._most_and_least(losing, "lose"), self._most_and_least(gaining, "gain")]
        else:
            parts = [f"{self._label(run)} {self._short_drop(run, drop)}" for run, drop in clear]
        return "; ".join([*filter(None, parts), *self._unclear([each for each in self.known if each not in clear])])

    def _most_and_least(self, changed: list[_RunFigure], verb: str) -> str:
        """Return how many runs lose (or gain) accuracy, and which of them most and least."""
        if not changed:
            return ""
        ends = (changed[0], changed[-1])
        most, least = (f"{self._label(run)} ({_fall(run, drop)}{_fewer_cases(run, drop)})" for run, drop in ends)
        who = f"{'all' if len(changed) == len(self.runs) else f'{len(changed)} of'} {len(self.runs)} runs"
        if len(changed) == 1:
            return f"{who} {verb}s accuracy under a change: {most}"
        return f"{who} {verb} accuracy under a change: most {most}, least of these {least}"

    def _unclear(self, runs: list[_RunFigure]) -> Iterator[str]:
        """Yield a clause for each reason why some runs have no clear change."""
        reasons: dict[str, list[_RunFigure]] = {}
        for run, drop in runs:
            if drop.too_few:
                reason = "too few cases to tell for"
            elif self._guesses(run, drop):
                reason = "no better than guessing:"
            else:
                is_open = drop.low <= 0 <= drop.high
                reason = "no clear change for" if is_open else "too many replies are unread to tell for"
            reasons.setdefault(reason, []).append((run, drop))
        for reason, of_reason in reasons.items():
            numbers = sorted(run.number for run, _ in of_reason)
            several_of_many = self.are_many and len(of_reason) > 1
            if several_of_many and reason.endswith(":"):
                named = ", ".join(self._label(run) for run, _ in of_reason)
            elif several_of_many:
                named = several(len(of_reason), "run")
                named += f" ({', '.join(f'#{number}' for number in numbers)})" if all(numbers) else ""
            else:
                named = listed(f"{self._label(run)} ({self._unclear_fall(run, drop)})" for run, drop in of_reason)
            yield f"{reason} {named}"

    def _unclear_fall(self, run: RunScores, drop: Figure) -> str:
        fall = _fall(run, drop)
        if self.are_many:  # the figure and the tables have the rest
            return fall
        _, ends, bounds = _unsigned(drop)
        kind = "change" if not drop.value else "gain" if drop.value < 0 else "drop"
        return f"{kind} of {fall}; {_cases(run, drop)}; interval {interval(ends)}{_left_open(bounds)}"

    def _shares(self, run: RunScores) -> str:
        before, after = _both_shares(run)
        chance = run.overall.chance.get("counterfactual")
        guessing = "" if chance is None else f"; random guessing gives {percent(chance)}%"
        return f"factual {before}% right, counterfactual {after}%{guessing}"

    def _short_drop(self, run: RunScores, drop: Figure) -> str:
        """Return a clear drop in words without its interval and p value, for sentences about several runs."""
        value, _, bounds = _unsigned(drop)
        verb = "gains" if (drop.value or 0.0) < 0 else "loses"
        return f"{verb} {value} points ({self._shares(run)}; {_cases(run, drop)}{_left_open(bounds)})"

    def _drop(self, run: RunScores, drop: Figure) -> str:
        """Return a drop in words: "loses 12.5 points under a change (factual 84.3% right, …)"."""
        value, ends, bounds = _unsigned(drop)
        verb, noun = ("gain", "gain") if (drop.value or 0.0) < 0 else ("lose", "drop")
        level = percent(self.report.confidence, 0)
        sure = f"{level}% interval {interval(ends)}; {_cases(run, drop)}; {p_value(drop.p or 0)}{_left_open(bounds)}"
        told = f"({self._shares(run)}; {sure})"
        if drop.is_clear:
            return f"{verb}s {value} points under a change {told}"
        if drop.too_few:
            changed = f"{verb}s {value} points" if drop.value else "shows no change in accuracy"
            return (
                f"{changed} {told}, with too few cases for a conclusion; "
                "`countersight describe DATASET --power 0.1` says how many are needed"
            )
        if drop.low <= 0 <= drop.high:
            return f"shows no clear {noun}: {value} points {told}"
        return f"may {verb}, but too many replies are unread to tell: {value} points {told}"

    def _accuracy(self, run: RunScores, figure: Figure) -> str:
        words = "has a VQA accuracy of" if self.report.soft else "answers right"
        words += " under a change" if len(self.report.worlds) > 1 else ""
        level = f"{percent(self.report.confidence, 0)}% interval {interval(figure)}; {several(figure.n, 'case')}"
        words += f" {percent(figure.value or 0.0)}% ({level})"
        chance = run.overall.chance.get(self.report.worlds[-1])
        if chance is None:
            return words
        beyond = "not significantly different from"
        if not figure.low <= chance <= figure.high:
            beyond = "more than" if figure.low > chance else "less than"
        return f"{words}, {beyond} the {percent(chance)}% of random guessing"

    def _imagination_gaps(self) -> Iterator[FindingSentence]:
        """Yield a note on the gain from showing the changed picture; for many runs, only the largest and smallest."""
        gaps = [(run, gap) for run in self.runs if (gap := run.overall.imagination_gap)]
        gaps.sort(key=lambda each: -each[1].value)
        which = ""
        if len(gaps) > _MAX_LISTED_RUNS:
            gaps, which = [gaps[0], gaps[-1]], " (largest and smallest)"
        parts = [
            f"{'' if self.is_alone else f'{self._label(run)}: '}{percent(gap.value)} points "
            f"({interval(gap)}; {several(gap.n, 'case')}{f'; {TOO_FEW_CASES}' * gap.too_few})"
            for run, gap in gaps
        ]
        if parts:
            yield FindingSentence(f"Imagination gap, shown minus counterfactual{which}: {'; '.join(parts)}.", "note")

    def _incomplete(self, candidates: list[RunScores]) -> Iterator[FindingSentence]:
        """Yield which of these runs are unfinished or have no finding; if there are many, only their number."""
        without = [run for run in candidates if self._main_figure(run) is None]
        unfinished = [run for run in candidates if run not in without and _is_unfinished(run)]
        for kind, runs in (("No finding", without), ("Unfinished", unfinished)):
            if len(runs) > _MAX_LISTED_RUNS:
                words = f"{len(runs)} of {several(len(self.runs), 'run')}; see the tables for details."
                yield FindingSentence(f"{kind}: {words}")
            else:
                yield from (FindingSentence(f"{kind}: {self._mark(run)}, {run.progress}.") for run in runs)

    def _at_chance(self) -> Iterator[FindingSentence]:
        """Yield a warning if a model cannot answer questions about the unchanged picture: its drop is meaningless."""
        kinds = {
            True: "answered factual questions no better than random guessing: the drop says nothing.",
            False: "answered too few factual questions to tell the answers from random guessing.",
        }
        for kind, words in kinds.items():
            found = [(run, drop) for run, drop in self.known if self._guesses(run, drop) is kind]
            if kind and len(self.known) > 1:  # the finding already names runs without a clear drop
                found = [(run, drop) for run, drop in found if drop.is_clear]
            if found:
                named = " and ".join(self._mark(run) for run, _ in found[:_MAX_LISTED_RUNS])
                who = "It" if self.is_alone else named
                who += f" and {len(found) - _MAX_LISTED_RUNS} more" if len(found) > _MAX_LISTED_RUNS else ""
                yield FindingSentence(f"{who} {words}")

    def _guesses(self, run: RunScores, drop: Figure) -> bool | None:
        """Return True if a model is no better than guessing, None if it is better, and False if it cannot be told."""
        factual, chance = run.overall.figure("factual"), run.overall.chance.get("factual")
        if not self.report.two_worlds or drop.too_few or not factual or chance is None or factual.low > chance:
            return None
        return factual.high <= chance + _GUESSING_MARGIN

    def _unread(self) -> Iterator[FindingSentence]:
        """Yield the share of replies without an answer, and a warning if it differs by more than 3 points."""
        rates = [(run.overall.unread_rate or 0.0, run) for run, _ in self.known]
        low, high = (end(rates, key=lambda each: each[0], default=(0.0, None)) for end in (min, max))
        differ = high[0] - low[0] > NOTABLE_UNREAD_DIFFERENCE
        shares = []
        for run in self.runs:
            scores = run.overall
            without = scores.unread + scores.cut + scores.empty
            if without and self._main_figure(run) and not _is_unfinished(run):
                shares.append((without / (scores.scored + scores.cut + scores.empty), run))
        share, worst = max(shares, key=lambda each: each[0], default=(0.0, None))
        if worst and not (differ and worst is high[1] and share == high[0]):
            most = f" of {self._mark(worst)}" + " (the largest share of a run)" * (len(shares) > 1)
            words = f"Unread, cut off or empty: {percent(share)}% of the replies{'' if self.is_alone else most}."
            yield FindingSentence(words, "caution" if share > WARNING_THRESHOLD else "note")
        if differ and low[1] and high[1]:
            yield FindingSentence(
                f"Unread replies count as not right and differ between the runs: {percent(high[0])}% of "
                f"{self._mark(high[1])}, {percent(low[0])}% of {self._mark(low[1])}. "
                "--again unread asks a model to restate its answers."
            )


def _is_unfinished(run: RunScores) -> bool:
    return bool(run.overall.missing or run.overall.failed)


def _fall(run: RunScores, drop: Figure) -> str:
    before, after = _both_shares(run)
    return f"{percent(abs(drop.value or 0.0))} points, from {before}% to {after}%"


def _fewer_cases(run: RunScores, figure: Figure) -> str:
    """Return the number of cases of a figure if failed or missing replies leave some out."""
    return f"; {_cases(run, figure)}" if figure.n < run.overall.n else ""


def _cases(run: RunScores, figure: Figure) -> str:
    """Return the number of cases of a figure, and whether only those scored in both worlds are counted."""
    return several(figure.n, "case") + " scored in both worlds" * (figure.n < run.overall.n)


def _both_shares(run: RunScores) -> tuple[str, ...]:
    """Return both accuracies over the cases of the drop."""
    figures = (run.overall.figure(world) for world in TWO_WORLDS)
    return tuple(percent(figure.value or 0.0) if figure else "–" for figure in figures)


def _unsigned(drop: Figure) -> tuple[str, Interval, Bounds | None]:
    """Return a drop, its interval and its bounds; a gain is reported with all signs reversed."""
    ends, bounds = Interval(drop.low, drop.high), drop.bounds
    if (drop.value or 0.0) < 0:
        ends = Interval(-drop.high, -drop.low)
        bounds = bounds and Bounds(-bounds.high, -bounds.low)
    return percent(abs(drop.value or 0.0)), ends, bounds


def _left_open(bounds: Bounds | None) -> str:
    """Return the bounds due to unread replies, to be appended to a clause; empty if every reply was read."""
    return f"; {interval(bounds)} depending on how unread replies are counted" if bounds else ""
