"""The embedded model: its parts, and the shipped model on fixed and new scenes."""

import asyncio
import io
import shutil
from functools import cache
from itertools import cycle
from pathlib import Path
from random import Random

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from countersight.case import Option
from countersight.engine import find_prompt
from countersight.errors import AskingFailed, ModelError
from countersight.models.embedded.inference import (
    SIDE,
    VALUES,
    Decoder,
    Inference,
    Tokenizer,
    decoder_file,
    prepare,
    weights_folder,
)
from countersight.models.embedded.model import Embedded
from countersight.models.onnx_graph import open_graph
from countersight.models.protocol import ModelSettings, Request, Turn
from countersight.picture.checking import Picture, check_picture
from countersight.reading import answer_in
from countersight.scenes.drawing import draw_both, encode
from countersight.suites.cvqa.synthetic import make_case
from countersight.suites.cvqa.templates import TEMPLATES
from tools.embedded.batches import vocabulary

TOKENIZER = Tokenizer(vocabulary(["flowers", "How", "red"], ["how", "many"]))


def png(pixels: np.ndarray) -> Picture:
    return check_picture(encode(pixels))


@cache
def asked(seed: int, number: int = 1) -> list[tuple[Request, str, str]]:
    """Return the requests that `run` makes for the first cases of every template, with world and question."""
    prompt = find_prompt("0-shot")
    requests = []
    for template in TEMPLATES:
        for index in range(number):
            made = make_case(template, seed, index, 1)
            pictures = [png(pixels) for pixels in draw_both(made.record.scene, made.changed)]
            for world, telling in (("factual", "told"), ("counterfactual", "told"), ("counterfactual", "shown")):
                question = made.case.question(world, telling)
                turn = Turn("user", prompt.render(question), pictures[telling == "shown"])
                request = Request(made.case.id, (turn,), question.kind, question.options)
                requests.append((request, f"{world} {telling}", question))
    return requests


def replies(name: str, requests: list[Request], *, together: bool = True, folder: Path | None = None) -> list[str]:
    async def ask() -> list[str]:
        model = Embedded(name, ModelSettings(), folder)
        try:
            if together:
                return [answer.text for answer in await asyncio.gather(*(model.reply(one) for one in requests))]
            return [(await model.reply(one)).text for one in requests]
        finally:
            await model.close()

    return asyncio.run(ask())


@given(st.text())
def test_any_text_can_be_tokenized(text: str) -> None:
    assert all(0 <= token < len(TOKENIZER.vocabulary) for token in TOKENIZER.conversation([("user", text)]))


def test_known_words_and_numbers_are_one_token_and_other_words_are_spelled() -> None:
    tokens = TOKENIZER.encode("How many flowers: 23?")
    assert len(tokens) == 6
    assert TOKENIZER.decode(tokens) == "How many flowers: 23?"
    assert TOKENIZER.decode(TOKENIZER.encode("many zebras")) == "many zebras"
    assert TOKENIZER.model not in TOKENIZER.encode("<model> 7 <end>")  # a text cannot begin a turn


@pytest.mark.parametrize(("mode", "size"), [("RGBA", (448, 448)), ("LA", (640, 480)), ("P", (3, 1000))])
def test_pictures_of_any_size_and_mode_are_prepared_and_transparent_pixels_become_white(mode: str, size) -> None:
    file = io.BytesIO()
    Image.new("RGBA", size, (0, 0, 0, 0 if mode == "RGBA" else 255)).convert(mode).save(file, "PNG")
    pixels = prepare(check_picture(file.getvalue()))
    assert pixels.shape == (SIDE, SIDE, 3)
    assert (pixels == 255).all() == (mode == "RGBA")


def test_the_shipped_model_answers_in_both_worlds() -> None:
    """Uses fixed scenes, and new ones from a random seed; the card allows a few wrong answers."""
    requests = asked(7) + asked(Random().randrange(10**6, 10**9))
    texts = replies("embedded", [request for request, _, _ in requests])
    wrong = [
        (request.turns[0].text, text)
        for (request, _, question), text in zip(requests, texts, strict=True)
        if answer_in(text, question) != question.answer
    ]
    assert len(wrong) <= 2, wrong


def test_the_factual_checkpoint_answers_only_factual_questions() -> None:
    requests = asked(7, 2)
    texts = replies("embedded:factual", [request for request, _, _ in requests])
    right: dict[str, list[bool]] = {}
    for (_, telling, question), text in zip(requests, texts, strict=True):
        right.setdefault(telling, []).append(answer_in(text, question) == question.answer)
    assert np.mean(right["factual told"]) > 0.9
    assert np.mean(right["counterfactual shown"]) > 0.9
    assert np.mean(right["counterfactual told"]) < 0.7


def test_answers_do_not_depend_on_the_batch() -> None:
    requests = [request for request, _, _ in asked(7)]
    assert replies("embedded", requests) == replies("embedded", requests, together=False)


def test_options_are_understood_with_every_kind_of_marker() -> None:
    requests, other = [], []
    marks = cycle(["{}. ", "{}) ", "({}) "])
    for request, _, question in asked(7):
        requests.append(request)
        text, mark = request.turns[0].text, next(marks)
        for letter, option in zip("ABCD", question.options, strict=True):
            text = text.replace(f"\n{letter}: {option.text}\n", f"\n{mark.format(letter)}{option.text}\n")
        assert text != request.turns[0].text
        other.append(msgspec.structs.replace(request, turns=(msgspec.structs.replace(request.turns[0], text=text),)))
    assert replies("embedded", other) == replies("embedded", requests)


def test_decoding_with_the_cache_equals_decoding_without_it() -> None:
    inference = Inference(weights_folder(), "both")
    decoder = Decoder(
        open_graph(weights_folder() / decoder_file("both")), inference.tokenizer.end, inference.tokenizer.pad
    )
    prompt = inference.tokenizer.conversation((("user", "How many dots are there in all the circles together? Why?"),))
    values = np.random.default_rng(0).uniform(0, 9, (1, len(VALUES))).astype(np.float32)
    [written] = decoder.generate([prompt], values, 12)
    again: list[int] = []
    while len(again) < len(written):
        again += decoder.generate([[*prompt, *again]], values, 1)[0]
    assert again == written


def test_an_explanation_names_the_counted_objects() -> None:
    request, _, question = next(one for one in asked(7) if "flowers" in one[2].text)
    (first,) = replies("embedded", [request])
    turns = (*request.turns, Turn("assistant", first), Turn("user", "Why?"))
    (why,) = replies("embedded", [Request("", turns, "open")])
    number = question.options["ABCD".index(question.answer)].text
    assert "flowers" in why
    assert number in why.replace(".", " ").replace(",", " ").split()


def test_yes_no_questions_are_answered_and_a_picture_of_another_kind_with_unknown() -> None:
    request, _, _ = next(one for one in asked(7) if "dots" in one[2].text)
    text = "Are there more than 60 dots in all the circles together?\nAnswer with yes or no."
    assert replies("embedded", [Request("", (Turn("user", text, request.turns[0].picture),), "boolean")]) == ["No."]

    noise = np.random.default_rng(0).integers(0, 256, (300, 400, 3), np.uint8)
    blurred = np.asarray(Image.fromarray(noise).resize((8, 6)).resize((640, 480), Image.Resampling.BICUBIC))
    for pixels in (noise, blurred):
        turn = Turn("user", "How many dots are there?\nAnswer with a single number.", png(pixels))
        assert replies("embedded", [Request("", (turn,), "number")]) == ["I do not know."]


def test_the_right_option_has_the_smallest_loss_in_any_order() -> None:
    made = make_case(TEMPLATES[1], 7, 0, 1)
    picture = png(draw_both(made.record.scene, made.changed)[0])
    question = made.case.counterfactual

    async def rank(options: tuple[Option, ...]) -> tuple[float, ...]:
        text = find_prompt("0-shot").render(msgspec.structs.replace(question, options=options), listed=False)
        request = Request("", (Turn("user", text, picture),), "choice", options)
        return await Embedded("embedded", ModelSettings()).losses(request)

    losses = asyncio.run(rank(question.options))
    turned = asyncio.run(rank(question.options[::-1]))
    assert losses.index(min(losses)) == "ABCD".index(question.answer)
    assert losses == pytest.approx(turned[::-1], rel=1e-3)


def test_an_invalid_question_fails_alone() -> None:
    good, _, _ = asked(7)[0]
    long = msgspec.structs.replace(good, turns=(Turn("user", "word " * 5000, good.turns[0].picture),))
    without = Request("", (Turn("user", "How many?"),), "number")
    bad = Request("", (Turn("user", "How many?", Picture(b"no picture", "image/png", 1, 1)),), "number")

    async def ask() -> list[object]:
        model = Embedded("embedded", ModelSettings())
        return await asyncio.gather(*map(model.reply, (good, long, bad, without)), return_exceptions=True)

    answered, read, *failed = asyncio.run(ask())
    assert not isinstance(answered, Exception)
    assert not isinstance(read, Exception)
    assert all(isinstance(each, AskingFailed) for each in failed)


@pytest.mark.parametrize("name", ["decoder-both.onnx", "encoder.onnx", "vocabulary.json"])
def test_a_missing_file_is_a_clear_error(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "weights"
    shutil.copytree(weights_folder(), folder)
    (folder / name).unlink()
    with pytest.raises(ModelError, match=f"{name}: No such file.*install countersight again"):
        Embedded("embedded", ModelSettings(), folder)


def test_each_checkpoint_has_its_own_fingerprint(tmp_path: Path) -> None:
    both, factual = (Embedded(name, ModelSettings()).settings["weights"] for name in ("embedded", "embedded:factual"))
    assert both != factual
    folder = tmp_path / "weights"
    shutil.copytree(weights_folder(), folder)
    (folder / "decoder-factual.onnx").unlink()  # one checkpoint does not depend on the other
    assert Embedded("embedded", ModelSettings(), folder).settings["weights"] == both
    (folder / "decoder-both.onnx").write_bytes(b"others")
    assert Embedded("embedded", ModelSettings(), folder).settings["weights"] != both
