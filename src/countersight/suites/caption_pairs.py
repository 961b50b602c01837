"""Two pictures and two captions that differ in one thing: VisMin and COCO-Counterfactuals.

Each caption is asked about both pictures as a yes/no question, so a row becomes four cases. The files have captions;
the questions are our own. A model that does not look at the picture gives the same answer for both.

VisMin-bench, the authors' table (.parquet with the pictures inside):

    id, image_0, image_1, text_0, text_1    two pictures and the caption of each
    category                                object, attribute, counting or relation (optional)

COCO-Counterfactuals, the authors' examples.jsonl, with the unpacked images.zip as the picture folder. We have no copy
of this file and are not certain of the names of its fields:

    id                      the name of the pair
    image_0, image_1        the pictures' names without extension: "236308_0_img_0" is images/236308_0_img_0.jpg
                            (default: the id with _img_0 and _img_1)
    caption_0, caption_1    the caption of each; they differ in one noun

Other field names are accepted if exactly two of them contain "caption": the first one belongs to image_0, unless its
name contains "counterfactual".
"""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Final

from countersight.case import Case, Cell, Question
from countersight.suites.paper_terms import ACCURACY, AS_IT_IS, Terms
from countersight.suites.rows import checked, picture_in, plain_text, text_of
from countersight.suites.suite import BadField, Layout, Row, Suite

_CAPTION, _PICTURE = "caption place", "picture place"
"""Added fields of a row: which caption is asked about which picture."""
_COCO_FIELDS: Final = ("id", "image_0", "image_1", "caption_0", "caption_1")
_WHOLES: Final = {"question": "caption score", "picture": "picture score", "set": "group score"}


def _four_of_each(row: Row) -> Iterator[Row]:
    """Yield the row once for each caption and picture."""
    for caption, picture in product("01", "01"):
        yield {**row, _CAPTION: caption, _PICTURE: picture}


def _coco_rows(row: Row) -> Iterator[Row]:
    """Yield rows with the field names of the Hugging Face release, whatever the caption fields are called."""
    found = {f"image_{place}": f"{row['id']}_img_{place}" for place in "01"} if "id" in row else {}
    captions = [name for name in row if "caption" in name.casefold()]
    if len(captions) == 2:
        captions.sort(key=lambda name: "counterfactual" in name.casefold())
        found |= {f"caption_{place}": row[name] for place, name in enumerate(captions)}
    found |= row
    absent = next((field for field in _COCO_FIELDS if field not in found), None)
    if absent is not None:
        raise BadField(absent, f"is missing; the row has these fields: {', '.join(row)[:200]}")
    return _four_of_each(found)


def _as_case(suite: str, field: str, row: Row, _number: int) -> Case:
    """Return the case of one caption and one picture; `field` is the name of a caption field without its number."""
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
        fields=("id", "image_0", "text_0", "image_1", "text_1"),
        expand=_four_of_each,
        as_case=partial(_as_case, "vismin", "text"),
        picture=lambda row: picture_in(row, f"image_{row[_PICTURE]}"),
        picture_field="image_0",
        license="CC-BY-4.0",
    ),
    terms=Terms(about=AS_IT_IS, group="category", measures=ACCURACY, wholes=_WHOLES),
)
COCO_COUNTERFACTUALS: Final = Suite(
    "coco-counterfactuals",
    "COCO-Counterfactuals: pairs of pictures whose captions differ in one noun",
    "the authors' examples.jsonl: id, image_0, image_1, caption_0, caption_1",
    "images.zip, as unpacked",
    Layout(
        expand=_coco_rows,
        as_case=partial(_as_case, "coco-counterfactuals", "caption"),
        picture=lambda row: f"{text_of(row, f'image_{row[_PICTURE]}')}.jpg",
        picture_field="image_0",
        folders=("", "images"),
        license="CC-BY-4.0",
    ),
    terms=Terms(about=AS_IT_IS, measures=ACCURACY, wholes=_WHOLES),
)
