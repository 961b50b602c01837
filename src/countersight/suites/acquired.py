"""ACQUIRED: the authors' train.json, val.json or test.json, with one folder of frames per video, named by video_id.

    video_id, domain       "oopsqa-train-4490"; Physical, Social or Time
    question               "What if the cat had been smaller?"
    answer1, answer2       the two answers, one of which is right
    correct_answer_key     answer1 or answer2

At most eight evenly spaced frames are shown. A row that offers the same answer twice is reported and skipped.
"""

from typing import Final

from countersight.case import Case, Option, Question
from countersight.suites.paper_terms import UNDER_A_CHANGE, Terms
from countersight.suites.rows import checked, name_of, text_of
from countersight.suites.suite import Frames, Layout, Row, Suite
from countersight.suites.supposing import supposed

NAME: Final = "acquired"
_ANSWERS: Final = ("answer1", "answer2")


def _as_case(row: Row, number: int) -> Case:
    key = name_of(row, "correct_answer_key", _ANSWERS)
    options = tuple(Option(text_of(row, field)) for field in _ANSWERS)
    question = Question(text_of(row, "question"), "AB"[_ANSWERS.index(key)], "choice", options)
    return Case(
        id=f"{NAME}-{number:06d}",
        group=text_of(row, "domain"),
        change=supposed(question.text),
        counterfactual=checked(question, {"text": "question", "answer": "correct_answer_key", "options": "answer2"}),
        provenance={"video": text_of(row, "video_id")},
    )


SUITE: Final = Suite(
    NAME,
    "ACQUIRED: counterfactual questions about real-life videos, with two answers",
    "the authors' JSON: video_id, domain, question, answer1, answer2, correct_answer_key",
    "one folder of frames per video, named by video_id",
    Layout(
        fields=("video_id", "domain", "question", *_ANSWERS, "correct_answer_key"),
        as_case=_as_case,
        picture=lambda row: Frames(text_of(row, "video_id")),
        picture_field="video_id",
    ),
    terms=Terms(about=UNDER_A_CHANGE, group="domain", measures={"counterfactual": "pairwise accuracy"}),
)
