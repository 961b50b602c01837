"""Files that are one JSON document: entries with numbers, limits, and sentences for what is no such file."""

import contextlib
import gzip

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from countersight.errors import CountersightError
from countersight.suites import rows as json_rows
from countersight.suites.picture_files import BadField
from countersight.suites.rows import MAX_LINE, JsonFile


def written(path, data):
    path.write_bytes(data)
    return JsonFile(path)


def told(rows):
    return [(number, (row.field, row.reason) if isinstance(row, BadField) else dict(row)) for number, row in rows]


def test_entries_are_counted_from_one_and_a_bad_one_is_alone(tmp_path):
    data = b'[{"x": 1}, 7, {"y": 2}, {"x": "\xff"}, {"x": [' + b"[" * 40 + b"]" * 40 + b']}, {"x": 3}]'
    rows = told(written(tmp_path / "in.json", data).rows(("x",)))
    assert rows[0] == (1, {"x": 1})
    assert rows[1] == (2, ("entry", "is not a JSON object"))
    assert rows[2] == (3, ("x", "is missing"))
    assert rows[3][1][1].startswith("is not JSON")
    assert rows[4] == (5, ("entry", "is nested deeper than 32"))
    assert rows[5] == (6, {"x": 3})


def test_an_entry_of_enormous_size_is_one_bad_row(tmp_path):
    data = b'[{"x": "' + b"y" * MAX_LINE + b'"}, {"x": 1}]'
    first, second = told(written(tmp_path / "in.json", data).rows(("x",)))
    assert first == (1, ("entry", "is longer than 1,048,576 bytes"))
    assert second == (2, {"x": 1})


def test_a_list_may_stand_in_a_field_and_the_file_be_packed(tmp_path):
    data = b'\xef\xbb\xbf{"data_subtype": "val2014", "names": {"a": "b"}, "rows": [{"x": 1}]}'
    for path, bytes_ in ((tmp_path / "in.json", data), (tmp_path / "in.json.gz", gzip.compress(data))):
        file = written(path, bytes_)
        assert told(file.rows(("x",), "rows")) == [(1, {"x": 1})]
        assert (file.text("data_subtype"), file.text("names"), file.text("none")) == ("val2014", "", "")
        assert (file.texts("names"), file.texts("data_subtype")) == ({"a": "b"}, {})


@pytest.mark.parametrize(
    ("data", "field", "sentence"),
    [
        (b"", "", "is not a complete JSON file"),
        (b'[{"x": 1}', "", "is not a complete JSON file"),
        (b"what is this", "", "is not a complete JSON file"),
        (b"[" * 200_000, "", "is not a complete JSON file"),
        (b"[" + b"[" * 200_000 + b"]" * 200_000 + b"]", "", "is not a complete JSON file"),
        (b'{"x": 1}', "", "does not contain a list"),
        (b"[]", "questions", "does not contain an object"),
        (b'{"x": []}', "questions", 'it has no field "questions"'),
        (b'{"questions": {}}', "questions", 'does not contain a list "questions"'),
    ],
)
def test_what_is_no_such_file_is_a_sentence(tmp_path, data, field, sentence):
    with pytest.raises(CountersightError, match=sentence):
        list(written(tmp_path / "in.json", data).entries(field))


@pytest.mark.parametrize(
    "data",
    [b"[]", gzip.compress(b"[1, 2]")[:-6], gzip.compress(b"[]")[:10] + b"\xff" * 20],
    ids=["not packed", "cut off", "noise"],
)
def test_a_broken_gzip_file_is_a_sentence(tmp_path, data):
    with pytest.raises(CountersightError, match="is not a complete gzip file"):
        written(tmp_path / "in.json.gz", data)


def test_a_file_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(json_rows, "MAX_FILE", 1000)
    with pytest.raises(CountersightError, match="more than 1,000 bytes"):
        written(tmp_path / "in.json.gz", gzip.compress(b" " * 1_000_000 + b"[]"))


@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60))
def test_no_bytes_make_reading_fail(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("hostile") / "in.json"
    for bytes_ in (data, b"[" + data + b"]", b'{"a": [' + data + b"]}"):
        file = written(path, bytes_)
        for field in ("", "a"):
            with contextlib.suppress(CountersightError):
                told(file.rows(("x",), field))
