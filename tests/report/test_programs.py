"""Runs of models that write programs, and of the prompt that composes: what a report says of them."""

import csv
import io
from pathlib import Path

import msgspec
import pytest
from axe_playwright_python.sync_playwright import Axe
from making import dataset
from playwright.sync_api import Browser, expect

from countersight.case import Reply, ToolCall, Trace, World
from countersight.engine import COMPOSED, PROMPTS
from countersight.reports.data import Analysis
from countersight.reports.loaded_run import short_name
from countersight.reports.write import write_report

from .runs import recorded

SEES = 'def execute_command(image):\n    return len(ImagePatch(image).find("dot"))\n'
IMAGINES = 'def execute_command(image):\n    return len(ImagePatch(image).find("dot")) - 2\n'
CALL = ToolCall("find", "'dot'", "2 found", ((0, 0, 8, 4), (8, 8, 16, 16)))


def reply(row: int, world: World, program: str, *, text: str = "", failure: str = "", reason: str = "") -> Reply:
    return Reply(
        f"case-{row}",
        row,
        world,
        state="failed" if failure else "answered",
        text=text,
        reason=reason,
        trace=Trace(program, (CALL,), failure=failure),
    )


def programs_of_four(folder: Path) -> Path:
    """Four cases (right answers A B C D as they are, B under the change) and what their programs came to."""
    source = dataset(folder / "d", 4)
    unknown = {"failure": "tool failure", "reason": "tool failure: find: the detector does not know 'dot'"}
    replies = [
        reply(0, "factual", SEES, text="A"),
        reply(0, "counterfactual", IMAGINES, text="B"),
        reply(1, "factual", SEES, text="A"),
        reply(1, "counterfactual", SEES, text="A"),
        reply(2, "factual", "no program at all", failure="syntax error", reason="syntax error: line 1"),
        reply(2, "counterfactual", SEES, **unknown),
        reply(3, "factual", SEES, **unknown),
        reply(3, "factual", SEES, text="D"),  # asked again, and answered
        reply(3, "counterfactual", SEES, **unknown),
    ]
    return recorded(folder / "r", source, replies, model="viper:x")


def analysis(found: tuple[Analysis, ...], key: str) -> Analysis:
    [one] = [each for each in found if each.tables[0].key == key]
    return one


def test_what_became_of_programs_is_counted(tmp_path: Path) -> None:
    files = write_report([programs_of_four(tmp_path)], tmp_path / "out")
    found = analysis(files.data.analyses, "programs")
    [table] = found.tables
    assert table.head == ("run", "questions", "programs", "answered", "right, of all", "syntax error", "tool failure")
    assert [[cell.text for cell in line.cells[1:]] for line in table.lines] == [
        ["factual", "4", "75.0", "50.0", "25.0", "0.0"],
        ["counterfactual", "4", "50.0", "25.0", "0.0", "50.0"],
    ]
    assert "tool failure: find: the detector does not know 'dot' (2)" in table.note
    rows = list(csv.DictReader(io.StringIO(files.csv.read_text(encoding="utf-8"))))
    shares = {(row["group"], row["measure"]): (row["value"], row["n"]) for row in rows if row["table"] == "programs"}
    assert shares["factual", "syntax error"] == ("0.25", "4")
    assert "## Programs" in files.markdown.read_text(encoding="utf-8")


def test_a_run_without_programs_has_no_such_part(tmp_path: Path) -> None:
    source = dataset(tmp_path / "d", 4)
    files = write_report(
        [recorded(tmp_path / "r", source, [Reply("case-0", 0, "factual", text="A")])], tmp_path / "out"
    )
    assert not {"programs", "composed"} & {each.tables[0].key for each in files.data.analyses}


def test_what_was_composed_is_told_apart_from_what_was_asked(tmp_path: Path) -> None:
    source = dataset(tmp_path / "d", 6)
    factual = [Reply(f"case-{row}", row, "factual", text="ABCD"[row % 4]) for row in range(6)]
    composed = [Reply(f"case-{row}", row, "counterfactual", text="B", finish=COMPOSED) for row in range(3)]
    asked = [Reply(f"case-{row}", row, "counterfactual", text="A", finish="stop") for row in range(3, 6)]
    plain = [msgspec.structs.replace(each, text="A", finish="stop") for each in (*composed, *asked)]
    runs = [
        recorded(tmp_path / prompt, source, [*factual, *counterfactual], prompt=PROMPTS[prompt], model="m")
        for prompt, counterfactual in (
            ("compose", [*composed, *asked]),
            ("0-shot", plain),
            ("given-fact", plain),
        )
    ]
    files = write_report(runs, tmp_path / "out")
    found = analysis(files.data.analyses, "composed")
    [table] = found.tables
    [line] = table.lines
    assert [cell.text for cell in line.cells] == ["m, compose", "6", "50.0", "100.0", "0.0"]
    assert line.cells[3].details == ("29.2 to 100.0", "n = 3")
    found = analysis(files.data.analyses, "prompts")
    lines = found.tables[0].lines
    assert [line.cells[0].text for line in lines] == ["m, compose minus m, 0-shot", "m, given-fact minus m, 0-shot"]
    assert lines[0].cells[2].text == "50.0"


@pytest.mark.browser
def test_a_case_shows_its_program_its_calls_and_how_it_failed(browser: Browser, tmp_path: Path) -> None:
    files = write_report([programs_of_four(tmp_path)], tmp_path / "out")
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text))
    page.goto(files.html.as_uri() + "#cases?q=case-0")
    card = page.locator(".card").first
    opener = card.locator("details.program summary")
    expect(opener).to_have_text(["Program, 1 call", "Program, 1 call"])
    opener.first.click()
    program = card.locator("details.program").first
    expect(program.locator("pre")).to_have_text(SEES)
    expect(program.locator(".calls li")).to_have_text(["find('dot') → 2 found"])
    assert Axe().run(page).violations_count == 0
    page.locator("#search").fill("no program at all")
    expect(page.locator(".card")).to_have_count(1)
    expect(card.locator("details.program summary").first).to_have_text("Program, 1 call: syntax error")
    expect(card).to_contain_text("syntax error: line 1")
    assert troubles == []
    page.close()


@pytest.mark.parametrize(
    ("model", "short"),
    [
        ("openai:gpt-4o", "gpt-4o"),
        ("viper:openai:gpt-4o", "viper:gpt-4o"),
        ("hf:Qwen/Qwen2.5-VL-7B", "Qwen2.5-VL-7B"),
        ("viper:reference;vision=scene", "viper:reference;vision=scene"),
        ("visprog:endpoint:http://a/v1#qwen;vision=openai:gpt-4o", "visprog:qwen;vision=gpt-4o"),
    ],
)
def test_a_program_goes_by_who_writes_it_and_who_looks(model: str, short: str) -> None:
    assert short_name(model) == short
