"""CoSIm's own statistics (CoSIm 5): lengths and words of the parts of an instance, and the types of change."""

import re
from collections import Counter
from collections.abc import Iterator
from math import sqrt
from typing import Final, Literal

from countersight.case import LETTERS, Case
from countersight.html import Grid, Line, TableCell
from countersight.suites.cosim.changes import KINDS, change_count
from countersight.suites.reference import table
from countersight.suites.statistics import Chart, ChartBar

Part = Literal["question", "initial response", "scene change", "new response", "distractor"]
PARTS: Final[tuple[Part, ...]] = ("question", "initial response", "scene change", "new response", "distractor")

LENGTHS: Final = ("max", "min", "avg", "sd")
"""The statistics of lengths in the paper's Table 1."""
NUMBERS: Final = ("1", "2", "3", "more than 3")
"""The numbers of types of a change, as counted in the paper's Table 2."""
GUIDES: Final = ("answer kept", "answer flipped")
"""The two guides for writing changes (CoSIm A.1), distinguished by the yes or no at the start of a response."""

REPORTED_WORDS: Final[dict[Part, int]] = {
    "question": 3_261,
    "initial response": 4_397,
    "scene change": 4_637,
    "new response": 5_318,
    "distractor": 6_404,
}
"""Different words in each part of the whole set, as the paper reports them (CoSIm 5.1)."""
REPORTED_WORDS_IN_ALL: Final = 9_946
REPORTED_GUIDES: Final = {"answer kept": "42.93", "answer flipped": "57.07"}
"""The shares of the guides in per cent, as the paper reports them (CoSIm A.1)."""

_DISTINCT = 200_000  # words told apart in a part, so that memory stays bounded
_AROUND = "\"'“”‘’.,;:!?()[]{}…-–—*"
_YES_OR_NO = re.compile(r"\W*(yes|no)\b", re.IGNORECASE)


class PartCounts:
    """The texts of one part: their lengths in words, and their different words."""

    def __init__(self) -> None:
        self.lengths: Counter[int] = Counter()
        self.words: set[str] = set()

    def add(self, text: str) -> None:
        """Count a text."""
        spoken = text.split()
        self.lengths[len(spoken)] += 1
        for piece in spoken:
            word = piece.strip(_AROUND).lower()
            if word and len(self.words) < _DISTINCT:
                self.words.add(word)

    @property
    def texts(self) -> int:
        """How many there are."""
        return self.lengths.total()

    @property
    def mean(self) -> float:
        """Words of a text on average."""
        return sum(length * n for length, n in self.lengths.items()) / max(1, self.texts)

    @property
    def deviation(self) -> float:
        """The standard deviation of the lengths."""
        mean = self.mean
        return sqrt(sum(n * (length - mean) ** 2 for length, n in self.lengths.items()) / max(1, self.texts))


class CosimTally:
    """What the paper tells of its instances, counted while cases stream by."""

    def __init__(self) -> None:
        self.cases = 0
        self.untyped = 0
        """Changes of which no type is known."""
        self.assigned = 0
        """Changes whose types people assigned; those of the others are proposed by rules."""
        self.parts = {part: PartCounts() for part in PARTS}
        self.kinds = dict.fromkeys(KINDS, 0)
        """How many changes are of each type, in the order of the paper's Table 4; one may be of several."""
        self.numbers = dict.fromkeys(NUMBERS, 0)
        """How many instances have changes of so many types."""
        self.changes = dict.fromkeys(NUMBERS, 0)
        """How many instances have so many changes: two of one type are two."""
        self.guides = dict.fromkeys(GUIDES, 0)
        """Of the cases whose two responses both begin with yes or no."""

    def add(self, case: Case) -> None:
        """Count a case of CoSIm."""
        self.cases += 1
        texts = _texts(case)
        for part, text in texts:
            self.parts[part].add(text)
        kinds = case.change.kinds if case.change else ()
        for kind in kinds:
            if kind in self.kinds:
                self.kinds[kind] += 1
        self.assigned += case.provenance.get("kinds") == "assigned"
        if kinds:
            self.numbers[_number(len(kinds))] += 1
            self.changes[_number(number_of_changes(case))] += 1
        else:
            self.untyped += 1
        said = {part: _YES_OR_NO.match(text) for part, text in texts}
        before, after = said.get("initial response"), said.get("new response")
        if before and after:
            self.guides[GUIDES[before[1].lower() != after[1].lower()]] += 1

    def statistics(self) -> "CosimTally":
        """What was counted."""
        return self

    @property
    def words(self) -> int:
        """Different words in all parts."""
        return len(set().union(*(part.words for part in self.parts.values())))

    def tables(self) -> Iterator[Grid]:
        """Return the paper's tables for these cases, with its own figures marked as reported."""
        yield self._lengths()
        yield self._types()
        for title, counted in (
            ("Types of change in one instance", self.numbers),
            ("Changes in one instance", self.changes),
        ):
            yield _shares(
                title,
                "number",
                "reported: number of changes, of the validation split (CoSIm, Table 2)",
                [(number, n, _reported("cosim-2", number, "frequency")) for number, n in counted.items()],
            )
        yield _shares(
            "Answer of the new response compared with the initial one",
            "if both begin with yes or no",
            "reported: guides that people chose, whole set (CoSIm, A.1)",
            [(guide, n, REPORTED_GUIDES[guide]) for guide, n in self.guides.items()],
        )

    def charts(self) -> Iterator[Chart]:
        """A bar a type of change."""
        bars = (ChartBar(kind, (n,), f"{100 * n / self.cases:.1f}%") for kind, n in self.kinds.items())
        yield Chart("Types of change (CoSIm)", "share of the changes; one may have several types", tuple(bars))

    def _lengths(self) -> Grid:
        lines = []
        for name, part in self.parts.items():
            ends = f"{max(part.lengths, default=0)}", f"{min(part.lengths, default=0)}"
            lines.append(_line(name, *ends, f"{part.mean:.2f}", f"{part.deviation:.2f}", f"{len(part.words):,}"))
            printed = (_reported("cosim-1", name, column) for column in LENGTHS)
            lines.append(_line("  reported", *printed, f"{REPORTED_WORDS[name]:,}", reported=True))
        nothing = [""] * len(LENGTHS)
        lines.append(_line("all", *nothing, f"{self.words:,}"))
        lines.append(_line("  reported", *nothing, f"{REPORTED_WORDS_IN_ALL:,}", reported=True))
        note = "reported: of the whole set of 3.5K instances (CoSIm, Table 1 and Section 5.1)"
        return Grid("Words in each part", ("part", "max", "min", "mean", "sd", "different words"), tuple(lines), note)

    def _types(self) -> Grid:
        if not self.assigned:
            whose = "proposed by rules"
        elif self.assigned == self.cases:
            whose = "assigned by people"
        else:
            whose = f"{self.assigned:,} assigned by people, the others proposed by rules"
        none = f"; {self.untyped:,} of unknown type" if self.untyped else ""
        lines = (_line(kind, f"{n:,}", f"{100 * n / self.cases:.1f}") for kind, n in self.kinds.items())
        note = f"{whose}; a change may have several types{none}"
        return Grid("Types of change", ("type", "changes", "%"), tuple(lines), note)


def _reported(name: str, row: str, column: str) -> str:
    """What a table of the paper prints."""
    cell = table(name).cell(row, column)
    return cell.text if cell else "–"


def _line(*cells: str, reported: bool = False) -> Line:
    return Line(tuple(map(TableCell, cells)), reported=reported)


def _shares(title: str, heading: str, note: str, rows: list[tuple[str, int, str]]) -> Grid:
    total = sum(n for _, n, _ in rows) or 1
    lines = (_line(label, f"{n:,}", f"{100 * n / total:.2f}", reported) for label, n, reported in rows)
    return Grid(title, (heading, "cases", "%", "reported %"), tuple(lines), note)


def number_of_changes(case: Case) -> int:
    """Return the number of changes, as assigned or as counted by the rules; two of one type are two. 0: unknown."""
    said = case.provenance.get("changes")
    if isinstance(said, int) and said > 0:
        return said
    if case.change is None or not case.change.kinds:
        return 0
    counted = change_count(case.change.text) if case.provenance.get("kinds") != "assigned" else 0
    return max(counted, len(case.change.kinds))


def _number(count: int) -> str:
    return str(count) if count <= 3 else NUMBERS[-1]


def _texts(case: Case) -> list[tuple[Part, str]]:
    texts: list[tuple[Part, str]] = []
    if case.context:
        texts.append(("initial response", case.context))
    if case.change:
        texts.append(("scene change", case.change.text))
    if case.counterfactual:
        texts.append(("question", case.counterfactual.text))
        for letter, option in zip(LETTERS, case.counterfactual.options, strict=False):
            texts.append(("new response" if letter == case.counterfactual.answer else "distractor", option.text))
    return texts
