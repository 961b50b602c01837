"""Dataset folders: writing, reading by other tools, and messages about invalid rows and pictures."""

import json
import os
import subprocess
import sys

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import case, choice, dataset, picture

from countersight.case import Case, Question
from countersight.dataset.folder import Dataset
from countersight.dataset.writing import DatasetWriter
from countersight.errors import BadPicture, CountersightError, DatasetError


def read(folder):
    bad = []
    cases = list(Dataset.open(folder).cases(bad.append))
    return cases, bad


def test_a_written_dataset_is_read_back(tmp_path):
    written = [case(number) for number in range(5)]
    cases, bad = read(dataset(tmp_path / "d", written))
    assert [msgspec.structs.replace(one, image_digest="", counterfactual_digest="") for _, one in cases] == written
    assert [row for row, _ in cases] == [0, 1, 2, 3, 4]
    assert bad == []


@given(
    text=st.text(min_size=1).filter(str.strip),
    context=st.text(),
    provenance=st.dictionaries(st.text(), st.integers(-(2**53), 2**53) | st.text()),
)
def test_any_case_survives_a_row(text, context, provenance):
    one = case(0, factual=choice(text), context=context, provenance=provenance)
    assert msgspec.json.decode(msgspec.json.encode(one), type=Case) == one


@pytest.mark.parametrize(
    ("row", "field", "reason"),
    [
        (b"{", "line", "is not JSON"),
        (b"\xff\xfe{}", "line", "is not JSON"),
        (b"[1, 2]", "line", "Expected `object`, got `array`"),
        (b'{"file_name": "a.png"}', "id", "required field `id`"),
        (b'{"id": 7}', "id", "Expected `str`, got `int`"),
        (b'{"id": "x"}', "factual_question", "no question in either world"),
        (
            b'{"id": "x", "factual_question": {"text": "?", "answer": "B", "kind": "guess"}}',
            "factual_question.kind",
            "guess",
        ),
        (
            b'{"id": "x", "factual_question": {"text": "?", "answer": "lots", "kind": "number"}}',
            "factual_question.answer",
            "'lots' is not a number",
        ),
        (
            b'{"id": "x", "factual_question": {"text": "?", "answer": "C", "kind": "choice",'
            b' "options": [{"text": "1"}, {"text": "2"}]}}',
            "factual_question.answer",
            "'C' is not the letter of an option",
        ),
        (
            b'{"id": "x", "counterfactual_question": {"text": "?", "answer": "maybe", "kind": "boolean"}}',
            "counterfactual_question.answer",
            "neither yes nor no",
        ),
        (b'{"id": "x", "graph": {"a": ' + b"[" * 100_000 + b"}", "line", "is not JSON"),
        (b'{"id": "case-0", "factual_question": {"text": "?", "answer": "1", "kind": "number"}}', "id", "earlier line"),
        (b'{"id": "' + b"x" * (5 * 1024 * 1024) + b'"}', "line", "longer than"),
    ],
)
def test_a_bad_row_names_file_line_field_and_reason(tmp_path, row, field, reason):
    folder = dataset(tmp_path / "d", 3)
    rows = (folder / "metadata.jsonl").read_bytes().splitlines()
    (folder / "metadata.jsonl").write_bytes(b"\n".join([*rows[:2], row, b"", rows[2]]) + b"\n")
    cases, [bad] = read(folder)
    assert [one.id for _, one in cases] == ["case-0", "case-1", "case-2"]
    assert (bad.file, bad.line, bad.field) == ("metadata.jsonl", 3, field)
    assert reason in bad.reason
    assert str(bad).startswith(f"metadata.jsonl line 3: {field}: ")


@pytest.mark.parametrize(
    "name",
    [
        "../secret.png",
        "/etc/passwd",
        "images/../../secret.png",
        "link.png",
        "out/secret.png",
        "a\x00b.png",
        "~/x",
    ],
)
def test_a_path_that_leaves_the_folder_is_refused(tmp_path, name):
    folder = dataset(tmp_path / "d", 1)
    (tmp_path / "secret.png").write_bytes(picture())
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    (folder / "out").symlink_to(tmp_path)
    with pytest.raises(BadPicture, match="folder"):
        Dataset.open(folder).picture(name)


def test_an_exchanged_picture_is_a_bad_picture(tmp_path):
    folder = dataset(tmp_path / "d", 1)
    opened = Dataset.open(folder)
    [(_, one)] = opened.cases()
    assert opened.picture(one.image, one.image_digest).width == 16
    (folder / one.image).write_bytes(picture((1, 2, 3)))
    with pytest.raises(BadPicture, match="has changed since the dataset was made"):
        opened.picture(one.image, one.image_digest)


def test_leftovers_of_a_killed_process_are_removed(tmp_path):
    gone = subprocess.Popen(["true"])
    gone.wait()
    for name in (f".d.making-{gone.pid}", f".d.making-{os.getpid()}1", f".other.making-{gone.pid}"):
        (tmp_path / name).mkdir()
    dataset(tmp_path / "d", 1)
    assert not (tmp_path / f".d.making-{gone.pid}").exists()
    assert (tmp_path / f".other.making-{gone.pid}").exists()


def test_the_fingerprint_changes_with_any_row(tmp_path):
    first = Dataset.open(dataset(tmp_path / "a", 3)).fingerprint
    assert Dataset.open(dataset(tmp_path / "b", 3)).fingerprint == first
    assert Dataset.open(dataset(tmp_path / "c", [case(0), case(1), case(2, group="other")])).fingerprint != first


def test_a_folder_that_is_not_a_dataset_gets_a_message(tmp_path):
    with pytest.raises(DatasetError, match="is not a folder"):
        Dataset.open(tmp_path / "none")
    with pytest.raises(DatasetError, match=r"no metadata\.jsonl"):
        Dataset.open(tmp_path)
    dataset(tmp_path / "flowers", [case(0)])
    with pytest.raises(DatasetError, match=f"flwers is not a folder; did you mean {tmp_path / 'flowers'}"):
        Dataset.open(tmp_path / "flwers")
    source = tmp_path / "questions.csv"
    source.write_text("question\n", encoding="utf-8")
    with pytest.raises(DatasetError, match=r"make SUITE --from \S*questions\.csv -o FOLDER"):
        Dataset.open(source)


def test_a_case_with_a_field_of_another_type_is_not_written(tmp_path):
    with (
        pytest.raises(DatasetError, match=r"case 'c': change: Expected `object \| null`, got `str`"),
        DatasetWriter(tmp_path / "d", name="x", description="x", license="CC0-1.0", provenance={}) as writer,
    ):
        writer.add(Case("c", change="if it were day", factual=Question("How many?", "1", "number")))
    assert list(tmp_path.iterdir()) == []


def test_a_writer_that_fails_leaves_nothing_behind(tmp_path):
    writer = DatasetWriter(tmp_path / "d", name="x", description="x", license="CC0-1.0", provenance={})

    def stopped_by_the_user():
        with writer:
            writer.add(case(0))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped_by_the_user()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_use_is_not_touched_and_a_card_that_cannot_be_written_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(*_):
        raise OSError("No space left on device")

    folder = dataset(tmp_path / "d", 1)
    with pytest.raises(CountersightError, match="exists already"):
        dataset(folder, 2)
    monkeypatch.setattr("countersight.dataset.card.write_card", full)
    with pytest.raises(OSError, match="No space left"):
        dataset(tmp_path / "e", 1)
    assert list(tmp_path.iterdir()) == [folder]


def test_hugging_face_opens_it_as_an_image_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    folder = dataset(tmp_path / "d", [case(0), case(1, counterfactual_image=None, shown=None), case(2)])
    rows = datasets.load_dataset("imagefolder", data_dir=str(folder), cache_dir=str(tmp_path / "cache"))["train"]
    assert len(rows) == 3
    assert rows[0]["image"].size == rows[0]["counterfactual"].size == (16, 16)
    assert rows[0]["counterfactual_question"]["answer"] == "B"
    assert rows[1]["counterfactual"] is None


def test_croissant_validates_and_reads(tmp_path, caplog):
    mlcroissant = pytest.importorskip("mlcroissant")
    folder = dataset(tmp_path / "d", [case(0), case(1, counterfactual=None)])
    croissant = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    assert not croissant.metadata.ctx.issues.errors
    assert not croissant.metadata.ctx.issues.warnings
    first, second = croissant.records("cases")
    assert first["cases/id"] == b"case-0"
    assert first["cases/counterfactual_question/answer"] == b"B"
    assert second["cases/counterfactual_question/answer"] is None


MEASURE = """
import re, sys
from pathlib import Path
from countersight.cli import main
assert main(["run", sys.argv[1], "--model", "chance", "-o", sys.argv[2]]) == 0
# Not getrusage: what that tells of a child is at least what its parent had before it was started.
print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text()).group(1))
"""


def memory_of_a_run(folder, run):
    """Kilobytes that a process takes to ask every question of a dataset, and what it said."""
    done = subprocess.run([sys.executable, "-c", MEASURE, folder, run], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1]), done.stderr


@pytest.mark.slow
def test_a_million_cases_fit_into_300_mb(tmp_path):
    folder = dataset(tmp_path / "d", 1)
    of_one, _ = memory_of_a_run(folder, tmp_path / "one")
    row = json.loads((folder / "metadata.jsonl").read_text())
    with open(folder / "metadata.jsonl", "w") as file:
        for number in range(50_000):
            row["id"] = f"case-{number}"
            file.write(json.dumps(row) + "\n")
    assert Dataset.open(folder).count == 50_000
    of_many, said = memory_of_a_run(folder, tmp_path / "many")
    assert "100,000 of 100,000 questions answered" in said
    assert of_one + 20 * (of_many - of_one) < 300 * 1024  # what grows with the cases grows in proportion
