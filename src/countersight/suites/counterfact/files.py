"""Visual CounterFact: the authors' tables (.parquet), the split "color" or "size" by the name of the file.

    correct_answer      what is known: strawberries are red; a whale is larger than a fly
    incorrect_answer    what the counterfactual picture shows
    object              what is asked about (colours)
    original_image, counterfact_image    the pictures, inside the file

A row becomes three cases: *seen* (the counterfactual picture, "What color is this strawberry?"), *known* (the same
picture, "What color are most strawberries?") and *original* (the picture as it was, asked as seen). In *seen* the prior
is what is known.
"""

from pathlib import Path

from countersight.case import Case, Option, Question
from countersight.english import plural
from countersight.suites.counterfact.suite import NAME
from countersight.suites.fields import checked, text_of
from countersight.suites.importing import BadField, Layout, Row, Rows
from countersight.suites.picture_files import Pictured
from countersight.suites.table_file import picture_in, table_rows

FIELDS = ("correct_answer", "incorrect_answer", "original_image", "counterfact_image")
PARTS = ("seen", "known", "original")
_PART, _ORDER = "part", "order"


def _rows(path: Path) -> Rows:
    """Three rows of each; which of two answers is named first takes turns."""
    needed = FIELDS if _is_size(path) else (*FIELDS, "object")
    for line, row in table_rows(path, needed):
        for part in PARTS if not isinstance(row, BadField) else ("",):
            yield (
                line,
                row if isinstance(row, BadField) else {**row, _PART: part, _ORDER: line % 2, "size": _is_size(path)},
            )


def _is_size(path: Path) -> bool:
    return "size" in path.stem.casefold()


def _as_case(row: Row, number: int) -> Case:
    return Case(
        id=f"{NAME}-{number:06d}",
        group=f"{row[_PART]}, {'size' if row['size'] else 'color'}",
        factual=_of_size(row) if row["size"] else _of_colour(row),
        provenance={"object": str(row.get("object") or "")[:200], "part": row[_PART]},
    )


def _of_colour(row: Row) -> Question:
    known, seen, thing = (text_of(row, field) for field in ("correct_answer", "incorrect_answer", "object"))
    *described, noun = thing.split()
    most = " ".join([*described, plural(noun)])
    text = f"What color are most {most}?" if row[_PART] == "known" else f"What color is this {thing}?"
    answer, prior = (seen, known) if row[_PART] == "seen" else (known, "")
    return checked(Question(text, answer, "open", prior=prior), _NAMED)


def _of_size(row: Row) -> Question:
    known, seen = (text_of(row, field) for field in ("correct_answer", "incorrect_answer"))
    named = (seen, known) if row[_ORDER] else (known, seen)
    letter = {text: "AB"[place] for place, text in enumerate(named)}
    when = "usually" if row[_PART] == "known" else "here"
    answer, prior = (letter[seen], letter[known]) if row[_PART] == "seen" else (letter[known], "")
    question = Question(f"Which is larger {when}?", answer, "choice", tuple(map(Option, named)), prior=prior)
    return checked(question, _NAMED)


_NAMED = {
    "text": "object",
    "answer": "correct_answer",
    "options": "incorrect_answer",
    "prior": "incorrect_answer",
}


def _picture(row: Row) -> Pictured:
    return picture_in(row, "original_image" if row[_PART] == "original" else "counterfact_image")


LAYOUT = Layout(
    suite=NAME,
    title="Visual CounterFact",
    description="Pictures that contradict what is known of colours and sizes, asked for what is seen and for what is "
    "known.",
    rows=_rows,
    as_case=_as_case,
    picture=_picture,
    picture_field="counterfact_image",
    embeds=True,
)
