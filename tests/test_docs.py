"""The code blocks of the README and of docs/ run, page by page; a block that cannot run says why in the page's source.

Notes stand in a comment on the line before a block:

    <!-- not run: REASON -->   the block is not run; `pytest -ra` lists it with its reason
    <!-- file: NAME -->        the block is the text of a file that later blocks use

Every `--size` is at most 12 here, `http://127.0.0.1:8000` is a scripted server, and so is OpenAI.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from authoring.pairing import write_vqa
from chat_server import ChatServer
from killable import free_port
from making import picture
from promises.inputs import write_scene_graphs

import countersight as cs
from countersight.cli.parsing import build_parser

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PARSER, VERBS = build_parser()
FENCE = re.compile(r"^(?:<!-- (?P<note>.*?) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(
    rf"(?:^countersight |`countersight |`(?=(?:{'|'.join(VERBS.choices)}) ))((?:[^\s`']|'[^']*'|\\\n| )+)", re.M
)
SERVER = re.compile(r"^countersight (?:view|collect (?:serve|demo))\b(?!.*--check).*$", re.MULTILINE)
PLACE = "http://127.0.0.1:8000"


class Block(NamedTuple):
    page: Path
    line: int
    note: str
    language: str
    text: str

    @property
    def reason(self) -> str:
        """Why it is not run."""
        return self.note.removeprefix("not run: ") if self.note.startswith("not run: ") else ""


def blocks(page: Path) -> Iterator[Block]:
    source = page.read_text(encoding="utf-8")
    for found in FENCE.finditer(source):
        line = source.count("\n", 0, found.start("language")) + 1
        yield Block(page, line, found["note"] or "", found["language"], found["text"])


def named(block: Block) -> str:
    return f"{block.page.name}:{block.line}"


BLOCKS = [block for page in PAGES for block in blocks(page)]
RUNNABLE = {"bash", "python"}
CODE = [block for block in BLOCKS if block.language in RUNNABLE]
RUN = sorted({block.page for block in CODE if not block.reason})


def flowers(folder: Path) -> None:
    cs.make("cvqa-synthetic", folder / "flowers", size=12, seed=7, workers=1)


def runs(folder: Path) -> None:
    flowers(folder)
    for model in ("embedded", "chance"):
        cs.run(folder / "flowers", model, out=folder / "runs" / model)


def audits(folder: Path) -> None:
    flowers(folder)
    cs.audit(folder / "flowers", "embedded", extractor="rules", editor="exact", judges=["exact"], cases=3,
             out=folder / "audits/embedded")  # fmt: skip


def photographs(folder: Path, *names: str) -> None:
    folder.mkdir()
    for number, name in enumerate(names):
        kind = "JPEG" if name.endswith(".jpg") else "PNG"
        (folder / name).write_bytes(picture((20 * number, 90, 120), 64, kind))


def own_table(folder: Path) -> None:
    photographs(folder / "photos", "kitchen.png", "street.png")


def scene_graphs(folder: Path) -> None:
    write_scene_graphs(folder / "scene_graphs.json")


def questions(folder: Path, pictures: str = "photos") -> None:
    nouns = ("dogs", "cats", "cups", "plates", "books", "chairs", "horses", "birds", "cars", "boats", "trees", "lamps")
    write_vqa(folder, [(f"How many {noun} are there?", [str(2 + n % 6)] * 10) for n, noun in enumerate(nouns)])
    photographs(folder / pictures, *(f"COCO_val2014_{n:012d}.jpg" for n in range(len(nouns))))


def campaign(folder: Path) -> None:
    for name in ("photographs", "more-photographs"):
        photographs(folder / name, *(f"{name}-{n}.png" for n in range(4)))


def collecting(folder: Path) -> None:
    campaign(folder)
    questions(folder, "val2014")
    flowers(folder)
    cs.make("cvqa-synthetic", folder / "trusted", size=4, seed=8, workers=1)


def led(folder: Path) -> None:
    campaign(folder)
    flowers(folder)
    cs.make("cvqa-synthetic", folder / "more-flowers", size=4, seed=8, workers=1)
    for words in (
        ("new", "kitchen", "--flow", "cfmm", "--pictures", "photographs"),
        ("new", "checked", "--flow", "verify", "--from", "flowers"),
        ("people", "kitchen", "--invite", "ada", "--role", "lead"),
        ("people", "kitchen", "--invite", "ben", "--role", "worker"),
    ):
        subprocess.run([sys.executable, "-m", "countersight", "collect", *words], cwd=folder, check=True)
    settings = folder / "kitchen/campaign.toml"
    settings.write_text(re.sub(r"^contact = .*$", 'contact = "ada@example.org"', settings.read_text(), flags=re.M))


def cosim(folder: Path) -> None:
    things = ("bench", "table", "car", "boat", "roof", "road", "door", "lamp", "dog", "tree", "chair", "bike")
    rows = [
        {
            "answer_choices": [f"no, the {thing} is {how}." for how in ("wet", "dry", "gone", "red")],
            "answer_label": n % 4,
            "answer_orig": f"Yes, because the {thing} is dry.",
            "change": f"Add a puddle on the {thing}. Remove the cat.",
            "folder": "genome_1",
            "img_fn": f"{n}.jpg",
            "question": f"Could we use the {thing}?",
            "type": "normal",
        }
        for n, thing in enumerate(things)
    ]
    (folder / "train.json").write_text(json.dumps(rows))


PREPARED: dict[str, Callable[[Path], None]] = {
    "authoring": questions,
    "blind": scene_graphs,
    "cello": scene_graphs,
    "collecting": collecting,
    "collecting-deployment": led,
    "collecting-leading": led,
    "composer": flowers,
    "costs": flowers,
    "evidence": audits,
    "exchange": runs,
    "matcher": cosim,
    "own-data": own_table,
    "programs": flowers,
    "protocols": flowers,
    "reporting": runs,
    "statistics": flowers,
}
"""What a page takes for granted, by its name."""


def as_run(text: str, address: str) -> str:
    small = re.sub(r"--size (\d+)", lambda found: f"--size {min(12, int(found[1]))}", text)
    return small.replace(PLACE, address)


def shell(text: str, folder: Path) -> None:
    """Run commands, and serve what is served until it prints its address."""
    before, served, after = text, "", ""
    if found := SERVER.search(text):
        before, served, after = text[: found.start()], found[0].partition("#")[0], text[found.end() :]
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", before], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{before}\n{done.stdout}\n{done.stderr}"
    if served:
        command = ["bash", "-c", f"exec {served.strip()} --port {free_port()}"]
        with subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as server:
            printed = []
            for line in server.stdout:
                printed.append(line)
                if "http" in line:
                    break
            server.terminate()
        assert any("http" in line for line in printed), "".join(printed)
        shell(after, folder)


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[] if page.stem == "index" else [pytest.mark.slow], id=page.name) for page in RUN]
)
def test_the_code_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools, folder = tmp_path / "bin", tmp_path / "work"
    tools.mkdir()
    folder.mkdir()
    (tools / "countersight").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m countersight "$@"\n')
    (tools / "countersight").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    monkeypatch.setenv("BROWSER", "true")  # opens nothing
    monkeypatch.setenv("OPENAI_API_KEY", "for nobody")
    monkeypatch.chdir(folder)
    PREPARED.get(page.stem, lambda folder: None)(folder)
    variables: dict[str, object] = {"__name__": "page"}
    with ChatServer() as server:
        address = f"http://127.0.0.1:{server.port}"
        monkeypatch.setenv("OPENAI_BASE_URL", f"{address}/v1")
        for block in blocks(page):
            text = as_run(block.text, address)
            if block.note.startswith("file: "):
                (folder / block.note.removeprefix("file: ")).write_text(text)
            elif block.reason:
                continue
            elif block.language == "bash":
                shell(text, folder)
            elif block.language == "python":
                exec(compile(text, named(block), "exec"), variables)


@pytest.mark.slow
@pytest.mark.parametrize("block", [block for block in CODE if block.reason], ids=named)
def test_blocks_that_are_not_run_are_listed_with_their_reason(block: Block) -> None:
    pytest.skip(block.reason)


def options(words: list[str]) -> set[str]:
    """What the verb can take that these words name, with its action where it has some."""
    parser = PARSER
    known = set(parser._option_string_actions)
    for place, word in enumerate(words):
        verbs = [each.choices for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
        name = next((each for each in (" ".join(words[place : place + 2]), word) if verbs and each in verbs[0]), None)
        if name:
            parser = verbs[0][name]
            known |= set(parser._option_string_actions)
    return known


def test_every_option_in_the_docs_exists() -> None:
    wrong = []
    for page in PAGES:
        for found in COMMAND.finditer(page.read_text(encoding="utf-8")):
            words = found[1].replace("\\\n", " ").split()
            given = {word.partition("=")[0] for word in words if re.fullmatch(r"--?[a-z][a-z-]*(=.*)?", word)}
            wrong += [(page.name, found[0], option) for option in sorted(given - options(words))]
    assert wrong == []


def test_every_block_with_commands_says_that_it_is_one() -> None:
    """A block in no language, or in another, would never run."""
    assert [named(block) for block in BLOCKS if "countersight " in block.text and block.language not in RUNNABLE] == []
