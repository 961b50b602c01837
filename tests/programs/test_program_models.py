"""`viper:` and `visprog:` as models: their names, requests, and what a run records."""

import asyncio
import json

import msgspec
import pytest
from chat_server import ChatServer, question_of
from making import case, dataset
from programs.seeing import Coder, Eyes, answered, programs, request
from running import ask, replies, run_command

from countersight.case import Option, Question
from countersight.dataset import Dataset
from countersight.engine import RunOptions, ask_dataset, find_prompt
from countersight.errors import AskingFailed, ModelError, Overloaded
from countersight.models import open_model
from countersight.models.protocol import ModelSettings
from countersight.programs.limits import Limits
from countersight.programs.model import Programs
from countersight.programs.styles import STYLES
from countersight.scoring import score_run

STYLE = ["visprog", "viper"]
COUNTING = {
    "viper": "```python\ndef execute_command(image):\n    return len(ImagePatch(image).find('dog')) + 2\n```",
    "visprog": "```\nD=LOC(image=IMAGE, object='dog')\nN=COUNT(box=D)\nA=EVAL(expr='{N} + 2')\nR=RESULT(var=A)\n```",
}


@pytest.fixture(autouse=True)
def _interpreter(request):
    if "viper" in request.node.name:
        pytest.importorskip("pydantic_monty")


@pytest.mark.parametrize("style", STYLE)
@pytest.mark.parametrize(("kind", "options", "said"), [("number", (), "5"), ("choice", "3579", "B"), ("open", (), "5")])
def test_the_result_of_a_program_for_the_question_alone_is_the_answer(style, kind, options, said) -> None:
    coder = Coder(lambda asked: COUNTING[style])
    model = Programs("", STYLES[style](Limits()), coder, Eyes())
    (answer,) = answered(model, request("How many {dogs}?", kind, map(Option, options)))
    [[turn]] = [asked.turns for asked in coder.requests]
    assert turn.picture is None
    assert "Question: How many {dogs}?" in turn.text
    assert ("(The answer is a number.)" in turn.text) == (kind == "number")
    assert answer.text == said
    assert answer.trace.program in COUNTING[style]
    assert answer.trace.calls[0].result == "3 found"
    assert answer.trace.failure == ""
    assert (answer.tokens_in, answer.tokens_out, answer.cost, answer.model) == (10, 5, 0.25, "coder-1")


@pytest.mark.parametrize("style", STYLE)
@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("I do not know how.", "no program"),
        ("```\nA=LOC(image=\ndef execute_command(image):\n return (\n```", "syntax error"),
    ],
)
def test_a_failure_names_its_kind_and_keeps_the_program(style, written, kind) -> None:
    if kind == "syntax error" and style == "visprog":
        written = "```\nA=LOC(image=IMAGE\n```"
    (failed,) = answered(programs(style, lambda asked: written), request())
    assert isinstance(failed, AskingFailed)
    assert not failed.again
    assert str(failed).startswith(f"{kind}: ")
    assert failed.so_far.trace.failure == kind
    assert failed.so_far.trace.program.strip() in written
    assert failed.so_far.tokens_in == 10


def test_a_result_that_is_no_option_is_restated_by_the_code_model(tmp_path) -> None:
    def write(asked):
        return "B" if asked.restates else "```\nA=EVAL(expr=\"'teal'\")\nR=RESULT(var=A)\n```"

    coder = Coder(write)
    model = Programs("", STYLES["visprog"](Limits()), coder, Eyes())
    folder, run = dataset(tmp_path / "data", 3), tmp_path / "run"
    ask(folder, run, model)
    assert score_run(run).overall.unread == 6
    way = RunOptions(find_prompt("0-shot"), again="unread")
    asyncio.run(ask_dataset(Dataset.open(folder), run, model, way))
    found = score_run(run).overall
    assert (found.unread, found.restated) == (0, 6)
    _, said, asked = coder.requests[-1].turns
    assert (said.text, "final answer" in asked.text) == ("teal", True)
    assert coder.requests[-1].pictures == ()


def test_long_programs_and_many_calls_are_recorded_in_part() -> None:
    text = "x" * 1_000_000
    (failed,) = answered(programs("visprog", lambda asked: text), request())
    assert len(failed.so_far.trace.program) == 8000
    many = "\n".join(f"A{n}=LOC(image=IMAGE, object='dog')" for n in range(64))
    (failed,) = answered(programs("visprog", lambda asked: many), request())
    assert len(msgspec.json.encode(failed.so_far.trace)) < 50_000


@pytest.mark.parametrize("style", STYLE)
def test_a_retry_of_the_vision_tools_reuses_the_program(style) -> None:
    class Busy(Eyes):
        times = 0

        async def find(self, picture, what, within):
            self.times += 1
            if self.times < 3:
                raise Overloaded("busy", None)
            return await super().find(picture, what, within)

    coder = Coder(lambda asked: COUNTING[style])
    model = Programs("", STYLES[style](Limits()), coder, Busy())
    first, second, third = answered(model, *[request(kind="number")] * 3)
    assert isinstance(first, Overloaded)
    assert isinstance(second, Overloaded)
    assert third.text == "5"
    assert len(coder.requests) == 1


@pytest.mark.parametrize("style", STYLE)
def test_slow_tools_end_the_program(style) -> None:
    class Asleep(Eyes):
        async def find(self, picture, what, within):
            await asyncio.sleep(60)

    model = programs(style, lambda asked: COUNTING[style], Asleep(), Limits(waiting=0.2))
    (failed,) = answered(model, request(kind="number"))
    assert str(failed).startswith("timeout: ")
    assert failed.so_far.trace.program


def test_a_program_can_query_the_language_model() -> None:
    pytest.importorskip("pydantic_monty")
    program = "def execute_command(image):\n    return llm_query('Do dogs bark?')"
    coder = Coder(lambda asked: "Yes." if asked.question.startswith("Do dogs") else program)
    model = Programs("", STYLES["viper"](Limits()), coder, Eyes())
    (answer,) = answered(model, request(kind="boolean"))
    assert answer.text == "Yes."
    assert answer.tokens_in == 20


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("visprog:", "visprog:CODE_MODEL\\?vision=TOOLS"),
        ("viper:;vision=scene", "viper:CODE_MODEL\\?vision=TOOLS"),
        ("visprog:refrence", "did you mean 'reference'"),
        ("visprog:reference;visoin=scene", "did you mean 'vision'"),
        ("visprog:reference;vision=scene;vision=scene", "has .vision= twice"),
        ("visprog:reference;vision=detector:", "specify a detector by its path"),
        ("vipr:reference", "did you mean 'viper:CODE_MODEL"),
        ("visprog:viper:reference", "cannot be the code model of another"),
        ("visprog:endpoint:nonsense", "endpoint:URL#MODEL"),
    ],
)
def test_invalid_names_are_an_error_message(name, words) -> None:
    with pytest.raises(ModelError, match=words):
        open_model(name, ModelSettings())


def test_names_can_contain_complete_model_names() -> None:
    url = "endpoint:http://127.0.0.1:9/v1#a;b"
    model = open_model(f"visprog:{url};vision=endpoint:http://127.0.0.1:8/v1#eyes:7b", ModelSettings())
    assert model.settings["code"] == url
    assert model.settings["vision"] == "endpoint:http://127.0.0.1:8/v1#eyes:7b"
    assert model.settings["code max_tokens"] == 512
    assert model.settings["vision max_tokens"] == 256
    assert model.settings["program prompt"]
    asyncio.run(model.close())


@pytest.mark.parametrize("style", STYLE)
def test_a_run_with_a_code_model_and_a_vision_model_on_servers(style, tmp_path) -> None:
    def script(server, number, body):
        if isinstance(body["messages"][-1]["content"], str):
            assert "ImagePatch" in question_of(body) or "LOC(" in question_of(body)
            return f"say:{COUNTING[style]}" if "removed" not in question_of(body) else "say:I would not know how."
        return 'say:[{"bbox_2d": [1, 1, 4, 4]}, {"bbox_2d": [6, 6, 9, 9]}, {"bbox_2d": [2, 9, 4, 12]}]'

    with ChatServer(script) as server:
        folder = dataset(tmp_path / "data", 3)
        done = run_command(folder, tmp_path / "run", f"{style}:{server.name};vision={server.name}")
        manifest = tmp_path / "run" / "run.json"
        settings = json.loads(manifest.read_text())["settings"]
        manifest.write_text(manifest.read_text().replace('"vision', '"eyes'))  # as earlier versions called it
        again = run_command(folder, tmp_path / "run", f"{style}:{server.name};vision={server.name}")
    assert (done.returncode, again.returncode) == (1, 1), again.stderr  # what has no program failed
    assert "3 x no program: " in done.stderr
    by_world = {"factual": [], "counterfactual": []}
    for reply in replies(tmp_path / "run"):
        by_world[reply.world].append(reply)
    for reply in by_world["factual"]:
        assert (reply.state, reply.text) == ("answered", "B")
        assert reply.trace.calls[0].boxes == ((1, 1, 4, 4), (6, 6, 9, 9), (2, 9, 4, 12))
        assert reply.tokens_in == 200
    for reply in by_world["counterfactual"]:
        assert (reply.state, reply.trace.failure) == ("failed", "no program")
        assert reply.trace.program == "I would not know how."
        assert reply.tokens_in == 100
    assert settings["code"] == settings["vision"] == server.name


def test_a_separate_change_is_part_of_the_prompt(tmp_path) -> None:
    asked = []

    def write(request):
        asked.append(request.question)
        return "A=EVAL(expr=\"'a dog'\")"

    question = Question("What is it doing?", "it sleeps", "open")
    one = case(0, factual=None, counterfactual=question, context="It plays, I think.", shown=None)
    ask(dataset(tmp_path / "data", [one]), tmp_path / "run", programs("visprog", write))
    (prompt,) = asked
    assert "Question: two dots were removed What is it doing?" in prompt


def test_a_prompt_without_a_picture_is_refused(tmp_path) -> None:
    with pytest.raises(ModelError, match="needs a picture"):
        ask(dataset(tmp_path / "data", 1), tmp_path / "run", "visprog:reference", prompt="text-only")


def test_without_the_interpreter_viper_says_what_to_install_and_visprog_works(monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pydantic_monty", None)
    with pytest.raises(ModelError, match=r"countersight\[programs\]"):
        open_model("viper:reference", ModelSettings())
    assert open_model("visprog:reference", ModelSettings()).name == "visprog:reference"
