"""Every family of transformers for pictures and texts: asked and ranked rightly, or refused with a true sentence.

Each is made tiny from its configuration. What is right is what the model's own `generate` says, word by word.
"""

import importlib.util
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from models.local import every_family, tiny
from models.local.talks import mixed, picture, rank, request, write
from safetensors.torch import load_file, save_file
from tiers import mostly_slow
from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES
from transformers.models.kosmos2_5.processing_kosmos2_5 import Kosmos2_5ProcessorKwargs

from countersight.errors import ModelError
from countersight.models.local.conversation import answer_tokens, decode_pictures, model_inputs
from countersight.models.local.generating import ChoiceByAnswer, generate
from countersight.models.local.loading import Loaded, load
from countersight.models.local.probing import ranking_sight
from countersight.models.local.ranking import plain_losses
from countersight.models.protocol import ModelSettings, Request

NO_CONVERSATION = {
    "blip": "continues captions",
    "diffusion_gemma": "does not generate text token by token",
    "evolla": "proteins",
    "instructblipvideo": "videos",
    "mistral4": "does not accept pictures",
    "pi0": "robots",
    "pix2struct": "drawn into the picture",
    "pp_formulanet": "formulas",
    "shieldgemma2": "policy",
    "udop": "given words and positions",
    "vision-encoder-decoder": "takes no questions",
}
NEEDS = {
    **dict.fromkeys(
        (
            *("cohere2_vision", "gemma4_unified", "inkling_mm_model", "kimi_k25", "lfm2_vl", "llama4", "minicpm_ocr"),
            *("minimax_m3_vl", "molmo2", "muse_glimmer", "muse_spark", "nemotron_h_omni", "perception_lm", "step3p7"),
            *("unlimited_ocr", "phi4_multimodal", "fuyu", "mistral3", "mistral_large4"),
        ),
        "torchvision",
    ),
    **dict.fromkeys(("fast_vlm", "gemma3n"), "timm"),
}
"""Packages that a family needs in order to prepare pictures or to run its vision encoder."""
PLAIN = {
    *("lfm2_vl", "minicpm_ocr", "minicpmv4_6", "qwen3_5", "qwen3_5_moe"),
    *("nemotron_h_omni", "llama4", "kosmos-2.5", "emu3", "hunyuan_vl"),
    *("florence2", "t5gemma2", "kosmos-2", "glm5_next", "mistral_large4", "qwen4_exp"),
    *("minicpmv4_7", "unlimited_ocr", "inkling_mm_model", "git"),
    *("paligemma", "instructblip", "blip_2_t5"),
}
"""Families whose options cannot share a prefix: a state goes from token to token, a separate decoder answers, layers
select what they see, positions are counted from the words, or pictures of a batch affect each other."""
STEPS_DIFFER = ("glm5_next", "qwen4_exp", "mistral_large4")
"""Families that select other tokens during generation; they are only compared with plain ranking."""
MAKERS = {**{family: partial(every_family.write, family) for family in every_family.RECIPES}, **tiny.FAMILIES}
"""For each family, the function that writes a tiny model of it to a folder."""


def test_every_family_is_tested_or_refused() -> None:
    everything = {*MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES, "phi4_multimodal"}
    assert everything - {name.replace("blip_2", "blip-2") for name in MAKERS} == {*NO_CONVERSATION}


@pytest.mark.parametrize(("family", "reason"), NO_CONVERSATION.items())
def test_models_that_cannot_answer_questions_are_refused_before_loading(
    family: str, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=f"contains a {family} model, which .*{reason}"):
        load(str(every_family.write_config(family, tmp_path)), device="cpu")


@pytest.mark.parametrize("family", mostly_slow(sorted(MAKERS), tiny.KINDS))
def test_a_family_equals_transformers_or_says_what_to_install(
    family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Its processor makes 4,096 patches of every picture, also if the checkpoint says otherwise.
    monkeypatch.setitem(Kosmos2_5ProcessorKwargs._defaults["images_kwargs"], "max_patches", 16)
    needed = NEEDS.get(family)
    if needed and importlib.util.find_spec(needed) is None:
        folder = every_family.write_shell(family, tmp_path)
        with pytest.raises(ModelError, match=rf"needs {needed}, which is not installed: pip install 'countersight\[l"):
            load(str(folder), device="cpu")
        return
    _is_right(family, tmp_path)


def _is_right(family: str, folder: Path) -> None:
    loaded = load(str(MAKERS[family](folder)), device="cpu")
    asked = _pairs()
    plain = [plain_losses(loaded, one) for one in asked]
    assert plain[0] != pytest.approx(plain[2], abs=1e-3)  # the picture matters
    if family not in STEPS_DIFFER:
        assert plain[0] == pytest.approx(forced_losses(loaded, asked[0]), abs=2e-3)
    for found, right in zip(rank(loaded, asked), plain, strict=True):
        assert found == pytest.approx(right, abs=1e-3)
    assert (ranking_sight(loaded) is None) == (family in PLAIN)
    assert _written(loaded, mixed()) == [_written(loaded, [one])[0] for one in mixed()]


def test_only_the_language_part_of_a_model_with_speech_is_loaded(tmp_path: Path) -> None:
    folder = every_family.write("qwen2_5_omni_thinker", tmp_path)
    asked = _pairs()[0]
    right = plain_losses(load(str(folder), device="cpu"), asked)
    config, weights = folder / "config.json", folder / "model.safetensors"
    thinker = json.loads(config.read_text())
    config.write_text(json.dumps({"model_type": "qwen2_5_omni", "thinker_config": thinker}))
    parts = {f"thinker.{name}": weight for name, weight in load_file(weights).items()}
    save_file(parts, weights, metadata={"format": "pt"})
    assert plain_losses(load(str(folder), device="cpu"), asked) == right


def _pairs() -> list[Request]:
    """Return two questions about each of two pictures of different shapes."""
    return [
        request(question, shown, *options)
        for shown in (picture(96, 48, seed=1), picture(40, 40, seed=2))
        for question, options in (("How many?", ("yes", "yes no")), ("How many cats if one more came?", ("3", "red")))
    ]


def _written(loaded: Loaded, requests: list[Request]) -> list[str]:
    settings = ModelSettings(max_tokens=4, device="cpu")
    answers: list[Any] = write(loaded, requests, settings, lambda: False)
    prompts = [request.turns[0].text for request in requests]
    assert all(prompt not in answer.text for prompt, answer in zip(prompts, answers, strict=True))
    return [answer.text for answer in answers]


def forced_losses(loaded: Loaded, asked: Request) -> list[float]:
    """Return the losses of the options if the model is forced to generate them."""
    prompt = model_inputs(loaded, [asked], decode_pictures(asked))
    options = [option.text for option in asked.options]
    found = []
    for tokens in answer_tokens(loaded, loaded.prompt_format.write(asked.turns), options):
        forced = Forced(tokens)
        generate(loaded, prompt, len(tokens), forced)
        found.append(sum(forced.costs) / len(tokens))
    return found


class Forced(ChoiceByAnswer):
    """Makes the model write given tokens, and records the loss of each."""

    def __init__(self, tokens: list[int]) -> None:
        self.tokens = tokens
        self.costs: list[float] = []

    def choose(self, logits: torch.Tensor, number: int) -> int:
        token = self.tokens[len(self.costs)]
        self.costs.append(-float(logits.float().log_softmax(-1)[token]))
        return token
