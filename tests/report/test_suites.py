"""Each suite is reported in its own terms."""

import csv
import io
import re
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from countersight.case import Case, Question
from countersight.reports import load, print_tables
from countersight.reports.formats import markdown
from countersight.reports.tables import by_group, divided, grids
from countersight.reports.write import ReportFiles, write_report

from .running import answered, cello, cfmm, cosim, okvqa, right


def lines(files: ReportFiles, title: str) -> dict[str, list[str]]:
    """The lines of a table by their names, without what stands beside a figure in small."""
    (grid,) = (grid for grid in grids(files.data) if grid.title == title)
    return {line.cells[0].text: [cell.text for cell in line.cells[1:]] for line in grid.lines}


def words_of(files: ReportFiles) -> dict[str, str]:
    """Every word a reader sees, by format."""
    page = files.html.read_text(encoding="utf-8")
    page = re.sub(r"<(style|script).*?</\1>", " ", page, flags=re.DOTALL)
    console = Console(file=io.StringIO(), width=120, record=True)
    print_tables(files.data, console)
    return {
        "html": re.sub(r"<[^>]*>", " ", page),
        "markdown": files.markdown.read_text(encoding="utf-8"),
        "latex": files.latex.read_text(encoding="utf-8"),
        "terminal": console.export_text(),
    }


def rows(files: ReportFiles) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files.csv.read_text(encoding="utf-8"))))


# ---- C-VQA --------------------------------------------------------------------------------------------------


def test_c_vqa_has_the_papers_words_and_order(tmp_path: Path) -> None:
    cases = [
        Case(
            id=f"{group}-{number}",
            suite="cvqa-real",
            group=group,
            factual=Question("How many cats are there?", "2", "number"),
            counterfactual=Question("How many cats would there be if the TV was off?", "1", "number"),
        )
        for group in ("boolean", "indirect", "direct")
        for number in range(2)
    ]
    run = answered(tmp_path / "run", cases, lambda case, question: "2")
    files = write_report([run], tmp_path / "out")
    text = files.markdown.read_text(encoding="utf-8")
    assert "| group | n | factual | counterfactual | drop | both right | unread |" in text
    assert list(lines(files, "gpt-4o")) == ["numerical direct", "numerical indirect", "boolean", "all"]
    assert "**factual, counterfactual**" in text
    assert "Factual minus counterfactual, in points" in text


# ---- CFMM ---------------------------------------------------------------------------------------------------


def test_cfmm_has_three_accuracies_by_aspect_a_total_out_of_600_and_chance(tmp_path: Path) -> None:
    # Every basic answer is right; the counterfactual ones are in the aspects count and color.
    def says(case: Case, question: Question) -> str:
        return "B" if question.answer == "B" and case.group in ("count", "color") else "A"

    files = write_report([answered(tmp_path / "run", cfmm(), says)], tmp_path / "out")
    found = lines(files, "gpt-4o")
    assert list(found) == [
        *("count", "color", "size", "shape", "direction", "common"),
        *("all", "total, out of 600", "chance"),
    ]
    assert found["count"] == ["4", "100.0", "100.0", "100.0", "0.0", "0", "0", "0"]
    assert found["size"][1:5] == ["100.0", "0.0", "0.0", "100.0"]
    assert found["all"][1:5] == ["100.0", "33.3", "33.3", "66.7"]
    assert found["total, out of 600"][:5] == ["24", "600.0", "200.0", "200.0", "–"]
    assert found["chance"][:5] == ["–", "50.0", "50.0", "25.0", "–"]
    assert "| aspect | n | acc\\_b | acc\\_c | acc+ | drop |" in files.markdown.read_text(encoding="utf-8")


def test_cfmm_says_every_share_as_a_count_too(tmp_path: Path) -> None:
    files = write_report([answered(tmp_path / "run", cfmm(), lambda case, question: "A")], tmp_path / "out")
    basic, counterfactual = (
        next(line for line in by_group(files.data.runs[0], files.data.terms).lines if line.cells[0].text == "count")
    ).cells[2:4]
    assert basic.details == ("39.8 to 100.0", "4 of 4")
    assert counterfactual.details == ("0.0 to 60.2", "0 of 4")
    record = next(row for row in rows(files) if (row["group"], row["measure"]) == ("count", "factual"))
    assert (record["right"], record["n"], record["value"]) == ("4", "4", "1.0")


def test_the_total_of_cfmm_weighs_every_aspect_the_same(tmp_path: Path) -> None:
    cases = [*cfmm(2), *[msgspec.structs.replace(case, id=f"more-{case.id}") for case in cfmm(10)][-10:]]
    run = answered(tmp_path / "run", cases, lambda case, question: "A" if case.group == "count" else "B")
    total = load([run]).report.runs[0].total
    assert total["factual"].value == 1.0  # count alone is right: 100 of 600, though it has most of the cases
    assert 0 <= total["factual"].low < 1.0 < total["factual"].high <= 6
    incomplete = answered(tmp_path / "five" / "run", cfmm()[4:], right)
    assert load([incomplete]).report.runs[0].total == {}  # one of the six aspects is missing


def test_several_runs_of_cfmm_have_their_totals_side_by_side(tmp_path: Path) -> None:
    one = answered(tmp_path / "one", cfmm(), right, "openai:one")
    two = answered(tmp_path / "two", cfmm(), lambda case, question: "A", "openai:two")
    files = write_report([one, two], tmp_path / "out")
    assert lines(files, "Totals out of 600") == {
        "one": ["24", "600.0", "600.0", "600.0"],
        "two": ["24", "600.0", "0.0", "0.0"],
    }


# ---- CoSIm --------------------------------------------------------------------------------------------------


def test_cosim_is_told_by_change_type_and_by_number_of_changes(tmp_path: Path) -> None:
    cases = cosim(
        ("object addition",),
        ("object addition", "human removal"),
        ("object addition", "human removal", "event description"),
        ("object addition", "human removal", "event description", "environment change"),
        (),
    )
    run = answered(tmp_path / "run", cases, lambda case, question: "A" if len(case.change.kinds) < 3 else "B")  # type: ignore[union-attr]
    files = write_report([run], tmp_path / "out")
    by_type = lines(files, "gpt-4o, by change type")
    assert {name: cells[:2] for name, cells in by_type.items()} == {
        "object addition": ["4", "50.0"],
        "human removal": ["3", "33.3"],
        "environment change": ["1", "0.0"],
        "event description": ["2", "0.0"],
    }
    by_number = lines(files, "gpt-4o, by number of changes")
    assert {name: cells[:2] for name, cells in by_number.items()} == {
        "1": ["1", "100.0"],
        "2": ["1", "100.0"],
        "3 or more": ["2", "0.0"],
    }
    assert "A case is counted on every line it belongs to" in words_of(files)["markdown"]
    found = [row for row in rows(files) if row["table"] == "scores by change type"]
    assert [(row["group"], row["measure"], row["value"]) for row in found][:2] == [
        ("object addition", "counterfactual", "0.5"),
        ("object addition", "unread", "0"),
    ]


def test_cases_whose_change_is_of_no_known_type_are_counted_and_rules_are_named(tmp_path: Path) -> None:
    run = answered(tmp_path / "run", cosim(("object addition",), (), ()), right)
    files = write_report([run], tmp_path / "out")
    notes = [divided(files.data.runs[0], division, files.data.terms).note for division in files.data.runs[0].divisions]
    assert len(notes) == 2
    assert all(note.endswith("rules from the text of the change. Not in this table: 2 cases.") for note in notes)


# ---- CELLO --------------------------------------------------------------------------------------------------


def test_cello_is_told_by_task_rung_graph_and_form(tmp_path: Path) -> None:
    cases = cello(("sufficient_cause", "chain"), ("CaI", "direct"), ("Collider-Bias", "collision"), ("riddle", "odd"))
    run = answered(tmp_path / "run", cases, lambda case, question: "C" if question.options else "yes")
    files = write_report([run], tmp_path / "out")
    assert list(lines(files, "gpt-4o")) == ["sufficient cause (SC)", "CaI", "Collider-Bias", "riddle", "all", "chance"]
    assert lines(files, "gpt-4o")["chance"][1] == "37.5"  # half of the questions have two answers, half have four
    assert {name: cells[:2] for name, cells in lines(files, "gpt-4o, by rung").items()} == {
        "0 discovery": ["2", "50.0"],
        "1 association": ["2", "50.0"],
        "3 counterfactual": ["2", "50.0"],
        "other": ["2", "50.0"],
    }
    assert list(lines(files, "gpt-4o, by causal graph")) == ["direct", "collision", "chain", "other"]
    assert {name: cells[:2] for name, cells in lines(files, "gpt-4o, by form of the answer").items()} == {
        "binary": ["4", "100.0"],
        "multiple choice": ["4", "0.0"],
    }


# ---- VQA ----------------------------------------------------------------------------------------------------


def test_vqa_is_told_in_soft_accuracy_with_an_interval(tmp_path: Path) -> None:
    run = answered(tmp_path / "run", okvqa(), lambda case, question: "net" if case.id < "okvqa-5" else "racket")
    files = write_report([run], tmp_path / "out")
    assert lines(files, "gpt-4o") == {"all": ["10", "80.0", "0", "0", "0"]}
    text = files.markdown.read_text(encoding="utf-8")
    assert "gpt-4o has a VQA accuracy of 80.0%." in text
    assert "**VQA accuracy**: The official soft accuracy of VQA" in text
    assert "Exact binomial 95% interval" in text
    record = next(row for row in rows(files) if row["measure"] == "factual")
    assert (record["value"], record["method"], record["right"]) == (
        "0.8",
        "exact binomial, for the number of independent cases",
        "",
    )


# ---- one world, no suite, several suites --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cases", "about"),
    [
        (
            cosim(("object addition",)),
            "accuracy of 100.0%. Tested on 1 case of dataset, about the picture under a change.",
        ),
        (
            cello(("sufficient_cause", "chain")),
            "accuracy of 100.0%. Tested on 2 cases of dataset, about causes",
        ),
        (okvqa(2), "has a VQA accuracy of 100.0%. Tested on 2 cases of dataset, about the factual picture."),
        (
            [Case(id="a", counterfactual=Question("Would it?", "yes", "boolean"))],
            "accuracy of 100.0%. Tested on 1 case of dataset, about the picture under a change.",
        ),
        (
            [Case(id="a", factual=Question("Is it?", "yes", "boolean"))],
            "accuracy of 100.0%. Tested on 1 case of dataset, about the factual picture.",
        ),
    ],
    ids=["cosim", "cello", "okvqa", "counterfactual only", "factual only"],
)
def test_where_there_is_one_world_nothing_speaks_of_a_drop(tmp_path: Path, cases: list[Case], about: str) -> None:
    files = write_report([answered(tmp_path / "run", cases, right)], tmp_path / "out")
    for format_name, words in words_of(files).items():
        assert about in " ".join(words.split()).replace("\\%", "%"), format_name
        assert not re.search(r"\bdrops?\b|both right|both worlds|wrong after", words, re.IGNORECASE), format_name


def test_a_dataset_of_several_suites_has_the_plain_tables(tmp_path: Path) -> None:
    cases = [*cfmm(1), *cosim(("object addition",))]
    report = load([answered(tmp_path / "run", cases, right)]).report
    assert report.suite == ""
    (run,) = report.runs
    assert (run.divisions, run.total) == ((), {})
    assert "| group | n | factual | counterfactual | drop | both right |" in markdown(report)
    more = [msgspec.structs.replace(case, factual=Question("Is it?", "yes", "boolean")) for case in cosim(("x",))]
    more_than_the_paper = load([answered(tmp_path / "more" / "run", more, right)]).report
    assert "| group | n | factual | counterfactual | drop | both right |" in markdown(more_than_the_paper)
