"""The finding of a report: one short sentence, then its details and cautions."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from countersight.case import TWO_WORLDS, World
from countersight.english import listed
from countersight.figures import Figure, Interval
from countersight.html import TOO_FEW_CASES, name, shortened
from countersight.number_formats import count, interval, p_value, percent
from countersight.reports.data import ReportData, RunScores
from countersight.reports.loaded_run import WARNING_THRESHOLD
from countersight.scoring import NOTABLE_UNREAD_DIFFERENCE
from countersight.suites import AS_IT_IS, BOTH_WORLDS, UNDER_A_CHANGE
from countersight.text import several

_MAX_LISTED_RUNS = 3
"""The maximum number of runs that are described one by one; of more runs, only the extremes are described."""
_MAX_DATASET_NAME = 40
_ABOUT: dict[tuple[World, ...], str] = {
    TWO_WORLDS: BOTH_WORLDS,
    ("factual",): AS_IT_IS,
    ("counterfactual",): UNDER_A_CHANGE,
}
_RunFigure = tuple[RunScores, Figure]
_Doubt = Literal["few", "guessing", "unclear", "unread"]
_DOUBTS: Final[dict[_Doubt, tuple[str, str]]] = {
    "few": ("has too few cases to tell", "have too few cases to tell"),
    "guessing": ("is no better than guessing", "are no better than guessing"),
    "unclear": ("shows no clear change", "show no clear change"),
    "unread": ("has too many unread replies to tell", "have too many unread replies to tell"),
}
"""Why a run has no clear change, as predicates for one and for several runs."""


class FindingSentence(NamedTuple):
    """A sentence of a report: the finding itself (lede), its details, a reason for caution, or a note."""

    words: str
    kind: Literal["lede", "detail", "caution", "note"] = "caution"


def sentence(report: ReportData) -> str:
    """Return the finding, its details and cautions as one text."""
    return " ".join(each.words for each in sentences(report))


def sentences(report: ReportData) -> list[FindingSentence]:
    """Return the finding, its details, then notes and cautions."""
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
        yield FindingSentence(self._lede(), "lede")
        yield FindingSentence(" ".join(self._details()), "detail")
        for run, reason in self.report.damaged:
            yield FindingSentence(f"{name(run)} cannot be read and is left out: {name(reason)}.")
        yield from self._incomplete()
        yield from self._imagination_gaps()
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
        is_number = self.are_many and all(run.number for run in runs)
        return listed(f"#{run.number}" if is_number else self._label(run) for run in runs)

    def _main_figure(self, run: RunScores) -> Figure | None:
        measure = "drop" if self.report.two_worlds else self.report.worlds[-1]
        figure: Figure | None = getattr(run.overall, measure)
        return figure if figure and figure.value is not None else None

    def _lede(self) -> str:
        """Return which runs lose how much accuracy, or their accuracy if there is only one world."""
        if not self.known:
            return f"No finding: {self._why_not()}."
        clauses = self._drops() if self.report.two_worlds else [self._accuracies()]
        unfinished = sum(map(_is_unfinished, self.runs))
        so_far = (
            "" if not unfinished else " (unfinished)" if self.is_alone else f"; {several(unfinished, 'run')} unfinished"
        )
        return f"{'; '.join(clauses)}{so_far}."

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

    def _drops(self) -> Iterator[str]:
        """Yield clauses on the runs that lose accuracy, those that gain, and those without a clear change."""
        clear = [each for each in self.known if each[1].is_clear]
        if self.are_many:
            losing = [each for each in clear if (each[1].value or 0.0) > 0]
            yield from self._least_and_most("lose", losing)
            yield from self._least_and_most("gain", [each for each in reversed(clear) if each not in losing])
        elif clear:
            changes = listed(f"{self._label(run)} {_verb(drop)}s {_points(drop)}" for run, drop in clear)
            yield f"{changes} of accuracy under a change"
        doubtful = [(self._doubt(run, drop), run) for run, drop in self.known if not drop.is_clear]
        for doubt, predicates in _DOUBTS.items():
            if runs := [run for reason, run in doubtful if reason == doubt]:
                yield f"{self._named(runs)} {predicates[len(runs) > 1]}"

    def _least_and_most(self, verb: str, changed: list[_RunFigure]) -> Iterator[str]:
        """Yield how many runs lose (or gain) how much accuracy, and which of them loses (or gains) most.

        No run is named if another one has the same drop, or if unread replies could change which run that is.
        """
        if not changed:
            return
        points = [_points(drop) for _, drop in changed]
        spread = points[0] if points[0] == points[-1] else f"{points[-1].split()[0]} to {points[0]}"
        whose = f"{'All' if len(changed) == len(self.runs) else f'{len(changed)} of'} {len(self.runs)} runs"
        first, *others = ((run, _possible_sizes(drop)) for run, drop in changed)
        is_certain = all(first[1][0] > sizes[1] for _, sizes in others)
        most = f", {self._label(first[0])}{' most' * bool(others)}" * is_certain
        yield f"{whose} {verb}{'' if others else 's'} {spread} of accuracy under a change{most}"

    def _doubt(self, run: RunScores, drop: Figure) -> _Doubt:
        if drop.too_few:
            return "few"
        if self._guesses(run, drop):
            return "guessing"
        return "unclear" if drop.low <= 0 <= drop.high else "unread"

    def _accuracies(self) -> str:
        kind = "VQA accuracy" if self.report.soft else "accuracy"
        kind += " under a change" * (len(self.report.worlds) > 1)
        shares = [f"{percent(figure.value or 0.0)}% ({self._label(run)})" for run, figure in self.known]
        if len(shares) == 1:
            [(run, figure)] = self.known
            article = "a" if self.report.soft else "an"
            return f"{self._label(run)} has {article} {kind} of {percent(figure.value or 0.0)}%"
        if self.are_many:
            return f"{several(len(self.known), 'run')} have {kind} from {shares[-1]} to {shares[0]}"
        return f"The runs have {kind} of {listed(shares)}"

    def _details(self) -> Iterator[str]:
        """Yield what was asked, then the figures behind each drop or accuracy, if there are few."""
        counts = sorted({run.overall.n for run in self.runs})
        cases = several(counts[-1], "case")
        if len(counts) > 1:
            cases = f"{count(counts[0])} {'and' if len(self.runs) == 2 else 'to'} {cases}"
        about = self.report.terms.about or _ABOUT[self.report.worlds]
        yield f"Tested on {cases} of {shortened(name(self.report.dataset), _MAX_DATASET_NAME)}, {about}."
        for run, figure in () if self.are_many else self.known:
            words = self._drop_details(run, figure) if self.report.two_worlds else self._accuracy_details(run, figure)
            yield f"{words[0].upper()}{words[1:]}." if self.is_alone else f"{self._label(run)}: {words}."

    def _drop_details(self, run: RunScores, drop: Figure) -> str:
        """Return the shares, interval, p and cases behind a drop."""
        sign = _sign(drop)
        figures = (run.overall.figure(world) for world in TWO_WORLDS)
        before, after = (percent(figure.value or 0.0) if figure else "–" for figure in figures)
        chance = run.overall.chance.get("counterfactual")
        level = percent(self.report.confidence, 0)
        parts = [f"from {before}% right to {after}%"]
        if not drop.is_clear:
            parts.append(f"a {'gain' if sign < 0 else 'drop'} of {_points(drop)}")
        if chance is not None:
            parts.append(f"random guessing gives {percent(chance)}%")
        parts.append(f"{level}% interval {interval(_turned(drop.low, drop.high, sign))}, {p_value(drop.p or 0.0)}")
        if drop.n < run.overall.n:
            parts.append(f"{several(drop.n, 'case')} scored in both worlds")
        if drop.bounds:
            open_to = interval(_turned(drop.bounds.low, drop.bounds.high, sign))
            parts.append(f"{open_to} depending on how unread replies are counted")
        return "; ".join(parts)

    def _accuracy_details(self, run: RunScores, figure: Figure) -> str:
        words = f"{percent(self.report.confidence, 0)}% interval {interval(figure)}"
        words += f", {several(figure.n, 'case')}" * (figure.n < run.overall.n)
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
        """Yield a warning if a model with a clear drop may have guessed the answers about the unchanged picture."""
        guessing = [run for run, drop in self.known if drop.is_clear and self._guesses(run, drop)]
        if guessing:
            words = "cannot be distinguished from random guessing on the factual questions, so the drop means nothing."
            yield FindingSentence(f"{self._named(guessing)} {words}")

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
                f"Unread replies do not count as right, and their share differs between the runs: {percent(high[0])}% "
                f"of {self._named([high[1]])}, {percent(low[0])}% of {self._named([low[1]])}. "
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
    """Return the size of a drop or a gain; "from … to …" shows which of the two it is."""
    return f"{percent(_sign(drop) * (drop.value or 0.0))} points"


def _possible_sizes(drop: Figure) -> tuple[float, float]:
    """Return the smallest and the largest size of a clear change that its unread replies allow."""
    value = drop.value or 0.0
    bounds = drop.bounds or Interval(value, value)
    low, high = sorted((abs(bounds.low), abs(bounds.high)))
    return low, high


def _sign(drop: Figure) -> int:
    """Return -1 if the change is reported as a gain, so that its figures are shown without a minus sign; else 1."""
    return -1 if (drop.value or 0.0) < 0 and (drop.too_few or not drop.low <= 0 <= drop.high) else 1


def _turned(low: float, high: float, sign: int) -> Interval:
    return Interval(low, high) if sign > 0 else Interval(-high, -low)
