"""CoSIm: the authors' JSON, a list of instances about pictures of Visual Genome.

An instance has a question, the initial response to it, a change to the scene in words, and four new responses, one of
which fits the changed scene (CoSIm 3). No question about the original picture has a right option, so a case only has
a counterfactual question; the initial response is its context.

The file does not contain the types of change (CoSIm 5.2). They are proposed from the words of the change, unless a
file of types assigned by people is given:

    id       the case: cosim-000001 is the first case of the file
    kinds    one or more of the nine types, separated by semicolons
    changes  the number of changes, if it differs from the number of types (optional)
"""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Final

from countersight.case import LETTERS, Case, Change, Option, Question
from countersight.errors import CountersightError
from countersight.scoring import Axis
from countersight.suites.cosim.changes import KINDS, change_kinds
from countersight.suites.cosim.statistics import CosimTally, number_of_changes
from countersight.suites.paper_terms import UNDER_A_CHANGE, Terms, plain_name
from countersight.suites.rows import checked, csv_rows, json_rows, text_of, whole_number
from countersight.suites.suite import BadField, Layout, Row, Rows, SecondFile, Suite
from countersight.text import unknown

NAME: Final = "cosim"

FIELDS = ("question", "answer_orig", "change", "answer_choices", "answer_label", "folder", "img_fn")
VISUAL_GENOME = ("VG_100K", "VG_100K_2")
"""The folders of Visual Genome's pictures; CoSIm's file names other folders (genome_13), which are not published."""
Assigned = dict[str, tuple[tuple[str, ...], int]]
"""The types that people assigned to a change, and the number of changes (0: not counted), by case id."""


def layout(kinds: Path | None, *, keep_duplicates: bool = False) -> Layout:
    """Return the layout of CoSIm's file, with the types of change from a file if people assigned them.

    Five of the published cases offer their right answer twice. They are invalid rows, unless `keep_duplicates` is set:
    then either copy is right.
    """
    assigned = read_kinds(kinds) if kinds else {}
    return Layout(
        description="The published instances of CoSIm (Kim et al.): a question, the response first given to it, a "
        "change to the scene, and four new responses.",
        rows=partial(_rows, kinds, assigned),
        as_case=partial(_as_case, assigned, keep_duplicates),
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


def _as_case(assigned: Assigned, keep_duplicates: bool, row: Row, number: int) -> Case:
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
        counterfactual=_question(row, keep_duplicates),
        context=text_of(row, "answer_orig"),
        provenance=provenance,
    )


def _question(row: Row, keep_duplicates: bool) -> Question:
    responses, right = row["answer_choices"], row["answer_label"]
    if not isinstance(responses, list) or len(responses) != 4:
        raise BadField("answer_choices", "is not a list of 4 texts")
    if not isinstance(right, int) or isinstance(right, bool) or not 0 <= right < 4:
        raise BadField("answer_label", "is not a whole number from 0 to 3")
    options = tuple(Option(text_of({"answer_choices": response}, "answer_choices")) for response in responses)
    doubled = [option.text for option in options].count(options[right].text) > 1
    question = Question(
        text_of(row, "question"), LETTERS[right], "choice", options, doubled=keep_duplicates and doubled
    )
    return checked(question, {"text": "question", "answer": "answer_label", "options": "answer_choices"})


def _picture(row: Row) -> str:
    return f"{text_of(row, 'folder')}/{text_of(row, 'img_fn')}"


_PROPOSED: Final = (
    "Types of change that were not assigned by people were proposed by rules from the text of the change."
)


def _types(case: Case) -> Iterable[str]:
    return map(plain_name, case.change.kinds) if case.change else ()


def _number_of_changes(case: Case) -> Iterable[str]:
    number = number_of_changes(case)
    return (str(number) if number < 3 else "3 or more",) if number else ()


SUITE: Final = Suite(
    NAME,
    "CoSIm: the right answer after a change to the scene, with four options, by type of change",
    "the authors' JSON: question, answer_orig, change, answer_choices, answer_label, folder, img_fn",
    "Visual Genome's, in VG_100K and VG_100K_2, or folder/img_fn",
    layout,
    SecondFile(
        "--annotations", "a CSV of types of change that people assigned: id, kinds (with semicolons), changes", False
    ),
    options={"file": ("keep_duplicates",)},
    title="CoSIm",
    terms=Terms(
        about=UNDER_A_CHANGE,
        measures={"counterfactual": "accuracy"},
        axes=(
            Axis("change type", KINDS, _types, _PROPOSED),
            Axis("number of changes", ("1", "2", "3 or more"), _number_of_changes, _PROPOSED),
        ),
    ),
    described=CosimTally,
    tables="countersight.suites.cosim",
)
