"""The published file layout, both ways."""

import csv
from contextlib import nullcontext, suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from importing import import_suite
from making import picture

from countersight.case import Case
from countersight.errors import CountersightError, DatasetError
from countersight.suites.cvqa.files import COLUMNS, export_csv
from countersight.suites.cvqa.synthetic import make_case
from countersight.suites.cvqa.templates import TEMPLATES
from countersight.suites.importing import Imported

ROW = {
    "img_path": "abs_counting_000001.png",
    "query": "How many flowers are outside the red polygons? Select the correct answer:A:16  B:17  C:12  D:13",
    "answer": "C",
    "new query": "How many flowers would be outside the red polygons if all polygons were red?"
    " Select the correct answer:A:7  B:11  C:3  D:9",
    "new answer": "A",
    "type": "abs_counting_1",
}


def table(path, *rows, columns=COLUMNS):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def read(path, folder, pictures=None):
    return import_suite("cvqa-synthetic", path, folder, pictures)


def made(each=3):
    return [make_case(t, 7, index, 1 + index).case for t in TEMPLATES for index in range(each)]


def test_a_row_is_written_as_published(tmp_path):
    cases, _, _ = read(table(tmp_path / "in.csv", ROW), tmp_path / "d")
    export_csv(cases, tmp_path / "out.csv")
    (row,) = csv.DictReader((tmp_path / "out.csv").open(newline=""))
    assert row == ROW


def test_what_is_written_reads_back_the_same(tmp_path):
    cases = made()
    assert export_csv(cases, tmp_path / "out.csv") == 18
    back, imported, bad = read(tmp_path / "out.csv", tmp_path / "d")
    assert (imported, bad) == (Imported(18, 0, 18), [])
    for case, again in zip(cases, back, strict=True):
        assert (again.factual, again.counterfactual, again.change) == (case.factual, case.counterfactual, case.change)
        assert (again.group, again.provenance["type"]) == (case.group, case.provenance["type"])


def test_a_case_of_another_suite_cannot_be_written(tmp_path):
    with pytest.raises(CountersightError, match="'x' is not from cvqa-synthetic"):
        export_csv([Case("x", factual=made(1)[0].factual)], tmp_path / "out.csv")


def test_pictures_are_copied_where_a_folder_has_them(tmp_path):
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    (pictures / "abs_counting_000001.png").write_bytes(picture())
    path = table(tmp_path / "in.csv", ROW, ROW | {"img_path": "abs_counting_000002.png"})
    (first, second), _, bad = read(path, tmp_path / "d", pictures)
    assert (first.image, second.image, bad) == ("images/abs_counting_000001.png", None, [])
    assert (tmp_path / "d" / first.image).read_bytes() == picture()


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("answer", "E"),
        ("answer", ""),
        ("answer", "AB"),
        ("new answer", "a"),
        ("query", ""),
        ("query", "How many? A:1  B:2  C:3  D:4"),
        ("query", "Select the correct answer:A:1  B:2  C:3  D:4"),
        ("query", "How many? Select the correct answer:A:1  B:2  C:3"),
        ("query", "How many? Select the correct answer:A:1  B:2  C:2  D:4"),
        ("query", "How many? Select the correct answer:A:1  B:2  C:-3  D:4"),
        ("new query", "How many? Select the correct answer:A:1  B:2  C:3  D:4"),
        ("type", "abs_counting_7"),
        ("type", ""),
        ("query", "a\0b"),
        ("answer", "C" * 100_000),
    ],
)
def test_a_bad_field_is_named_and_the_next_row_is_read(tmp_path, column, value):
    cases, imported, bad = read(table(tmp_path / "in.csv", ROW | {column: value}, ROW), tmp_path / "d")
    assert [(line, field) for line, field, _ in bad] == [(2, column)]
    assert imported == Imported(1, 1, 1)
    assert [case.id for case in cases] == ["cvqa-synthetic-000002"]


def test_an_enormous_field_is_one_bad_row(tmp_path):
    path = table(tmp_path / "in.csv", ROW | {"img_path": "x" * 500_000}, ROW)
    cases, _, bad = read(path, tmp_path / "d")
    assert len(cases) == 1
    assert [field for _, field, _ in bad] == ["row"]


def test_a_row_with_too_few_values_is_named(tmp_path):
    path = table(tmp_path / "in.csv", ROW)
    path.write_text(path.read_text() + "a.png,only two\n")
    _, _, bad = read(path, tmp_path / "d")
    assert bad == [(3, "row", "has 2 values where the header has 6")]


def test_bytes_that_are_no_text_are_one_bad_row(tmp_path):
    path = table(tmp_path / "in.csv", ROW, ROW)
    path.write_bytes(path.read_bytes().replace(b"How many", b"How \xffmany", 1))
    cases, _, bad = read(path, tmp_path / "d")
    assert len(cases) == 1
    assert bad == [(2, "query", "is not UTF-8 text")]


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=400), st.booleans())
def test_no_file_makes_the_import_fail(tmp_path_factory, rest, with_header):
    folder = tmp_path_factory.mktemp("hostile")
    start = table(folder / "in.csv", ROW).read_bytes() if with_header else b""
    (folder / "in.csv").write_bytes(start + rest)
    with nullcontext() if with_header else suppress(DatasetError):
        read(folder / "in.csv", folder / "d")
