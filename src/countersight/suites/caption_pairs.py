"""Two pictures and two captions that differ in one thing: VisMin and COCO-Counterfactuals.

Every caption is asked of both pictures, for yes or no, so that a row becomes four cases. The files have captions, not
questions; the questions are ours. A model that does not look says the same of both pictures.

VisMin-bench, the authors' table (.parquet with the pictures inside):

    id, image_0, image_1, text_0, text_1    two pictures and the caption of each
    category                                object, attribute, counting or relation, where the file has it

COCO-Counterfactuals, the authors' examples.jsonl, with the unpacked images.zip as the folder of pictures:

    id                      names the pair
    image_0, image_1        the pictures' names without their ending: "236308_0_img_0" is images/236308_0_img_0.jpg
                            (default: the id with _img_0 and _img_1)
    caption_0, caption_1    the caption of each; they differ in one noun

Captions of other names are read where exactly two fields have "caption" in their names: the first is that of image_0,
unless its name has "counterfactual" in it.
"""

from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Final

from countersight.case import Case, Cell, Question
from countersight.suites.paper_terms import ACCURACY, AS_IT_IS, Terms
from countersight.suites.picture_files import Layout
from countersight.suites.rows import (
    BadField,
    Row,
    Rows,
    checked,
    jsonl_rows,
    picture_in,
    plain_text,
    table_rows,
    text_of,
)
from countersight.suites.suite import Suite

_CAPTION, _PICTURE = "caption place", "picture place"
"""Which caption is asked of which picture, in a row that was made of one with both."""
_COCO_FIELDS: Final = ("id", "image_0", "image_1", "caption_0", "caption_1")
_WHOLES: Final = {"question": "caption score", "picture": "picture score", "set": "group score"}


def _four_of_each(rows: Callable[[Path], Rows], path: Path) -> Rows:
    for line, row in rows(path):
        if isinstance(row, BadField):
            yield line, row
        else:
            for caption, picture in product("01", "01"):
                yield line, {**row, _CAPTION: caption, _PICTURE: picture}


def _coco_rows(path: Path) -> Rows:
    """The rows with the names of the release on Hugging Face, whichever names their captions have."""
    for line, row in jsonl_rows(path, ()):
        if isinstance(row, BadField):
            yield line, row
            continue
        found = {f"image_{place}": f"{row['id']}_img_{place}" for place in "01"} if "id" in row else {}
        captions = [name for name in row if "caption" in name.casefold()]
        if len(captions) == 2:
            captions.sort(key=lambda name: "counterfactual" in name.casefold())
            found |= {f"caption_{place}": row[name] for place, name in enumerate(captions)}
        found |= row
        absent = next((field for field in _COCO_FIELDS if field not in found), None)
        there = f"is missing; the row has these fields: {', '.join(row)[:200]}"
        yield line, found if absent is None else BadField(absent, there)


def _as_case(suite: str, field: str, row: Row, _number: int) -> Case:
    """The case of one caption and one picture; `field` is what the file calls its captions, before their number."""
    caption, picture = row[_CAPTION], row[_PICTURE]
    captions = [text_of(row, f"{field}_{place}") for place in "01"]
    if captions[0] == captions[1]:
        raise BadField(f"{field}_1", f"is the same as {field}_0")
    name = plain_text(row, "id")
    text = f'Is this what the picture shows: "{captions[int(caption)]}"?'
    question = Question(text, "yes" if caption == picture else "no", "boolean")
    return Case(
        id=f"{suite}-{name}-{caption}{picture}",
        group=str(row.get("category") or "")[:100],
        factual=checked(question, {"text": f"{field}_{caption}"}),
        cell=Cell(name, caption, picture, of=4),
        provenance={"id": name[:200]},
    )


VISMIN: Final = Suite(
    "vismin",
    "VisMin: pairs of pictures and captions that differ in one thing",
    "the authors' table (.parquet): id, image_0, text_0, image_1, text_1",
    "inside the file",
    Layout(
        rows=partial(_four_of_each, partial(table_rows, fields=("id", "image_0", "text_0", "image_1", "text_1"))),
        as_case=partial(_as_case, "vismin", "text"),
        picture=lambda row: picture_in(row, f"image_{row[_PICTURE]}"),
        picture_field="image_0",
        license="CC-BY-4.0",
        embeds=True,
    ),
    counts="row",
    title="VisMin",
    terms=Terms(about=AS_IT_IS, group="category", measures=ACCURACY, wholes=_WHOLES),
)
COCO_COUNTERFACTUALS: Final = Suite(
    "coco-counterfactuals",
    "COCO-Counterfactuals: pairs of pictures whose captions differ in one noun",
    "the authors' examples.jsonl: id, image_0, image_1, caption_0, caption_1",
    "images.zip, as unpacked",
    Layout(
        rows=partial(_four_of_each, _coco_rows),
        as_case=partial(_as_case, "coco-counterfactuals", "caption"),
        picture=lambda row: f"{text_of(row, f'image_{row[_PICTURE]}')}.jpg",
        picture_field="image_0",
        folders=("", "images"),
        license="CC-BY-4.0",
    ),
    title="COCO-Counterfactuals",
    terms=Terms(about=AS_IT_IS, measures=ACCURACY, wholes=_WHOLES),
)
