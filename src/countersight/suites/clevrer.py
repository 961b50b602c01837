"""CLEVRER: the authors' train.json or validation.json, with a folder of frames for each video (video_10000/*.png).

The file has a list of scenes, each with scene_index, video_filename and questions:

    question, question_type    descriptive, explanatory, predictive or counterfactual
    answer                     the answer to a descriptive question
    choices                    for the other types: a list of objects with choice and answer (correct or wrong)

Every choice becomes a yes/no case. The choices of a question form a set, so that accuracy is reported per option and
per question, as in the paper. At most eight evenly spaced frames are shown.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from countersight.case import Case, Cell, Question
from countersight.suites.paper_terms import Terms
from countersight.suites.rows import checked, kind_of, name_of, plain_text, text_of
from countersight.suites.suite import BadField, Frames, Layout, Row, Suite
from countersight.suites.supposing import supposed

NAME: Final = "clevrer"
_TYPES: Final = ("descriptive", "explanatory", "predictive", "counterfactual")


def _rows(scene: Row) -> Iterator[Row | BadField]:
    """Yield a row for every descriptive question of a scene, and for every choice of the other questions."""
    if not isinstance(scene["questions"], list):
        raise BadField("questions", "is not a list")
    for place, question in enumerate(scene["questions"]):
        yield from _of_question(scene, question, place)


def _of_question(scene: Row, question: Any, place: int) -> Iterator[Row | BadField]:
    if not isinstance(question, dict) or "question" not in question or "question_type" not in question:
        yield BadField("questions", f"number {place} has no question or no question_type")
        return
    row = {**question, "video": scene["video_filename"], "set": f"{scene['scene_index']}-{place}", "option": ""}
    choices = question.get("choices")
    if choices is None:
        yield row
    elif not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        yield BadField("choices", "is not a list of objects")
    else:
        for option, choice in enumerate(choices):
            yield {**row, "option": str(option), "choice": choice.get("choice"), "answer": choice.get("answer")}


def _as_case(row: Row, _number: int) -> Case:
    kind, option, text = name_of(row, "question_type", _TYPES), row["option"], text_of(row, "question")
    if option:
        right = name_of({"answer": row["answer"]}, "answer", ("correct", "wrong")) == "correct"
        asked = f'{text} Is this one of the right answers: "{text_of(row, "choice")}"?'
        question = Question(asked, "yes" if right else "no", "boolean")
    else:
        answer = plain_text({"answer": row.get("answer")}, "answer")
        question = Question(text, answer, kind_of(answer))
    checked(question, {"text": "question", "answer": "answer"})
    is_counterfactual = kind == "counterfactual"
    return Case(
        id=f"{NAME}-{row['set']}" + (f"-{option}" if option else ""),
        group=kind,
        factual=None if is_counterfactual else question,
        change=supposed(text) if is_counterfactual else None,
        counterfactual=question if is_counterfactual else None,
        cell=Cell(str(row["set"]), option, "") if option else None,
        provenance={"video": text_of(row, "video")},
    )


SUITE: Final = Suite(
    NAME,
    "CLEVRER: what happens in a video, why, what comes next, and what would happen without an object",
    "the authors' train.json or validation.json: scenes with scene_index, video_filename, questions",
    "one folder of frames per video: video_10000/*.png",
    Layout(
        fields=("scene_index", "video_filename", "questions"),
        expand=_rows,
        as_case=_as_case,
        picture=lambda row: Frames(re.sub(r"(?<=.)\.[^.]*$", "", text_of(row, "video"))),
        picture_field="video_filename",
    ),
    terms=Terms(
        group="type of question",
        measures={"factual": "per option, factual", "counterfactual": "per option, counterfactual"},
        wholes={"set": "per question"},
    ),
)
