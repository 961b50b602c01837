"""Generated answers: independence of batches, sampling, token counts and end tokens."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from models.local import tiny
from models.local.talks import mixed, picture, request, write
from PIL import Image

from countersight.models.local.conversation import PictureCache, decode_pictures, model_inputs
from countersight.models.local.loading import Loaded, load
from countersight.models.protocol import Answer, ModelSettings, Request

Models = Callable[[str], Loaded]
SHORT = ModelSettings(max_tokens=6)
DRAWN = ModelSettings(max_tokens=6, temperature=1.0, seed=3)


def answers(loaded: Loaded, requests: list[Request], settings: ModelSettings = SHORT) -> list[Answer]:
    return write(loaded, requests, settings, lambda: False)


@pytest.mark.parametrize("family", tiny.KINDS)
def test_an_answer_is_the_same_alone_and_in_a_batch(family: str, tiny_model: Models) -> None:
    loaded, requests = tiny_model(family), mixed()
    for settings in (SHORT, DRAWN):
        together = answers(loaded, requests, settings)
        assert together == [answers(loaded, [one], settings)[0] for one in requests]
        assert together == answers(loaded, requests[::-1], settings)[::-1]


def test_samples_depend_on_the_seed_and_the_key(tiny_model: Models) -> None:
    loaded, asked = tiny_model("qwen2_5_vl"), request("How many?", picture())
    again = request("How many?", picture(), key="another")
    drawn = [answers(loaded, [one], DRAWN)[0].text for one in (asked, asked, again)]
    other = answers(loaded, [asked], ModelSettings(max_tokens=6, temperature=1.0, seed=4))[0].text
    assert drawn[0] == drawn[1]
    assert len({*drawn, other}) == 3


def test_samples_follow_the_probabilities_and_the_temperature(tiny_model: Models) -> None:
    loaded, shown = tiny_model("llava"), picture()
    asked = [request("How many?", shown, key=str(number)) for number in range(200)]
    prompt = model_inputs(loaded, asked[:1], decode_pictures(asked[0]))
    with torch.inference_mode():
        logits = loaded.model(**prompt).logits[0, -1]
    for temperature in (0.5, 1.0):
        settings = ModelSettings(max_tokens=1, temperature=temperature)
        said = [answer.text for answer in answers(loaded, asked, settings)]
        chance = (logits / temperature).softmax(-1)
        words = [loaded.tokenizer.decode([token], skip_special_tokens=True).strip() for token in range(len(chance))]
        for word in {words[token] for token in chance.topk(5).indices}:
            expected = sum(float(share) for share, each in zip(chance, words, strict=True) if each == word)
            assert abs(said.count(word) / 200 - expected) < 4 * (expected / 200) ** 0.5


def test_without_a_temperature_the_models_own_is_used(tiny_model: Models) -> None:
    loaded, asked = tiny_model("qwen2_5_vl"), request("How many?", picture())
    own = ModelSettings(max_tokens=6, temperature=None, seed=3)
    assert answers(loaded, [asked], own) == answers(loaded, [asked], SHORT)
    loaded.model.generation_config.do_sample, loaded.model.generation_config.temperature = True, 1.0
    try:
        assert answers(loaded, [asked], own) == answers(loaded, [asked], DRAWN)
    finally:
        loaded.model.generation_config.do_sample = False


def test_tokens_are_counted_without_padding(tiny_model: Models) -> None:
    loaded, requests = tiny_model("llava"), mixed()
    counted = [answer.tokens_in for answer in answers(loaded, requests)]
    assert counted == [model_inputs(loaded, [one], decode_pictures(one))["input_ids"].shape[1] for one in requests]
    assert len(set(counted)) == 3


def test_an_answer_ends_at_an_end_token_or_at_the_limit(tiny_model: Models) -> None:
    loaded, asked = tiny_model("qwen2_5_vl"), request("How many?", picture())
    long = answers(loaded, [asked], ModelSettings(max_tokens=5))[0]
    assert (long.finish, long.tokens_out) == ("length", 5)
    tokens = tokens_of(loaded, asked, 5)
    loaded.model.generation_config.eos_token_id = [tokens[2]]
    try:
        ended = answers(loaded, [asked], ModelSettings(max_tokens=5))[0]
    finally:
        loaded.model.generation_config.eos_token_id = loaded.tokenizer.eos_token_id
    place = tokens.index(tokens[2])
    assert (ended.finish, ended.tokens_out) == ("stop", place + 1)
    assert ended.text == loaded.tokenizer.decode(tokens[:place], skip_special_tokens=True).strip()


def tokens_of(loaded: Loaded, asked: Request, number: int) -> list[int]:
    prompt = model_inputs(loaded, [asked], decode_pictures(asked))
    made = loaded.model.generate(**prompt, max_new_tokens=number, do_sample=False)
    return made[0, prompt["input_ids"].shape[1] :].tolist()


def test_the_generation_defaults_of_a_checkpoint_are_ignored(tiny_model: Models) -> None:
    loaded, requests = tiny_model("llava"), mixed()
    plain = answers(loaded, requests)
    config = loaded.model.generation_config
    config.repetition_penalty, config.no_repeat_ngram_size, config.num_beams = 5.0, 1, 3
    try:
        assert answers(loaded, requests) == plain
    finally:
        config.repetition_penalty, config.no_repeat_ngram_size, config.num_beams = None, None, None


def test_an_answer_ends_at_the_maximum_length_of_the_model(tiny_model: Models) -> None:
    loaded = tiny_model("blip_2")
    asked = request("cat " * 150, picture())
    read = model_inputs(loaded, [asked], decode_pictures(asked))["input_ids"].shape[1]
    said = answers(loaded, [asked], ModelSettings(max_tokens=5000))[0]
    assert said.tokens_out <= loaded.longest - read


def test_generation_stops_at_once_on_request(tiny_model: Models) -> None:
    asked = [0]

    def stopped() -> bool:
        asked[0] += 1
        return asked[0] >= 3

    said = write(tiny_model("qwen2_5_vl"), [request("How many?", picture())], ModelSettings(max_tokens=4000), stopped)
    assert said[0].tokens_out == 3


@pytest.mark.parametrize("family", ["llava", "qwen2_5_vl"])
def test_models_generate_in_half_precision(family: str, tiny_folder: Callable[[str], Path]) -> None:
    for dtype in ("bfloat16", "float16"):
        said = answers(load(str(tiny_folder(family)), device="cpu", dtype=dtype), mixed(), ModelSettings(max_tokens=2))
        assert [answer.finish in ("stop", "length") for answer in said] == [True] * 3


class Reds:
    """An image processor that returns how red a picture is."""

    def __call__(self, images: list[Image.Image]) -> dict[str, int]:
        return {"red": images[0].getpixel((0, 0))[0]}


class Processor:
    image_processor = Reds()


@dataclass
class Anything:
    """The parts of a loaded model that PictureCache needs."""

    processor: Any
    model: Any
    device: Any = None


def test_a_picture_is_never_confused_with_a_deleted_one() -> None:
    # A processor that hands on copies leaves no trace of them, and the next copy may lie where the one before did.
    once = PictureCache(Anything(Processor(), SimpleNamespace(dtype=None)))
    assert [once([Image.new("RGB", (2, 2), (red, 0, 0))])["red"] for red in range(50)] == list(range(50))
