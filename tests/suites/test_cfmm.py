"""CFMM in our own format: the same cases from a CSV and from a JSONL file."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from importing import csv_file, import_suite, jsonl_file
from making import picture

from countersight.case import Change, Option, Question
from countersight.suites.cfmm import ASPECTS, FIELDS
from countersight.suites.importing import Imported

ROW = {
    "image": "yard/cat.png",
    "aspect": "direction",
    "basic_question": "Is the cat to the left of the bowl?",
    "counterfactual_question": "If the bowl and the cat changed places, would the cat be to the left of the bowl?",
    "option_a": "Yes",
    "option_b": "No",
    "basic_answer": "A",
    "counterfactual_answer": "no",
}
WRITERS = {"csv": csv_file, "jsonl": jsonl_file}


def read(tmp_path, *rows, ending="csv", pictures=None):
    return import_suite("cfmm", WRITERS[ending](tmp_path / f"in.{ending}", *rows), tmp_path / "d", pictures)


@pytest.mark.parametrize("ending", WRITERS)
def test_a_row_is_a_pair_of_questions_with_the_same_two_options(tmp_path, ending):
    (case,), imported, _ = read(tmp_path, ROW, ending=ending)
    options = (Option("Yes"), Option("No"))
    assert case.factual == Question(ROW["basic_question"], "A", "choice", options)
    assert case.counterfactual == Question(ROW["counterfactual_question"], "B", "choice", options)
    assert case.change == Change("The bowl and the cat changed places.")
    assert (case.id, case.group, case.provenance) == ("cfmm-000001", "direction", {"image": "yard/cat.png"})
    assert imported == Imported(1, 0, 1)


@pytest.mark.parametrize("aspect", [*ASPECTS, "Count", " SIZE "])
def test_every_aspect_is_a_group(tmp_path, aspect):
    (case,), _, _ = read(tmp_path, ROW | {"aspect": aspect})
    assert case.group == aspect.strip().lower()


def test_colour_is_color(tmp_path):
    (case,), _, _ = read(tmp_path, ROW | {"aspect": "colour"})
    assert case.group == "color"


@pytest.mark.parametrize(("answer", "letter"), [("A", "A"), ("b", "B"), ("Yes", "A"), (" NO ", "B")])
def test_an_answer_is_a_letter_or_the_text_of_an_option(tmp_path, answer, letter):
    (case,), _, _ = read(tmp_path, ROW | {"basic_answer": answer})
    assert case.factual.answer == letter


def test_a_letter_that_is_its_own_option_is_no_riddle(tmp_path):
    (case,), _, _ = read(tmp_path, ROW | {"option_a": "A", "option_b": "B", "counterfactual_answer": "B"})
    assert (case.factual.answer, case.counterfactual.answer) == ("A", "B")


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("aspect", "taste", "'taste' is not one of count, color, shape, size, direction, common, colour"),
        ("aspect", "", "is empty"),
        ("image", " ", "is empty"),
        ("basic_question", "", "is empty"),
        ("counterfactual_question", "", "is empty"),
        ("option_a", "", "is empty"),
        ("option_b", "YES", "is the same as option_a"),
        ("basic_answer", "C", "'C' is not A, B or the text of an option"),
        ("counterfactual_answer", "maybe", "'maybe' is not A, B or the text of an option"),
    ],
)
def test_a_bad_field_is_named_and_the_next_row_is_read(tmp_path, ending, field, value, reason):
    cases, _, bad = read(tmp_path, ROW | {field: value}, ROW, ending=ending)
    assert bad == [(2 if ending == "csv" else 1, field, reason)]
    assert [case.id for case in cases] == ["cfmm-000002"]


def test_an_answer_that_could_be_either_option_is_named(tmp_path):
    _, _, bad = read(tmp_path, ROW | {"option_a": "B", "option_b": "C", "basic_answer": "b"}, ROW)
    assert bad == [(2, "basic_answer", "'b' is the letter of one option and the text of the other")]


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("value", [None, 3, True, ["A"], {"text": "A"}, "a\0b"])
def test_what_is_no_text_is_named(tmp_path, field, value):
    _, _, bad = read(tmp_path, ROW | {field: value}, ROW, ending="jsonl")
    assert [(line, name) for line, name, _ in bad] == [(1, field)]
    assert bad[0][2].startswith("is not text")


def test_more_columns_in_another_order_do_no_harm(tmp_path):
    row = dict(reversed((ROW | {"remark": "?"}).items()))
    (case,), _, _ = read(tmp_path, row)
    assert case.factual.text == ROW["basic_question"]


def test_pictures_keep_their_folders(tmp_path):
    place = tmp_path / "pictures" / "yard"
    place.mkdir(parents=True)
    (place / "cat.png").write_bytes(picture())
    rows = ROW, ROW | {"image": "yard/dog.png"}
    (first, second), imported, _ = read(tmp_path, *rows, pictures=tmp_path / "pictures")
    assert (first.image, second.image, imported.without_picture) == ("images/yard/cat.png", None, 1)
    assert (tmp_path / "d" / "images/yard/cat.png").read_bytes() == picture()


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(st.lists(st.fixed_dictionaries({}, optional={field: st.text(max_size=5) for field in FIELDS}), max_size=4))
def test_no_row_makes_the_import_fail(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("hostile")
    cases, _, bad = read(folder, *rows, ROW, ending="jsonl", pictures=folder)
    assert len(cases) + len(bad) == len(rows) + 1
