"""CP-Bench: the authors' table (.parquet with the pictures inside): questions that presuppose something.

    image, image_name    the picture
    query                "What color is the dog's hat?"
    tag                  cpq if the presupposed thing is absent, tpq if it is present

The file has no right answers: in the paper, a language model judges whether a reply rejects the presupposition. We ask
whether everything presupposed is in the picture, which needs no judge but gives figures that cannot be compared with
those in the paper.
"""

from functools import partial
from typing import Final

from countersight.case import Case, Question
from countersight.suites.paper_terms import Terms
from countersight.suites.rows import checked, name_of, picture_in, text_of
from countersight.suites.suite import Layout, Row, Suite

NAME: Final = "cp-bench"
_GROUPS: Final = {"cpq": "false presupposition", "tpq": "true presupposition"}


def _as_case(row: Row, number: int) -> Case:
    tag = name_of(row, "tag", tuple(_GROUPS))
    text = (
        f'Somebody asks about the picture: "{text_of(row, "query")}" Is everything that this question takes for '
        "granted really in the picture?"
    )
    question = Question(text, "no" if tag == "cpq" else "yes", "boolean", prior="yes" if tag == "cpq" else "")
    return Case(
        id=f"{NAME}-{number:05d}",
        group=_GROUPS[tag],
        factual=checked(question, {"text": "query", "answer": "tag", "prior": "tag"}),
        provenance={"image": str(row.get("image_name") or "")[:200]},
    )


SUITE: Final = Suite(
    NAME,
    "CP-Bench: questions whose presupposition is true or false",
    "the authors' table (.parquet): image, query, tag (cpq or tpq)",
    "inside the file",
    Layout(
        fields=("image", "query", "tag"),
        as_case=_as_case,
        picture=partial(picture_in, field="image"),
        picture_field="image",
        license="MIT",
    ),
    terms=Terms(
        about="with a true or a false presupposition",
        group="presupposition",
        measures={"factual": "accuracy", "fell_back": "accepted a false presupposition"},
    ),
)
