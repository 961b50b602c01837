"""CFMM: pairs of a basic and a counterfactual question that share two options, in our own file format.

The authors' file is not public. Write the cases as a CSV with a header, or as a .jsonl file with one JSON object per
line. All fields are text.

    image                    the picture's file name in the picture folder
    aspect                   count, color, shape, size, direction or common
    basic_question           "Is the cat to the left of the dog?"
    counterfactual_question  "If the cat and the dog changed places, would the cat be to the left of the dog?"
    option_a, option_b       the two answers that both questions offer: "Yes", "No"
    basic_answer             A or B, or the option's text
    counterfactual_answer    in the same form

Upper and lower case do not matter in aspects and answers, and "colour" is read as "color".
"""

from typing import Final

from countersight.case import Case, Option, Question
from countersight.suites.paper_terms import Terms
from countersight.suites.rows import checked, name_of, text_of
from countersight.suites.statistics import ReportedPairs
from countersight.suites.suite import BadField, Layout, Row, Suite
from countersight.suites.supposing import supposed

NAME: Final = "cfmm"

ASPECTS = ("count", "color", "shape", "size", "direction", "common")
OPTIONS = ("option_a", "option_b")
FIELDS = (
    "image",
    "aspect",
    "basic_question",
    "counterfactual_question",
    *OPTIONS,
    "basic_answer",
    "counterfactual_answer",
)


def _as_case(row: Row, number: int) -> Case:
    aspect = name_of(row, "aspect", (*ASPECTS, "colour"))
    factual = _question(row, "basic_question", "basic_answer")
    counterfactual = _question(row, "counterfactual_question", "counterfactual_answer")
    return Case(
        id=f"{NAME}-{number:06d}",
        group="color" if aspect == "colour" else aspect,
        factual=factual,
        change=supposed(counterfactual.text),
        counterfactual=counterfactual,
        provenance={"image": text_of(row, "image")},
    )


def _question(row: Row, text: str, answer: str) -> Question:
    options = tuple(text_of(row, field) for field in OPTIONS)
    if options[0].casefold() == options[1].casefold():
        raise BadField(OPTIONS[1], f"is the same as {OPTIONS[0]}")
    question = Question(
        text_of(row, text), _letter(row, answer, options), "choice", tuple(Option(option) for option in options)
    )
    return checked(question, {"text": text, "answer": answer, "options": OPTIONS[1]})


def _letter(row: Row, field: str, options: tuple[str, ...]) -> str:
    text = text_of(row, field)
    answer = text.casefold()
    letters = {
        letter for letter, option in zip("AB", options, strict=True) if answer in (letter.casefold(), option.casefold())
    }
    if len(letters) == 2:
        raise BadField(field, f"{text[:40]!r} is the letter of one option and the text of the other")
    if not letters:
        raise BadField(field, f"{text[:40]!r} is not A, B or the text of an option")
    return letters.pop()


SUITE: Final = Suite(
    NAME,
    "CFMM: a basic and a counterfactual question with two shared options, by aspect",
    "a CSV, or a .jsonl file with one JSON object per line: image, aspect (count, color, shape, size, direction or "
    "common), basic_question, counterfactual_question, option_a, option_b, basic_answer, counterfactual_answer (A or "
    "B, or the option's text)",
    "named as in image",
    Layout(
        fields=FIELDS,
        as_case=_as_case,
        picture=lambda row: text_of(row, "image"),
        picture_field="image",
    ),
    terms=Terms(
        group="aspect",
        groups={aspect: aspect for aspect in ("count", "color", "size", "shape", "direction", "common")},
        measures={"factual": "acc_b", "counterfactual": "acc_c", "both_right": "acc+", "drop": "drop"},
        adds_up=True,
        counts=True,
    ),
    described=ReportedPairs(
        "CFMM, 3.5",
        {
            "pairs": "1,200",
            "words in a basic question": "9.47",
            "words in a counterfactual question": "18.39",
            "words in an answer": "1.17",
        },
        length=lambda question: len(question.text.split()),  # the paper counts options separately, as answers
    ),
    tables="countersight.suites.cfmm",
)
