"""The finding of a report in a sentence, with cautions."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from countersight.case import TWO_WORLDS, World
from countersight.english import listed
from countersight.figures import Figure
from countersight.html import TOO_FEW_CASES, name, shortened
from countersight.number_formats import count, interval, p_value, percent
from countersight.reports.data import ReportData, RunScores
from countersight.reports.loaded_run import WARNING_THRESHOLD
from countersight.scoring import NOTABLE_UNREAD_DIFFERENCE, Interval
from countersight.suites import AS_IT_IS, BOTH_WORLDS, UNDER_A_CHANGE
from countersight.text import several

_MAX_LISTED_RUNS = 3
"""Up to this many runs are described one by one; if there are more, only the extremes are."""
_MAX_DATASET_NAME = 40
_ABOUT: dict[tuple[World, ...], str] = {
    TWO_WORLDS: BOTH_WORLDS,
    ("factual",): AS_IT_IS,
    ("counterfactual",): UNDER_A_CHANGE,
}
_RunFigure = tuple[RunScores, Figure]
_Doubt = Literal["few", "guessing", "unclear", "unread"]
_DOUBTS: Final[dict[_Doubt, str]] = {
    "few": "too few cases to tell for",
    "guessing": "no better than guessing:",
    "unclear": "no clear change for",
    "unread": "too many replies are unread to tell for",
}
"""Why a run has no clear change, as the beginning of a clause that lists the runs."""


class FindingSentence(NamedTuple):
    """A sentence of a report: the finding itself (lede), a reason for caution (caution), or a note."""

    words: str
    kind: Literal["lede", "caution", "note"] = "caution"


def sentence(report: ReportData) -> str:
    """Return what was asked, the result, and the cautions, as one text."""
    return " ".join(each.words for each in sentences(report))


def sentences(report: ReportData) -> list[FindingSentence]:
    """Return the sentences in order: notes on unfinished runs may come first, other cautions come last."""
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
        incomplete = list(self._incomplete())
        comes_first = not self.known or (not self.are_many and any(_is_unfinished(run) for run, _ in self.known))
        yield from incomplete if comes_first else ()
        yield FindingSentence(self._lede(), "lede")
        yield from self._imagination_gaps()
        yield from () if comes_first else incomplete
        stopped = (run for run in self.runs if run.stopping_note)
        yield from (FindingSentence(f"{self._label(run)}: {run.stopping_note}", "note") for run in stopped)
        yield from self._at_chance()
        yield from self._unread()

    def _label(self, run: RunScores) -> str:
        return run.short_label(self.runs)

    def _named(self, runs: Sequence[RunScores]) -> str:
        """Return the numbers or names of up to three runs; if there are more, return how many."""
        if len(runs) > _MAX_LISTED_RUNS:
            return several(len(runs), "run")
        return listed(f"#{run.number}" if run.number else self._label(run) for run in runs)

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
        about = self.report.terms.about or _ABOUT[self.report.worlds]
        return f"{who} {verb} tested on {asked}, {about}: {found or self._why_not()}."

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
        if not self.report.two_worlds:
            ends = [self.known[0], self.known[-1]] if len(self.known) > _MAX_LISTED_RUNS else self.known
            return "; ".join(f"{self._who(run)} {self._accuracy(run, figure)}" for run, figure in ends)
        if len(self.known) == 1:
            [(run, drop)] = self.known
            return f"{self._who(run)} {self._single_drop(run, drop)}"
        clear = [each for each in self.known if each[1].is_clear]
        if self.are_many:
            losing = [each for each in clear if (each[1].value or 0.0) > 0]
            gaining = [each for each in reversed(clear) if each not in losing]
            parts = [self._most_and_least(losing, "lose"), self._most_and_least(gaining, "gain")]
        else:
            parts = [
                f"{self._label(run)} {_verb(drop)}s {_points(drop)} ({self._details(run, drop)})" for run, drop in clear
            ]
        return "; ".join([*filter(None, parts), *self._without_clear_change()])

    def _who(self, run: RunScores) -> str:
        return "it" if self.is_alone else self._label(run)

    def _most_and_least(self, changed: list[_RunFigure], verb: str) -> str:
        """Return how many runs lose (or gain) accuracy, and which of them lose (or gain) most and least."""
        if not changed:
            return ""
        most, least = self._with_details(changed[0]), self._with_details(changed[-1])
        who = f"{'all' if len(changed) == len(self.runs) else f'{len(changed)} of'} {len(self.runs)} runs"
        if len(changed) == 1:
            return f"{who} {verb}s accuracy under a change: {most}"
        return f"{who} {verb} accuracy under a change: most {most}, least {least}"

    def _with_details(self, known: _RunFigure) -> str:
        run, drop = known
        return f"{self._label(run)} ({_points(drop)}, {self._details(run, drop)})"

    def _without_clear_change(self) -> Iterator[str]:
        """Yield a clause for each reason why some runs have no clear change."""
        doubtful = [(self._doubt(run, drop), run, drop) for run, drop in self.known if not drop.is_clear]
        for doubt, words in _DOUBTS.items():
            runs = [(run, drop) for reason, run, drop in doubtful if reason == doubt]
            if not runs:
                continue
            if self.are_many:
                yield f"{words} {self._named([run for run, _ in runs])}"
            else:
                yield f"{words} {listed(map(self._with_details, runs))}"

    def _doubt(self, run: RunScores, drop: Figure) -> _Doubt:
        if drop.too_few:
            return "few"
        if self._guesses(run, drop):
            return "guessing"
        return "unclear" if drop.low <= 0 <= drop.high else "unread"

    def _single_drop(self, run: RunScores, drop: Figure) -> str:
        """Return the drop of the only run with one: "loses 12.5 points under a change (from 84.3% right to …)"."""
        details = f"({self._details(run, drop)})"
        if drop.is_clear:
            return f"{_verb(drop)}s {_points(drop)} under a change {details}"
        if drop.too_few:
            changed = f"{_verb(drop)}s {_points(drop)}" if drop.value else "shows no change in accuracy"
            return f"{changed} {details}, with too few cases for a conclusion"
        if drop.low <= 0 <= drop.high:
            return f"shows no clear change: a drop of {_points(drop)} {details}"
        return f"may {_verb(drop)} {_points(drop)} under a change {details}, but too many replies are unread to tell"

    def _details(self, run: RunScores, drop: Figure) -> str:
        """Return the shares, interval and cases behind a drop; for several runs, only the most important of these."""
        sign = _sign(drop)
        ends = _turned(drop.low, drop.high, sign)
        before, after = _both_shares(run)
        fewer = drop.n < run.overall.n
        cases = several(drop.n, "case") + " scored in both worlds" * fewer
        chance = run.overall.chance.get("counterfactual")
        level = percent(self.report.confidence, 0)
        parts = [
            (f"from {before}% right to {after}%", True),
            (f"random guessing gives {percent(chance or 0.0)}%", chance is not None and not self.are_many),
            (f"{level}% interval {interval(ends)}", self.is_alone or not (drop.is_clear or self.are_many)),
            (cases, fewer or not self.are_many),
            (p_value(drop.p or 0.0), self.is_alone),
        ]
        if drop.bounds and not self.are_many:
            open_to = interval(_turned(drop.bounds.low, drop.bounds.high, sign))
            parts.append((f"{open_to} depending on how unread replies are counted", True))
        return "; ".join(words for words, wanted in parts if wanted)

    def _accuracy(self, run: RunScores, figure: Figure) -> str:
        words = "has a VQA accuracy of" if self.report.soft else "answers right"
        words += " under a change" * (len(self.report.worlds) > 1)
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

    def _incomplete(self) -> Iterator[FindingSentence]:
        """Yield which runs have no finding or are unfinished; if there are many, only their number."""
        without = [run for run in self.runs if self._main_figure(run) is None]
        unfinished = [run for run in self.runs if run not in without and _is_unfinished(run)]
        for kind, runs in (("No finding", without), ("Unfinished", unfinished)):
            if len(runs) > _MAX_LISTED_RUNS:
                words = f"{len(runs)} of {several(len(self.runs), 'run')}; see the tables for details."
                yield FindingSentence(f"{kind}: {words}")
            else:
                yield from (FindingSentence(f"{kind}: {self._named([run])}, {run.progress}.") for run in runs)

    def _at_chance(self) -> Iterator[FindingSentence]:
        """Yield a warning if a model may have guessed the answers about the unchanged picture."""
        # The finding of several runs already names those that guess and have no clear drop.
        guessing = [run for run, drop in self.known if self._guesses(run, drop) and (self.is_alone or drop.is_clear)]
        if guessing:
            who = "It" if self.is_alone else self._named(guessing)
            words = "cannot be distinguished from random guessing on the factual questions, so the drop means nothing."
            yield FindingSentence(f"{who} {words}")

    def _guesses(self, run: RunScores, drop: Figure) -> bool:
        """Return whether the factual answers of a run may be guesses."""
        factual, chance = run.overall.figure("factual"), run.overall.chance.get("factual")
        is_known = self.report.two_worlds and not drop.too_few and factual and chance is not None
        return bool(is_known and factual and factual.low <= (chance or 0.0))

    def _unread(self) -> Iterator[FindingSentence]:
        """Yield the share of replies without an answer, or a warning if the runs differ by more than 3 points."""
        rates = [(run.overall.unread_rate or 0.0, run) for run, _ in self.known]
        low, high = (end(rates, key=lambda each: each[0], default=(0.0, self.runs[0])) for end in (min, max))
        if high[0] - low[0] > NOTABLE_UNREAD_DIFFERENCE:
            yield FindingSentence(
                f"Unread replies count as not right and differ between the runs: {percent(high[0])}% of "
                f"{self._named([high[1]])}, {percent(low[0])}% of {self._named([low[1]])}. "
                "--again unread asks a model to restate its answers."
            )
            return
        shares = [(_share_without_answer(run), run) for run, _ in self.known if not _is_unfinished(run)]
        share, worst = max(shares, key=lambda each: each[0], default=(0.0, self.runs[0]))
        if share:
            whose = "" if self.is_alone else f" of {self._named([worst])} (the largest share of a run)"
            words = f"Unread, cut off or empty: {percent(share)}% of the replies{whose}."
            yield FindingSentence(words, "caution" if share > WARNING_THRESHOLD else "note")


def _is_unfinished(run: RunScores) -> bool:
    return bool(run.overall.missing or run.overall.failed)


def _share_without_answer(run: RunScores) -> float:
    row = run.overall
    return (row.unread + row.cut + row.empty) / (row.scored + row.cut + row.empty)


def _verb(drop: Figure) -> str:
    return "gain" if (drop.value or 0.0) < 0 else "lose"


def _points(drop: Figure) -> str:
    """Return the size of a drop or a gain; "from … to …" says which of the two it is."""
    return f"{percent(_sign(drop) * (drop.value or 0.0))} points"


def _sign(drop: Figure) -> int:
    """Return -1 for what is called a gain, whose figures are shown without a minus."""
    return -1 if (drop.value or 0.0) < 0 and (drop.too_few or not drop.low <= 0 <= drop.high) else 1


def _both_shares(run: RunScores) -> tuple[str, ...]:
    """Return both accuracies over the cases of the drop."""
    figures = (run.overall.figure(world) for world in TWO_WORLDS)
    return tuple(percent(figure.value or 0.0) if figure else "–" for figure in figures)


def _turned(low: float, high: float, sign: int) -> Interval:
    return Interval(low, high) if sign > 0 else Interval(-high, -low)
