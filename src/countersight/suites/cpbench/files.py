"""CP-Bench: the authors' table (.parquet with the pictures inside): questions that presuppose something.

    image, image_name    the picture
    query                "What color is the dog's hat?"
    tag                  cpq where what it presupposes is not there, tpq where it is

The file has no right answers: the authors have a language model judge whether a free reply rejects what is presupposed.
Ours asks whether the question can be answered from the picture, which needs no judge and is not the same figure.
"""

from functools import partial

from countersight.case import Case, Question
from countersight.suites.cpbench.suite import NAME
from countersight.suites.fields import checked, name_of, text_of
from countersight.suites.importing import Layout, Row
from countersight.suites.picture_files import Pictured
from countersight.suites.table_file import picture_in, table_rows

FIELDS = ("image", "query", "tag")
GROUPS = {"cpq": "false presupposition", "tpq": "true presupposition"}


def _as_case(row: Row, number: int) -> Case:
    tag = name_of(row, "tag", tuple(GROUPS))
    text = (
        f'Somebody asks about the picture: "{text_of(row, "query")}" Is everything that this question takes for '
        "granted really in the picture?"
    )
    question = Question(text, "no" if tag == "cpq" else "yes", "boolean", prior="yes" if tag == "cpq" else "")
    return Case(
        id=f"{NAME}-{number:05d}",
        group=GROUPS[tag],
        factual=checked(question, {"text": "query", "answer": "tag", "prior": "tag"}),
        provenance={"image": str(row.get("image_name") or "")[:200]},
    )


def _picture(row: Row) -> Pictured:
    return picture_in(row, "image")


LAYOUT = Layout(
    suite=NAME,
    title="CP-Bench",
    description="Questions with a false presupposition to be rejected, and with a true one to be accepted (of the "
    "paper on Antidote).",
    rows=partial(table_rows, fields=FIELDS),
    as_case=_as_case,
    picture=_picture,
    picture_field="image",
    license="MIT",
    embeds=True,
)
