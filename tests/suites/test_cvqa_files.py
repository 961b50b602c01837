"""C-VQA's two published files are imported."""

from importing import CVQA_REAL as REAL
from importing import csv_file, import_suite

from countersight.case import Change, Question

BOOLEAN = REAL | {
    "query": "Is the lamp lit?",
    "answer": "yes",
    "new query": "If somebody cut the wire, would the lamp be lit?",
    "new answer": "no",
    "type": "boolean",
}
SYNTHETIC = {
    "img_path": "abs_counting_000001.png",
    "query": "How many flowers are outside the red polygons? Select the correct answer:A:16  B:17  C:12  D:13",
    "answer": "C",
    "new query": "How many flowers would be outside the red polygons if all polygons were red?"
    " Select the correct answer:A:7  B:11  C:3  D:9",
    "new answer": "A",
    "type": "abs_counting_1",
}


def read(tmp_path, *rows, suite="cvqa-real", pictures=None):
    return import_suite(suite, csv_file(tmp_path / "in.csv", *rows), tmp_path / "d", pictures)


def test_a_row_of_cvqa_real_is_a_pair_of_questions(tmp_path):
    (counting, boolean, bare), imported, _ = read(
        tmp_path,
        REAL,
        BOOLEAN,
        REAL | {"type": " Indirect ", "query": ' How many  "whoa" signs?\n', "new query": "How many would be left?"},
    )
    assert counting.factual == Question("How many sheep are there?", "11", "number")
    assert counting.counterfactual == Question("How many sheep would there be if 7 sheep ran away?", "4", "number")
    assert counting.change == Change("7 sheep ran away.")
    assert (counting.id, counting.group, counting.image) == ("cvqa-real-000001", "direct", None)
    assert counting.provenance == {"img_path": "COCO_val2014_000000402992.jpg"}
    assert (boolean.factual.kind, boolean.factual.answer, boolean.counterfactual.answer) == ("boolean", "yes", "no")
    assert (boolean.group, boolean.change) == ("boolean", Change("Somebody cut the wire."))
    assert (bare.group, bare.factual.text, bare.change) == ("indirect", 'How many  "whoa" signs?', None)
    assert (imported.cases, imported.bad, imported.without_picture) == (3, 0, 3)


def test_answers_are_normalised(tmp_path):
    numbers = {" 3 ": "3", "three": "3", "Twenty-two.": "22", "3.0": "3", "1,000": "1000", "none": "0", '"3"': "3"}
    truths = {"Yes ": "yes", "NO.": "no", '"yes"': "yes"}
    rows = [row | {"new answer": said} for row, told in ((REAL, numbers), (BOOLEAN, truths)) for said in told]
    cases, _, _ = read(tmp_path, *rows)
    assert [case.counterfactual.answer for case in cases] == [*numbers.values(), *truths.values()]


BAD_REAL = [
    (REAL, "answer", "yes", "'yes' is not a number"),
    (REAL, "new answer", "3 or 4", "'3 or 4' is not a number"),
    (REAL, "answer", "9" * 5000, f"'{'9' * 40}' is not a number"),
    (BOOLEAN, "answer", "3", "'3' is not yes or no"),
    (REAL, "query", "  ", "is empty"),
    (REAL, "new query", "a\0b", "is not UTF-8 text; save the file as UTF-8"),
    (REAL, "type", "reverse", "'reverse' is not one of direct, indirect, boolean"),
]
BAD_SYNTHETIC = [
    ("answer", "E"),
    ("answer", ""),
    ("query", "How many? A:1  B:2  C:3  D:4"),
    ("query", "How many? Select the correct answer:A:1  B:2  C:3"),
    ("query", "How many? Select the correct answer:A:1  B:2  C:2  D:4"),
    ("query", "How many? Select the correct answer:A:1  B:2  C:-3  D:4"),
    ("new query", "How many? Select the correct answer:A:1  B:2  C:3  D:4"),
    ("type", "abs_counting_7"),
]


def test_an_invalid_row_is_reported_and_the_next_row_is_read(tmp_path):
    cases, _, bad = read(tmp_path, *(row | {column: value} for row, column, value, _ in BAD_REAL), REAL)
    assert bad == [(line, column, reason) for line, (_, column, _, reason) in enumerate(BAD_REAL, start=2)]
    assert [case.id for case in cases] == ["cvqa-real-000008"]
    rows = [SYNTHETIC | {column: value} for column, value in BAD_SYNTHETIC]
    (tmp_path / "s").mkdir()
    cases, _, bad = read(tmp_path / "s", *rows, SYNTHETIC, suite="cvqa-synthetic")
    assert [(line, field) for line, field, _ in bad] == [
        (line, column) for line, (column, _) in enumerate(BAD_SYNTHETIC, start=2)
    ]
    assert [case.id for case in cases] == ["cvqa-synthetic-000009"]


def test_a_row_of_cvqa_synthetic_is_a_pair_of_questions_with_options(tmp_path):
    (case,), _, _ = read(tmp_path, SYNTHETIC, suite="cvqa-synthetic")
    assert case.factual.text == "How many flowers are outside the red polygons?"
    assert (case.factual.right_text, case.counterfactual.right_text) == ("12", "7")
    assert case.change == Change("All polygons were red.", ("recolour",))
    assert (case.group, case.provenance["type"]) == ("1 polygon recoloured", "abs_counting_1")
