"""The reference programmer: every question of C-VQA-Synthetic has a program, and the programs are right."""

import asyncio
import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st
from programs.seeing import PICTURE, Eyes, parse_steps
from published import published
from running import replies, run_command

from countersight.case import LETTERS
from countersight.dataset.folder import Dataset
from countersight.detection.vision import Patch
from countersight.picture.checking import check_picture
from countersight.programs.limits import Tracing
from countersight.programs.reference import NoProgram, as_python, as_steps
from countersight.programs.steps.interpreter import run_steps
from countersight.programs.vision.scene_vision import SceneVision
from countersight.scenes.drawing import draw_both, encode
from countersight.suites.cvqa import synthetic as cvqa_synthetic
from countersight.suites.cvqa.templates import TEMPLATES

UNSEEN = 1_870_313
"""A seed nobody looked at while the programmer and its eyes were written."""


@pytest.mark.slow
def test_every_published_question_has_both_kinds_of_programs() -> None:
    with open(published("cvqa/C-VQA-Synthetic_questions.csv"), encoding="utf-8", newline="") as file:
        questions = [row[name] for row in csv.DictReader(file) for name in ("query", "new query")]
    assert len(questions) == 6000
    for question in questions:
        assert parse_steps(as_steps(question))
        assert as_python(question).startswith("def execute_command(image):")


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.group)
def test_programs_count_correctly_from_pixels(template) -> None:
    async def count(vision, question, picture):
        return await run_steps(parse_steps(as_steps(question)), picture, vision, Tracing())

    async def check():
        vision = SceneVision()
        for index in range(3):
            made = cvqa_synthetic.make_case(template, UNSEEN, index, index)
            pictures = [check_picture(encode(pixels)) for pixels in draw_both(made.record.scene, made.changed)]
            case = made.case
            for question, picture in zip((case.factual, case.counterfactual, case.shown), (0, 0, 1), strict=True):
                right = question.options[LETTERS.index(question.answer)].text
                assert str(await count(vision, question.text, pictures[picture])) == right
        await vision.close()

    asyncio.run(check())


@pytest.mark.parametrize(
    "question",
    [
        "",
        "How many dogs are there?",
        "Would the red block fall if the blue block were taken away?",
        "How many flowers are inside the mauve polygons?",
        "How many flowers would be inside red polygons if we removed 2 flowers in blue polygons?",
        "How many flowers would be inside red polygons if the sun shone?",
        "How many flowers would be outside the red polygons if all polygons were blue?",
        "How many dots are there in the top many circles together?",
        "How many dots would there be in the top three circles together if 3 dots were removed from the circles?",
        "How many dots would a circle contain at most if they were stirred?",
    ],
)
def test_questions_outside_the_grammar_get_no_program(question) -> None:
    with pytest.raises(NoProgram):
        as_steps(question)


@given(st.text(max_size=200) | st.text("how many flowerdotsinside thredpolygonscircles if0123456789?", max_size=200))
def test_any_text_gives_a_program_or_none(question) -> None:
    try:
        program = as_steps(question)
    except NoProgram:
        return
    assert parse_steps(program)


def test_the_right_things_are_removed() -> None:
    """There are six circles in two rows, with one dot in the first, two in the second, and so on."""

    class Circles(Eyes):
        async def find(self, picture, what, within):
            boxes = [(x, y, x + 20, y + 20) for y in (0, 50) for x in (0, 40, 80)]
            if what == "circles":
                return [Patch(box, "circle") for box in boxes]
            dots = [
                (box[0] + n, box[1], box[0] + n + 1, box[1] + 1) for k, box in enumerate(boxes, 1) for n in range(k)
            ]
            return [Patch(dot, "dot") for dot in dots]

    for question, number in {
        "How many dots are there in all the circles together?": 21,
        "How many dots are there in the top three circles together?": 6,
        "How many dots are there in the top row of circles together?": 6,
        "How many dots do a circle contain at most?": 6,
        "How many dots would a circle contain at most if one of the circles with most dots were removed?": 5,
        "How many dots would there be in all the circles together if 4 dots were removed from the circles?": 17,
        "How many dots would there be in all the circles together if the two rightmost circles were removed?": 12,
        "How many dots would there be in all the circles if the one bottommost circle was removed?": 17,
        "How many dots would there be in the top three circles together if the two rightmost circles and dots in them "
        "were removed from the circles?": 3,
    }.items():
        steps = parse_steps(as_steps(question))
        assert asyncio.run(run_steps(steps, PICTURE, Circles(), Tracing())) == number


@pytest.fixture(scope="module")
def unseen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unseen") / "data"
    cvqa_synthetic.make_synthetic(folder, size=60, seed=UNSEEN, workers=1)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("style", ["visprog", "viper"])
def test_a_run_answers_from_pixels(style, unseen, tmp_path) -> None:
    if style == "viper":
        pytest.importorskip("pydantic_monty")
    done = run_command(unseen, tmp_path / "run", f"{style}:reference;vision=scene", "--shown")
    assert done.returncode == 0, done.stderr
    cases = {case.id: case for _, case in Dataset.open(unseen).cases(lambda bad: None)}
    right = [
        reply.text == cases[reply.case].question(reply.world, reply.telling).answer
        for reply in replies(tmp_path / "run")
    ]
    assert len(right) == 3 * len(cases)
    assert sum(right) >= 0.99 * len(right)
