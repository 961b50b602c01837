"""ACQUIRED: the authors' train.json, val.json or test.json, with a folder of frames for each video, named by video_id.

    video_id, domain       "oopsqa-train-4490"; Physical, Social or Time
    question               "What if the cat had been smaller?"
    answer1, answer2       two answers of which one is right
    correct_answer_key     answer1 or answer2

At most eight frames are shown, taken evenly.
"""

from functools import partial

from countersight.case import Case, Option, Question
from countersight.suites.acquired.suite import NAME
from countersight.suites.fields import checked, name_of, text_of
from countersight.suites.importing import Layout, Row
from countersight.suites.picture_files import Frames
from countersight.suites.supposing import supposed
from countersight.suites.table_file import table_rows

ANSWERS = ("answer1", "answer2")
FIELDS = ("video_id", "domain", "question", *ANSWERS, "correct_answer_key")


def _as_case(row: Row, number: int) -> Case:
    key = name_of(row, "correct_answer_key", ANSWERS)
    options = tuple(Option(text_of(row, field)) for field in ANSWERS)
    question = Question(text_of(row, "question"), "AB"[ANSWERS.index(key)], "choice", options)
    return Case(
        id=f"{NAME}-{number:06d}",
        group=text_of(row, "domain"),
        change=supposed(question.text),
        counterfactual=checked(question, {"text": "question", "answer": "correct_answer_key", "options": "answer2"}),
        provenance={"video": text_of(row, "video_id")},
    )


def _frames(row: Row) -> Frames:
    return Frames(text_of(row, "video_id"))


LAYOUT = Layout(
    suite=NAME,
    title="ACQUIRED",
    description="Counterfactual questions about videos from life, each with two answers.",
    rows=partial(table_rows, fields=FIELDS),
    as_case=_as_case,
    picture=_frames,
    picture_field="video_id",
)
