"""COCO-Counterfactuals: the authors' examples.jsonl, with the unpacked images.zip as the folder of pictures.

    id                      names the pair
    image_0, image_1        the pictures' names without their ending: "236308_0_img_0" is images/236308_0_img_0.jpg
    caption_0, caption_1    the caption of each; they differ in one noun

A row becomes four cases: both captions asked of both pictures.
"""

from functools import partial

from countersight.case import Case
from countersight.suites.coco_counterfactuals.suite import NAME
from countersight.suites.fields import text_of
from countersight.suites.importing import Layout, Row
from countersight.suites.json_lines import jsonl_rows
from countersight.suites.matching import PICTURE, four_of_each, matched_case

FIELDS = ("id", "image_0", "image_1", "caption_0", "caption_1")


def _as_case(row: Row, _number: int) -> Case:
    return matched_case(row, NAME, "caption", "", {"id": str(row["id"])[:200]})


def _picture(row: Row) -> str:
    return f"{text_of(row, f'image_{row[PICTURE]}')}.jpg"


LAYOUT = Layout(
    suite=NAME,
    title="COCO-Counterfactuals",
    description="Pairs of generated pictures whose captions differ in one noun (Le et al.); every caption asked of "
    "both pictures.",
    rows=partial(four_of_each, partial(jsonl_rows, fields=FIELDS)),
    as_case=_as_case,
    picture=_picture,
    picture_field="image_0",
    folders=("", "images"),
    license="CC-BY-4.0",
)
