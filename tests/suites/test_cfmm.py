"""CFMM in our own format: the same cases from a CSV and from a JSONL file."""

import pytest
from importing import CFMM as ROW
from importing import csv_file, import_suite, jsonl_file

from countersight.case import Change, Option, Question
from countersight.suites.cfmm import ASPECTS, FIELDS

WRITERS = {"csv": csv_file, "jsonl": jsonl_file}


def read(tmp_path, *rows, ending="csv"):
    return import_suite("cfmm", WRITERS[ending](tmp_path / f"in.{ending}", *rows), tmp_path / "d")


@pytest.mark.parametrize("ending", WRITERS)
def test_a_row_is_a_pair_of_questions_with_the_same_two_options(tmp_path, ending):
    row = dict(reversed((ROW | {"remark": "?"}).items()))  # more columns, in another order
    (case,), imported, _ = read(tmp_path, row, ending=ending)
    options = (Option("Yes"), Option("No"))
    assert case.factual == Question(ROW["basic_question"], "A", "choice", options)
    assert case.counterfactual == Question(ROW["counterfactual_question"], "B", "choice", options)
    assert case.change == Change("The bowl and the cat changed places.")
    assert (case.id, case.group, case.provenance) == ("cfmm-000001", "direction", {"image": "a.png"})
    assert (imported.cases, imported.bad, imported.without_picture) == (1, 0, 1)


def test_aspects_are_groups_and_colour_is_read_as_color(tmp_path):
    said = (*ASPECTS, "Count", " SIZE ", "colour")
    cases, _, _ = read(tmp_path, *(ROW | {"aspect": aspect} for aspect in said))
    assert [case.group for case in cases] == [*ASPECTS, "count", "size", "color"]


def test_an_answer_is_a_letter_or_the_text_of_an_option(tmp_path):
    letters = {"A": "A", "b": "B", "Yes": "A", " NO ": "B"}
    own = ROW | {"option_a": "A", "option_b": "B", "basic_answer": "A", "counterfactual_answer": "B"}
    cases, _, _ = read(tmp_path, *(ROW | {"basic_answer": said} for said in letters), own)
    assert [case.factual.answer for case in cases] == [*letters.values(), "A"]
    assert cases[-1].counterfactual.answer == "B"  # a letter that is the text of its own option


BAD = [
    ({"aspect": "taste"}, "aspect", "'taste' is not one of count, color, shape, size, direction, common, colour"),
    ({"aspect": ""}, "aspect", "is empty"),
    ({"image": " "}, "image", "is empty"),
    ({"counterfactual_question": ""}, "counterfactual_question", "is empty"),
    ({"option_b": "YES"}, "option_b", "is the same as option_a"),
    ({"basic_answer": "C"}, "basic_answer", "'C' is not A, B or the text of an option"),
    (
        {"option_a": "B", "option_b": "C", "basic_answer": "b"},
        "basic_answer",
        "'b' is the letter of one option and the text of the other",
    ),
]


@pytest.mark.parametrize(("ending", "first"), [("csv", 2), ("jsonl", 1)])
def test_an_invalid_row_is_reported_and_the_next_row_is_read(tmp_path, ending, first):
    cases, _, bad = read(tmp_path, *(ROW | changes for changes, _, _ in BAD), ROW, ending=ending)
    assert bad == [(line, field, reason) for line, (_, field, reason) in enumerate(BAD, start=first)]
    assert [case.id for case in cases] == ["cfmm-000008"]


def test_a_field_that_is_not_text_is_reported(tmp_path):
    values = [(field, value) for field in FIELDS for value in (None, 3, True, ["A"], {"text": "A"}, "a\0b")]
    _, _, bad = read(tmp_path, *(ROW | {field: value} for field, value in values), ROW, ending="jsonl")
    assert [(line, field) for line, field, _ in bad] == [(nth, field) for nth, (field, _) in enumerate(values, start=1)]
    assert all(reason.startswith("is not text") for _, _, reason in bad)
