"""A suite's additions to `describe`: statistics computed as in its paper, next to the paper's figures."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from statistics import fmean
from typing import Protocol

import msgspec

from countersight.case import LETTERS, Case, Question
from countersight.html import Grid, Line, TableCell


class SuiteTally(Protocol):
    """Counts the cases of one suite as they are read."""

    def add(self, case: Case) -> None:
        """Count a case."""

    def tables(self) -> Iterator[Grid]:
        """Return the tables for the terminal."""


def words(question: Question) -> int:
    """Return the number of words of a question as asked, including its options.

    Words are separated by white space, and options follow the question as C-VQA prints them: "Select the correct
    answer:A:16  B:17  C:12  D:13". Counted this way, C-VQA-Synthetic's published questions have 16.00 words on average,
    and 25.33 in the counterfactual world, as in the paper. C-VQA-Real's questions have no options; the half that
    is available to us has 5.89 and 13.20 words, while the paper reports 5.88 and 13.15 for the whole set.
    """
    asked = question.text
    if question.options:
        listed = "  ".join(f"{x}:{option.text}" for x, option in zip(LETTERS, question.options, strict=False))
        asked = f"{asked} Select the correct answer:{listed}"
    return len(asked.split())


class ReportedPairs(msgspec.Struct, frozen=True):
    """The figures that a suite's paper reports about its pairs, as printed and in the order of the paper."""

    source: str
    """The paper and the section."""
    figures: dict[str, str]
    """The paper's own figures, for its whole set, by name: "pairs", the name of a group, "words in a basic question",
    "words in a counterfactual question", "words in an answer", or "no, among yes and no"."""
    length: Callable[[Question], int] = words
    """The paper's way of counting the words of a question."""

    def __call__(self) -> "PairTally":
        """Return a new tally."""
        return PairTally(self)


class PairTally:
    """Counts the pairs of one suite while they are read."""

    def __init__(self, reported: ReportedPairs) -> None:
        self._reported = reported
        self._counts: Counter[str] = Counter()
        self._means: dict[str, list[float]] = defaultdict(list)

    def add(self, case: Case) -> None:
        """Count a case, if it is a pair."""
        if case.factual is None or case.counterfactual is None:
            return
        self._counts.update(("pairs", case.group))
        for part, question in (("a basic question", case.factual), ("a counterfactual question", case.counterfactual)):
            self._means[f"words in {part}"].append(self._reported.length(question))
            if not question.hidden:
                self._means["words in an answer"].append(len(question.right_text.split()))
        if case.counterfactual.answer in ("yes", "no"):
            self._means["no, among yes and no"].append(100 * (case.counterfactual.answer == "no"))

    def tables(self) -> Iterator[Grid]:
        """Yield a table with each figure, as counted here and as printed in the paper."""
        figures = ((what, self._counted(what, printed), printed) for what, printed in self._reported.figures.items())
        lines = tuple(Line(tuple(map(TableCell, cells))) for cells in figures)
        note = f"reported for the whole published set ({self._reported.source})"
        yield Grid("Compared with the paper", ("", "here", "reported"), lines, note)

    def _counted(self, what: str, printed: str) -> str:
        """Return a figure in the same form as the printed one: a mean with two decimals, or a count."""
        if "." not in printed:
            return f"{self._counts[what]:,}"
        unit = " %" if printed.endswith("%") else ""
        return f"{fmean(self._means[what]):.2f}{unit}" if self._means[what] else "–"
