"""Ranking with shared prefixes gives the same losses as one complete pass per option."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import transformers
from hypothesis import given
from hypothesis import strategies as st
from models.local import tiny
from models.local.talks import picture, rank, request

from countersight.case import Option
from countersight.errors import AskingFailed
from countersight.models.local import ranking
from countersight.models.local.loading import Loaded, load
from countersight.models.local.probing import ranking_sight
from countersight.models.local.ranking import plain_losses
from countersight.models.local.trees import pack
from countersight.models.protocol import Request, Turn
from countersight.picture.checking import Picture

Models = Callable[[str], Loaded]
SHORT = ("yes", "yes no", "no")
LONG = ("There would be 3 cats.", "red", "The dog would be on the right side of the table.", "The dog would be red.")
ONE_PICTURE = ("blip_2_t5",)
ALWAYS_PICTURE = (*ONE_PICTURE, "paligemma")
MINISTRAL = {
    "rope_parameters": {
        **{"rope_type": "default", "rope_theta": 10000.0, "llama_4_scaling_beta": 0.1},
        "original_max_position_embeddings": 8,  # so that attention is scaled by places within every test
    }
}
WINDOWS = {"use_sliding_window": True, "sliding_window": 12}
PLAIN = ("paligemma", "blip_2_t5")


def pair(shown: Picture | None, number: int = 0) -> list[Request]:
    """Return two questions about one picture."""
    return [
        request(f"How many cats are there {number}?", shown, *SHORT, key=f"{number}/factual"),
        request("How many would there be if one more cat came into the picture?", shown, *LONG, key=f"{number}/if"),
    ]


def talk(question: str, *pictures: Picture) -> Request:
    """Return a conversation of several turns, with a picture in each question."""
    turns = [Turn("user", "What color would the car be?", pictures[0]), Turn("assistant", "red")]
    turns += [Turn("user", question, shown) for shown in pictures[1:]]
    return Request(question, tuple(turns), "choice", tuple(map(Option, SHORT)))


def everything(family: str) -> list[Request]:
    """Return pairs of questions, and conversations of several turns or without pictures if supported."""
    wide, tall = picture(200, 100, seed=1), picture(30, 90, seed=2)
    asked = [*pair(wide, 1), *pair(tall, 3)]
    if family not in ONE_PICTURE:
        asked += [talk("Is it blue?", wide, tall), talk("no?", tall, wide)]
    if family not in ALWAYS_PICTURE:
        asked += [*pair(None, 4), request("Is the dog small?", None, "yes", "no")]
    return asked


def assert_same(found: list[Any], expected: list[tuple[float, ...]]) -> None:
    assert [len(losses) for losses in found] == [len(losses) for losses in expected]
    for losses, right in zip(found, expected, strict=True):
        assert losses == pytest.approx(right, abs=1e-4, rel=1e-5)


@pytest.mark.parametrize("family", tiny.KINDS)
def test_losses_equal_those_of_one_complete_pass_per_option(family: str, tiny_model: Models) -> None:
    loaded, asked = tiny_model(family), everything(family)
    expected = [plain_losses(loaded, one) for one in asked]
    assert len({round(loss, 3) for losses in expected for loss in losses}) > len(asked)  # they could be told apart
    assert_same(rank(loaded, asked), expected)
    assert (ranking_sight(loaded) is None) == (family in PLAIN)


def test_the_order_of_the_options_does_not_matter(tiny_model: Models) -> None:
    loaded, shown = tiny_model("qwen2_5_vl"), picture()
    forth = plain_losses(loaded, request("How many?", shown, *LONG))
    back = plain_losses(loaded, request("How many?", shown, *reversed(LONG)))
    assert forth == back[::-1]


@pytest.mark.parametrize("family", ["llava", "gemma3", "blip_2_t5"])
def test_special_tokens_in_an_option_are_ordinary_text(family: str, tiny_model: Models) -> None:
    loaded = tiny_model(family)
    signs = [str(sign) for sign in loaded.tokenizer.get_added_vocab()]
    losses = plain_losses(loaded, request("Which?", picture(), *signs[:6], f"{loaded.prompt_format.placeholder} yes"))
    assert all(0 < loss < 100 for loss in losses)


@pytest.mark.parametrize("family", ["qwen2_5_vl", "gemma3", "mllama"])
def test_losses_do_not_depend_on_the_batches(family: str, tiny_model: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded, asked = tiny_model(family), everything(family)
    expected = rank(loaded, asked)
    monkeypatch.setattr(ranking, "TOKENS", 1)
    monkeypatch.setattr(ranking, "TOGETHER", 1)
    assert_same(rank(loaded, asked), expected)
    assert_same(rank(loaded, asked[::-1])[::-1], expected)


def test_losses_are_the_same_with_eager_attention(tiny_folder: Callable[[str], Path]) -> None:
    loaded = load(str(tiny_folder("llava")), device="cpu")
    asked = pair(picture())
    expected = rank(loaded, asked)
    loaded.model.set_attn_implementation("eager")
    assert_same(rank(loaded, asked), expected)
    assert_same([plain_losses(loaded, one) for one in asked], expected)


@pytest.mark.parametrize(
    ("family", "usual", "other", "settings"),
    [
        ("llava", "LlamaConfig", "MistralConfig", {"sliding_window": 12}),
        pytest.param("llava", "LlamaConfig", "Ministral3Config", MINISTRAL, marks=pytest.mark.slow),
        pytest.param("llava", "LlamaConfig", "Qwen2Config", WINDOWS, marks=pytest.mark.slow),
    ],
)
def test_other_language_models_within_a_family(
    family: str, usual: str, other: str, settings: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows shorter than the conversation, two kinds of layers, and norms within attention."""
    make = getattr(transformers, other)
    if settings.get("use_sliding_window"):
        settings = settings | {"max_window_layers": 1}
    monkeypatch.setattr(transformers, usual, lambda **given: make(**{**given, **settings}))
    loaded = load(str(tiny.FAMILIES[family](tmp_path)), device="cpu")
    assert (ranking_sight(loaded) is None) == (family in PLAIN)
    asked = [*pair(picture(), 1), *pair(picture(90, 40, seed=4), 2)]
    assert_same(rank(loaded, asked), [plain_losses(loaded, one) for one in asked])


@pytest.mark.parametrize("family", ["qwen2_5_vl", "llava"])
def test_a_picture_is_prepared_and_encoded_once(
    family: str, tiny_model: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded, asked = tiny_model(family), [*pair(picture(seed=1), 1), *pair(picture(seed=2), 2)]
    core = getattr(loaded.model, "model", loaded.model)
    encoder = next(getattr(core, name) for name in ("visual", "vision_tower", "vision_model") if hasattr(core, name))
    part, prepared, looked = loaded.processor.image_processor, [], []
    monkeypatch.setattr(loaded.processor, "image_processor", Noting(part, prepared))
    handle = encoder.register_forward_pre_hook(
        lambda _, given, named: looked.append((*given, *named.values())[0]), with_kwargs=True
    )
    ranking_sight(loaded)  # tries what the model supports
    looked.clear()
    expected = [plain_losses(loaded, one) for one in asked]
    plainly = len(looked)
    prepared.clear()
    looked.clear()
    try:
        assert_same(rank(loaded, asked), expected)
    finally:
        handle.remove()
    assert len(prepared) == 2
    assert plainly == sum(len(one.options) for one in asked)
    [patches] = looked
    alone = part([prepared[0]], return_tensors="pt")["pixel_values"]
    assert len(patches) == 2 * len(alone)


class Noting:
    """An image processor that records the pictures that it prepares."""

    def __init__(self, part: Any, pictures: list[Any]) -> None:
        self._part, self._pictures = part, pictures

    def __call__(self, images: Any, **settings: Any) -> Any:
        self._pictures += [one for group in images for one in (group if isinstance(group, list) else [group])]
        return self._part(images, **settings)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part, name)


def test_a_shared_prefix_is_read_once(tiny_model: Models) -> None:
    loaded, asked = tiny_model("qwen2_5_vl"), pair(picture(200, 100))
    read: list[int] = []
    handle = loaded.model.get_decoder().register_forward_pre_hook(
        lambda _, __, named: read.append(named["inputs_embeds"].shape[:2].numel()), with_kwargs=True
    )
    try:
        for one in asked:
            plain_losses(loaded, one)
        plainly = sum(read)
        read.clear()
        rank(loaded, asked)
    finally:
        handle.remove()
    assert len(read) == 1
    assert sum(read) < plainly / 3


def test_ranking_does_not_change_the_model(tiny_model: Models) -> None:
    loaded, asked = tiny_model("paligemma"), pair(picture())
    before = [plain_losses(loaded, one) for one in asked]
    rank(loaded, asked)
    with pytest.raises(RuntimeError, match="broken on purpose"), breaking(loaded):
        rank(loaded, asked)
    assert [plain_losses(loaded, one) for one in asked] == before


class breaking:  # noqa: N801 - it is used as a word
    """Context manager in which the model's decoder fails."""

    def __init__(self, loaded: Loaded) -> None:
        self._decoder = loaded.model.get_decoder()

    def __enter__(self) -> None:
        def fail(*_: Any) -> None:
            raise RuntimeError("broken on purpose")

        self._handle = self._decoder.layers[0].register_forward_pre_hook(fail)

    def __exit__(self, *_: object) -> None:
        self._handle.remove()


@pytest.mark.parametrize("family", ["qwen2_5_vl", "paligemma", "blip_2_t5"])
def test_a_request_that_cannot_be_ranked_fails_alone(family: str, tiny_model: Models) -> None:
    loaded, shown = tiny_model(family), picture()
    torn = msgspec.structs.replace(picture(seed=5), data=shown.data[:200])
    asked = [
        *pair(shown),
        request("How many?", shown, "one", ""),
        request("How many?", torn, "one", "two"),
        request("How many?", picture(seed=6), "one", "two"),
    ]
    if family == "paligemma":
        asked.append(request("How many?", None, "one", "two"))
    found = rank(loaded, asked)
    failed = [str(one) for one in found if isinstance(one, AskingFailed)]
    assert "an option without text cannot be ranked" in failed[0]
    assert "cannot be decoded" in failed[1]
    assert [reason.split()[0] for reason in failed[2:]] == ["paligemma"] * (family == "paligemma")
    good = [0, 1, 4]
    assert_same([found[nth] for nth in good], [plain_losses(loaded, asked[nth]) for nth in good])


def test_many_questions_about_one_picture(tiny_model: Models) -> None:
    loaded, shown = tiny_model("qwen2_5_vl"), picture()
    asked = [request(f"How many cats {number}?", shown, *SHORT) for number in range(2 * ranking.TOGETHER + 3)]
    assert_same(rank(loaded, asked), [plain_losses(loaded, one) for one in asked])


@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=8), min_size=1, max_size=8))
def test_a_tree_has_every_prefix_once_and_each_token_sees_its_ancestors(sequences: list[list[int]]) -> None:
    tree = pack(sequences)
    assert len(tree.tokens) == len({tuple(one[:size]) for one in sequences for size in range(1, len(one) + 1)})
    for sequence, path in zip(sequences, tree.paths, strict=True):
        assert tree.tokens[path].tolist() == sequence
        assert tree.depths[path].tolist() == list(range(len(sequence)))
        for depth, place in enumerate(path):
            seen = [nth for nth in range(len(tree.tokens)) if nth <= place < tree.ends[nth]]
            assert seen == path[: depth + 1].tolist()
