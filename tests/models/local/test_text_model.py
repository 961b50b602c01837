"""Text-only language models on this machine, such as the code models of programs."""

import asyncio
from pathlib import Path

import pytest
import torch
import transformers
from making import dataset
from models.local import tiny
from models.local.tiny import TEXT, _enliven, _qwen
from running import ask

from countersight.case import Option
from countersight.errors import ModelError
from countersight.models import open_model
from countersight.models.local.loading import load
from countersight.models.local.model import LocalModel
from countersight.models.local.probing import ranking_sight
from countersight.models.local.ranking import plain_losses
from countersight.models.protocol import ModelSettings, Request, Turn

PLAIN = (
    "{% for message in messages %}<|im_start|>{{ message['role'] + '\n' + message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""A template of a text-only model, whose content is a string and not a list of parts."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(7)
    tokenizer = _qwen()
    config = transformers.Qwen2Config(vocab_size=len(tokenizer), eos_token_id=tokenizer.eos_token_id, **TEXT)
    model = transformers.Qwen2ForCausalLM(config).eval()
    _enliven(model)
    path = tmp_path_factory.mktemp("words")
    model.save_pretrained(path)
    tokenizer.chat_template = PLAIN
    tokenizer.save_pretrained(path)
    return path


def said(folder: Path, *texts: str, **settings: object) -> list[object]:
    async def ask() -> list[object]:
        model = LocalModel("hf:words", str(folder), ModelSettings(max_tokens=6, device="cpu", **settings))
        try:
            asked = [Request(text, (Turn("user", text),), "open") for text in texts]
            return list(await asyncio.gather(*map(model.reply, asked)))
        finally:
            await model.close()

    return asyncio.run(ask())


def test_a_text_model_writes_the_same_alone_and_in_a_batch(folder: Path) -> None:
    texts = ["How many cats?", "Is the dog on the left side of the table, or would it be on the right?", "red"]
    together = said(folder, *texts)
    assert [answer.text for answer in together] == [said(folder, text)[0].text for text in texts]
    assert all(answer.tokens_in and answer.tokens_out for answer in together)


def test_a_text_model_writes_the_same_as_transformers(folder: Path) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    messages = [{"role": "user", "content": "How many cats?"}]
    prompt = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_tensors="pt", return_dict=True)
    made = model.generate(**prompt, max_new_tokens=6, do_sample=False)[0, prompt["input_ids"].shape[1] :]
    assert said(folder, "How many cats?")[0].text == tokenizer.decode(made, skip_special_tokens=True).strip()


def test_a_text_model_is_distinguished_from_a_vision_model(folder: Path, tmp_path: Path) -> None:
    text, vision = (open_model(f"hf:{where}", ModelSettings(device="cpu")) for where in (folder, tiny.llava(tmp_path)))
    assert (text.needs_picture, text.picture_limits) == (False, (0, 0))
    assert (vision.needs_picture, vision.picture_limits) == (True, (0, 64))


def test_a_text_model_ranks_options_with_a_shared_prefix(folder: Path) -> None:
    asked = Request("k", (Turn("user", "How many cats?"),), "choice", tuple(map(Option, ("one", "two of them"))))
    loaded = load(str(folder), device="cpu")
    expected = plain_losses(loaded, asked)
    assert ranking_sight(loaded) == "behind"

    async def losses() -> tuple[float, ...]:
        model = open_model(f"hf:{folder}", ModelSettings(device="cpu"))
        try:
            return await model.losses(asked)
        finally:
            await model.close()

    assert asyncio.run(losses()) == pytest.approx(expected, abs=1e-4)


def test_a_run_with_a_text_model(folder: Path, tmp_path: Path) -> None:
    cases = dataset(tmp_path / "data", 2)
    name = f"hf:{folder}"
    with pytest.raises(ModelError, match="does not accept pictures; choose the prompt text-only"):
        ask(cases, tmp_path / "run", name, device="cpu", max_tokens=4)
    tally = ask(cases, tmp_path / "run", name, prompt="text-only", device="cpu", max_tokens=4)
    assert (tally.answered, tally.failed) == (4, 0)


def test_a_text_model_writes_programs_for_another_vision_model(folder: Path) -> None:
    model = open_model(f"visprog:hf:{folder};vision=scene", ModelSettings(device="cpu"))
    assert model.settings["code"] == f"hf:{folder}"
    assert model.settings["code weights"]
    asyncio.run(model.close())
    with pytest.raises(ModelError, match="does not accept pictures; add a vision model"):
        open_model(f"visprog:hf:{folder}", ModelSettings(device="cpu"))
