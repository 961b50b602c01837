"""From run folders to files."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from making import case, dataset

from countersight.case import Reply
from countersight.cli import main
from countersight.dataset.folder import Dataset
from countersight.errors import CountersightError, RunError
from countersight.reports import load
from countersight.reports.write import write_report

from .runs import recorded


def reply(row: int, world: Any, text: str, **fields: Any) -> Reply:
    return Reply(case=f"case-{row}", row=row, world=world, text=text, **fields)


def both(row: int, factual: str, counterfactual: str) -> list[Reply]:
    return [reply(row, "factual", factual), reply(row, "counterfactual", counterfactual)]


# In making.case the right letters are ABCD[row % 4] as it is, and B after the change.
FOUR = [*both(0, "A", "A"), *both(1, "B", "B"), *both(2, "A", "B"), *both(3, "dunno", "B")]


def embedded(page: str, key: str) -> Any:
    found = re.search(f'<script type="application/json" id="{key}">(.*?)</script>', page)
    assert found
    return json.loads(found.group(1))


def test_a_report_is_a_page_a_figure_tables_and_scores(tmp_path: Path) -> None:
    source = dataset(tmp_path / "tiny", 4)
    folder = recorded(tmp_path / "run", source, FOUR)
    before = {file: file.stat().st_mtime_ns for file in folder.rglob("*")}
    files = write_report([folder], tmp_path / "out")
    assert {file: file.stat().st_mtime_ns for file in folder.rglob("*")} == before
    assert files.scores.read_bytes().startswith(b"PAR1")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "finding.svg",
        "report.html",
        "scores.json",
        "scores.parquet",
        "summary.md",
        "tables.csv",
        "tables.md",
        "tables.tex",
    ]
    total = files.data.runs[0].overall
    assert total.factual
    assert total.counterfactual
    assert total.drop
    assert (total.n, total.factual.value, total.counterfactual.value, total.unread) == (4, 0.5, 0.75, 1)
    assert total.drop.value == -0.25
    assert "| **all** | 4 | 50.0 (" in files.markdown.read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(files.csv.read_text(encoding="utf-8"))))
    assert {row["fingerprint"] for row in rows} == {Dataset.open(source).fingerprint}


def test_the_gallery_holds_what_was_said_and_how_it_was_read(tmp_path: Path) -> None:
    source = dataset(tmp_path / "tiny", 4)
    said = [
        *both(0, "I say **A**", "The answer is (C)."),
        reply(1, "factual", "", state="failed", reason="the server hung up"),
    ]
    page = write_report([recorded(tmp_path / "run", source, said)], tmp_path / "out").html.read_text(encoding="utf-8")
    first, second = embedded(page, "case-0"), embedded(page, "case-1")
    told = first["answers"][0]["factual"]
    assert told == {"verdict": "right", "text": "I say **A**", "length": 11, "read": "A", "sent": 0}
    assert first["requests"][0].startswith("[picture] How many dots are there in picture 0?")
    assert "Answer with the letter" in first["requests"][0]
    assert first["answers"][0]["counterfactual"]["read"] == "C"
    assert first["questions"]["counterfactual"]["gold"] == "B"
    assert second["answers"][0]["factual"] == {"verdict": "failed", "reason": "the server hung up", "sent": 0}
    assert second["answers"][0]["counterfactual"] == {"verdict": "missing"}
    assert page.count('<script type="text/plain" id="picture-') == 8


def test_an_endless_reply_is_cut_in_the_page(tmp_path: Path) -> None:
    source = dataset(tmp_path / "tiny", 1)
    long = "B " + "x" * 10_000_000
    files = write_report([recorded(tmp_path / "run", source, [reply(0, "factual", long)])], tmp_path / "out")
    page = files.html.read_text(encoding="utf-8")
    assert len(page) < 200_000
    answer = embedded(page, "case-0")["answers"][0]["factual"]
    assert (len(answer["text"]), answer["length"]) == (4_000, len(long))


def test_pictures_that_are_not_shown_to_the_model_are_not_missing_answers(tmp_path: Path) -> None:
    source = dataset(tmp_path / "tiny", 4)
    told = recorded(tmp_path / "told", source, FOUR)
    shown = recorded(
        tmp_path / "shown", source, [*FOUR, reply(0, "counterfactual", "B", telling="shown")], model="other", shown=True
    )
    data = load([told, shown]).report
    assert (data.runs[0].overall.missing, data.runs[0].overall.shown) == (0, None)
    assert data.runs[1].overall.missing == 3
    assert data.runs[1].overall.shown
    assert data.runs[1].overall.shown.n == 1


@pytest.mark.parametrize(
    ("models", "names"),
    [
        (("openai:gpt-4o", "endpoint:http://h/v1#qwen"), ["gpt-4o", "qwen"]),
        (("chance", "chance"), ["chance, 0-shot (run-0)", "chance, 0-shot (run-1)"]),
        (("Qwen/Qwen2.5-VL-7B", "OpenGVLab/InternVL3"), ["Qwen2.5-VL-7B", "InternVL3"]),  # the owners are left out
        (("one/llava", "hf:two/llava"), ["one/llava", "hf:two/llava"]),
        (("hf:Qwen/Qwen2.5-VL-7B", "chance"), ["Qwen2.5-VL-7B", "chance"]),
    ],
)
def test_runs_have_short_names_that_differ(tmp_path: Path, models: tuple[str, ...], names: list[str]) -> None:
    source = dataset(tmp_path / "tiny", 1)
    runs = [recorded(tmp_path / f"run-{place}", source, [], model=model) for place, model in enumerate(models)]
    assert [one.label for one in load(runs).report.runs] == names


def test_a_run_without_a_reply_can_be_reported(tmp_path: Path) -> None:
    total = load([recorded(tmp_path / "run", dataset(tmp_path / "tiny", 2), [])]).report.runs[0].overall
    assert (total.factual.value, total.drop, total.missing) == (None, None, 4)


def test_a_dataset_without_groups_has_one_line(tmp_path: Path) -> None:
    source = dataset(tmp_path / "tiny", [case(0, group=""), case(1, group="")])
    data = load([recorded(tmp_path / "run", source, [])]).report
    assert [scores.group for scores in data.runs[0].rows] == ["all"]


def test_a_case_asked_in_one_world_only_is_reported(tmp_path: Path) -> None:
    lonely = case(0, factual=None, shown=None, image=None, counterfactual_image=None)
    source = dataset(tmp_path / "tiny", [lonely])
    files = write_report([recorded(tmp_path / "run", source, [reply(0, "counterfactual", "B")])], tmp_path / "out")
    assert "| group | n | counterfactual | unread |" in files.markdown.read_text(encoding="utf-8")
    assert embedded(files.html.read_text(encoding="utf-8"), "index")["outcomes_of"] == [[4]]


def test_a_missing_picture_is_a_fault_on_the_page(tmp_path: Path) -> None:
    source = dataset(tmp_path / "tiny", 1)
    (source / "images" / "0.png").unlink()
    page = write_report([recorded(tmp_path / "run", source, [])], tmp_path / "out").html.read_text(encoding="utf-8")
    assert embedded(page, "fault-0") == "is not in the folder"


def test_a_gallery_smaller_than_the_dataset_is_a_sample_and_says_so(tmp_path: Path) -> None:
    source = dataset(tmp_path / "tiny", 20)
    folder = recorded(tmp_path / "run", source, both(7, "D", "B"))
    page = write_report([folder], tmp_path / "out", gallery=5, seed=3).html.read_text(encoding="utf-8")
    assert "5 of 20 cases, drawn with seed 3" in page
    ids = [embedded(page, f"case-{number}")["id"] for number in range(5)]
    assert "case-7" in ids  # the only one of its outcome
    assert len(set(ids)) == 5


def test_the_same_runs_give_the_same_files(tmp_path: Path) -> None:
    folder = recorded(tmp_path / "run", dataset(tmp_path / "tiny", 4), FOUR)
    first, second = (write_report([folder], tmp_path / name) for name in ("one", "two"))
    for name in ("html", "markdown", "latex", "csv"):
        assert getattr(first, name).read_bytes() == getattr(second, name).read_bytes()


def test_runs_of_different_datasets_are_refused(tmp_path: Path) -> None:
    one = recorded(tmp_path / "a", dataset(tmp_path / "tiny", 1), [])
    two = recorded(tmp_path / "b", dataset(tmp_path / "small", 2), [])
    with pytest.raises(CountersightError, match="another dataset; write a report for each"):
        load([one, two])


def test_a_moved_dataset_is_found_where_it_is_said_to_be(tmp_path: Path) -> None:
    source = dataset(tmp_path / "tiny", 1)
    folder = recorded(tmp_path / "run", source, [])
    source.rename(tmp_path / "moved")
    with pytest.raises(RunError, match="as `dataset`"):
        load([folder])
    assert load([folder], dataset=tmp_path / "moved").report.cases == 1


def test_bad_rows_are_counted(tmp_path: Path) -> None:
    source = dataset(tmp_path / "tiny", 2)
    with open(source / "metadata.jsonl", "a", encoding="utf-8") as file:
        file.write("{nonsense\n")
    files = write_report([recorded(tmp_path / "run", source, [])], tmp_path / "out")
    assert (files.data.cases, files.data.bad_rows) == (2, 1)
    assert "1 row could not be read and was left out" in files.markdown.read_text(encoding="utf-8")


def test_the_finding_is_on_the_last_screen_of_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = dataset(tmp_path / "tiny", 40)
    runs = [recorded(tmp_path / name, source, FOUR, model=f"openai:{name}") for name in ("first", "second", "third")]
    assert main(["report", *map(str, runs), "-o", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) > 80
    last = " ".join(" ".join(printed[-40:]).split())
    assert "Finding: first, second and third have too few cases to tell; 3 runs unfinished." in last


def test_it_is_said_where_cases_share_a_picture(tmp_path: Path) -> None:
    report = load([recorded(tmp_path / "run", dataset(tmp_path / "tiny", 4), FOUR)]).report
    assert "share a picture" not in report.units
    *groups, total = report.runs[0].rows
    shared = msgspec.structs.replace(total, is_clustered=True)
    runs = (msgspec.structs.replace(report.runs[0], rows=(*groups, shared)),)
    assert "Some cases share a picture" in msgspec.structs.replace(report, runs=runs).units
