"""Generation with shared prefixes gives the same answers as the model's own `generate`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from models.local.talks import mixed, picture, request, write
from msgspec.structs import replace

from countersight.case import Option
from countersight.models.local import generating, ranking
from countersight.models.local.conversation import Feed
from countersight.models.local.loading import Loaded, load
from countersight.models.local.probing import writes_in_batches, writing_sight
from countersight.models.local.ranking import plain_losses, rank_requests
from countersight.models.local.writing import write_in_trees
from countersight.models.protocol import Answer, ModelSettings, Request

Models = Callable[[str], Loaded]
SHORT = ModelSettings(max_tokens=6)
DRAWN = ModelSettings(max_tokens=6, temperature=1.0, seed=3)
PLAIN = ("mllama", "blip_2_t5")
"""Families that need the picture at every step, or that have a separate decoder."""


def shared(loaded: Loaded, requests: list[Request], settings: ModelSettings = SHORT) -> list[Any]:
    sight = writing_sight(loaded)
    assert sight is not None
    feed = Feed(requests)
    found = dict(feed.answered(write_in_trees(sight, loaded, feed, settings, lambda: False)))
    return [found[number] for number in range(len(requests))]


def plain(loaded: Loaded, requests: list[Request], settings: ModelSettings = SHORT) -> list[Any]:
    return write(loaded, requests, settings, lambda: False)


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
        assert shared(loaded, mixed(), settings) == plain(loaded, mixed(), settings)


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
        found, expected = shared(loaded, requests, long), plain(loaded, requests, long)
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
    sight = writing_sight(loaded)
    assert sight is not None
    monkeypatch.setattr(generating, "ROWS", 3)
    monkeypatch.setattr(ranking, "TOKENS", 150)
    feed = arriving(requests, 4)
    found = dict(feed.answered(write_in_trees(sight, loaded, feed, DRAWN, lambda: False)))
    assert [found[number] for number in range(len(requests))] == plain(loaded, requests, DRAWN)
    assert not feed, "what is answered is let go"
    asked = [replace(one, options=(Option("yes"), Option("three cats"))) for one in requests]
    feed = arriving(asked, 4)
    losses = dict(feed.answered(rank_requests(sight, loaded, feed)))
    assert [losses[number] for number in range(len(asked))] == [
        pytest.approx(plain_losses(loaded, one), rel=1e-4) for one in asked
    ]


def tokens_of(loaded: Loaded, asked: Request, number: int) -> list[int]:
    sight = writing_sight(loaded)
    assert sight is not None
    [(_, written)] = generating.write_shared(loaded, sight, Feed([asked]), number)
    assert isinstance(written, tuple)
    return written[0]


def test_later_conversations_may_need_longer_slots(tiny_model: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded, shown = tiny_model("llava"), picture()
    requests = [request("cat " * length, shown, key=str(length)) for length in (1, 90, 200, 2)]
    monkeypatch.setattr(ranking, "TOKENS", 1)
    monkeypatch.setattr(generating, "ROWS", 2)
    alone = [request(one.turns[0].text, picture(seed=nth), key=one.key) for nth, one in enumerate(requests)]
    for asked in (requests, alone):
        assert shared(loaded, asked) == plain(loaded, asked)


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


def test_an_answer_ends_at_the_models_maximum_length(tiny_model: Models) -> None:
    loaded, asked = tiny_model("llava"), request("cat " * 400, picture())
    said = shared(loaded, [asked], ModelSettings(max_tokens=5000))[0]
    assert said == plain(loaded, [asked], ModelSettings(max_tokens=5000))[0]
    assert said.tokens_in + said.tokens_out <= loaded.longest


def test_generation_stops_on_request(tiny_model: Models) -> None:
    loaded, calls = tiny_model("qwen2_5_vl"), [0]
    sight = writing_sight(loaded)
    assert sight is not None

    def stopped() -> bool:
        calls[0] += 1
        return calls[0] > 3

    said = dict(write_in_trees(sight, loaded, Feed(mixed()), ModelSettings(max_tokens=400), stopped))
    assert all(isinstance(answer, Answer) and answer.tokens_out < 20 for answer in said.values())
