"""What all importers share: files with limits, pictures that stay in their folder, suppositions, and the table."""

import contextlib
import csv
import gzip
import json
import subprocess
import sys
from argparse import ArgumentTypeError
from functools import partial

import importing
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from importing import CFMM as ROW
from importing import COSIM, csv_file, import_suite, json_file, jsonl_file
from importing import CVQA_REAL as PAIR
from importing import VQA_ANNOTATION as ANNOTATION
from importing import VQA_QUESTION as QUESTION
from making import picture

import countersight as cs
from countersight.case import Case, Question
from countersight.cli.parsing import parse_share
from countersight.errors import CountersightError
from countersight.registry import Plug
from countersight.suites import rows as suite_rows
from countersight.suites.importing import Part, import_file
from countersight.suites.paper_terms import Terms
from countersight.suites.registry import SUITES, find_suite
from countersight.suites.rows import (
    MAX_LINE,
    csv_rows,
    json_rows,
    jsonl_rows,
    picture_in,
    plain_text,
    text_of,
    whole_number,
)
from countersight.suites.suite import BadField, Layout, Suite
from countersight.suites.supposing import supposed
from countersight.verbs import make


def told(rows):
    """Every row as its line and its values, or its line and what is wrong with it."""
    return [(line, (row.field, row.reason) if isinstance(row, BadField) else tuple(row.values())) for line, row in rows]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "is not JSON"),
        (b"[1]", "is not a JSON object"),
        (b'{"x": NaN}', "is not JSON"),
        (b'{"x": "\xff"}', "is not JSON"),
        (b"[" * 200_000, "is nested too deeply"),
        (b'{"x": "' + b"y" * MAX_LINE + b'"}', "is longer than 1,048,576 bytes"),
    ],
)
def test_a_line_that_is_not_a_json_object_is_one_bad_row(tmp_path, line, reason):
    path = tmp_path / "in.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + line + b'\n\n{"x": 1}\n')  # a byte order mark is no part of it
    first, second = told(jsonl_rows(path, ("x",)))
    assert first[0] == 1
    assert first[1][0] == "line"
    assert first[1][1].startswith(reason)
    assert second == (3, (1,))


def test_lines_are_counted_correctly_after_quoted_and_overlong_lines(tmp_path):
    """Parts of an overlong line are not rows."""
    path = tmp_path / "in.csv"
    path.write_text('x,y\n"a\nb",1\n' + "z" * (3 * MAX_LINE) + "\nc,2\n")
    first, bad, last = told(csv_rows(path, ("x", "y")))
    assert (first, last) == ((3, ("a\nb", "1")), (5, ("c", "2")))
    assert (bad[0], bad[1][0]) == (4, "row")
    path.write_text("x,y\n" + "z" * (2 * MAX_LINE - 1) + '"\n' + "z" * MAX_LINE + "a,1\nb,2\n")
    *bad, last = told(csv_rows(path, ("x", "y")))
    assert [(line, field) for line, (field, _) in bad] == [(2, "row"), (3, "row")]
    assert last == (4, ("b", "2"))


@pytest.mark.parametrize(
    ("header", "field", "reason"),
    [
        ("colour,anwser", "x, answer", "are not columns of the file, which has: colour, anwser"),
        ("x,anwser", "answer", "is not a column of the file, which has: x, anwser"),
        ("x,answer,answer", "answer", "is the name of two columns of the file; rename one"),
    ],
)
def test_a_missing_column_is_reported_with_the_columns_of_the_file(tmp_path, header, field, reason):
    path = tmp_path / "in.csv"
    path.write_text(f"{header}\n1,2,3\n")
    assert told(csv_rows(path, ("x", "answer"))) == [(1, (field, reason))]


@pytest.mark.parametrize("given", ["150%", "-3%", "0%", "1.5", "a%"])
def test_an_invalid_share_is_quoted_in_the_error(given):
    with pytest.raises(ArgumentTypeError, match=f"^'{given}' is not a share such as 10% or 0.1$"):
        parse_share(given)


def test_a_file_full_of_quotes_is_read_in_limited_time(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text('x,y\n"' + '","\n' * 100_000)
    line, wrong = told(csv_rows(path, ("x", "y")))[0]
    assert line == 2
    assert "not closed" in wrong[1]


HOSTILE = settings(
    max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture], deadline=None
)


@HOSTILE
@given(st.binary(max_size=300))
def test_any_bytes_can_be_read(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("hostile") / "in"
    path.write_bytes(b"x,y\n" + data)
    told(csv_rows(path, ("x", "y")))
    told(jsonl_rows(path, ("x", "y")))
    for whole in (data, b"[" + data + b"]"):
        path.write_bytes(whole)
        with contextlib.suppress(CountersightError):
            told(json_rows(path, ("x",)))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
ROWS = {"cfmm": ROW, "cosim": COSIM, "okvqa": ANNOTATION | QUESTION}


@HOSTILE
@given(st.sampled_from(sorted(ROWS)), st.lists(st.tuples(st.integers(0, 8), JSON), max_size=4))
def test_any_value_in_a_field_can_be_imported(tmp_path_factory, suite, changes):
    folder = tmp_path_factory.mktemp("hostile")
    row, (source, beside) = ROWS[suite], (folder / "in.jsonl", folder / "beside.json")
    rows = [row | {list(row)[nth % len(row)]: value} for nth, value in changes] + [row]
    if suite == "cfmm":
        jsonl_file(source, *rows)
    else:
        json_file(source, rows if suite == "cosim" else {"data_subtype": "val2014", "questions": rows})
        json_file(beside, {"annotations": [ANNOTATION, *(each for each in rows if each.get("question_id") != 420)]})
    cases, _, bad = import_suite(suite, source, folder / "d", folder, beside if suite == "okvqa" else None)
    assert cases
    assert suite == "okvqa" or len(cases) + len(bad) == len(rows)


def entries(path, data):
    path.write_bytes(data)
    return told(json_rows(path, ("x",)))


def test_entries_of_a_list_are_counted_from_one_and_an_invalid_one_spoils_no_other(tmp_path):
    data = b'[{"x": 1}, 7, {"y": 2}, {"x": "\xff"}, {"x": "'
    rows = entries(tmp_path / "in.json", data + b"y" * MAX_LINE + b'"}, {"x": 3}]')
    assert rows[:3] == [(1, (1,)), (2, ("entry", "is not a JSON object")), (3, ("x", "is missing"))]
    assert rows[3][1][1].startswith("is not JSON")
    assert rows[4:] == [(5, ("entry", "is longer than 1,048,576 bytes")), (6, (3,))]


def test_a_file_may_be_packed_and_have_a_byte_order_mark(tmp_path):
    data = b'\xef\xbb\xbf[{"x": 1}]'
    for path, written in ((tmp_path / "in.json", data), (tmp_path / "in.json.gz", gzip.compress(data))):
        assert entries(path, written) == [(1, (1,))]


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("in.json", b"", "is not a complete JSON file"),
        ("in.json", b'[{"x": 1}', "is not a complete JSON file"),
        ("in.json", b"[" + b"[" * 200_000 + b"]" * 200_000 + b"]", "is not a complete JSON file"),
        ("in.json", b'{"x": 1}', "is not the right file: Expected `array`, got `object`"),
        ("in.json.gz", b"[]", "is not a complete gzip file"),
        ("in.json.gz", gzip.compress(b"[1, 2]", mtime=0)[:-6], "is not a complete gzip file"),
        ("in.json.gz", gzip.compress(b"[]", mtime=0)[:10] + b"\xff" * 20, "is not a complete gzip file"),
    ],
)
def test_a_file_that_is_not_a_list_is_an_error(tmp_path, name, data, sentence):
    with pytest.raises(CountersightError, match=sentence):
        entries(tmp_path / name, data)


def test_a_file_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(suite_rows, "MAX_FILE", 1000)
    with pytest.raises(CountersightError, match="more than 1,000 bytes"):
        entries(tmp_path / "in.json.gz", gzip.compress(b" " * 1_000_000 + b"[]"))


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ("x,größe\n1,2\n".encode("utf-16"), "the file is UTF-16 text, or not text at all; save it as UTF-8"),
        ("x,answer\n1,2\n".encode("utf-16-le"), "the file is UTF-16 text, or not text at all; save it as UTF-8"),
        ("x,größe\n1,2\n".encode("latin-1"), "the file is not UTF-8 text; save it as UTF-8"),
        (b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0", "the file is UTF-16 text, or not text at all; save it as UTF-8"),
        (b"", "the file is empty"),
    ],
    ids=["utf-16", "utf-16 without mark", "latin-1", "spreadsheet", "empty"],
)
def test_a_file_that_is_not_text_is_an_error(tmp_path, data, sentence):
    (tmp_path / "in.csv").write_bytes(data)
    with pytest.raises(CountersightError, match=rf"in\.csv: {sentence}$"):
        import_suite("cfmm", tmp_path / "in.csv", tmp_path / "d")


@pytest.mark.parametrize("delimiter", ",;\t")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_tables_of_other_programs_are_read(tmp_path, delimiter, encoding):
    """Other delimiters, a byte order mark, LaTeX, quotes, line breaks, another column, a missing picture."""
    text = 'How many $\\frac{1}{2}$ "cups"\nif one; or two, broke?'
    with (tmp_path / "in.csv").open("w", encoding=encoding, newline="") as file:
        table = csv.writer(file, delimiter=delimiter)
        table.writerow([*ROW, "remark"])
        table.writerow([*(ROW | {"counterfactual_question": text, "image": "größe.png"}).values(), "?"])
    (case,), imported, bad = import_suite("cfmm", tmp_path / "in.csv", tmp_path / "d", tmp_path)
    assert (case.counterfactual.text, imported.without_picture, bad) == (text, 1, [])


@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "SEP=;"])
def test_the_first_line_can_name_the_delimiter(tmp_path, line):
    (tmp_path / "in.csv").write_text(f"{line}\na,b,c;y\n1;2,3,4,5\n;\n6\n")
    assert told(csv_rows(tmp_path / "in.csv", ("y",))) == [
        (3, ("1", "2,3,4,5")),
        (5, ("row", "has 1 values, but the header has 2 columns")),
    ]


@pytest.mark.parametrize(
    "name", ["../secret.png", "/etc/passwd", "link.png", "out/secret.png", "C:a.png", "..\\a", "a" * 999]
)
def test_a_picture_outside_the_folder_is_refused(tmp_path, name):
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    (tmp_path / "secret.png").write_bytes(picture())
    (pictures / "link.png").symlink_to(tmp_path / "secret.png")
    (pictures / "out").symlink_to(tmp_path)
    source = jsonl_file(tmp_path / "in.jsonl", ROW | {"image": name}, ROW)
    cases, _, bad = import_suite("cfmm", source, tmp_path / "d", pictures)
    assert [(line, field) for line, field, _ in bad] == [(1, "image")]
    assert [case.image for case in cases] == [None]
    assert not list((tmp_path / "d" / "images").rglob("*.png"))


@pytest.mark.parametrize(
    ("suite", "name", "folders"),
    [
        ("cvqa-real", "COCO_val2014_000000000042.jpg", ("", "val2014", "train2014")),
        ("okvqa", "COCO_val2014_000000000042.jpg", ("", "val2014", "train2014")),
        ("cosim", "12.jpg", ("", "VG_100K", "VG_100K_2", "genome_1")),
    ],
)
def test_pictures_are_found_in_one_folder_or_in_the_folders_of_their_authors(tmp_path, suite, name, folders):
    """A picture whose name would be a split for Hugging Face gets another one."""
    source, beside = json_file(tmp_path / "in.json", [COSIM]), None
    if suite == "cvqa-real":
        source = csv_file(tmp_path / "in.csv", PAIR | {"img_path": name}, PAIR | {"img_path": "other.jpg"})
    elif suite == "okvqa":
        source = json_file(tmp_path / "in.json", {"data_subtype": "val2014", "questions": [ROWS["okvqa"]]})
        beside = json_file(tmp_path / "beside.json", {"annotations": [ANNOTATION]})
    for folder in folders:
        place = tmp_path / f"pictures {folder}" / folder
        place.mkdir(parents=True)
        (place / name).write_bytes(picture(kind="JPEG"))
        (case, *others), imported, _ = import_suite(
            suite, source, tmp_path / f"d {folder}", tmp_path / f"pictures {folder}", beside
        )
        kept = {"cosim": "images/genome_1/12.jpg"}.get(suite, "images/COCO_ofval2014_000000000042.jpg")
        assert (case.image, imported.without_picture) == (kept, len(others))
        assert (tmp_path / f"d {folder}" / kept).read_bytes() == picture(kind="JPEG")


def test_a_link_inside_the_folder_is_followed(tmp_path):
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    (pictures / "b.png").write_bytes(picture())
    (pictures / "a.png").symlink_to("b.png")
    (case,), _, _ = import_suite("cfmm", csv_file(tmp_path / "in.csv", ROW), tmp_path / "d", pictures)
    assert not (tmp_path / "d" / case.image).is_symlink()
    assert (tmp_path / "d" / case.image).read_bytes() == picture()


def test_different_pictures_get_different_names(tmp_path):
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    names = ("val_1.png", "ofval_1.png", "ofofval_1.png")
    for size, name in enumerate(names, start=8):
        (pictures / name).write_bytes(picture(size=size))
    source = csv_file(tmp_path / "in.csv", *(ROW | {"image": name} for name in names))
    cases, _, _ = import_suite("cfmm", source, tmp_path / "d", pictures)
    kept = [(tmp_path / "d" / case.image).read_bytes() for case in cases]
    assert kept == [(pictures / name).read_bytes() for name in names]


@pytest.mark.slow
def test_hugging_face_does_not_treat_a_picture_name_as_a_split(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import datasets

    names = ["COCO_val2014_1.png", "test/1.png", "a/dev.png", "2train.png", "contest_1.png"]
    for name in names:
        (tmp_path / "pictures" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "pictures" / name).write_bytes(picture())
    source = csv_file(tmp_path / "in.csv", *(ROW | {"image": name} for name in names))
    import_suite("cfmm", source, tmp_path / "d", tmp_path / "pictures")
    folder = {"data_dir": str(tmp_path / "d"), "cache_dir": str(tmp_path / "cache")}
    rows = datasets.load_dataset("imagefolder", **folder)["train"]
    assert [(row["group"], row["image"].size) for row in rows] == [("direction", (16, 16))] * len(names)


def test_a_missing_picture_folder_and_a_suite_without_a_file_are_errors(tmp_path):
    source = csv_file(tmp_path / "in.csv", ROW)
    with pytest.raises(CountersightError, match="nowhere is not a folder"):
        import_suite("cfmm", source, tmp_path / "d", tmp_path / "nowhere")
    with pytest.raises(CountersightError, match="supports is made from a seed and has no file to import"):
        import_suite("supports", source, tmp_path / "d")


@pytest.mark.parametrize("suite", [name for name in SUITES if find_suite(name).layout])
def test_a_file_without_a_single_case_makes_nothing(tmp_path, suite):
    source = tmp_path / "in.csv"
    source.write_text("what is this\n")
    second_file = find_suite(suite).second_file
    said = r"no row of .*in\.csv is a valid |in\.csv is not a complete JSON file|in\.csv: .* not columns? of the file"
    with pytest.raises(CountersightError, match=said):
        import_suite(suite, source, tmp_path / "d", beside=source if second_file and second_file.needed else None)
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_the_table_of_suites_imports_nothing_heavy():
    looked = "import sys, json, countersight.suites as s;print(json.dumps([list(s.SUITES), list(sys.modules)]))"
    done = subprocess.run([sys.executable, "-c", looked], capture_output=True, check=True)
    named, imported = json.loads(done.stdout)
    assert named[:7] == ["cvqa-synthetic", "cvqa-real", "cfmm", "cello", "cosim", "okvqa", "vqav2"]
    assert not {"msgspec", "numpy", "countersight.suites.suite", "countersight.suites.vqa"} & set(imported)


@pytest.mark.parametrize(
    ("question", "change"),
    [
        ("How many cups would there be if one broke?", "One broke."),
        ("How many cups would there be if one, and then another, broke?", "One, and then another, broke."),
        ("If the cups, plates and pans left, how many things would stay?", "The cups, plates and pans left."),
        ("If it rained, in which room would she be?", "It rained."),
        ("If it rained, then would she be wet?", "It rained."),
        ("In this picture, if it rained, would she be wet?", "It rained."),
        ("Would it be wet  if\nit  rained ?", "It rained."),
        ("How many cups would there be if one were removed?", "One was removed."),
        ("Which colour would it be if it were painted blue?", "It was painted blue."),
        ("How many if one of the cups on the table were broken?", "One of the cups on the table was broken."),
        ("How many if one or two cups were removed?", "One or two cups were removed."),
        ("How many if one cup and two plates were removed?", "One cup and two plates were removed."),
        ("How many if one hundred cups were removed?", "One hundred cups were removed."),
        ("Would there be a cat if there were a rug, which cats like?", "There were a rug, which cats like."),
        ("Suppose that it rained. Would she be wet?", "It rained."),
        ("Imagine one left, and two came, how many would there be?", "One left, and two came."),
        ("Suppose it rained", None),
        ("If it rained would she be wet?", None),
        ("Does it look as if it rained?", None),
        ("Can you tell if it rained?", None),
        ("Would a gift be a surprise?", None),
        ("What if?", None),
        ("", None),
    ],
)
def test_the_change_is_the_if_clause(question, change):
    found = supposed(question)
    assert (found.text if found else None) == change


@pytest.mark.parametrize(
    ("lines", "bad", "kept"),
    [
        (["One?,3", '"Open?,4', "Two?,5", '"Three, or more?",6'], [3], ["One?", "Two?", "Three, or more?"]),
        (['One?,"3', "Two?,5"], [2], ["Two?"]),
        (['The 5" pipe?,3', '"Two?,5'], [3], ['The 5" pipe?']),
        (["One?,3", 'Two?,"5'], [3], ["One?"]),
        (['A 5" pipe?,3', 'A 6" pipe?,"5'], [3], ['A 5" pipe?']),
        (["One?,3", '"Open?,4', "Two?,5", '"Open again?,4', "Three?,6"], [3, 5], ["One?", "Two?", "Three?"]),
        (['One?,"3', 'Two?,"4', "Three?,5"], [2, 3], ["Three?"]),
        (['"One\nof two?",3', '"Two?,4', "Three?,5"], [4], ["One\nof two?", "Three?"]),
    ],
)
@pytest.mark.parametrize("ending", ["", "\r\n"])
def test_an_unclosed_quote_is_reported_where_it_opens_and_spoils_no_other_row(tmp_path, lines, bad, kept, ending):
    source = tmp_path / "q.csv"
    source.write_text("\n".join(["question,answer", *lines]) + ending, newline="")
    rows = list(csv_rows(source, ("question", "answer")))
    wrong = {line: row.reason for line, row in rows if isinstance(row, BadField)}
    assert list(wrong) == bad
    assert all("has a quote that is not closed" in reason for reason in wrong.values())
    assert [row["question"] for _, row in rows if not isinstance(row, BadField)] == kept


def test_an_unclosed_quote_in_the_header_is_reported(tmp_path):
    source = tmp_path / "q.csv"
    source.write_text('"question,answer\n"One, or two?",3\n')
    [(line, wrong)] = csv_rows(source, ("question", "answer"))
    assert (line, wrong.field) == (1, "header")
    assert "not closed" in wrong.reason


def test_a_random_part_is_the_same_for_the_same_seed(tmp_path):
    """C-VQA's Table 5 is of a tenth of its questions."""
    rows = [PAIR | {"img_path": f"{n}.jpg", "new answer": "2" if n % 10 else "many"} for n in range(50)]
    source = csv_file(tmp_path / "in.csv", *rows)
    drawn = []
    for nth, how in enumerate([{"sample": 0.2}, {"sample": 0.2}, {"sample": 0.2, "seed": 1}, {"size": 7}]):
        with pytest.warns(UserWarning, match="^5 bad rows skipped: line 2: new answer: 'many' is not a number"):
            made = make("cvqa-real", tmp_path / f"d{nth}", source=source, **how)
        drawn.append([case.id for _, case in made.cases()])
    assert [len(each) for each in drawn] == [9, 9, 9, 7]  # of 45 good rows
    assert drawn[0] == drawn[1] != drawn[2]
    assert "- part: `20 %`" in (tmp_path / "d0" / "README.md").read_text()


@pytest.mark.parametrize("part", [None, Part(cases=1)])
@pytest.mark.parametrize("wrong", ["rows", "as_case", "picture"])
def test_an_exception_in_a_suite_names_the_suite_the_file_and_the_row(tmp_path, part, wrong):
    def fail(row, *_):
        return row["truth"]

    def rows(path):
        yield 1, {"ask": "Is it an owl?"}
        fail({})

    case = Case(id="a", factual=Question("Is it an owl?", "yes", "boolean"))
    layout = Layout(
        rows=rows if wrong == "rows" else partial(jsonl_rows, fields=("ask",)),
        as_case=fail if wrong == "as_case" else lambda row, number: case,
        picture=fail if wrong == "picture" else lambda row: None,
        picture_field="photo",
    )
    suite = Suite("feathers", "birds", "", "", layout)
    source = jsonl_file(tmp_path / "birds.jsonl", {"ask": "Is it an owl?"})
    with pytest.raises(
        CountersightError, match=r"suite feathers failed on row 1 of \S*birds\.jsonl: KeyError: 'truth'"
    ):
        import_file(suite, source, tmp_path / "d", pictures=None, on_bad=print, part=part)


@pytest.mark.parametrize("shown", [(), ("drop",), ("both_right",)], ids=str)
def test_a_suite_may_name_any_of_its_figures(tmp_path, monkeypatch, shown):
    name = "-".join(("two-worlds", *shown))
    questions = {"factual": Question("Is it?", "yes", "boolean"), "counterfactual": Question("If?", "no", "boolean")}
    layout = Layout(
        fields=("x",),
        as_case=lambda row, number: Case(id=row["x"], text_only=True, **questions),
        picture=lambda row: None,
        picture_field="x",
    )
    measures = {"factual": "before", "counterfactual": "after"} | {figure: figure.replace("_", " ") for figure in shown}
    suite = Suite(name, "two worlds", "", "", layout, terms=Terms(measures=measures))
    monkeypatch.setattr(importing, "PLUGGED", suite, raising=False)
    monkeypatch.setitem(SUITES.built_in, name, Plug(name, "", "importing:PLUGGED"))
    made = make(name, tmp_path / "d", source=csv_file(tmp_path / "in.csv", {"x": "a"}, {"x": "b"}))
    page = cs.report(cs.run(made, lambda picture, question: "yes", out=tmp_path / "r"), out=tmp_path / "page")
    assert all(figure in page.markdown.read_text() for figure in measures.values())


def test_a_row_without_the_field_is_a_bad_row():
    for read in (text_of, plain_text, whole_number, picture_in):
        with pytest.raises(BadField) as bad:
            read({"ask": "Is it an owl?"}, "truth")
        assert (bad.value.field, bad.value.reason) == ("truth", "is missing")
