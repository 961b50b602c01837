"""Visual CounterFact: the authors' tables (.parquet); the file name contains the split, "color" or "size".

    correct_answer      common knowledge: strawberries are red; a whale is larger than a fly
    incorrect_answer    what the counterfactual picture shows
    object              the object in question (colours only)
    original_image, counterfact_image    the embedded pictures

A row becomes three cases: *seen* (the counterfactual picture, "What color is this strawberry?"), *known* (the same
picture, "What color are most strawberries?") and *original* (the original picture with the question of *seen*). The
prior for *seen* is the common-knowledge answer.
"""

from pathlib import Path
from typing import Final

from countersight.case import Case, Option, Question
from countersight.english import plural
from countersight.suites.paper_terms import Terms
from countersight.suites.rows import checked, picture_in, table_rows, text_of
from countersight.suites.suite import BadField, Layout, Row, Rows, Suite

NAME: Final = "visual-counterfact"
_FIELDS: Final = ("correct_answer", "incorrect_answer", "original_image", "counterfact_image")
_NAMED: Final = {
    "text": "object",
    "answer": "correct_answer",
    "options": "incorrect_answer",
    "prior": "incorrect_answer",
}


def _rows(path: Path) -> Rows:
    """Yield three rows for each row of the file; the order of the two answers alternates."""
    sized = "size" in path.stem.casefold()
    for line, row in table_rows(path, _FIELDS if sized else (*_FIELDS, "object")):
        if isinstance(row, BadField):
            yield line, row
        else:
            for part in ("seen", "known", "original"):
                yield line, {**row, "part": part, "order": line % 2, "size": sized}


def _as_case(row: Row, number: int) -> Case:
    question = _of_size(row) if row["size"] else _of_colour(row)
    return Case(
        id=f"{NAME}-{number:06d}",
        group=f"{row['part']}, {'size' if row['size'] else 'color'}",
        factual=checked(question, _NAMED),
        provenance={"object": str(row.get("object") or "")[:200], "part": row["part"]},
    )


def _of_colour(row: Row) -> Question:
    known, seen, thing = (text_of(row, field) for field in ("correct_answer", "incorrect_answer", "object"))
    *described, noun = thing.split()
    most = " ".join([*described, plural(noun)])
    text = f"What color are most {most}?" if row["part"] == "known" else f"What color is this {thing}?"
    answer, prior = (seen, known) if row["part"] == "seen" else (known, "")
    return Question(text, answer, "open", prior=prior)


def _of_size(row: Row) -> Question:
    known, seen = (text_of(row, field) for field in ("correct_answer", "incorrect_answer"))
    named = (seen, known) if row["order"] else (known, seen)
    letter = {text: "AB"[place] for place, text in enumerate(named)}
    when = "usually" if row["part"] == "known" else "here"
    answer, prior = (letter[seen], letter[known]) if row["part"] == "seen" else (letter[known], "")
    return Question(f"Which is larger {when}?", answer, "choice", tuple(map(Option, named)), prior=prior)


SUITE: Final = Suite(
    NAME,
    "Visual CounterFact: pictures that contradict common knowledge about colours and sizes",
    "the authors' tables (.parquet, with color or size in the file name): correct_answer, incorrect_answer, object",
    "inside the file",
    Layout(
        rows=_rows,
        as_case=_as_case,
        picture=lambda row: picture_in(row, "original_image" if row["part"] == "original" else "counterfact_image"),
        picture_field="counterfact_image",
    ),
    terms=Terms(
        about="about the picture and about common knowledge",
        measures={"factual": "accuracy", "fell_back": "gave the common-knowledge answer"},
    ),
)
