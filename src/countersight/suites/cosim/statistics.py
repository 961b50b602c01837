"""CoSIm's own statistics (CoSIm 5): lengths and words of the parts of an instance, and the types of change."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from statistics import fmean, pstdev
from typing import Final

from countersight.case import LETTERS, Case
from countersight.html import Grid, Line, TableCell
from countersight.suites.cosim.changes import KINDS, change_count
from countersight.suites.reference import table

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


class CosimTally:
    """Counts instances as the paper does, while cases are read."""

    def __init__(self) -> None:
        self.cases = 0
        self.untyped = 0
        """Changes without a known type."""
        self.assigned = 0
        """Changes whose types people assigned; those of the others are proposed by rules."""
        self.lengths: dict[str, list[int]] = {part: [] for part in REPORTED_WORDS}
        """The numbers of words of the texts of each part."""
        self.words: dict[str, set[str]] = {part: set() for part in REPORTED_WORDS}
        """The different words of each part."""
        self.kinds: Counter[str] = Counter()
        """The number of changes of each type; a change may have several types."""
        self.types: Counter[str] = Counter()
        """The number of instances by the number of types."""
        self.changes: Counter[str] = Counter()
        """The number of instances by the number of changes: two of the same type count as two."""
        self.guides: Counter[str] = Counter()
        """The number of cases by guide, among those whose two responses both begin with yes or no."""

    def add(self, case: Case) -> None:
        """Count a case of CoSIm."""
        self.cases += 1
        opening = {}
        for part, text in _texts(case):
            words = text.split()
            self.lengths[part].append(len(words))
            self.words[part].update(filter(None, (word.strip(_AROUND).lower() for word in words)))
            opening[part] = _YES_OR_NO.match(text)
        before, after = opening.get("initial response"), opening.get("new response")
        if before and after:
            self.guides["answer kept" if before[1].lower() == after[1].lower() else "answer flipped"] += 1
        self.assigned += case.provenance.get("kinds") == "assigned"
        kinds = case.change.kinds if case.change else ()
        self.kinds.update(kinds)
        self.untyped += not kinds
        if kinds:
            self.types[NUMBERS[min(len(kinds), len(NUMBERS)) - 1]] += 1
            self.changes[NUMBERS[min(number_of_changes(case), len(NUMBERS)) - 1]] += 1

    def tables(self) -> Iterator[Grid]:
        """Return the paper's tables for these cases, with its own figures marked as reported."""
        yield self._lengths()
        whose = f"{self.assigned:,} of {self.cases:,} assigned by people, the others proposed by rules"
        note = f"{whose}; a change may have several types; {self.untyped:,} of unknown type"
        yield _shares("Types of change", "type", note, KINDS, {"changes": self.kinds}, self.cases)
        frequencies = {number: _reported("cosim-2", number, "frequency") for number in NUMBERS}
        note = "reported: number of changes, of the validation split (CoSIm, Table 2); two of one type may count once"
        counts = {"with so many types": self.types, "with so many changes": self.changes}
        yield _shares("Changes in one instance", "number", note, NUMBERS, counts, self.types.total(), frequencies)
        yield _shares(
            "Answer of the new response compared with the initial one",
            "if both begin with yes or no",
            "reported: guides that people chose, whole set (CoSIm, A.1)",
            tuple(REPORTED_GUIDES),
            {"cases": self.guides},
            self.guides.total(),
            REPORTED_GUIDES,
        )

    def _lengths(self) -> Grid:
        lines = []
        for part, lengths in self.lengths.items():
            each = lengths or [0]
            figures = f"{max(each)}", f"{min(each)}", f"{fmean(each):.2f}", f"{pstdev(each):.2f}"
            lines.append(_line(part, *figures, f"{len(self.words[part]):,}"))
            printed = (_reported("cosim-1", part, column) for column in ("max", "min", "avg", "sd"))
            lines.append(_line("  reported", *printed, f"{REPORTED_WORDS[part]:,}", reported=True))
        lines.append(_line("all", *("",) * 4, f"{len(set().union(*self.words.values())):,}"))
        lines.append(_line("  reported", *("",) * 4, f"{REPORTED_WORDS_IN_ALL:,}", reported=True))
        note = "reported: of the whole set of 3.5K instances (CoSIm, Table 1 and Section 5.1)"
        return Grid("Words in each part", ("part", "max", "min", "mean", "sd", "different words"), tuple(lines), note)


def number_of_changes(case: Case) -> int:
    """Return the number of changes, as assigned or as counted by the rules, or 0 if it is unknown."""
    assigned = case.provenance.get("changes")
    if isinstance(assigned, int) and assigned > 0:
        return assigned
    if case.change is None or not case.change.kinds:
        return 0
    counted = change_count(case.change.text) if case.provenance.get("kinds") != "assigned" else 0
    return max(counted, len(case.change.kinds))


def _reported(name: str, row: str, column: str) -> str:
    """Return a cell of a table as printed in the paper."""
    cell = table(name).cell(row, column)
    return cell.text if cell else "–"


def _line(*cells: str, reported: bool = False) -> Line:
    return Line(tuple(map(TableCell, cells)), reported=reported)


def _shares(
    title: str,
    heading: str,
    note: str,
    labels: tuple[str, ...],
    counts: Mapping[str, Counter[str]],
    total: int,
    reported: Mapping[str, str] | None = None,
) -> Grid:
    """Return a table of counts, each followed by its share of the total, and the reported share if there is one."""
    lines = []
    for label in labels:
        cells = [
            text for each in counts.values() for text in (f"{each[label]:,}", f"{100 * each[label] / (total or 1):.2f}")
        ]
        lines.append(_line(label, *cells, *([reported[label]] if reported else [])))
    heads = [head for name in counts for head in (name, "%")]
    return Grid(title, (heading, *heads, *(["reported %"] if reported else [])), tuple(lines), note)


def _texts(case: Case) -> Iterator[tuple[str, str]]:
    """Yield the parts of an instance with their texts."""
    if case.context:
        yield "initial response", case.context
    if case.change:
        yield "scene change", case.change.text
    if case.counterfactual:
        yield "question", case.counterfactual.text
        for letter, option in zip(LETTERS, case.counterfactual.options, strict=False):
            yield "new response" if letter == case.counterfactual.answer else "distractor", option.text
