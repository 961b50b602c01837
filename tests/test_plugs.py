"""Plug-ins of other packages, and the tables of built-in ones."""

import asyncio
import json
import os
import re
import sys
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from making import dataset
from running import command

from countersight.audits.checkers import CHECKERS
from countersight.audits.clients import AskedEditor, AuditServer
from countersight.audits.extraction import EXTRACTORS
from countersight.audits.judges import JUDGES
from countersight.audits.steps import AuditTally
from countersight.editing import EDITORS, open_editor
from countersight.engine import RetryPolicy
from countersight.errors import CountersightError, EditorError, ModelError
from countersight.models import MODELS, open_model
from countersight.registry import Plug, Registry, with_options
from countersight.suites import find_suite

TABLES = {"models": MODELS, "editors": EDITORS, "judges": JUDGES, "extractors": EXTRACTORS, "checkers": CHECKERS}

CONTRIBUTING = Path(__file__).parents[1] / "docs" / "contributing.md"

MODULE = """
from msgspec.structs import replace

from countersight.engine import PROMPTS
from countersight.models import Answer
from countersight.suites import Suite


class Parrot:
    needs_picture = False

    def __init__(self, name, target, settings):
        self.name, self.settings, self._word = name, {}, target or "parrot"

    async def reply(self, request):
        return Answer(self._word)

    async def close(self):
        pass


class Blind(Parrot):
    needs_picture = property()  # as if it had none


LOUD = replace(PROMPTS["0-shot"], name="loud", about="in capitals")
BIRDS = Suite("birds", "birds", "a CSV", "named as in image", "countersight.suites.own:LAYOUT")
"""

ENTRY_POINTS = """
[countersight.models]
parrot = tiny_plugs:Parrot
broken = tiny_plugs:Nothing
blind = tiny_plugs:Blind
chance = tiny_plugs:Parrot
bright = contributed:Bright

[countersight.prompts]
loud = tiny_plugs:LOUD
0-shot = tiny_plugs:LOUD
curt = contributed:CURT

[countersight.editors]
mirror = contributed:Mirror

[countersight.judges]
strict = contributed:Strict

[countersight.checkers]
trusting = contributed:Trusting

[countersight.suites]
birds = tiny_plugs:BIRDS
cello = tiny_plugs:BIRDS
parrots = tiny_plugs:Parrot
feathers = contributed:FEATHERS
"""


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    """An environment in which a tiny package is installed."""
    site = tmp_path / "site"
    info = site / "tiny_plugs-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "tiny_plugs.py").write_text(MODULE)
    (site / "contributed.py").write_text("\n".join(modules_in(CONTRIBUTING)))
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-plugs\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(site), *filter(None, sys.path)])}


def modules_in(page: Path) -> list[str]:
    """The whole modules that a page of the docs shows."""
    return [code for code in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL) if "import " in code]


def countersight(environment: dict[str, str], *words: object, cwd: Path | None = None, status: int = 0) -> str:
    done = command(*words, env=environment, cwd=cwd)
    assert done.returncode == status, done.stderr
    return done.stderr if status == 2 else done.stdout


def test_a_model_and_a_suite_of_another_package_work_as_ours_do(tmp_path, installed):
    table = tmp_path / "birds.jsonl"
    rows = [
        {"photo": None, "species": "owl", "ask": "Would it be seen if it were day?", "truth": False},
        {"photo": None, "species": "owl", "ask": "Would it be seen if it were night?", "truth": "perhaps"},
    ]
    table.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    listed = countersight(installed, "list", "models")
    assert "from the package tiny-plugs" in listed
    assert "bright:NUMBER" in listed
    assert "birds" in countersight(installed, "list", "suites")
    made = countersight(installed, "make", "feathers", "--from", table, "-o", tmp_path / "birds")
    assert "1 case in" in made
    assert "1 bad row skipped" in made
    asked = ("--model", "parrot:no", "--prompt", "loud")
    countersight(installed, "run", tmp_path / "birds", *asked, "-o", tmp_path / "run")
    countersight(installed, "report", tmp_path / "run", "-o", tmp_path / "report")
    assert "feather score" in (tmp_path / "report" / "report.html").read_text()
    assert "1,000" in countersight(installed, "describe", tmp_path / "birds", "--all")
    assert json.loads((tmp_path / "run" / "run.json").read_text())["prompt"]["name"] == "loud"
    reply = json.loads((tmp_path / "run" / "replies.jsonl").read_text().splitlines()[0])
    assert reply["text"] == "no"


@pytest.mark.slow
def test_the_plug_ins_of_the_contributing_page_work_unchanged(tmp_path, installed):
    shown = re.findall(r"^countersight (.*)$", CONTRIBUTING.read_text(), re.MULTILINE)
    assert [line.split()[0] for line in shown] == ["make", "run", "make", "audit"]
    for line in shown[:3]:
        countersight(installed, *line.split(), cwd=tmp_path)
    excluded = countersight(installed, *shown[3].split(), cwd=tmp_path, status=1)
    assert "excluded: 6 x a checker says no" in excluded
    scenes = tmp_path / "scenes"
    countersight(installed, "make", "cvqa-synthetic", "--size", 2, "--seed", 3, "-o", scenes)
    countersight(installed, "run", scenes, "--model", "bright:128", "--prompt", "curt", "-o", tmp_path / "run")
    assert "Say a letter." in (tmp_path / "run" / "run.json").read_text()
    assert '"text":"yes"' in (tmp_path / "run" / "replies.jsonl").read_text()
    parties = ("--extractor", "rules", "--editor", "mirror", "--judge", "strict", "--checker", "trusting")
    countersight(installed, "audit", scenes, "--model", "embedded", *parties, "-o", tmp_path / "audit")
    steps = (tmp_path / "audit" / "steps.jsonl").read_text()
    assert steps.count('"checker":"trusting","asked":"Was it done?","done":true') == 2
    assert '"judge":"strict"' in steps


def test_a_plug_in_that_cannot_be_imported_gets_a_message(tmp_path, installed):
    asked = dataset(tmp_path / "d", 1)
    told = countersight(installed, "run", asked, "--model", "broken", "-o", tmp_path / "run", status=2)
    assert "the model 'broken' of the package tiny-plugs cannot be imported: AttributeError" in told
    assert "Traceback" not in told


def test_lists_name_plug_ins_that_cannot_be_used(installed):
    ignored = "the one from the package tiny-plugs is ignored: a built-in"
    for what, lines in {
        "models": (
            "broken: cannot be imported: the package tiny-plugs raised AttributeError: ",
            f"chance: {ignored} model has this name",
        ),
        "prompts": (f"0-shot: {ignored} prompt has this name",),
        "suites": (
            "parrots: cannot be used: its entry point is not a Suite",
            f"cello: {ignored} suite has this name",
        ),
    }.items():
        listed = countersight(installed, "list", what).splitlines()
        for line in lines:
            name = line.partition(":")[0]
            assert any(each.startswith(line) for each in listed), listed
            assert sum(each.split()[:1] == [name] for each in listed) == (name in ("chance", "0-shot", "cello"))


def test_a_model_without_a_required_attribute_is_refused_and_leaves_no_folder(tmp_path, installed):
    asked = dataset(tmp_path / "d", 1)
    told = countersight(installed, "run", asked, "--model", "blind", "-o", tmp_path / "run", status=2)
    assert "blind is not a model: it has no attribute 'needs_picture'; see countersight.models.Model" in told
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("kind", TABLES)
def test_every_plug_has_a_name_words_and_a_home(kind: str):
    table = TABLES[kind]
    for name, plug in table.built_in.items():
        module, _, attribute = plug.home.partition(":")
        assert plug.usage.startswith(name)
        assert plug.words.strip()
        assert callable(getattr(import_module(module), attribute))


@pytest.mark.parametrize("kind", TABLES)
def test_an_unknown_name_gets_a_message(kind: str):
    with pytest.raises(CountersightError, match=f"there is no {TABLES[kind].what} 'nobody:at-all'"):
        TABLES[kind].find("nobody:at-all")


def test_a_target_is_required_or_refused_as_the_usage_says():
    table: Registry[object] = Registry(
        "thing",
        {
            "bare": Plug("bare", "takes none", "builtins:str"),
            "full": Plug("full:TARGET", "needs one", "builtins:str"),
            "either": Plug("either[:TARGET]", "takes one", "builtins:str"),
        },
        ModelError,
    )
    assert table.find("full:http://a:1/v1#b")[1] == "http://a:1/v1#b"
    assert table.find("either")[1] == ""
    assert table.find("either:x")[1] == "x"
    for wrong in ("bare:x", "full", "full:"):
        with pytest.raises(ModelError, match="there is no thing"):
            table.find(wrong)


def test_a_plug_in_with_other_arguments_gets_a_message():
    table: Registry[object] = Registry("thing", {"bare": Plug("bare", "a class", "builtins:object")}, ModelError)
    with pytest.raises(ModelError, match="object must take three arguments: name, target and settings"):
        table.open("bare", None)


def test_options_follow_a_name_and_unknown_ones_are_refused():
    table: Registry[object] = Registry(
        "thing",
        {
            "bare": Plug("bare", "takes none", "builtins:str"),
            "free": Plug("free[?OPTIONS]", "takes options", "builtins:str"),
            "served": Plug("served:URL", "an address has its own", "builtins:str"),
        },
        ModelError,
    )
    assert with_options(table.find("free?size=3&method=a")[1], ("size", "method")) == ("", {"size": "3", "method": "a"})
    assert table.find("served:http://a/v1?key=b")[1] == "http://a/v1?key=b"
    with pytest.raises(ModelError, match=r"bare has no option 'size'; things with options: free\[\?OPTIONS\]"):
        table.find("bare?size=3")
    for wrong, sentence in (
        ("a?siz=3", "did you mean 'size'"),
        ("a?size", "write "),
        ("a?size=", "write "),
        ("a?size=1&size=1", "twice"),
    ):
        with pytest.raises(ModelError, match=sentence):
            with_options(wrong, ("size",), ModelError)


class Wrecked:
    """An editor that cannot be made."""

    def __init__(self, *_: object) -> None:
        raise ValueError("no weights")


class Careless:
    """An editor that returns bytes instead of an Edited."""

    name, settings = "careless", {}

    async def edit(self, _: object) -> bytes:
        return b"PNG"


def test_a_plug_in_whose_constructor_fails_gets_a_message(monkeypatch):
    def brought(group: str) -> list[EntryPoint]:
        return [EntryPoint("wrecked", "test_plugs:Wrecked", group), EntryPoint("lost", "test_plugs:NOWHERE", group)]

    monkeypatch.setattr("importlib.metadata.entry_points", brought)
    with pytest.raises(EditorError, match=r"the editor 'wrecked' of the package .* cannot be opened: ValueError"):
        open_editor("wrecked")
    with pytest.raises(CountersightError, match=r"the suite 'lost' of the package .* cannot be imported: Attr"):
        find_suite("lost")


def test_an_editor_that_returns_something_else_gets_a_message():
    async def edited() -> object:
        asked = AskedEditor(Careless(), RetryPolicy(), asyncio.Event(), AuditServer(AuditTally()))
        return await asked.ask(None)

    with pytest.raises(EditorError, match="careless: `edit` must return an Edited, not bytes"):
        asyncio.run(edited())


def test_vision_tools_named_twice_get_a_message():
    for twice in ("visprog:reference?vision=scene&vision=scene", "visprog:reference;vision=scene?vision=scene"):
        with pytest.raises(ModelError, match="has \\?vision= twice"):
            open_model(twice)
