"""Generated answers: the same alone, in batches and with shared prefixes; sampling, token counts and end tokens."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from models.local import tiny
from models.local.talks import mixed, picture, request, write
from msgspec.structs import replace
from PIL import Image

from countersight.case import Option
from countersight.models.local import generating, ranking
from countersight.models.local.conversation import PictureCache, decode_pictures, model_inputs
from countersight.models.local.loading import Loaded, load
from countersight.models.local.probing import writes_in_batches, writing_sight
from countersight.models.local.ranking import plain_losses, rank_requests
from countersight.models.local.writing import write_in_trees
from countersight.models.protocol import Answer, ModelSettings, Request
from countersight.models.request_queue import Feed

Models = Callable[[str], Loaded]
SHORT = ModelSettings(max_tokens=6)
DRAWN = ModelSettings(max_tokens=6, temperature=1.0, seed=3)


PLAIN = ("mllama", "blip_2_t5")
"""Families that need the picture at every step, or that have a separate decoder."""


def answers(loaded: Loaded, requests: list[Request], settings: ModelSettings = SHORT) -> list[Answer]:
    return write(loaded, requests, settings, lambda: False)


def in_trees(
    loaded: Loaded, feed: Feed, settings: ModelSettings, stopped: Callable[[], bool] = lambda: False
) -> list[Any]:
    """Return the answers that are written with shared prefixes, in order."""
    sight = writing_sight(loaded)
    assert sight is not None
    found = dict(feed.answered(write_in_trees(sight, loaded, feed, settings, stopped)))
    return [found[number] for number in range(len(found))]


def shared(loaded: Loaded, requests: list[Request], settings: ModelSettings = SHORT) -> list[Any]:
    return in_trees(loaded, Feed(requests), settings)


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


# with shared prefixes


def pairs(number: int) -> list[Request]:
    """Return two questions about each of several pictures of different shapes."""
    return [
        request(text, shown, key=f"{nth} {text}")
        for nth in range(number)
        for shown in [picture(40 + 24 * nth, 90 - 10 * nth, seed=nth)]
        for text in ("How many cats?", "How many would there be if one more cat came in?")
    ]


@pytest.mark.parametrize("family", ["llava", "qwen2_5_vl", "gemma3", "mllama", "blip_2_t5"])
def test_answers_equal_those_of_the_models_own_generate(family: str, tiny_model: Models) -> None:
    loaded = tiny_model(family)
    if family in PLAIN:
        assert writing_sight(loaded) is None
        return
    for settings in (SHORT, DRAWN):
        assert shared(loaded, mixed(), settings) == answers(loaded, mixed(), settings)


@pytest.mark.parametrize(("off", "independent"), [(0.0, True), (0.1, False)])
def test_ties_between_tokens_do_not_affect_the_batch_test(
    tiny_folder: Callable[[str], Path], off: float, independent: bool
) -> None:
    loaded = load(str(tiny_folder("qwen2_5_vl")), device="cpu")
    head = loaded.model.get_output_embeddings()

    def tie(_: Any, __: Any, logits: Any) -> Any:
        """Make the first two tokens nearly equally likely: alone the one is ahead, in a batch the other."""
        logits[..., :2] = 3.0
        logits[..., min(1, len(logits) - 1)] += 1e-5
        logits[..., 2::2] += off * (len(logits) - 1)
        return logits

    with torch.inference_mode():
        handle = head.register_forward_hook(tie)
        assert writes_in_batches(loaded) is independent
        handle.remove()


def test_a_finished_answer_frees_its_slot(tiny_model: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded, requests = tiny_model("qwen2_5_vl"), pairs(5)
    long = ModelSettings(max_tokens=12)
    tokens = [tokens_of(loaded, one, 12) for one in requests]
    loaded.model.generation_config.eos_token_id = [tokens[0][3], tokens[3][1]]
    monkeypatch.setattr(generating, "ROWS", 3)
    monkeypatch.setattr(ranking, "TOKENS", 150)
    try:
        found, expected = shared(loaded, requests, long), answers(loaded, requests, long)
    finally:
        loaded.model.generation_config.eos_token_id = loaded.tokenizer.eos_token_id
    assert found == expected
    assert len({answer.tokens_out for answer in found}) > 1


def arriving(requests: list[Request], number: int) -> Feed:
    """Return a feed that starts with `number` requests and adds as many whenever there is room."""
    waiting = requests[number:]

    def further() -> list[Request]:
        taken, waiting[:number] = waiting[:number], []
        return taken

    return Feed(requests[:number], number, further)


def test_further_requests_can_join_while_others_are_computed(
    tiny_model: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded, requests = tiny_model("qwen2_5_vl"), pairs(6)
    monkeypatch.setattr(generating, "ROWS", 3)
    monkeypatch.setattr(ranking, "TOKENS", 150)
    feed = arriving(requests, 4)
    assert in_trees(loaded, feed, DRAWN) == answers(loaded, requests, DRAWN)
    assert not feed, "what is answered is let go"
    asked = [replace(one, options=(Option("yes"), Option("three cats"))) for one in requests]
    feed = arriving(asked, 4)
    losses = dict(feed.answered(rank_requests(writing_sight(loaded), loaded, feed)))
    assert [losses[number] for number in range(len(asked))] == [
        pytest.approx(plain_losses(loaded, one), rel=1e-4) for one in asked
    ]


def test_later_conversations_may_need_longer_slots(tiny_model: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded, shown = tiny_model("llava"), picture()
    requests = [request("cat " * length, shown, key=str(length)) for length in (1, 90, 200, 2)]
    monkeypatch.setattr(ranking, "TOKENS", 1)
    monkeypatch.setattr(generating, "ROWS", 2)
    alone = [request(one.turns[0].text, picture(seed=nth), key=one.key) for nth, one in enumerate(requests)]
    for asked in (requests, alone):
        assert shared(loaded, asked) == answers(loaded, asked)


def test_the_shared_prefix_of_a_pair_is_read_once(tiny_model: Models) -> None:
    loaded, asked = tiny_model("qwen2_5_vl"), pairs(1)
    shared(loaded, asked)  # the probe has read things too
    read: list[int] = []
    handle = loaded.model.register_forward_pre_hook(
        lambda _, __, named: read.append(named["input_ids"].shape[1]), with_kwargs=True
    )
    try:
        answers = shared(loaded, asked)
    finally:
        handle.remove()
    assert read[0] < sum(answer.tokens_in for answer in answers)
    assert max(answer.tokens_in for answer in answers) <= read[0]
    assert set(read[1:]) == {1}


@pytest.mark.parametrize(("family", "length"), [("llava", 400), ("blip_2", 150)])
def test_an_answer_ends_at_the_models_maximum_length(family: str, length: int, tiny_model: Models) -> None:
    loaded, asked = tiny_model(family), request("cat " * length, picture())
    [said] = answers(loaded, [asked], ModelSettings(max_tokens=5000))
    assert said.tokens_in + said.tokens_out <= loaded.longest
    if family == "llava":
        assert shared(loaded, [asked], ModelSettings(max_tokens=5000)) == [said]


def test_generation_stops_on_request(tiny_model: Models) -> None:
    asked = [0]

    def stopped() -> bool:
        asked[0] += 1
        return asked[0] >= 3

    loaded, long = tiny_model("qwen2_5_vl"), ModelSettings(max_tokens=4000)
    assert write(loaded, [request("How many?", picture())], long, stopped)[0].tokens_out == 3
    asked[0] = -1
    assert all(answer.tokens_out < 20 for answer in in_trees(loaded, Feed(mixed()), long, stopped))
