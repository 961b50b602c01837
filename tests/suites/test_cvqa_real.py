"""C-VQA-Real: what becomes of a published row, and of the whole published file."""

import pytest
from importing import csv_file, import_suite
from making import picture

from countersight.case import Change, Question
from countersight.suites.importing import Imported

ROW = {
    "img_path": "COCO_val2014_000000402992.jpg",
    "query": "How many sheep are there?",
    "answer": "11",
    "new query": "How many sheep would there be if 7 sheep ran away?",
    "new answer": "4",
    "type": "direct",
}
BOOLEAN = ROW | {
    "query": "Is the lamp lit?",
    "answer": "yes",
    "new query": "If somebody cut the wire, would the lamp be lit?",
    "new answer": "no",
    "type": "boolean",
}


def read(tmp_path, *rows, pictures=None):
    return import_suite("cvqa-real", csv_file(tmp_path / "in.csv", *rows), tmp_path / "d", pictures)


def test_a_row_is_a_pair_of_number_questions_in_its_group(tmp_path):
    (case,), imported, _ = read(tmp_path, ROW)
    assert case.factual == Question("How many sheep are there?", "11", "number")
    assert case.counterfactual == Question("How many sheep would there be if 7 sheep ran away?", "4", "number")
    assert case.change == Change("7 sheep ran away.")
    assert (case.id, case.group, case.image) == ("cvqa-real-000001", "direct", None)
    assert case.provenance == {"img_path": "COCO_val2014_000000402992.jpg"}
    assert imported == Imported(1, 0, 1)


def test_a_boolean_row_is_a_pair_of_yes_or_no_questions(tmp_path):
    (case,), _, _ = read(tmp_path, BOOLEAN)
    assert (case.factual.kind, case.factual.answer) == ("boolean", "yes")
    assert (case.counterfactual.kind, case.counterfactual.answer) == ("boolean", "no")
    assert (case.group, case.change) == ("boolean", Change("Somebody cut the wire."))


@pytest.mark.parametrize(
    ("row", "written", "gold"),
    [
        (ROW, " 3 ", "3"),
        (ROW, "three", "3"),
        (ROW, "Twenty-two.", "22"),
        (ROW, "3.0", "3"),
        (ROW, "1,000", "1000"),
        (ROW, "none", "0"),
        (ROW, '"3"', "3"),
        (BOOLEAN, "Yes ", "yes"),
        (BOOLEAN, "NO.", "no"),
        (BOOLEAN, '"yes"', "yes"),
    ],
)
def test_answers_are_brought_to_one_spelling(tmp_path, row, written, gold):
    (case,), _, _ = read(tmp_path, row | {"new answer": written})
    assert case.counterfactual.answer == gold


def test_the_type_is_read_in_capitals_and_with_spaces(tmp_path):
    (case,), _, _ = read(tmp_path, ROW | {"type": " Indirect "})
    assert case.group == "indirect"


def test_a_question_keeps_its_published_words(tmp_path):
    (case,), _, _ = read(tmp_path, ROW | {"query": ' How many  "whoa" signs, or stops?\n'})
    assert case.factual.text == 'How many  "whoa" signs, or stops?'


def test_a_question_without_an_if_has_no_change(tmp_path):
    (case,), _, _ = read(tmp_path, ROW | {"new query": "How many sheep would be left?"})
    assert case.change is None


@pytest.mark.parametrize(
    ("row", "column", "value", "reason"),
    [
        (ROW, "answer", "yes", "'yes' is not a number"),
        (ROW, "new answer", "many", "'many' is not a number"),
        (ROW, "new answer", "3 or 4", "'3 or 4' is not a number"),
        (ROW, "answer", "", "is empty"),
        (ROW, "answer", "9" * 5000, f"'{'9' * 40}' is not a number"),
        (BOOLEAN, "answer", "3", "'3' is not yes or no"),
        (BOOLEAN, "new answer", "perhaps", "'perhaps' is not yes or no"),
        (ROW, "query", "  ", "is empty"),
        (ROW, "new query", "a\0b", "is not UTF-8 text"),
        (ROW, "type", "reverse", "'reverse' is not one of direct, indirect, boolean"),
    ],
)
def test_a_bad_field_is_named_and_the_next_row_is_read(tmp_path, row, column, value, reason):
    cases, imported, bad = read(tmp_path, row | {column: value}, row)
    assert bad == [(2, column, reason)]
    assert imported == Imported(1, 1, 1)
    assert [case.id for case in cases] == ["cvqa-real-000002"]


@pytest.mark.parametrize("folder", ["", "val2014", "train2014"])
def test_pictures_lie_in_one_folder_or_in_those_of_coco(tmp_path, folder):
    place = tmp_path / "pictures" / folder
    place.mkdir(parents=True)
    (place / ROW["img_path"]).write_bytes(picture(kind="JPEG"))
    missing = BOOLEAN | {"img_path": "COCO_val2014_000000000001.jpg"}
    (first, second), imported, _ = read(tmp_path, ROW, missing, pictures=tmp_path / "pictures")
    assert (first.image, second.image) == ("images/COCO_ofval2014_000000402992.jpg", None)
    assert (tmp_path / "d" / first.image).read_bytes() == picture(kind="JPEG")
    assert imported.without_picture == 1
