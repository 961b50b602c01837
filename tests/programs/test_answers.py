"""Results of programs are converted to answers of the requested kind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from programs.seeing import request

from countersight.case import Option
from countersight.programs.answers import answer_of, number_in
from countersight.programs.limits import ProgramFailed

NUMBERS = tuple(map(Option, ("3", "5", "7", "9")))
WORDS = tuple(map(Option, ("yes", "no", "a red car", "2 dogs")))


@pytest.mark.parametrize(
    ("value", "kind", "options", "answer"),
    [
        (3, "number", (), "3"),
        (3.0, "number", (), "3"),
        (2.5, "number", (), "2.5"),
        ("three dogs", "number", (), "three dogs"),
        (True, "boolean", (), "yes"),
        (False, "boolean", (), "no"),
        (5, "choice", NUMBERS, "B"),
        ("seven", "choice", NUMBERS, "C"),
        ("A", "choice", NUMBERS, "A"),
        (4, "choice", NUMBERS, "4"),
        (True, "choice", WORDS, "A"),
        ("a Red Car", "choice", WORDS, "C"),
        (2, "choice", WORDS, "D"),
        ("a house", "choice", WORDS, "a house"),
        ("  blue ", "open", (), "blue"),
        (4, "open", (), "4"),
        (True, "open", (), "yes"),
    ],
)
def test_a_result_is_converted_to_an_answer(value, kind, options, answer) -> None:
    assert answer_of(value, request("How many are there?", kind, options)) == answer


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, "number"),
        ("many", "number"),
        (float("nan"), "number"),
        (10**4000, "number"),
        (3, "boolean"),
        ("perhaps", "boolean"),
        ("", "open"),
        (None, "open"),
        (object(), "open"),
    ],
)
def test_a_result_of_the_wrong_type_is_a_failure(value, kind) -> None:
    with pytest.raises(ProgramFailed, match=r"the question asks for") as failed:
        answer_of(value, request("How many?", kind, NUMBERS if kind == "choice" else ()))
    assert failed.value.kind == "wrong type of answer"


def test_long_texts_are_cut_and_lone_surrogates_replaced() -> None:
    said = answer_of("\ud800" + "x" * 10**6, request("What?", "open"))
    assert len(said) == 2000
    assert said.encode()


@given(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.binary(),
    st.sampled_from(["number", "boolean", "choice", "open"]),
)
def test_any_result_is_an_answer_or_a_failure(value, kind) -> None:
    try:
        said = answer_of(value, request("How many?", kind, NUMBERS if kind == "choice" else ()))
    except ProgramFailed:
        return
    assert said


@pytest.mark.parametrize(
    ("text", "number"), [("-3", -3), ("3.5 m", 3.5), ("a dozen", 12), ("3 or 4", None), ("", None)]
)
def test_numbers_are_found_in_texts(text, number) -> None:
    assert number_in(text) == number
