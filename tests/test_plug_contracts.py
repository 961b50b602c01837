"""One contract per kind of plug-in: what works offline is used, everything else says what it needs."""

import asyncio
import json
from random import Random

import pytest

from countersight.audits.judges import JUDGES, Evidence
from countersight.case import Case, Option, Question
from countersight.editing import EDITORS, EditRequest, Instruction, open_editor
from countersight.engine import PROMPTS
from countersight.errors import CountersightError
from countersight.models import MODELS, Answer, Request, Turn, open_model
from countersight.picture import check_picture
from countersight.scenes import FlowerRegions, draw, encode, flower_scene
from countersight.suites import SUITES, Terms, find_suite

SCENE = flower_scene(Random(3), ("red", "blue"), FlowerRegions(4, 5, 3, 6))
PICTURE = check_picture(encode(draw(SCENE)))
ASKED = "How many flowers are inside the red polygons?"
REMOVE = Instruction("it", "object", "remove", "Remove the flowers.", target="flowers")

ANSWERING = ["embedded", "embedded:factual", "chance", "always-first", "visprog:reference?vision=scene"]
REFUSING = {
    "endpoint:http://127.0.0.1:1/v1#m": "127.0.0.1",
    "openai:m": "OPENAI_API_KEY",
    "anthropic:m": "ANTHROPIC_API_KEY",
    "gemini:m": "GEMINI_API_KEY",
    "azure:m": "AZURE_OPENAI",
    "bedrock:m?region=us-east-1": "AWS_BEARER_TOKEN_BEDROCK",
    "mistral:m": "MISTRAL_API_KEY",
    "openrouter:a/m": "OPENROUTER_API_KEY",
    "ollama:m": "127.0.0.1",
    "matcher:/no/such/run": "/no/such/run",
}
"""What cannot be had here, and what its sentence names."""
ELSEWHERE = {
    "detections": "needs a detector: tests/programs/test_detections_model.py",
    "hf": "imports torch, which takes seconds: tests/models/local",
    "viper": "starts a sandbox: tests/programs/test_viper.py",
    "vllm": "needs a GPU; nobody installs it here",
}


@pytest.fixture(autouse=True)
def nobodys_keys(monkeypatch):
    for name in set(REFUSING.values()):
        if name.isupper():
            monkeypatch.delenv(name, raising=False)
    for name in ("AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY", "OPENAI_BASE_URL", "BFL_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:1")


def kinds(names):
    return {name.partition(":")[0] for name in names}


def requests_about(name: str) -> Answer:
    async def asked() -> Answer:
        model = open_model(name)
        try:
            assert model.name == name
            assert isinstance(model.settings, dict)
            request = Request("1", (Turn("user", ASKED, PICTURE),), "choice", (Option("20"), Option("21")), ASKED)
            return await model.reply(request)
        finally:
            await model.close()

    return asyncio.run(asked())


def test_every_model_of_the_table_is_asked_below():
    assert kinds(ANSWERING) | kinds(REFUSING) | ELSEWHERE.keys() == set(MODELS)


@pytest.mark.parametrize("name", ANSWERING)
def test_a_model_that_needs_nothing_answers(name: str):
    assert requests_about(name).text.strip()


@pytest.mark.parametrize("name", REFUSING)
def test_a_model_that_cannot_be_had_here_says_what_is_missing(name: str):
    with pytest.raises(CountersightError, match=REFUSING[name]):
        requests_about(name)


NO_EDITOR = {
    "inpaint:/no/such.onnx": "/no/such.onnx",
    "flux:flux-2-pro": "BFL_API_KEY",
    "chat-image:m": "OPENROUTER_API_KEY",
    "diffusers:/no/such/folder": "/no/such/folder",
}


def edited_by(name: str):
    async def edited():
        editor = open_editor(name)
        try:
            assert editor.name == name
            return await editor.edit(EditRequest(PICTURE, REMOVE, scene=SCENE, name="a.png"))
        finally:
            await editor.close()

    return asyncio.run(edited())


@pytest.mark.parametrize("name", ["exact", "classical"])
def test_an_editor_that_needs_nothing_edits_a_scene(name: str, tmp_path):
    flower = SCENE.flowers[0]
    left, top, right, bottom = (m + side * flower.size for side in (-1, 1) for m in (flower.x, flower.y))
    image = {"id": 1, "file_name": "a.png", "width": PICTURE.width, "height": PICTURE.height}
    thing = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [left, top, right - left, bottom - top]}
    thing["segmentation"] = [[left, top, right, top, right, bottom, left, bottom]]
    file = {"images": [image], "annotations": [thing], "categories": [{"id": 1, "name": "flower"}]}
    (tmp_path / "a.json").write_text(json.dumps(file))
    edited = edited_by(name if name == "exact" else f"classical?annotations={tmp_path / 'a.json'}")
    assert edited.picture.data != PICTURE.data
    assert (edited.picture.width, edited.picture.height) == (PICTURE.width, PICTURE.height)


@pytest.mark.parametrize("name", NO_EDITOR)
def test_an_editor_that_cannot_be_had_here_says_what_is_missing(name: str):
    with pytest.raises(CountersightError, match=NO_EDITOR[name]):
        edited_by(name)


def test_every_editor_of_the_table_was_tried():
    assert kinds(NO_EDITOR) | {"exact", "classical"} == set(EDITORS)


@pytest.mark.parametrize("name", list(JUDGES))
def test_every_judge_gives_a_verdict(name: str):
    evidence = Evidence(Question(ASKED, "21", "number"), "21", "I count 21.", REMOVE, "20", "I count 20.", SCENE, SCENE)

    verdict = asyncio.run(JUDGES.find(name)[0]().judge(evidence, 0, "1"))
    assert verdict.judge == name
    assert {verdict.pcs, verdict.ncc} <= {0, 1, None}
    assert verdict.pcs_reason


@pytest.mark.parametrize("name", PROMPTS)
def test_every_prompt_words_questions_of_every_kind(name: str):
    prompt = PROMPTS[name]
    for kind in ("number", "boolean", "open"):
        said = prompt.render(Question(ASKED, "yes" if kind == "boolean" else "1", kind))
        assert said.strip()
        assert ASKED in said or not prompt.question
    choice = prompt.render(Question(ASKED, "A", "choice", (Option("seven"), Option("nine"))))
    assert "seven" in choice


@pytest.mark.parametrize("name", list(SUITES))
def test_every_suite_describes_itself(name: str):
    suite = find_suite(name)
    assert suite.name == name
    assert suite.layout or suite.maker
    assert len(suite.fields()) > 80
    if name == "own":  # it has no paper
        return
    assert suite.heading
    assert isinstance(suite.open_terms(), Terms)
    asked = Question(ASKED, "3", "number")
    if tally := suite.tally():
        tally.add(Case("1", suite=name, factual=asked, counterfactual=asked))
        assert all(grid.lines for grid in tally.tables())
