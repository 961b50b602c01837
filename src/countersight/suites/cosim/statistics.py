"""CoSIm's own statistics (CoSIm 5): lengths and words of the parts of an instance, and the types of change."""

import re
from collections import Counter
from collections.abc import Iterator
from math import sqrt
from typing import Final, Literal

import msgspec

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


class PartStatistics(msgspec.Struct, frozen=True):
    """The texts of one part: their lengths in words, and how many different words they have."""

    part: Part
    texts: int
    longest: int
    shortest: int
    mean: float
    deviation: float
    words: int


class CosimStatistics(msgspec.Struct, frozen=True):
    """The paper's statistics of instances, for these cases."""

    cases: int
    parts: tuple[PartStatistics, ...]
    words: int
    """Different words in all parts."""
    kinds: tuple[tuple[str, int], ...]
    """How many changes are of each type, in the order of the paper's Table 4; types can overlap."""
    numbers: tuple[tuple[str, int], ...]
    """How many instances have changes of this number of types, by `NUMBERS`."""
    changes: tuple[tuple[str, int], ...]
    """How many instances have this number of changes, by `NUMBERS`: two of one type are two."""
    untyped: int
    """Changes of unknown type."""
    assigned: int
    """Changes with types assigned by people; the others' types are proposed by rules."""
    guides: tuple[tuple[str, int], ...]
    """Counts by `GUIDES`, of the cases whose two responses both begin with yes or no."""

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
                [(number, n, _reported("cosim-2", number, "frequency")) for number, n in counted],
            )
        yield _shares(
            "Answer of the new response compared with the initial one",
            "if both begin with yes or no",
            "reported: guides that people chose, whole set (CoSIm, A.1)",
            [(guide, n, REPORTED_GUIDES[guide]) for guide, n in self.guides],
        )

    def charts(self) -> Iterator[Chart]:
        """Return a chart with one bar per type of change."""
        bars = (ChartBar(kind, (n,), f"{100 * n / self.cases:.1f}%") for kind, n in self.kinds)
        yield Chart("Types of change (CoSIm)", "share of the changes; one may be of several types", tuple(bars))

    def _lengths(self) -> Grid:
        lines = []
        for part in self.parts:
            lengths = f"{part.longest}", f"{part.shortest}", f"{part.mean:.2f}", f"{part.deviation:.2f}"
            lines.append(_line(part.part, *lengths, f"{part.words:,}"))
            printed = (_reported("cosim-1", part.part, column) for column in LENGTHS)
            lines.append(_line("  reported", *printed, f"{REPORTED_WORDS[part.part]:,}", reported=True))
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
        lines = (_line(kind, f"{n:,}", f"{100 * n / self.cases:.1f}") for kind, n in self.kinds)
        note = f"{whose}; a change may be of several{none}"
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


class CosimTally:
    """Counts cases while they are read."""

    def __init__(self) -> None:
        self._lengths: dict[Part, Counter[int]] = {part: Counter() for part in PARTS}
        self._words: dict[Part, set[str]] = {part: set() for part in PARTS}
        self._kinds: Counter[str] = Counter()
        self._numbers: Counter[str] = Counter()
        self._changes: Counter[str] = Counter()
        self._guides: Counter[str] = Counter()
        self._cases = self._untyped = self._assigned = 0

    def add(self, case: Case) -> None:
        """Count a case."""
        self._cases += 1
        texts = _texts(case)
        for part, text in texts:
            self._add_text(part, text)
        kinds = case.change.kinds if case.change else ()
        self._kinds.update(kinds)
        self._assigned += case.provenance.get("kinds") == "assigned"
        if case.change and kinds:
            self._numbers[_number(len(kinds))] += 1
            self._changes[_number(number_of_changes(case))] += 1
        else:
            self._untyped += 1
        said = {part: _YES_OR_NO.match(text) for part, text in texts}
        before, after = said.get("initial response"), said.get("new response")
        if before and after:
            self._guides[GUIDES[before[1].lower() != after[1].lower()]] += 1

    def statistics(self) -> CosimStatistics:
        """Return the statistics of all cases so far."""
        return CosimStatistics(
            cases=self._cases,
            parts=tuple(_part(part, self._lengths[part], len(self._words[part])) for part in PARTS),
            words=len(set().union(*self._words.values())),
            kinds=tuple((kind, self._kinds[kind]) for kind in KINDS),
            numbers=tuple((number, self._numbers[number]) for number in NUMBERS),
            changes=tuple((number, self._changes[number]) for number in NUMBERS),
            untyped=self._untyped,
            assigned=self._assigned,
            guides=tuple((guide, self._guides[guide]) for guide in GUIDES),
        )

    def _add_text(self, part: Part, text: str) -> None:
        spoken = text.split()
        self._lengths[part][len(spoken)] += 1
        words = self._words[part]
        for piece in spoken:
            word = piece.strip(_AROUND).lower()
            if word and len(words) < _DISTINCT:
                words.add(word)


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


def _part(part: Part, lengths: Counter[int], words: int) -> PartStatistics:
    texts = lengths.total()
    if not texts:
        return PartStatistics(part, 0, 0, 0, 0.0, 0.0, 0)
    mean = sum(length * n for length, n in lengths.items()) / texts
    variance = sum(n * (length - mean) ** 2 for length, n in lengths.items()) / texts
    return PartStatistics(part, texts, max(lengths), min(lengths), mean, sqrt(variance), words)
