"""Step programs are parsed and interpreted one operation at a time, and never run as Python."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from programs.seeing import DOGS, PICTURE, Eyes, parse_steps

from countersight.programs.limits import ProgramFailed, Tracing
from countersight.programs.steps.interpreter import OPERATIONS, run_steps
from countersight.programs.steps.parsing import BadExpression, Name, ProgramStep, evaluate
from countersight.programs.styles import STEPS

DOG = "A=LOC(image=IMAGE, object='dog')\n"
CAT = "A=LOC(image=IMAGE, object='cat')\n"
IN_PART = "B=LOC(image=P, object='dog')\nC=COUNT(box=B)"


def result(program, eyes=None, tracing=None):
    return asyncio.run(run_steps(parse_steps(program), PICTURE, eyes or Eyes(), tracing or Tracing()))


def test_a_step_has_a_name_an_operation_and_arguments() -> None:
    (step,) = parse_steps("BOX0 = loc(image=IMAGE, object='two\\'s', n=3, share=0.5, sure=True)")
    arguments = {"image": Name("IMAGE"), "object": "two's", "n": 3, "share": 0.5, "sure": True}
    assert step == ProgramStep("BOX0", "LOC", arguments, 1)


@pytest.mark.parametrize(
    "reply",
    [
        "A=LOC(image=IMAGE, object='dog')\nB=COUNT(box=A)",
        "```\nA=LOC(image=IMAGE, object='dog')\nB=COUNT(box=A)\n```",
        "Here you are (two steps):\n\n```python\nA=LOC(image=IMAGE, object='dog')\n\nB=COUNT(box=A)\n```\nDone = true.",
        "Program:\nA=LOC(image=IMAGE, object='dog')\nB=COUNT(box=A)\nThe answer (I think) is B.",
        "```\nA=LOC(image=IMAGE, object='dog')\n  B = COUNT( box = A )  # how many",
    ],
)
def test_steps_are_extracted_from_a_reply(reply) -> None:
    assert [step.operation for step in parse_steps(reply)] == ["LOC", "COUNT"]


@given(st.text(st.characters(), max_size=200) | st.text("ABLOC=(),'\"image\n` .{}[]:0123456789+-*", max_size=200))
def test_any_text_is_a_step_program_or_an_error(text) -> None:
    try:
        steps = parse_steps(text)
    except ProgramFailed:
        return
    assert steps
    assert all(isinstance(step, ProgramStep) for step in steps)


@pytest.mark.parametrize(
    ("program", "value"),
    [
        (f"{DOG}B=COUNT(box=A)", 3),
        (f"{DOG}B=COUNT(box=A)\nC=RESULT(var=B)\nD=RESULT(var=A)", 3),
        ("A=VQA(image=IMAGE, question='How many?')\nB=EVAL(expr=\"{A} * 2\")", 14),
        (f"{DOG}P=CROP(image=IMAGE, box=A)\n{IN_PART}", 1),
        (f"{CAT}P=CROP(image=IMAGE, box=A)\n{IN_PART}", 3),
        (f"{DOG}P=CROP_RIGHTOF(image=IMAGE, box=A)\n{IN_PART}", 2),
        (f"{DOG}P=CROP_BELOW(image=IMAGE, box=A)\n{IN_PART}", 2),
        (f"{DOG}T=BOTTOMMOST(box=A, n=1)\nP=CROP_ABOVE(image=IMAGE, box=T)\n{IN_PART}", 2),
        (f"{DOG}T=RIGHTMOST(box=A, n=1)\nP=CROP_LEFTOF(image=IMAGE, box=T)\n{IN_PART}", 2),
        (f"{DOG}T=TOPMOST(box=A, n=2)\nW=WITHOUT(box=A, of=T)\nC=COUNT(box=W)", 1),
        (f"{DOG}T=LEFTMOST(box=A, n=1)\nI=INSIDE(box=A, of=T)\nC=COUNT(box=I)", 1),
        (f"{DOG}T=LEFTMOST(box=A, n=1)\nI=OUTSIDE(box=A, of=T)\nC=COUNT(box=I)", 2),
        (f"{DOG}T=TOP_ROW(box=A)\nC=COUNT(box=T)", 1),
        (f"{DOG}F=FULLEST(box=A, of=A)\nC=COUNT(box=F)", 1),
    ],
)
def test_operations_of_step_programs(program, value) -> None:
    assert result(program, Eyes({"How many?": "seven dogs"})) == value


def test_every_step_is_recorded_with_its_result_and_boxes() -> None:
    tracing = Tracing()
    result("A=LOC(image=IMAGE, object='dog')\nP=CROP(image=IMAGE, box=A)\nB=COUNT(box=A)", tracing=tracing)
    located, cropped, counted = tracing.trace("").calls
    assert (located.name, located.arguments, located.result) == ("LOC", "image=IMAGE, object='dog'", "3 found")
    assert located.boxes == tuple(dog.box for dog in DOGS)
    assert (cropped.result, cropped.boxes) == ("a part of the picture", (DOGS[0].box,))
    assert counted.result == "3"


@pytest.mark.parametrize(
    ("program", "kind", "words"),
    [
        ("A=LOCATE(image=IMAGE)", "unknown tool", "line 1: there is no operation 'LOCATE'"),
        ("A=LOC(image=IMAGE, object='unicorn')", "tool failure", "nobody has seen one"),
        ("A=COUNT(box=B)", "error", "'B' is not the result of an earlier step"),
        ("A=COUNT(box=IMAGE)", "error", "box= must be what LOC found"),
        (f"{DOG}B=TOPMOST(box=A, n='two')", "error", "line 2: TOPMOST: n="),
        (f"{DOG}T=LEFTMOST(box=A, n=1)\nP=CROP_LEFTOF(image=IMAGE, box=T)", "tool failure", "outside the picture"),
        ("A=EVAL(expr='1 / 0')", "error", "divides by zero"),
    ],
)
def test_failures_of_steps_have_a_kind_and_a_line(program, kind, words) -> None:
    with pytest.raises(ProgramFailed, match=words) as failed:
        result(program)
    assert failed.value.kind == kind


def test_the_prompt_names_every_operation() -> None:
    for name in OPERATIONS:
        assert name in STEPS


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("{A} + 2", 5),
        ("({A} - 1) * 2 // 3 % 2", 1),
        ("-{A} / 2", -1.5),
        ("{A} > 2 and {B} == 'YES'", True),
        ("not {B}", False),
        ("1 < {A} <= 3", True),
        ("'yes' if {A} >= 3 else 'no'", "yes"),
        ("{C} + 1", 13),
        ("{C} > 11", True),
        ("{T} * 2", 2),
        ("{B} or 1 / 0", True),
    ],
)
def test_expressions_calculate_compare_and_choose(expression, value) -> None:
    results = {"A": 3, "B": "yes", "C": "twelve dogs", "T": True, "N": "no"}
    assert evaluate(expression, results) == value


@pytest.mark.parametrize(
    "expression", ["", "{D} + 1", "'a' + 1", "f(1)", "A.real", "2 ** 9", "'a' * 9", "10**13", "{L} + 1"]
)
def test_other_expressions_are_refused(expression) -> None:
    with pytest.raises(BadExpression):
        evaluate(expression, {"A": 3, "L": DOGS})


@given(
    st.text(max_size=120) | st.text("AB{}+-*/%()<>=!' 0123456789.ifelsnotadr", max_size=120),
    st.dictionaries(st.sampled_from("AB"), st.integers() | st.text(max_size=20) | st.floats() | st.booleans()),
)
def test_any_expression_has_a_value_or_is_refused(expression, results) -> None:
    try:
        value = evaluate(expression, results)
    except BadExpression:
        return
    assert isinstance(value, str | int | float | bool)
