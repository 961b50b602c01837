"""Two pictures and two captions: every caption asked of both pictures, in a form that is answered with yes or no.

The files have captions, not questions; these are ours. A model that does not look says the same of both pictures.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from countersight.case import Case, Cell, Question
from countersight.suites.fields import checked, text_of
from countersight.suites.importing import BadField, Row, Rows

CAPTION, PICTURE = "caption place", "picture place"
"""Which caption is asked of which picture, in a row that was made of one with both."""


def four_of_each(rows: Callable[[Path], Rows], path: Path) -> Rows:
    """Four rows of each: both captions of both pictures."""
    for line, row in rows(path):
        yield from ((line, each) for each in _four(row))


def _four(row: Row | BadField) -> Iterator[Row | BadField]:
    if isinstance(row, BadField):
        yield row
        return
    for caption in "01":
        for picture in "01":
            yield {**row, CAPTION: caption, PICTURE: picture}


def matched_case(row: Row, suite: str, field: str, group: str, provenance: Mapping[str, Any]) -> Case:
    """The case of one caption and one picture; `field` is what the file calls its captions, before their number."""
    caption, picture = row[CAPTION], row[PICTURE]
    captions = [text_of(row, f"{field}_{place}") for place in "01"]
    if captions[0] == captions[1]:
        raise BadField(f"{field}_1", f"is the same as {field}_0")
    name = text_of({"id": str(row["id"])}, "id")
    text = f'Is this what the picture shows: "{captions[int(caption)]}"?'
    question = Question(text, "yes" if caption == picture else "no", "boolean")
    return Case(
        id=f"{suite}-{name}-{caption}{picture}",
        group=group,
        factual=checked(question, {"text": f"{field}_{caption}"}),
        cell=Cell(name, caption, picture, of=4),
        provenance=dict(provenance),
    )
