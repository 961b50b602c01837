"""CoSIm's own statistics (CoSIm 5): lengths and words of the parts of an instance, and the types of change."""

import re
from collections.abc import Iterator
from statistics import fmean, pstdev
from typing import Final

from countersight.case import LETTERS, Case
from countersight.html import Grid, Line, TableCell
from countersight.suites.cosim.changes import KINDS, change_count
from countersight.suites.reference import table

LENGTHS: Final = ("max", "min", "avg", "sd")
"""The statistics of lengths in the paper's Table 1."""
NUMBERS: Final = ("1", "2", "3", "more than 3")
"""The numbers of types of a change, as counted in the paper's Table 2."""
REPORTED_WORDS: Final = {
    "question": 3_261,
    "initial response": 4_397,
    "scene change": 4_637,
    "new response": 5_318,
    "distractor": 6_404,
}
"""Different words in each part of the whole set, as the paper reports them (CoSIm 5.1)."""
REPORTED_WORDS_IN_ALL: Final = 9_946
REPORTED_GUIDES: Final = {"answer kept": "42.93", "answer flipped": "57.07"}
"""The two guides for writing changes, distinguished by the yes or no at the start of a response, and their shares in
per cent as the paper reports them (CoSIm A.1)."""

_AROUND = "\"'“”‘’.,;:!?()[]{}…-–—*"
_YES_OR_NO = re.compile(r"\W*(yes|no)\b", re.IGNORECASE)


class PartCounts:
    """The lengths in words of the texts of one part, and their different words."""

    def __init__(self) -> None:
        self.lengths: list[int] = []
        self.words: set[str] = set()

    def add(self, text: str) -> None:
        """Count a text."""
        words = text.split()
        self.lengths.append(len(words))
        self.words.update(filter(None, (piece.strip(_AROUND).lower() for piece in words)))


class CosimTally:
    """Counts instances as the paper does, while cases are read."""

    def __init__(self) -> None:
        self.cases = 0
        self.untyped = 0
        """Changes without a known type."""
        self.assigned = 0
        """Changes whose types people assigned; those of the others are proposed by rules."""
        self.parts = {part: PartCounts() for part in REPORTED_WORDS}
        self.kinds = dict.fromkeys(KINDS, 0)
        """The number of changes of each type, in the order of the paper's Table 4; a change may have several types."""
        self.numbers = dict.fromkeys(NUMBERS, 0)
        """The number of instances by the number of types."""
        self.changes = dict.fromkeys(NUMBERS, 0)
        """The number of instances by the number of changes: two of the same type count as two."""
        self.guides = dict.fromkeys(REPORTED_GUIDES, 0)
        """The number of cases by guide, among those whose two responses both begin with yes or no."""

    def add(self, case: Case) -> None:
        """Count a case of CoSIm."""
        self.cases += 1
        texts = list(_texts(case))
        for part, text in texts:
            self.parts[part].add(text)
        kinds = case.change.kinds if case.change else ()
        for kind in self.kinds.keys() & set(kinds):
            self.kinds[kind] += 1
        self.assigned += case.provenance.get("kinds") == "assigned"
        self.untyped += not kinds
        if kinds:
            self.numbers[NUMBERS[min(len(kinds), len(NUMBERS)) - 1]] += 1
            self.changes[NUMBERS[min(number_of_changes(case), len(NUMBERS)) - 1]] += 1
        openings = {part: _YES_OR_NO.match(text) for part, text in texts}
        before, after = openings.get("initial response"), openings.get("new response")
        if before and after:
            is_kept = before[1].lower() == after[1].lower()
            self.guides["answer kept" if is_kept else "answer flipped"] += 1

    @property
    def words(self) -> int:
        """The number of different words in all parts."""
        return len(set().union(*(part.words for part in self.parts.values())))

    def tables(self) -> Iterator[Grid]:
        """Return the paper's tables for these cases, with its own figures marked as reported."""
        yield self._lengths()
        yield self._types()
        changes = "reported: number of changes, of the validation split (CoSIm, Table 2)"
        frequencies = {number: _reported("cosim-2", number, "frequency") for number in NUMBERS}
        yield _shares("Types of change in one instance", "number", changes, self.numbers, frequencies)
        yield _shares("Changes in one instance", "number", changes, self.changes, frequencies)
        yield _shares(
            "Answer of the new response compared with the initial one",
            "if both begin with yes or no",
            "reported: guides that people chose, whole set (CoSIm, A.1)",
            self.guides,
            REPORTED_GUIDES,
        )

    def _lengths(self) -> Grid:
        lines = []
        for name, part in self.parts.items():
            lengths = part.lengths or [0]
            figures = f"{max(lengths)}", f"{min(lengths)}", f"{fmean(lengths):.2f}", f"{pstdev(lengths):.2f}"
            lines.append(_line(name, *figures, f"{len(part.words):,}"))
            printed = (_reported("cosim-1", name, column) for column in LENGTHS)
            lines.append(_line("  reported", *printed, f"{REPORTED_WORDS[name]:,}", reported=True))
        nothing = [""] * len(LENGTHS)
        lines.append(_line("all", *nothing, f"{self.words:,}"))
        lines.append(_line("  reported", *nothing, f"{REPORTED_WORDS_IN_ALL:,}", reported=True))
        note = "reported: of the whole set of 3.5K instances (CoSIm, Table 1 and Section 5.1)"
        return Grid("Words in each part", ("part", "max", "min", "mean", "sd", "different words"), tuple(lines), note)

    def _types(self) -> Grid:
        whose = "assigned by people" if self.assigned == self.cases else "proposed by rules"
        if 0 < self.assigned < self.cases:
            whose = f"{self.assigned:,} assigned by people, the others proposed by rules"
        none = f"; {self.untyped:,} of unknown type" if self.untyped else ""
        lines = (_line(kind, f"{n:,}", f"{100 * n / self.cases:.1f}") for kind, n in self.kinds.items())
        note = f"{whose}; a change may have several types{none}"
        return Grid("Types of change", ("type", "changes", "%"), tuple(lines), note)


def _reported(name: str, row: str, column: str) -> str:
    """Return a cell of a table as printed in the paper."""
    cell = table(name).cell(row, column)
    return cell.text if cell else "–"


def _line(*cells: str, reported: bool = False) -> Line:
    return Line(tuple(map(TableCell, cells)), reported=reported)


def _shares(title: str, heading: str, note: str, counts: dict[str, int], reported: dict[str, str]) -> Grid:
    total = sum(counts.values()) or 1
    lines = (_line(label, f"{n:,}", f"{100 * n / total:.2f}", reported[label]) for label, n in counts.items())
    return Grid(title, (heading, "cases", "%", "reported %"), tuple(lines), note)


def number_of_changes(case: Case) -> int:
    """Return the number of changes, as assigned or as counted by the rules, or 0 if it is unknown."""
    assigned = case.provenance.get("changes")
    if isinstance(assigned, int) and assigned > 0:
        return assigned
    if case.change is None or not case.change.kinds:
        return 0
    counted = change_count(case.change.text) if case.provenance.get("kinds") != "assigned" else 0
    return max(counted, len(case.change.kinds))


def _texts(case: Case) -> Iterator[tuple[str, str]]:
    if case.context:
        yield "initial response", case.context
    if case.change:
        yield "scene change", case.change.text
    if case.counterfactual:
        yield "question", case.counterfactual.text
        for letter, option in zip(LETTERS, case.counterfactual.options, strict=False):
            yield "new response" if letter == case.counterfactual.answer else "distractor", option.text
