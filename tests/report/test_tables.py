import csv
import io
import re

import msgspec
import pytest
from rich.console import Console

from countersight.figures import Figure
from countersight.html.formatting import clean, name
from countersight.reports import print_tables
from countersight.reports.data import ReportData, RunScores
from countersight.reports.formats import comma_separated, latex, markdown
from countersight.scoring import ComparedRuns, Comparison, Difference, GroupScores, LetterShare
from countersight.scoring.intervals import EffectiveCounts

from .specimen import HOSTILE


def difference(value: float, low: float, high: float, n: int, p: float) -> Difference:
    return Difference(value=value, low=low, high=high, n=n, p=p, effective=EffectiveCounts(0, 0, n))


def small() -> ReportData:
    """Two groups of ten, worked out by hand."""
    group = GroupScores(
        group="dots",
        n=10,
        questions=30,
        factual=Figure(0.8, 0.49, 0.943, 10, right=8),
        counterfactual=Figure(0.5, 0.237, 0.763, 10, right=5),
        drop=difference(0.3, 0.0, 0.6, 10, 0.25),
        both_right=Figure(0.5, 0.237, 0.763, 10, right=5),
        shown=Figure(0.75, 0.409, 0.929, 8, right=6),
        imagination_gap=difference(0.25, -0.125, 0.625, 8, 0.5),
        fell_back=None,
        chance={},
        unread=1,
        cut=0,
        empty=0,
        failed=2,
        missing=3,
    )
    nothing = Figure(None, 0.0, 1.0, 0, right=0)
    absent = dict.fromkeys(("drop", "shown", "imagination_gap"))
    shares = dict.fromkeys(("factual", "counterfactual", "both_right"), nothing)
    none = msgspec.structs.replace(
        group, group="never answered", n=0, **absent, **shares, unread=0, failed=0, missing=4
    )
    overall = msgspec.structs.replace(group, group="all", missing=7)
    run = RunScores(
        label="a|b",
        model="m_1",
        prompt="0-shot",
        started="2026-11-15",
        version="0.1.0",
        rows=(group, none, overall),
        letters=(LetterShare("factual", "A", 6, 5, 10), LetterShare("factual", "B", 3, 5, 10)),
    )
    return ReportData(
        dataset="flowers",
        fingerprint="abc123",
        cases=14,
        runs=(run,),
        seed=5,
        confidence=0.95,
        version="0.1.0",
    )


def two_runs() -> ReportData:
    report = small()
    other = msgspec.structs.replace(report.runs[0], label="other")
    factual, both = difference(0.1, -0.2, 0.4, 10, 0.6875), difference(-0.1, -0.3, 0.1, 9, 1.0)
    compared = Comparison("all", 10, factual, None, both, None)
    return msgspec.structs.replace(
        report, runs=(report.runs[0], other), comparisons=(ComparedRuns("a|b", "other", (compared,)),)
    )


def test_markdown_holds_every_figure_with_its_interval_and_p() -> None:
    text = markdown(small())
    assert (
        "| dots | 10 | 80.0 (49.0 to 94.3) | 50.0 (23.7 to 76.3) | 30.0 (0.0 to 60.0; p = 0.250) "
        "| 50.0 (23.7 to 76.3) | 75.0 (40.9 to 92.9; n = 8) | 25.0 (−12.5 to 62.5; p = 0.500; n = 8; too few cases) "
        "| 1 (4.0%) | 2 | 3 |\n" in text
    )
    assert "| never answered | 0 | – | – | – | – | – | – | 0 | 0 | 4 |\n" in text
    assert "| **all** | 10 |" in text
    assert "| A | 60.0 | 50.0 |\n| B | 30.0 | 50.0 |" in text  # letters, as shares of the questions with options
    for word in ("abc123", "seed 5", "Clopper", "McNemar", r"m\_1", "0-shot", "Countersight 0.1.0"):
        assert word in text


def test_markdown_keeps_hostile_names_in_their_cell() -> None:
    report = small()
    run = msgspec.structs.replace(report.runs[0], label="x\n|y <script> `a` *b* [c](d)\\")
    text = markdown(msgspec.structs.replace(report, runs=(run,)))
    assert "## x \\|y &lt;script&gt; \\`a\\` \\*b\\* \\[c\\](d)\\\\\n" in text
    widths = {len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines() if line.startswith("| dots")}
    assert widths == {12}


def test_a_comparison_of_runs_is_a_table_of_paired_differences() -> None:
    text = markdown(two_runs())
    assert "## a\\|b minus other" in text
    assert text.index("## All runs, all cases") < text.index("## a\\|b\n")
    compared = "10.0 (−20.0 to 40.0; p = 0.688; n = 10) | −10.0 (−30.0 to 10.0; p = 1.000; n = 9; too few cases)"
    assert f"| **all** | {compared} |\n" in text


def test_latex_is_booktabs_with_a_rule_before_the_total() -> None:
    text = latex(small())
    assert r"\toprule" in text
    assert r"\bottomrule" in text
    assert (
        r"    dots & 10 & 80.0 {\scriptsize(49.0 to 94.3)} & 50.0 {\scriptsize(23.7 to 76.3)} "
        r"& 30.0 {\scriptsize(0.0 to 60.0; p = 0.250)}" in text
    )
    assert "\\midrule\n    all &" in text
    assert r"{\scriptsize($-$12.5 to 62.5;" in text


def test_latex_escapes_hostile_names() -> None:
    report = small()
    groups = (msgspec.structs.replace(report.runs[0].rows[0], group=r"[1] \input{x} 50% & $a_b^c$ ~#--"),)
    run = msgspec.structs.replace(report.runs[0], rows=groups)
    text = latex(msgspec.structs.replace(report, runs=(run,)))
    assert (
        r"    {[}1{]} \textbackslash{}input\{x\} 50\% \& \$a\_b\textasciicircum{}c\$ \textasciitilde{}\#{-}{-} & 10"
        in text
    )
    hostile = latex(msgspec.structs.replace(report, dataset="x\n\\input{evil}"))
    comments = [line for line in hostile.splitlines() if "\\input{evil}" in line]
    assert comments
    assert all(line.startswith("%") for line in comments)


def test_csv_has_a_row_for_every_figure_with_its_origin() -> None:
    rows = list(csv.DictReader(io.StringIO(comma_separated(two_runs()))))
    drop = next(row for row in rows if (row["run"], row["group"], row["measure"]) == ("a|b", "dots", "drop"))
    assert (drop["value"], drop["low"], drop["high"], drop["p"], drop["n"]) == ("0.3", "0.0", "0.6", "0.25", "10")
    assert (drop["seed"], drop["fingerprint"], drop["model"], drop["prompt"]) == ("5", "abc123", "m_1", "0-shot")
    assert drop["method"] == "Tango score; McNemar exact"
    compared = [row for row in rows if row["table"] == "comparison"]
    assert [(row["measure"], row["value"], row["minus_run"]) for row in compared] == [
        ("factual", "0.1", "other"),
        ("both_right", "-0.1", "other"),
    ]
    missing = next(row for row in rows if (row["group"], row["measure"]) == ("never answered", "missing"))
    assert missing["value"] == "4"


def test_csv_rounds_no_end_of_an_interval_to_zero() -> None:
    """What the test is sure of lies outside the interval: a program that reads the table asks just that."""
    report = two_runs()
    compared = Comparison("all", 10, difference(0.001, 1e-9, 0.002, 10, 0.04), None, None, None)
    report = msgspec.structs.replace(report, comparisons=(ComparedRuns("a|b", "other", (compared,)),))
    [row] = [row for row in csv.DictReader(io.StringIO(comma_separated(report))) if row["table"] == "comparison"]
    assert (float(row["low"]), row["p"]) == (1e-9, "0.04")


@pytest.mark.parametrize("start", ["=1+1", "+1", "-1", "@sum", "\t=1", "\r\n=cmd"])
def test_csv_text_is_never_a_formula_and_numbers_stay_numbers(start: str) -> None:
    report = two_runs()
    report = msgspec.structs.replace(report, dataset=start)
    rows = list(csv.DictReader(io.StringIO(comma_separated(report))))
    assert {row["dataset"][0] for row in rows} == {"'"}
    assert "-0.1" in {row["value"] for row in rows}


def test_the_terminal_shows_the_same_figures() -> None:
    console = Console(file=io.StringIO(), width=140, record=True)
    print_tables(two_runs(), console)
    text = console.export_text()
    for word in (
        "dots",
        "80.0",
        "49.0…94.3",
        "p=0.250",
        "unread",
        "a|b minus other",
        "abc123",
        "missing",
    ):
        assert word in text


def test_hostile_names_cannot_steer_the_terminal() -> None:
    report = small()
    run = msgspec.structs.replace(report.runs[0], label="[red]x[/red]\x1b[2J" + HOSTILE, model=HOSTILE)
    console = Console(file=io.StringIO(), width=140)
    print_tables(msgspec.structs.replace(report, runs=(run,)), console)
    written = console.file.getvalue()  # type: ignore[attr-defined]
    assert "[red]x[/red]" in written
    assert not set("\x1b\x00\u202e\u2066") & set(written)


def test_a_name_is_clean_one_line_and_text_keeps_its_lines_and_scripts() -> None:
    assert name("a\n b\x00\u202ec\ud800") == "a b␀\ufffdc\ufffd"
    assert clean("שלום\r\n\tשורה\x07") == "שלום\n\tשורה␇"
