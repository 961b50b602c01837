"""The first sentence of a report: who loses what, and whether there is anything to believe."""

from pathlib import Path

import pytest
from making import case, dataset

from countersight.case import Reply
from countersight.dataset import Dataset
from countersight.pages import interval
from countersight.report import ReportData, load
from countersight.report.finding import sentence
from countersight.runs import RunFolder

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


def test_it_names_who_loses_what_beside_what_guessing_gives(tmp_path: Path) -> None:
    report = reported(tmp_path, said(12))
    words, drop = sentence(report), report.runs[0].overall.drop
    assert drop
    assert "it loses 50.0 points when something is supposed to be otherwise (factual 100.0% right, counter" in words
    assert f"where guessing gives 25.0%; 95% interval {interval(drop)}; 24 cases; p < 0.001)" in words
    assert 0.2 < drop.low < 0.5 < drop.high < 0.8


def test_what_may_be_luck_is_no_drop_and_every_two_runs_are_compared_with_holm(tmp_path: Path) -> None:
    report = reported(tmp_path, said(12), said(2), said(0))
    words = sentence(report)
    assert "m0 loses 50.0 points" in words
    assert "no clear drop for m1 (8.3; " in words
    assert " and m2 (0.0; " in words
    assert [(pair.first, pair.second) for pair in report.comparisons] == [("m0", "m1"), ("m0", "m2"), ("m1", "m2")]
    for pair in report.comparisons:
        for group in pair.groups:
            figure = group.counterfactual
            assert figure
            assert figure.p is not None
            assert (figure.low <= 0 <= figure.high) == (figure.p >= 0.05)
            assert figure.confidence is None or figure.confidence > 0.95


def test_the_share_that_was_not_read_stands_right_after_the_finding(tmp_path: Path) -> None:
    words = sentence(reported(tmp_path, said(12) | {23: ("Hm.", "Hm.")}))
    assert words.startswith("m0 was asked 24 cases")
    assert words.endswith("p < 0.001). Unread, cut off or empty: 4.2% of the replies.")


def test_an_unfinished_run_says_so_first(tmp_path: Path) -> None:
    report = reported(tmp_path, said(0, asked=10))
    assert sentence(report).startswith("Unfinished: m0, 20 of 48 questions scored; 28 not asked yet. m0 is asked")
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
    assert f"48 {fate}" in words
    assert "there is no finding" in words
    assert "loses" not in words
    [told] = report.runs[0].advice
    if fate == "unread":
        assert "could not be read" in told
    else:
        assert f"--again {fate} --max-tokens 1024 -o '{folder}'" in told


def test_a_world_of_which_nothing_could_be_read_is_no_loss(tmp_path: Path) -> None:
    unread = {row: (right(CASES, row)[0], "It depends on the weather.") for row in range(24)}
    report = reported(tmp_path, unread, said(0))
    words = sentence(report)
    assert words.startswith("2 runs were asked 24 cases of d, ")  # what was found stands first
    assert words.endswith("p = 1.000). No finding: m0, 24 of 48 questions scored; 24 unread.")
    assert "m0 loses" not in words
    [told] = report.runs[0].advice
    assert told.startswith("24 answers could not be read and are left out, for nothing of their world was read")
    assert report.runs[0].overall.drop is None
    [pair] = report.comparisons
    assert pair.groups[-1].counterfactual is None
    assert pair.groups[-1].factual is not None
    alone = sentence(load([tmp_path / "r0"], gallery=1).report)
    assert "nothing that can be scored was answered in one of the two worlds, so there is no finding." in alone
