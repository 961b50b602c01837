"""CoSIm: the authors' JSON, a list of instances about Visual Genome images.

An instance has a question, the initial response to it, a change to the scene in words, and four new responses. One of
them fits the changed scene (CoSIm 3). No question about the original picture has a right option, so a case only has
a counterfactual question; the initial response is its context.

The file does not contain the types of change (CoSIm 5.2). They are proposed from the words of the change, unless a
file of types assigned by people is given:

    id       the case: cosim-000001 is the first case of the file
    kinds    one or more of the nine types, separated by semicolons
    changes  the number of changes, if it differs from the number of types (optional)

`describe` counts the cases as the paper does (CoSIm 5): lengths and words of their parts, and the types of change.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from statistics import fmean, pstdev
from typing import Final

from countersight.case import LETTERS, Case, Change, Option, Question
from countersight.errors import CountersightError
from countersight.html import Grid, Line, TableCell
from countersight.scoring import Axis
from countersight.suggestions import unknown
from countersight.suites.cosim.changes import KINDS, change_count, change_kinds
from countersight.suites.paper_terms import UNDER_A_CHANGE, Terms, plain_name
from countersight.suites.reference import table
from countersight.suites.rows import checked, csv_rows, json_rows, text_of, whole_number
from countersight.suites.suite import BadField, Layout, Row, Rows, SecondFile, Suite

NAME: Final = "cosim"

FIELDS = ("question", "answer_orig", "change", "answer_choices", "answer_label", "folder", "img_fn")
VISUAL_GENOME = ("VG_100K", "VG_100K_2")
"""The folders of Visual Genome's images; the folders named in CoSIm's file (genome_13) are not published."""
Assigned = dict[str, tuple[tuple[str, ...], int]]
"""The types that people assigned to a change, and the number of changes (0 if they were not counted), by case id."""


def layout(kinds: Path | None) -> Layout:
    """Return the layout of CoSIm's file, with the types of change from a file if people assigned them."""
    assigned = read_kinds(kinds) if kinds else {}
    return Layout(
        description="The published instances of CoSIm (Kim et al.): a question, the initial response to it, a "
        "change to the scene, and four new responses.",
        rows=partial(_rows, kinds, assigned),
        as_case=partial(_as_case, assigned),
        picture=_picture,
        picture_field="img_fn",
        folders=("", *VISUAL_GENOME),
        flat=True,
        license="MIT",
    )


def read_kinds(path: Path) -> Assigned:
    """Return the types that people assigned, by case id; an invalid row is an error that names its line."""
    assigned: Assigned = {}
    for line, row in csv_rows(path, ("id", "kinds")):
        try:
            if isinstance(row, BadField):
                raise row
            name = text_of(row, "id")
            if name in assigned:
                raise BadField("id", f"{name[:40]!r} is already on an earlier line")
            named = {" ".join(kind.split()).casefold() for kind in text_of(row, "kinds").split(";") if kind.strip()}
            for kind in sorted(named - set(KINDS)):
                raise BadField("kinds", unknown("type of change", kind, KINDS))
            changes = whole_number(row, "changes", least=1) if str(row.get("changes", "")).strip() else 0
            assigned[name] = tuple(kind for kind in KINDS if kind in named), changes
        except BadField as wrong:
            raise CountersightError(f"{path} line {line}: {wrong.field}: {wrong.reason}") from wrong
    return assigned


def _rows(kinds: Path | None, assigned: Assigned, path: Path) -> Rows:
    """Yield the instances; types assigned to a case that is not in the file are an error."""
    last = 0
    for number, row in json_rows(path, FIELDS):
        yield number, row
        last = number
    for name in sorted(assigned.keys() - {_name(number) for number in range(1, last + 1)}):
        raise CountersightError(
            f"{kinds}: {name[:40]!r} is not a case of {path}; the cases are {_name(1)} to {_name(last)}"
        )


def _name(number: int) -> str:
    return f"{NAME}-{number:06d}"


def _as_case(assigned: Assigned, row: Row, number: int) -> Case:
    name, change = _name(number), text_of(row, "change")
    kinds, changes = assigned.get(name, ((), 0))
    provenance: dict[str, str | int] = {"img_path": _picture(row), "kinds": "assigned" if kinds else "proposed"}
    if changes:
        provenance["changes"] = changes
    if isinstance(row.get("type"), str):
        provenance["type"] = row["type"][:100]
    return Case(
        id=name,
        change=Change(change, kinds or change_kinds(change)),
        counterfactual=_question(row),
        context=text_of(row, "answer_orig"),
        provenance=provenance,
    )


def _question(row: Row) -> Question:
    """Return the question; five of the published cases offer their right answer twice, and both copies are right."""
    responses, right = row["answer_choices"], row["answer_label"]
    if not isinstance(responses, list) or len(responses) != 4:
        raise BadField("answer_choices", "is not a list of 4 texts")
    if not isinstance(right, int) or isinstance(right, bool) or not 0 <= right < 4:
        raise BadField("answer_label", "is not a whole number from 0 to 3")
    options = tuple(Option(text_of({"answer_choices": response}, "answer_choices")) for response in responses)
    doubled = [option.text for option in options].count(options[right].text) > 1
    question = Question(text_of(row, "question"), LETTERS[right], "choice", options, doubled=doubled)
    return checked(question, {"text": "question", "answer": "answer_label", "options": "answer_choices"})


def _picture(row: Row) -> str:
    return f"{text_of(row, 'folder')}/{text_of(row, 'img_fn')}"


_PROPOSED: Final = (
    "Types of change that were not assigned by people were proposed by rules from the text of the change."
)


def _types(case: Case) -> Iterable[str]:
    return map(plain_name, case.change.kinds) if case.change else ()


def _numbers_of_changes(case: Case) -> Iterable[str]:
    number = _number_of_changes(case)
    return (str(number) if number < 3 else "3 or more",) if number else ()


def _number_of_changes(case: Case) -> int:
    """Return the number of changes, as assigned or as counted by the rules, or 0 if it is unknown."""
    assigned = case.provenance.get("changes")
    if isinstance(assigned, int) and assigned > 0:
        return assigned
    if case.change is None or not case.change.kinds:
        return 0
    counted = change_count(case.change.text) if case.provenance.get("kinds") != "assigned" else 0
    return max(counted, len(case.change.kinds))


# ---- statistics -----------------------------------------------------------------------------------------------------

NUMBERS: Final = ("1", "2", "3", "more than 3")
"""The possible numbers of types per change, as counted in Table 2 of the paper."""
REPORTED_WORDS: Final = {
    "question": 3_261,
    "initial response": 4_397,
    "scene change": 4_637,
    "new response": 5_318,
    "distractor": 6_404,
}
"""The numbers of different words in each part of the whole set, as reported in the paper (CoSIm 5.1)."""
REPORTED_WORDS_IN_ALL: Final = 9_946
REPORTED_GUIDES: Final = {"answer kept": "42.93", "answer flipped": "57.07"}
"""The two guides for writing changes, distinguished by the yes or no at the start of a response, and their percentages
as reported in the paper (CoSIm A.1)."""

_AROUND = "\"'“”‘’.,;:!?()[]{}…-–—*"
_YES_OR_NO = re.compile(r"\W*(yes|no)\b", re.IGNORECASE)


class CosimTally:
    """Counts instances as the paper does, while cases are read."""

    def __init__(self) -> None:
        self.cases = 0
        self.untyped = 0
        """The number of changes without a known type."""
        self.assigned = 0
        """The number of changes whose types were assigned by people; the types of the others are proposed by rules."""
        self.lengths: dict[str, list[int]] = {part: [] for part in REPORTED_WORDS}
        """The number of words in each text, by part."""
        self.words: dict[str, set[str]] = {part: set() for part in REPORTED_WORDS}
        """The different words in each part."""
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
            self.changes[NUMBERS[min(_number_of_changes(case), len(NUMBERS)) - 1]] += 1

    def tables(self) -> Iterator[Grid]:
        """Return the paper's tables for these cases; figures from the paper are marked as reported."""
        yield self._lengths()
        whose = f"{self.assigned:,} of {self.cases:,} assigned by people, the others proposed by rules"
        note = f"{whose}; a change may have several types; {self.untyped:,} of unknown type"
        yield _shares("Types of change", "type", note, KINDS, {"changes": self.kinds}, self.cases)
        frequencies = {number: _reported("cosim-2", number, "frequency") for number in NUMBERS}
        note = "reported: validation split (CoSIm, Table 2), where two changes of one type may count once"
        counts = {"instances by types": self.types, "instances by changes": self.changes}
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


SUITE: Final = Suite(
    NAME,
    "CoSIm: the right answer after a change to the scene, with four options, by type of change",
    "the authors' JSON: question, answer_orig, change, answer_choices, answer_label, folder, img_fn",
    "Visual Genome's, in VG_100K and VG_100K_2, or folder/img_fn",
    layout,
    SecondFile("a CSV of types of change that people assigned: id, kinds (separated by semicolons), changes", False),
    terms=Terms(
        about=UNDER_A_CHANGE,
        measures={"counterfactual": "accuracy"},
        axes=(
            Axis("change type", KINDS, _types, _PROPOSED),
            Axis("number of changes", ("1", "2", "3 or more"), _numbers_of_changes, _PROPOSED),
        ),
    ),
    described=CosimTally,
    tables="countersight.suites.cosim",
)
