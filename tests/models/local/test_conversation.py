"""Model inputs: padding, tokens of answers, and unusual pictures."""

import unicodedata
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from models.local import tiny
from models.local.talks import picture, request

from countersight.errors import AskingFailed
from countersight.models.local.conversation import answer_tokens, check_picture_count, decode_pictures, model_inputs
from countersight.models.local.loading import Loaded, load
from countersight.models.protocol import Request, Turn

Models = Callable[[str], Loaded]


def next_words(loaded: Loaded, requests: list[Request]) -> torch.Tensor:
    """Return the log-probabilities of the first token of the answer."""
    prompt = model_inputs(loaded, requests, decode_pictures(*requests))
    if loaded.has_separate_decoder:
        prompt["decoder_input_ids"] = torch.full((len(requests), 1), loaded.decoder_start)
    with torch.inference_mode():
        return loaded.model(**prompt, use_cache=False).logits[:, -1]


@pytest.mark.parametrize("family", tiny.KINDS)
def test_a_prompt_has_only_one_start_token(family: str, tiny_model: Models) -> None:
    loaded, asked = tiny_model(family), request("How many?", picture())
    begin = loaded.tokenizer.bos_token_id
    tokens = model_inputs(loaded, [asked], decode_pictures(asked))["input_ids"][0].tolist()
    assert tokens.count(begin) == (0 if begin is None else 1)


@pytest.mark.parametrize("family", ["qwen2_5_vl", "gemma3", "mllama"])
def test_several_pictures_in_several_turns(family: str, tiny_model: Models) -> None:
    loaded = tiny_model(family)
    turns = (Turn("user", "One?", picture(seed=1)), Turn("assistant", "yes"), Turn("user", "And?", picture(90, 30)))
    talk = Request("k", turns, "open")
    other = Request("k", (*turns[:2], Turn("user", "And?", picture(90, 30, seed=5))), "open")
    words = next_words(loaded, [talk, other])
    assert (words[0] - words[1]).abs().max() > 1e-3
    torch.testing.assert_close(words[:1], next_words(loaded, [talk]), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(
    ("family", "pictures", "reason"),
    [
        ("blip_2", 0, "blip-2 models accept a picture per conversation, not 0"),
        ("paligemma", 0, "paligemma models accept a picture"),
        ("instructblip", 2, "instructblip models accept 1 picture per conversation, not 2"),
        ("llava", 65, "llava models accept 64 pictures per conversation, not 65"),
    ],
)
def test_unsupported_numbers_of_pictures_are_refused(
    family: str, pictures: int, reason: str, tiny_model: Models
) -> None:
    turns = tuple(Turn("user", "?", picture()) for _ in range(pictures)) or (Turn("user", "?"),)
    with pytest.raises(AskingFailed, match=reason):
        check_picture_count(tiny_model(family), Request("k", turns, "open"))


def test_a_conversation_that_is_too_long_is_refused(tiny_model: Models) -> None:
    loaded = tiny_model("blip_2")
    long = request("cat " * 600, picture())
    with pytest.raises(AskingFailed, match=r"the conversation has \d+ tokens; the model accepts at most 512"):
        model_inputs(loaded, [long], decode_pictures(long))


@pytest.mark.parametrize("family", ["llava", "qwen2_5_vl"])
@pytest.mark.parametrize("size", [(1, 1), (400, 3), (3, 400)])
def test_pictures_of_every_shape_are_accepted(family: str, size: tuple[int, int], tiny_model: Models) -> None:
    assert next_words(tiny_model(family), [request("What is it?", picture(*size))]).isfinite().all()


@pytest.fixture(scope="module")
def readers(tiny_folder: Callable) -> list[Loaded]:
    """Return one model for every kind of tokenizer."""
    return [load(str(tiny_folder(name)), device="cpu") for name in ("qwen2_5_vl", "llava", "paligemma", "blip_2_t5")]


@given(st.text(max_size=30), st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30))
def test_appending_an_answer_does_not_change_the_prompt(readers: list[Loaded], question: str, answer: str) -> None:
    question = question.encode("utf-8", "replace").decode()
    for loaded in readers:
        prompt = loaded.prompt_format.write([Turn("user", question, picture())])
        tokens, again = answer_tokens(loaded, prompt, [answer, answer])
        assert tokens == again
        if not loaded.has_separate_decoder:
            # Qwen's tokenizer composes letters and their marks.
            answer = unicodedata.normalize("NFC", answer)
            text = loaded.tokenizer.decode([*loaded.tokenizer(prompt, add_special_tokens=False)["input_ids"], *tokens])
            assert "".join(answer.split()) in "".join(text.split()) or loaded.tokenizer.unk_token in text


@pytest.mark.parametrize(
    ("family", "pieces"),
    [
        ("llava", ["▁yes"]),  # behind "ASSISTANT:" and a space
        ("qwen2_5_vl", ["yes"]),  # at the beginning of a line
        ("blip_2", ["Ġyes"]),
        ("blip_2_t5", ["▁yes"]),  # at the beginning of what the decoder writes
        ("paligemma", ["yes"]),
    ],
)
def test_an_answer_has_the_same_tokens_as_in_a_training_text(
    family: str, pieces: list[str], tiny_model: Models
) -> None:
    loaded = tiny_model(family)
    prompt = loaded.prompt_format.write([Turn("user", "How many?", picture())])
    [tokens] = answer_tokens(loaded, prompt, ["yes"])
    found = loaded.tokenizer.convert_ids_to_tokens(tokens)
    assert "".join(found) == "".join(pieces)


def test_an_error_of_the_models_processor_fails_the_question_with_its_reason(tiny_model: Models) -> None:
    def refuse(**_: object) -> None:
        raise ValueError("nothing is left of the picture's height")

    asked = request("What is it?", picture())
    with pytest.raises(AskingFailed, match=r"cannot process the question \(nothing is left"):
        model_inputs(replace(tiny_model("llava"), processor=refuse), [asked], decode_pictures(asked))
