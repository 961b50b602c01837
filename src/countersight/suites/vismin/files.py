"""VisMin-bench: the authors' table (.parquet with the pictures inside), a row a pair.

    id, image_0, image_1, text_0, text_1    two pictures and the caption of each; they differ in one thing
    category                                object, attribute, counting or relation, where the file has it

A row becomes four cases: both captions asked of both pictures.
"""

from functools import partial

from countersight.case import Case
from countersight.suites.importing import Layout, Row
from countersight.suites.matching import PICTURE, four_of_each, matched_case
from countersight.suites.picture_files import Pictured
from countersight.suites.table_file import picture_in, table_rows
from countersight.suites.vismin.suite import NAME

FIELDS = ("id", "image_0", "text_0", "image_1", "text_1")


def _as_case(row: Row, _number: int) -> Case:
    return matched_case(row, NAME, "text", str(row.get("category") or "")[:100], {"id": str(row["id"])[:200]})


def _picture(row: Row) -> Pictured:
    return picture_in(row, f"image_{row[PICTURE]}")


LAYOUT = Layout(
    suite=NAME,
    title="VisMin",
    description="Pairs of pictures and captions that differ in an object, an attribute, a number or a place (Awal et "
    "al.); every caption asked of both pictures.",
    rows=partial(four_of_each, partial(table_rows, fields=FIELDS)),
    as_case=_as_case,
    picture=_picture,
    picture_field="image_0",
    license="CC-BY-4.0",
    embeds=True,
)
