"""The finding of a report: which runs lose accuracy, and how sure that is."""

import csv
import io
import re
from pathlib import Path

import pytest
from making import case, dataset
from rich.console import Console

from countersight.case import Reply
from countersight.dataset import Dataset
from countersight.engine import PROMPTS, RunFolder
from countersight.figures import Bounds
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

from .runs import right, run

CASES = [case(number) for number in range(24)]


def reported(tmp_path: Path, *runs: dict[int, tuple[str | None, str | None]]) -> ReportData:
    source = dataset(tmp_path / "d", CASES)
    made = [run(tmp_path / f"r{n}", source, said, model=f"openai:m{n}") for n, said in enumerate(runs)]
    return load(made, gallery=1).report


def said(wrong_under_change: int, asked: int = 24) -> dict[int, tuple[str | None, str | None]]:
    answers: dict[int, tuple[str | None, str | None]] = {}
    for row in range(asked):
        factual, counterfactual = right(CASES, row)
        answers[row] = (factual, "D" if row < wrong_under_change else counterfactual)
    return answers


def test_the_finding_states_the_drop_and_what_guessing_gives(tmp_path: Path) -> None:
    report = reported(tmp_path, said(12))
    words, drop = sentence(report), report.runs[0].overall.drop
    assert drop
    assert "over all answers" not in markdown(report)  # every case is answered
    assert "it loses 50.0 points under a change (from 100.0% right to 50.0%; random" in words
    assert f"random guessing gives 25.0%; 95% interval {interval(drop)}; 24 cases; p < 0.001)" in words
    assert 0.2 < drop.low < 0.5 < drop.high < 0.8


def test_an_unclear_drop_is_called_so_and_pairs_of_runs_are_corrected_by_holm(tmp_path: Path) -> None:
    report = reported(tmp_path, said(12), said(2), said(0))
    words = sentence(report)
    assert "m0 loses 50.0 points" in words
    assert (
        "no clear change for m1 (8.3 points, from 100.0% right to 91.7%; random guessing gives 25.0%; "
        "95% interval −10.0 to 28.5; 24 cases) and m2 (0.0 points, from 100.0% right to 100.0%; "
    ) in words
    assert [(pair.first, pair.second) for pair in report.comparisons] == [("m0", "m1"), ("m0", "m2"), ("m1", "m2")]
    for pair in report.comparisons:
        for group in pair.rows:
            figure = group.counterfactual
            assert figure
            assert figure.p is not None
            assert (figure.low <= 0 <= figure.high) == (figure.p >= 0.05)
            assert figure.confidence >= 0.95


def test_the_unread_share_follows_the_finding(tmp_path: Path) -> None:
    report = reported(tmp_path, said(12) | {23: ("Hm.", "Hm.")})
    words = sentence(report)
    assert words.startswith("m0 was tested on 24 cases")
    assert words.endswith(
        "p < 0.001; 45.8 to 54.2 depending on how unread replies are counted). Unread, cut off or empty: 4.2% of the "
        "replies."
    )
    page = render(PageData(report))
    assert '<p class="caution" dir="auto">Unread, cut off or empty: 4.2% of the replies.</p>' in page
    assert page.index('class="lede"') < page.index('class="caution"')


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
    plot = group_plot(report.runs[0].groups, report.terms)
    assert "group 1: factual 100.0% (73.5 to 100.0)" in [line.words for line in plot.lines]
    assert not any(group.counterfactual for group in report.comparisons[0].rows[1:2])
    board = write_leaderboard(runs, tmp_path / "board")
    [_, row] = [row for row in csv.DictReader(board.csv.open()) if row["line"] == "group 1"]
    assert [row[key] for key in ("tier", "factual_n", "counterfactual", "counterfactual_n")] == ["", "12", "", ""]


def test_a_drop_that_unread_replies_could_undo_is_not_called_one(tmp_path: Path) -> None:
    answers = said(0)
    rambling = {row: (told, "Hm." if row < 12 else then) for row, (told, then) in answers.items()}
    report = reported(tmp_path, rambling)
    drop = report.runs[0].overall.drop
    assert drop
    assert (drop.value, drop.bounds) == (0.5, Bounds(0.0, 0.5))
    assert drop.low > 0
    assert "it may lose 50.0 points under a change (from 100.0% right" in sentence(report)
    assert "0.0 to 50.0 depending on how unread replies are counted" in sentence(report)


def test_the_drop_of_a_guessing_model_is_called_meaningless(tmp_path: Path) -> None:
    guessing: dict[int, tuple[str | None, str | None]] = dict.fromkeys(range(24), ("A", "A"))
    words = "cannot be distinguished from random guessing on the factual questions, so the drop means nothing."
    assert f"It {words}" in sentence(reported(tmp_path / "one", guessing))
    several = sentence(reported(tmp_path / "two", guessing, said(12)))
    assert f"m0 {words}" in several
    assert "m1 cannot" not in several
    unclear: dict[int, tuple[str | None, str | None]] = {
        row: ("A", "D" if row % 4 else then) for row, (_, then) in said(0).items()
    }
    words = sentence(reported(tmp_path / "unclear", unclear, said(12)))
    assert "no better than guessing: m0 (0.0 points, from 25.0% right to 25.0%; random guessing" in words
    few = {row: ("A", "A") if row % 2 else told for row, told in said(0, asked=10).items()}
    assert "It cannot be distinguished from random guessing" in sentence(reported(tmp_path / "few", few))


def test_an_unfinished_run_says_so_first(tmp_path: Path) -> None:
    report = reported(tmp_path, said(0, asked=10))
    assert sentence(report).startswith("Unfinished: m0, 20 of 48 questions scored; 28 not asked yet. m0 is tested on")
    assert report.runs[0].advice[0].startswith("28 questions not asked yet: the run is unfinished")


@pytest.mark.parametrize(
    ("text", "finish", "fate"), [("Let me look", "length", "cut"), ("", "stop", "empty"), ("Hm.", "stop", "unread")]
)
def test_replies_that_are_all_cut_empty_or_unread_are_no_finding(
    tmp_path: Path, text: str, finish: str, fate: str
) -> None:
    source = dataset(tmp_path / "d 1", CASES)
    folder = run(tmp_path / "r 1", source, {})
    with RunFolder.open(folder).writing() as journal:
        for row, each in Dataset.open(source).cases():
            for world in ("factual", "counterfactual"):
                journal.append(Reply(each.id, row, world, text=text, finish=finish))
    report = load([folder], gallery=1).report
    words = sentence(report)
    assert words.startswith("No finding: gpt-4o, ")
    assert ("in the replies to 48 of 48 questions" if fate == "unread" else f"48 {fate}") in words
    assert "loses" not in words
    console = Console(width=300, record=True, file=io.StringIO())
    print_tables(report, console)
    assert "Finding: " not in console.export_text()
    [told] = report.runs[0].advice
    if fate == "unread":
        assert "no answer could be read, so every accuracy may be from 0 to 100%; --again unread asks" in words
        assert "no answer could be scored" not in words
        assert by_group(report.runs[0]).lines[2].cells[2].details == ("0 of 24 read", "unread: 0.0 to 100.0")
        assert "without a readable answer" in told
    else:
        assert "no answer could be scored." in words
        assert f"--again {fate} --max-tokens 1024 -o '{folder}'" in told


def test_a_world_without_read_replies_is_not_a_drop(tmp_path: Path) -> None:
    unread = {row: (right(CASES, row)[0], "It depends on the weather.") for row in range(24)}
    report = reported(tmp_path, unread, said(0))
    words = sentence(report)
    assert words.startswith("2 runs were tested on 24 cases of d, ")  # what was found stands first
    assert words.endswith("; 24 cases). No finding: m0, 48 of 48 questions scored (24 of them unread).")
    assert "m0 loses" not in words
    [told] = report.runs[0].advice
    assert told.startswith("24 questions without a readable answer, counted as not right (the model declined, or")
    assert report.runs[0].overall.drop is None
    [pair] = report.comparisons
    assert pair.rows[-1].counterfactual is None
    assert pair.rows[-1].factual is not None
    alone = sentence(load([tmp_path / "r0"], gallery=1).report)
    assert "no answer could be read in one of the two worlds." in alone


def test_runs_with_different_unread_rates_are_compared_with_a_warning(tmp_path: Path) -> None:
    vague = {
        row: ("It depends on the weather.", told) if row < 6 else (fact, told) for row, (fact, told) in said(0).items()
    }
    report = reported(tmp_path, vague, said(0))
    [warning] = [told for told in sentences(report) if "differ between the runs" in told.words]
    assert warning.kind == "caution"
    assert "12.5% of m0, 0.0% of m1" in warning.words
    tables = markdown(report)
    assert "unread: 75.0 to 100.0)" in tables
    figures = comma_separated(report)
    assert "scores,m0,,all,unread_rate,0.125,,,,,48,share" in figures
    assert "scores,m0,,all,factual_if_unread_right,1.0,,,,,24,bound" in figures
    assert not any("differ between" in told.words for told in sentences(reported(tmp_path / "alike", said(0), said(0))))


def test_the_accuracies_of_the_finding_subtract_to_the_drop_if_replies_are_missing(tmp_path: Path) -> None:
    """With failures it said "loses 34.0 points (factual 88.9 %, counterfactual 58.2 %)", which is 30.7."""
    answers = said(12)
    for row in range(8):
        answers[row] = (answers[row][0], None)
    report = reported(tmp_path, answers)
    overall = report.runs[0].overall
    assert overall.in_both
    assert overall.drop
    assert overall.factual
    before, after = overall.in_both
    assert before.value is not None
    assert after.value is not None
    assert before.value - after.value == pytest.approx(overall.drop.value)
    assert before.n == after.n == overall.drop.n == 16
    assert overall.factual.n == 24
    assert "from 100.0% right to 75.0%" in sentence(report)
    assert " 25.0 points" in sentence(report)
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


def test_a_damaged_line_of_the_journal_is_named(tmp_path: Path) -> None:
    """It read "1 not asked yet"."""
    source = dataset(tmp_path / "d", CASES)
    made = run(tmp_path / "r", source, said(12))
    journal = made / "replies.jsonl"
    journal.write_bytes(journal.read_bytes()[:-40])
    [each] = load([made], gallery=1).report.runs
    assert each.progress == (
        "47 of 48 questions scored; 1 without a reply; 1 line of replies.jsonl is damaged and cannot be read"
    )
    assert each.advice[0].startswith("1 line of replies.jsonl is damaged and cannot be read: run it again")


def _words(page: str) -> str:
    """The text of a page without its tags."""
    return re.sub(r"<[^>]+>", "", page)


def test_runs_on_different_numbers_of_cases_say_both(tmp_path: Path) -> None:
    """A run with --limit 10 beside a complete one read "2 runs were tested on 24 cases"."""
    source = dataset(tmp_path / "d", CASES)
    limited, whole = (run(tmp_path / name, source, said(12), model=f"openai:{name}") for name in ("limited", "whole"))
    RunFolder.open(limited).observe({"sample": {"cases": 10, "seed": 0}})
    (limited / "replies.jsonl").write_bytes(b"")
    assert "2 runs are tested on 10 and 24 cases of d" in sentence(load([limited, whole], gallery=1).report)


def test_the_finding_states_the_imagination_gap(tmp_path: Path) -> None:
    source = dataset(tmp_path / "d", CASES)
    folder = RunFolder.begin(
        tmp_path / "r",
        dataset=Dataset.open(source),
        model="openai:m",
        settings={},
        prompt=PROMPTS["0-shot"],
        shown=True,
    )
    with folder.writing() as journal:
        for row, each in Dataset.open(source).cases():
            for world, telling, text in (
                ("factual", "told", right(CASES, row)[0]),
                ("counterfactual", "told", "D" if row < 12 else right(CASES, row)[1]),
                ("counterfactual", "shown", right(CASES, row)[1]),
            ):
                journal.append(Reply(each.id, row, world, telling=telling, text=text))
    words = sentence(load([tmp_path / "r"], gallery=1).report)
    assert "Imagination gap, shown minus counterfactual: 50.0 points (" in words


def test_too_few_cases_say_so(tmp_path: Path) -> None:
    """Three cases with a drop of 100 points are too few for a conclusion."""
    words = sentence(reported(tmp_path, said(3, asked=3)))
    assert "it loses 100.0 points (from 100.0% right to 0.0%" in words
    assert "with too few cases for a conclusion." in words
    assert "no clear" not in words


def test_five_runs_with_long_names_give_one_sentence_with_short_numbered_names(tmp_path: Path) -> None:
    source = dataset(tmp_path / "d", CASES)
    names = [f"openai:a-family-of-models-with-{n}-billion-parameters-and-a-long-name" for n in range(5)]
    runs = [run(tmp_path / f"r{n}", source, said(8 + 3 * n), model=model) for n, model in enumerate(names)]
    report = load(runs, gallery=1).report
    [lede] = [each.words for each in sentences(report) if each.kind == "lede"]
    assert lede.startswith("On 24 cases of d, all 5 runs lose accuracy under a change: most #")
    assert lede.count(". ") == 0
    assert len(lede) < 240
    assert not any(name.removeprefix("openai:") in lede for name in names)
    rows = [line.name for line in finding_plot(report).lines]
    numbers = ["#1", "#2", "#3", "#4", "#5"]
    assert [row.partition(" ")[0] for row in rows] == numbers
    assert len(set(rows)) == 5
    assert [line.cells[0].text.partition(" ")[0] for line in overview(report).lines] == numbers  # with the whole name
    assert "#1 a-family-of-models-with-0-billion-parameters-and-a-long-name by group" in _words(
        render(PageData(report))
    )
    assert "#" not in comma_separated(report)
    console = Console(width=300, record=True, file=io.StringIO())
    print_tables(report, console)
    assert all(f" {row} " in console.export_text(clear=False) for row in rows)  # shortened in the terminal too
    assert [run.label for run in scores_file(report).runs] == [name.removeprefix("openai:") for name in names]
    wrong = (20, 16, 12, 1, 0)
    unclear = [run(tmp_path / f"u{n}", source, said(lost), model=names[n]) for n, lost in enumerate(wrong)]
    assert "no clear change for #4 and #5" in sentence(load(unclear, gallery=1).report)
    rambling = {row: (told, "Hm." if row < 12 else then) for row, (told, then) in said(0).items()}
    guessing: dict[int, tuple[str | None, str | None]] = {
        row: ("A", "D" if row % 4 else then) for row, (_, then) in said(0).items()
    }
    kinds = reported(tmp_path / "kinds", said(12), said(12), said(1), rambling, guessing)
    words = sentence(kinds)
    for clause in (
        "too many replies are unread to tell for m3",
        "no clear change for m2",
        "no better than guessing: m4",
    ):
        assert clause in words


def test_the_finding_of_many_runs_stands_first_and_says_how_many_are_unfinished(tmp_path: Path) -> None:
    """Two unfinished runs of five filled the first screen of a phone before the finding."""
    report = reported(tmp_path, said(12), said(12), said(12), said(12, asked=20), said(12, asked=20))
    words = [each.words for each in sentences(report)]
    assert words[0].startswith("On 24 cases of d (2 incomplete runs), all 5 runs lose accuracy under a change: most m")
    assert words[1].startswith("Unfinished: m3, 40 of 48 questions scored; 8 not asked yet")


def test_of_many_runs_those_that_lose_and_those_that_gain_are_named_apart(tmp_path: Path) -> None:
    gaining = {row: ("D" if row < 10 else fact, then) for row, (fact, then) in said(0).items()}
    words = sentence(reported(tmp_path, said(12), gaining, said(0), said(0), said(0)))
    assert "1 of 5 runs loses accuracy under a change: m0 (50.0 points, from 100.0% right to 50.0%); " in words
    assert "1 of 5 runs gains accuracy under a change: m1 (33.3 points, from 66.7% right to 100.0%); " in words


def test_a_drop_of_zero_over_few_cases_is_no_loss(tmp_path: Path) -> None:
    few = {row: told for row, told in said(0).items() if row < 4}
    words = sentence(reported(tmp_path, few))
    assert "it shows no change in accuracy (from 100.0% right to 100.0%" in words
    assert "loses" not in words
