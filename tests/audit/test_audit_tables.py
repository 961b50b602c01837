"""Comparison of several audits: EDCT's Tables 1 and 2, with the paper's rows marked as reported."""

import csv
import io

import msgspec
import pytest
from evidence import HOSTILE, KINDS, manifest, write_audit
from insider import rechained, with_verdict
from rich.console import Console

from countersight.audits.finishing import finish
from countersight.audits.manifest import Actor
from countersight.audits.page.compared_audits import load_audits
from countersight.audits.page.comparison import grids, print_audit_tables, write_audit_tables
from countersight.audits.page.conclusions import conclusions
from countersight.audits.step_log import LOG
from countersight.cli import main
from countersight.suites.reference import table


def sealed_audit(folder, kinds, **changes):
    write_audit(folder, kinds, **changes)
    finish(folder)
    return folder


@pytest.fixture(scope="module")
def audits(tmp_path_factory):
    base = tmp_path_factory.mktemp("audits")
    return [
        sealed_audit(base / "seer", ["consistent", "neither", "consistent", "bad edit"], model=Actor("seer")),
        sealed_audit(base / "seer-flux", ["consistent"] * 4, model=Actor("seer"), editor=Actor("flux:max")),
        sealed_audit(base / "guesser", ["neither", "neither", "answer-only", "neither"], model=Actor("guesser")),
    ]


def grid(audits, title):
    return next(each for each in grids(load_audits(audits)) if each.title.startswith(title))


def cells(line):
    return [cell.text for cell in line.cells]


def test_table_1_has_one_row_per_model_with_scores_and_intervals(audits):
    found = grid(audits, "Faithfulness")
    assert found.head == ("model", "scored tests", "cases", "pictures", "PCS", "NCC", "CCS")
    counted, everything, flux, guesser, *_ = found.lines
    assert cells(counted) == ["seer (seer)", "3", "3", "3", "0.667", "0.667", "0.667"]
    assert cells(everything)[:2] == ["seer (seer)", "4"]
    assert everything.cells[0].details == ("with excluded tests",)
    assert cells(flux)[4:] == ["1.000", "1.000", "1.000"]
    assert cells(guesser) == ["guesser", "4", "4", "4", "0.250", "0.000", "0.000"]
    assert all(" to " in cell.details[0] for cell in guesser.cells[4:])


def test_every_judge_has_its_own_row_with_the_audit_and_the_editor(audits):
    found = grid(audits, "By judge and editor, beside EDCT, Table 2")
    measured = {(cells(line)[0], *line.cells[0].details): cells(line)[-1] for line in found.lines if not line.reported}
    assert measured["openai:gpt-8, classical", "of seer (seer)"] == "0.667"
    assert measured["openai:gpt-8, flux:max", "of seer (seer-flux)"] == "1.000"
    assert measured["openai:gpt-9, classical", "of guesser"] == "0.000"
    assert [cells(line)[-1] for line in found.lines if line.reported] == [
        system.cells[0].text for system in table("edct-2").systems
    ]
    assert cells(found.lines[-1])[0] == "Qwen3-235B, Gemini 2.5 Flash Image (Nano Banana)"


def test_rows_of_the_paper_are_shown_below_and_marked_as_reported(audits):
    found = grid(audits, "Faithfulness of explanations, beside EDCT, Table 1")
    measured = [line for line in found.lines if not line.reported]
    reported = [line for line in found.lines if line.reported]
    assert found.lines == (*measured, *reported)
    assert all(line.cells[0].details == ("reported",) for line in reported)
    last = ["Gemini 2.5 Flash", "120", "–", "–", "0.712 ± 0.050", "0.743 ± 0.099", "0.674 ± 0.042"]
    assert cells(reported[-1]) == last
    assert "The measured audits used other questions than the paper" in found.note
    assert "this is not a ranking" in found.note
    assert "not measured here" in found.note


def test_the_ranking_says_which_audits_their_shared_cases_cannot_separate(tmp_path):
    folders = [
        sealed_audit(tmp_path / "good", ["consistent"] * 8, model=Actor("good")),
        sealed_audit(tmp_path / "poor", ["neither"] * 2, model=Actor("poor")),
    ]
    first, second = grid(folders, "Ranking").lines
    assert (cells(first)[:2], cells(second)[:2]) == (["1. good", "1.000"], ["1. poor", "0.000"])
    assert first.cells[0].details == ()
    shared, figures, separated = second.cells[0].details
    assert shared == "2 cases shared with good"
    assert figures.startswith("difference 1.000 (−0.")
    assert separated == "not significant"
    assert "“good” and “poor” do not differ significantly (difference 1.000 on 2 shared cases" in " ".join(
        conclusions(load_audits(folders))
    )


def test_audits_of_other_datasets_are_not_compared(audits, tmp_path):
    other = msgspec.structs.replace(manifest().dataset, fingerprint="0" * 32)
    apart = sealed_audit(tmp_path / "apart", ["consistent"], dataset=other)
    assert "have no case in common and cannot be compared" in " ".join(conclusions(load_audits([audits[2], apart])))


def test_every_format_has_the_figures_and_the_reported_rows(audits, tmp_path):
    files = write_audit_tables(audits, tmp_path / "out")
    for file in (files.html, files.markdown, files.latex):
        words = file.read_text()
        assert "0.674 ± 0.042" in words
        assert "reported" in words
        assert "guesser" in words
    assert '<ul class="conclusions"><li dir="auto">' in files.html.read_text()
    rows = list(csv.DictReader(io.StringIO(files.csv.read_text())))
    mine = next(row for row in rows if (row["table"], row["audit"], row["line"]) == ("scores", "guesser", "counted"))
    assert (mine["measure"], mine["value"], mine["tests"], mine["editor"]) == ("pcs", "0.25", "4", "classical")


def test_the_terminal_prints_the_tables(audits):
    file = io.StringIO()
    print_audit_tables(load_audits(audits), Console(file=file, width=120))
    told = file.getvalue()
    assert "3 audits: the Counterfactual Consistency Score (CCS) is 0.000 to 1.000." in told
    assert "Pixtral-12B reported" in told


def test_the_page_of_tables_makes_no_requests_and_escapes_hostile_names(tmp_path):
    folder = write_audit(tmp_path / "a", KINDS, model=Actor(HOSTILE), words=HOSTILE)
    files = write_audit_tables([folder], tmp_path / "out")
    words = files.html.read_text()
    assert "<img" not in words
    assert "default-src 'none'" in words.replace("&#39;", "'")
    assert "\x00" not in words
    assert "<script" not in words


def test_report_accepts_audits_and_prints_the_paths(audits, tmp_path, capsys):
    assert main(["report", *map(str, audits), "-o", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().out
    assert "beside EDCT, Table 2" in told
    assert str(tmp_path / "out" / "report.html") in told


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--reference", "cfmm-2"], "there is no reference table 'cfmm-2'"),
        (["--groups", "x.csv"], "work only with runs"),
        (["nowhere"], "is not; a report covers either runs or audits"),
    ],
)
def test_options_for_runs_are_refused_for_audits(audits, tmp_path, capsys, more, why):
    assert main(["report", str(audits[0]), *more, "-o", str(tmp_path / "out")]) == 2
    assert why in capsys.readouterr().err


def test_an_empty_audit_has_nothing_to_report(tmp_path, capsys):
    folder = write_audit(tmp_path / "a", [])
    assert main(["report", str(folder), "-o", str(tmp_path / "out")]) == 2
    assert "has nothing to report yet" in capsys.readouterr().err


def test_an_audit_with_another_judge_does_not_pass_its_place_on(tmp_path):
    folders = [
        sealed_audit(tmp_path / "faithful", ["consistent"] * 12, model=Actor("faithful")),
        sealed_audit(
            tmp_path / "judged", ["consistent"] * 9 + ["neither"] * 3, model=Actor("judged"), judges=(Actor("other"),)
        ),
        sealed_audit(tmp_path / "half", ["consistent"] * 6 + ["neither"] * 6, model=Actor("half")),
    ]
    lines = grid(folders, "Ranking").lines
    assert [cells(line)[0] for line in lines] == ["1. faithful", "1. judged", "2. half"]
    assert lines[2].cells[0].details[0] == "12 cases shared with faithful"
    assert "“faithful” is more faithful than “half”" in " ".join(conclusions(load_audits(folders)))


def test_audits_with_failed_steps_or_deviations_are_marked(audits):
    found = load_audits(audits[:1]).audits[0]
    failed = msgspec.structs.replace(found, scores=msgspec.structs.replace(found.scores, failed=4))
    assert failed.title.endswith(" – 4 failed steps")
    assert msgspec.structs.replace(failed, deviates=True).title.endswith(" – 4 failed steps, deviates from its plan")


def test_several_models_that_are_less_faithful_are_listed_in_one_sentence(tmp_path):
    better = {
        name: ["consistent"] * n + ["neither"] * (16 - n) for name, n in (("a", 16), ("b", 14), ("c", 5), ("d", 1))
    }
    folders = [sealed_audit(tmp_path / name, kinds, model=Actor(name)) for name, kinds in better.items()]
    assert conclusions(load_audits(folders)) == [
        "“a” is more faithful than “c” and “d”.",
        "“b” is more faithful than “c” and “d”.",
        "2 pairs of audits do not differ significantly.",
    ]


def test_audits_that_cannot_be_separated_share_a_place(audits, tmp_path):
    judge = (Actor("another judge"),)
    other = sealed_audit(tmp_path / "judged", ["neither"] * 4, model=Actor("elsewhere"), judges=judge)
    tables = load_audits([*audits, other])
    ranking = next(iter(grids(tables)))
    assert {line.cells[0].text[:3] for line in ranking.lines} == {"1. "}
    assert conclusions(tables) == [
        "3 pairs of audits do not differ significantly.",
        "3 pairs of audits had different judges and cannot be compared.",
    ]


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda folder: (folder / "bundle.json").unlink(), "missing: bundle.json"),
        (lambda folder: (folder / "verdict.json").write_text(""), "altered: verdict.json"),
        (lambda folder: forged(folder), "broken: steps.jsonl"),
    ],
)
def test_audits_that_do_not_verify_are_named_and_not_ranked(audits, tmp_path, spoil, why):
    folder = sealed_audit(tmp_path / "forger", ["neither"] * 4, model=Actor("forger"))
    spoil(folder)
    tables = load_audits([*audits, folder])
    ranking, scores, *_ = grids(tables)
    assert "forger" not in str(ranking.lines)
    assert "forger – not verified" in str(scores.lines)
    assert f"“forger” is not ranked, because it could not be verified: {why}" in " ".join(conclusions(tables))


def forged(folder):
    """Make every verdict a 1 and seal again."""
    rechained(folder / LOG, lambda step: with_verdict(step, pcs=1, ncc=1))
    finish(folder)
