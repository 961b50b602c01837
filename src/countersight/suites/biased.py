"""VLMs Are Biased: the authors' table, which is a .parquet file of any split with embedded pictures, or a .jsonl file.

    image              the picture; if it is not embedded, image_path gives its file name
    topic, sub_topic   "Logos", "Adidas": what is shown
    prompt             the question as asked, including the required form of the answer
    ground_truth       what the picture shows: a number, or yes or no
    expected_bias      the answer one would give without looking: "3" stripes

and optionally ID, type_of_question, with_title and pixel. A wrong answer that equals the expected bias is counted
separately from other wrong answers. If expected_bias equals ground_truth (unchanged pictures), there is no bias.
"""

from collections.abc import Iterable
from typing import Final

from countersight.case import Case, Question
from countersight.scoring import Axis
from countersight.suites.paper_terms import AS_IT_IS, Terms, by_provenance
from countersight.suites.rows import checked, kind_of, picture_in, plain_answer, plain_text, text_of
from countersight.suites.suite import Layout, Row, Suite

NAME: Final = "vlms-are-biased"
_KEPT: Final = ("ID", "sub_topic", "type_of_question", "with_title", "pixel")


def _as_case(row: Row, number: int) -> Case:
    # Remove the braces that the prompt asks for.
    answer, prior = (plain_answer(plain_text(row, name).strip("{} ")) for name in ("ground_truth", "expected_bias"))
    question = Question(text_of(row, "prompt"), answer, kind_of(answer), prior="" if prior == answer else prior)
    return Case(
        id=f"{NAME}-{number:06d}",
        group=text_of(row, "topic"),
        factual=checked(question, {"text": "prompt", "answer": "ground_truth", "prior": "expected_bias"}),
        provenance={field: str(row[field])[:200] for field in _KEPT if row.get(field) is not None},
    )


def _titled(case: Case) -> Iterable[str]:
    title = str(case.provenance.get("with_title", "")).casefold()
    return ("yes" if title in ("true", "1", "yes") else "no",) if title else ()


SUITE: Final = Suite(
    NAME,
    "VLMs Are Biased: pictures that contradict common knowledge, with the answer that common knowledge suggests",
    "the authors' table (.parquet): image, topic, prompt, ground_truth, expected_bias",
    "inside the file",
    Layout(
        fields=("topic", "prompt", "ground_truth", "expected_bias"),
        as_case=_as_case,
        picture=lambda row: picture_in(row, "image" if row.get("image") else "image_path"),
        picture_field="image",
        license="MIT",
    ),
    terms=Terms(
        about=AS_IT_IS,
        group="topic",
        measures={"factual": "accuracy", "fell_back": "bias ratio"},
        axes=(
            Axis("type of question", ("Q1", "Q2", "Q3"), by_provenance("type_of_question")),
            Axis("title in the picture", ("no", "yes"), _titled),
            Axis("side in pixels", ("384", "768", "1152"), by_provenance("pixel")),
        ),
    ),
)
