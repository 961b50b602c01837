"""The finding of a report: which runs lose accuracy, and how sure that is."""

import csv
import io
import re
from pathlib import Path

import pytest
from making import case, dataset
from rich.console import Console

from countersight.case import TWO_WORLDS, Reply
from countersight.cli import main
from countersight.dataset import Dataset
from countersight.engine import RunFolder
from countersight.html import NOTHING
from countersight.leaderboards import write_leaderboard
from countersight.number_formats import interval
from countersight.reports import ReportData, load
from countersight.reports.data import PageData
from countersight.reports.figures import finding_plot, group_plot
from countersight.reports.finding import sentence, sentences
from countersight.reports.formats import comma_separated, markdown, print_tables
from countersight.reports.page import render
from countersight.reports.scores_file import scores_file
from countersight.reports.tables import by_group, overview

from .runs import recorded, right, run

CASES = [case(number) for number in range(24)]
Answers = dict[int, tuple[str | None, str | None]]


def reported(tmp_path: Path, *runs: Answers) -> ReportData:
    source = dataset(tmp_path / "d", CASES)
    made = [run(tmp_path / f"r{n}", source, said, model=f"openai:m{n}") for n, said in enumerate(runs)]
    return load(made, gallery=1).report


def lede_and_details(report: ReportData) -> tuple[str, str]:
    lede, details, *_ = sentences(report)
    assert (lede.kind, details.kind) == ("lede", "detail")
    return lede.words, details.words


def said(wrong_under_change: int, asked: int = 24) -> Answers:
    return {
        row: (right(CASES, row)[0], "D" if row < wrong_under_change else right(CASES, row)[1]) for row in range(asked)
    }


GUESSING: Answers = {row: ("A", "D" if row % 4 else then) for row, (_, then) in said(0).items()}
RAMBLING: Answers = {row: (told, "Hm." if row < 12 else then) for row, (told, then) in said(0).items()}
GAINING: Answers = {row: ("D" if row < 10 else fact, then) for row, (fact, then) in said(0).items()}


@pytest.mark.parametrize(
    ("answers", "lede", "details"),
    [
        (
            said(12),
            "m0 loses 50.0 points of accuracy under a change.",
            "From 100.0% right to 50.0%; random guessing gives 25.0%;",
        ),
        (GAINING, "m0 gains 33.3 points of accuracy under a change.", "From 66.7% right to 100.0%;"),
        (said(2), "m0 shows no clear change.", "a drop of 8.3 points; random guessing gives 25.0%; 95% interval −10.0"),
        (
            RAMBLING,
            "m0 has too many unread replies to tell.",
            "0.0 to 50.0 depending on how unread replies are",
        ),
        (GUESSING, "m0 is no better than guessing.", "From 25.0% right to 25.0%"),
        (said(3, 3), "m0 has too few cases to tell (unfinished).", "From 100.0% right to 0.0%; a drop of 100.0 points"),
        (said(0, 4), "m0 has too few cases to tell (unfinished).", "From 100.0% right to 100.0%; a drop of 0.0 points"),
    ],
)
def test_the_lead_is_one_short_sentence_and_the_rest_follows(
    tmp_path: Path, answers: Answers, lede: str, details: str
) -> None:
    report = reported(tmp_path, answers)
    words, rest = lede_and_details(report)
    assert words == lede
    assert rest.startswith("Tested on 24 cases of d, about the factual picture and about the picture under a change. ")
    assert details in rest
    drop = report.runs[0].overall.drop
    assert drop
    assert (drop.value or 0) < 0 or interval(drop) in rest


def test_a_clear_drop_has_bounds_intervals_and_a_caution_about_unread_replies(tmp_path: Path) -> None:
    report = reported(tmp_path, said(12) | {23: ("Hm.", "Hm.")})
    assert lede_and_details(report)[1].endswith("p < 0.001; 45.8 to 54.2 depending on how unread replies are counted.")
    page = render(PageData(report))
    assert '<p class="caution" dir="auto">Unread, cut off or empty: 4.2% of the replies.</p>' in page
    assert page.index('class="lede finding"') < page.index('class="caution"')
    assert "over all answers" not in markdown(report)  # every case is answered
    drop = report.runs[0].overall.drop
    assert drop
    assert 0.2 < drop.low < 0.5 < drop.high < 0.8


def test_few_runs_are_named_each_and_pairs_are_corrected_by_holm(tmp_path: Path) -> None:
    report = reported(tmp_path, said(12), said(2), said(0))
    words, rest = lede_and_details(report)
    assert words == "m0 loses 50.0 points of accuracy under a change; m1 and m2 show no clear change."
    assert " m1: from 100.0% right to 91.7%; a drop of 8.3 points; " in rest
    assert [(pair.first, pair.second) for pair in report.comparisons] == [("m0", "m1"), ("m0", "m2"), ("m1", "m2")]
    for pair in report.comparisons:
        for group in pair.rows:
            figure = group.counterfactual
            assert figure
            assert figure.p is not None
            assert (figure.low <= 0 <= figure.high) == (figure.p >= 0.05)
            assert figure.confidence >= 0.95


def test_a_group_without_read_replies_says_so_instead_of_a_figure(tmp_path: Path) -> None:
    source = dataset(tmp_path / "d", CASES)
    answers = said(0)
    silent = answers | {row: (answers[row][0], "Hm.") for row in range(1, 24, 2)}
    runs = [run(tmp_path / "r", source, silent), run(tmp_path / "all", source, answers, model="openai:all")]
    report = load(runs, gallery=1).report
    grid = by_group(report.runs[0])
    factual, counterfactual, drop = grid.lines[1].cells[2:5]
    assert (factual.text, drop) == ("100.0", NOTHING)
    assert counterfactual.details == ("0 of 12 read", "unread: 0.0 to 100.0")
    plot = group_plot(report.runs[0].rows, report.terms)
    assert "group 1: factual 100.0% (73.5 to 100.0)" in [line.words for line in plot.lines]
    assert not any(group.counterfactual for group in report.comparisons[0].rows[1:2])
    board = write_leaderboard(runs, tmp_path / "board")
    [_, row] = [row for row in csv.DictReader(board.csv.open()) if row["line"] == "group 1"]
    assert [row[key] for key in ("tier", "factual_n", "counterfactual", "counterfactual_n")] == ["", "12", "", ""]


def test_the_clear_drop_of_a_guessing_model_is_called_meaningless(tmp_path: Path) -> None:
    guessing: Answers = dict.fromkeys(range(24), ("A", "D"))
    words = sentence(reported(tmp_path, guessing, said(12)))
    assert "m0 cannot be distinguished from random guessing on the factual questions, so the drop means" in words
    assert "m1 cannot" not in words


@pytest.mark.parametrize(
    ("text", "finish", "fate"), [("Let me look", "length", "cut"), ("", "stop", "empty"), ("Hm.", "stop", "unread")]
)
def test_replies_that_are_all_cut_empty_or_unread_are_no_finding(
    tmp_path: Path, text: str, finish: str, fate: str
) -> None:
    source = dataset(tmp_path / "d 1", CASES)
    asked = ((each.id, row, world) for row, each in Dataset.open(source).cases() for world in TWO_WORLDS)
    folder = recorded(tmp_path / "r 1", source, (Reply(*each, text=text, finish=finish) for each in asked))
    report = load([folder], gallery=1).report
    words = sentence(report)
    assert words.startswith("No finding: no answer could be ")
    assert ("in the replies to 48 of 48 questions" if fate == "unread" else f"48 {fate}") in words
    assert "Finding: " not in printed(report)
    [told] = report.runs[0].advice
    if fate == "unread":
        assert "no answer could be read, so every accuracy may be from 0 to 100%; --again unread asks" in words
        assert "no answer could be scored" not in words
        assert by_group(report.runs[0]).lines[2].cells[2].details == ("0 of 24 read", "unread: 0.0 to 100.0")
        assert "without a readable answer" in told
    else:
        assert "no answer could be scored." in words
        assert f"--again {fate} --max-tokens 1024 -o '{folder}'" in told


@pytest.mark.parametrize(
    ("text", "finish", "told"),
    [
        ("Let me look", "length", "48 answers cut off by the token limit and left out."),
        ("", "stop", "48 answers empty and left out."),
    ],
)
def test_nobody_is_told_to_repeat_questions_of_an_imported_run(
    tmp_path: Path, text: str, finish: str, told: str
) -> None:
    source = dataset(tmp_path / "d", CASES)
    asked = ((each.id, row, world) for row, each in Dataset.open(source).cases() for world in TWO_WORLDS)
    replies = (Reply(*each, text=text, finish=finish) for each in asked)
    folder = recorded(tmp_path / "r", source, replies, settings={"asked with": "lmms-eval"})
    assert load([folder], gallery=1).report.runs[0].advice == (told,)


def printed(report: ReportData) -> str:
    console = Console(width=300, record=True, file=io.StringIO())
    print_tables(report, console)
    return console.export_text()


def test_a_world_without_read_replies_is_not_a_drop(tmp_path: Path) -> None:
    unread: Answers = {row: (right(CASES, row)[0], "It depends on the weather.") for row in range(24)}
    report = reported(tmp_path, unread, said(0))
    assert lede_and_details(report)[0] == "m1 shows no clear change."
    assert "No finding: m0, 48 of 48 questions scored (24 of them unread)." in sentence(report)
    [told] = report.runs[0].advice
    assert told.startswith("24 questions without a readable answer, not counted as right (the model declined, or")
    assert report.runs[0].overall.drop is None
    [pair] = report.comparisons
    assert pair.rows[-1].counterfactual is None
    assert pair.rows[-1].factual is not None
    alone = sentence(load([tmp_path / "r0"], gallery=1).report)
    assert "no answer could be read in one of the two worlds." in alone


def test_runs_with_different_unread_rates_are_compared_with_a_warning(tmp_path: Path) -> None:
    vague: Answers = {
        row: ("It depends on the weather.", told) if row < 6 else (fact, told) for row, (fact, told) in said(0).items()
    }
    report = reported(tmp_path, vague, said(0))
    [warning] = [told for told in sentences(report) if "differs between the runs" in told.words]
    assert warning.kind == "caution"
    assert "12.5% of m0, 0.0% of m1" in warning.words
    assert "unread: 75.0 to 100.0)" in markdown(report)
    figures = comma_separated(report)
    assert "scores,m0,,all,unread_rate,0.125,,,,,48,share" in figures
    assert "scores,m0,,all,factual_if_unread_right,1.0,,,,,24,bound" in figures
    assert not any(
        "differs between" in told.words for told in sentences(reported(tmp_path / "alike", said(0), said(0)))
    )


def test_the_accuracies_of_the_finding_subtract_to_the_drop_if_replies_are_missing(tmp_path: Path) -> None:
    """With failures it said "loses 34.0 points (factual 88.9 %, counterfactual 58.2 %)", which is 30.7."""
    answers = said(12)
    for row in range(8):
        answers[row] = (answers[row][0], None)
    report = reported(tmp_path, answers)
    overall = report.runs[0].overall
    assert overall.in_both
    assert overall.drop
    before, after = overall.in_both
    assert (before.value or 0) - (after.value or 0) == pytest.approx(overall.drop.value)
    assert before.n == after.n == overall.drop.n == 16
    assert overall.factual.n == 24
    assert "From 100.0% right to 75.0%" in sentence(report)
    assert "16 cases scored in both worlds" in sentence(report)
    [line] = finding_plot(report).lines
    assert {key: figure.value for key, figure in line.figures.items()} == {"factual": 1.0, "counterfactual": 0.75}
    assert line.note == "n = 16"
    [total] = [line for line in by_group(report.runs[0]).lines if line.total]
    factual, counterfactual, drop = total.cells[2:5]
    assert [cell.text for cell in (factual, counterfactual, drop)] == ["100.0", "75.0", "25.0"]
    assert all("n = 16" in cell.details for cell in (factual, counterfactual, drop))
    page = render(PageData(report))
    tiles = page[page.index('<dl class="tiles">') : page.index("</dl>")]
    assert tiles.count("n = 16") == 4  # factual, counterfactual, drop, both right
    assert "Accuracy over all answers: m0" in page


def test_an_unfinished_run_and_a_damaged_line_of_its_journal_are_named(tmp_path: Path) -> None:
    """A damaged line read "1 not asked yet"."""
    report = reported(tmp_path / "part", said(0, asked=20))
    assert lede_and_details(report)[0].endswith(" (unfinished).")
    assert "Unfinished: m0, 40 of 48 questions scored; 8 not asked yet." in sentence(report)
    assert report.runs[0].advice[0].startswith("8 questions not asked yet: the run is unfinished")
    made = run(tmp_path / "r", dataset(tmp_path / "d", CASES), said(12))
    journal = made / "replies.jsonl"
    journal.write_bytes(journal.read_bytes()[:-40])
    [each] = load([made], gallery=1).report.runs
    assert each.progress == (
        "47 of 48 questions scored; 1 without a reply; 1 line of replies.jsonl is damaged and cannot be read"
    )
    assert each.advice[0].startswith("1 line of replies.jsonl is damaged and cannot be read: run it again")


def test_runs_on_different_numbers_of_cases_say_both(tmp_path: Path) -> None:
    """A run with --limit 10 beside a complete one read "2 runs were tested on 24 cases"."""
    source = dataset(tmp_path / "d", CASES)
    limited, whole = (run(tmp_path / name, source, said(12), model=f"openai:{name}") for name in ("limited", "whole"))
    RunFolder.open(limited).observe({"sample": {"cases": 10, "seed": 0}})
    (limited / "replies.jsonl").write_bytes(b"")
    assert "Tested on 10 and 24 cases of d" in sentence(load([limited, whole], gallery=1).report)


def test_the_finding_states_the_imagination_gap(tmp_path: Path) -> None:
    source = dataset(tmp_path / "d", CASES)
    replies = [
        Reply(each.id, row, world, telling=telling, text=text)
        for row, each in Dataset.open(source).cases()
        for world, telling, text in (
            ("factual", "told", right(CASES, row)[0]),
            ("counterfactual", "told", "D" if row < 12 else right(CASES, row)[1]),
            ("counterfactual", "shown", right(CASES, row)[1]),
        )
    ]
    words = sentence(load([recorded(tmp_path / "r", source, replies, shown=True)], gallery=1).report)
    assert "Imagination gap, shown minus counterfactual: 50.0 points (" in words


def test_five_runs_with_long_names_give_one_sentence_with_short_numbered_names(tmp_path: Path) -> None:
    source = dataset(tmp_path / "d", CASES)
    names = [f"openai:a-family-of-models-with-{n}-billion-parameters-and-a-long-name" for n in range(5)]
    runs = [run(tmp_path / f"r{n}", source, said(8 + 3 * n), model=model) for n, model in enumerate(names)]
    report = load(runs, gallery=1).report
    lede, details = lede_and_details(report)
    assert lede.startswith("All 5 runs lose 33.3 to 83.3 points of accuracy under a change, #5 a-family")
    assert lede.endswith(" most.")
    assert len(lede) < 110
    assert details == "Tested on 24 cases of d, about the factual picture and about the picture under a change."
    rows = [line.name for line in finding_plot(report).lines]
    numbers = ["#1", "#2", "#3", "#4", "#5"]
    assert [row.partition(" ")[0] for row in rows] == numbers
    assert len(set(rows)) == 5
    assert [line.cells[0].text.partition(" ")[0] for line in overview(report).lines] == numbers  # with the whole name
    page = re.sub(r"<[^>]+>", "", render(PageData(report)))
    assert "#1 a-family-of-models-with-0-billion-parameters-and-a-long-name by group" in page
    assert "#" not in comma_separated(report)
    text = printed(report)
    assert all(f" {row} " in text for row in rows)  # shortened in the terminal too
    assert [run.label for run in scores_file(report).runs] == [name.removeprefix("openai:") for name in names]


def test_the_lead_of_many_runs_sorts_them(tmp_path: Path) -> None:
    report = reported(tmp_path, said(12), GAINING, said(0), RAMBLING, GUESSING, said(8))
    assert lede_and_details(report)[0] == (
        "2 of 6 runs lose 33.3 to 50.0 points of accuracy under a change, m0 most; "
        "1 of 6 runs gains 33.3 points of accuracy under a change, m1; m4 is no better than guessing; "
        "m2 shows no clear change; m3 has too many unread replies to tell."
    )


def test_no_run_is_said_to_lose_most_if_its_unread_replies_leave_that_open(tmp_path: Path) -> None:
    declining = {
        row: (fact, "I cannot tell." if row < 8 else "D" if row < 16 else then) for row, (fact, then) in said(0).items()
    }
    report = reported(tmp_path, declining, said(10), said(9), said(8))
    assert lede_and_details(report)[0] == "All 4 runs lose 33.3 to 66.7 points of accuracy under a change."


def test_no_run_is_said_to_lose_most_if_another_loses_as_much(tmp_path: Path) -> None:
    report = reported(tmp_path, said(10), said(10), said(8), said(9))
    assert lede_and_details(report)[0] == "All 4 runs lose 33.3 to 41.7 points of accuracy under a change."


@pytest.mark.parametrize("verb", ["report", "leaderboard"])
def test_a_damaged_run_is_left_out_with_the_reason_and_the_others_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    source, runs = dataset(tmp_path / "d", CASES), tmp_path / "runs"
    for number in range(3):
        run(runs / f"r{number}", source, said(12), model=f"openai:m{number}")
    torn, moved = runs / "r0/run.json", runs / "r1/run.json"
    moved.write_text(moved.read_text().replace("../../d", "../../elsewhere"))
    torn.write_text(torn.read_text()[:40])
    assert main([verb, str(runs), "-o", str(tmp_path / "out")]) == 1
    shown = capsys.readouterr()
    for folder, reason in ((runs / "r0", "is damaged"), (runs / "r1", "is not at")):
        words = rf"{re.escape(str(folder))} cannot be read and is left out: .* {reason}"
        assert re.search(words, shown.err)
        assert re.search(words, (tmp_path / f"out/{verb}.html").read_text())
    assert verb == "leaderboard" or "m2 loses 50.0 points" in shown.out
    (runs / "r2/run.json").write_text("")
    assert main([verb, str(runs), "-o", str(tmp_path / "out")]) == 2  # none can be read
    assert main([verb, str(runs / "r1"), str(tmp_path / "rum"), "-o", str(tmp_path / "out")]) == 2  # no run at all
