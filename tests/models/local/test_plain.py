"""Losses the plain way: what they are, against the model's own writing and the chain of its words."""

from collections.abc import Callable

import pytest
import torch
from models.local import tiny
from models.local.talks import picture, request

from countersight.errors import AskingFailed
from countersight.models.local.conversation import answer_tokens, decode_pictures, model_inputs
from countersight.models.local.generating import generate
from countersight.models.local.loading import Loaded
from countersight.models.local.ranking import plain_losses
from countersight.models.protocol import Request

Models = Callable[[str], Loaded]
OPTIONS = ("yes", "There would be 3 cats.", "red")


@pytest.mark.parametrize("family", tiny.TIERED)
def test_a_loss_is_what_the_words_of_the_option_cost_one_after_the_other(family: str, tiny_model: Models) -> None:
    """Word by word, with a pass for each, as `generate` goes with its cache: the other way to the same number."""
    loaded = tiny_model(family)
    asked = request("How many cats would there be?", picture(), *OPTIONS)
    assert plain_losses(loaded, asked, "sum") == pytest.approx(forced_losses(loaded, asked), abs=1e-3)


def forced_losses(loaded: Loaded, asked: Request) -> list[float]:
    """What the options cost when the model is made to write them."""
    prompt = model_inputs(loaded, [asked], decode_pictures(asked))
    options = [option.text for option in asked.options]
    found = []
    for tokens in answer_tokens(loaded, loaded.form.write(asked.turns), options):
        forced = Forced(tokens)
        generate(loaded, prompt, len(tokens), [forced])
        found.append(sum(forced.costs))
    return found


class Forced:
    """Makes the model write given tokens and notes what each would have cost."""

    def __init__(self, tokens: list[int]) -> None:
        self.tokens = tokens
        self.costs: list[float] = []

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        token = self.tokens[len(self.costs)]
        self.costs.append(-float(scores.float().log_softmax(-1)[0, token]))
        forced = torch.full_like(scores, float("-inf"))
        forced[:, token] = 0
        return forced


def test_the_mean_is_the_sum_over_the_number_of_tokens(tiny_model: Models) -> None:
    loaded = tiny_model("llava")
    asked = request("How many?", picture(), *OPTIONS)
    text = loaded.form.write(asked.turns)
    lengths = [len(tokens) for tokens in answer_tokens(loaded, text, OPTIONS)]
    assert len(set(lengths)) > 1
    sums, means = plain_losses(loaded, asked, "sum"), plain_losses(loaded, asked, "mean")
    assert means == pytest.approx([total / length for total, length in zip(sums, lengths, strict=True)], rel=1e-5)
    assert plain_losses(loaded, asked) == means


def test_the_order_of_the_options_does_not_matter(tiny_model: Models) -> None:
    loaded, shown = tiny_model("qwen2_5_vl"), picture()
    forth = plain_losses(loaded, request("How many?", shown, *OPTIONS))
    back = plain_losses(loaded, request("How many?", shown, *reversed(OPTIONS)))
    assert forth == back[::-1]


def test_an_option_without_words_is_refused(tiny_model: Models) -> None:
    with pytest.raises(AskingFailed, match="an option without text cannot be ranked"):
        plain_losses(tiny_model("qwen2_5_vl"), request("How many?", picture(), "one", ""))


@pytest.mark.parametrize("family", tiny.tiered("llava", "qwen3_vl", "gemma3", "blip_2", "blip_2_t5"))
def test_an_option_that_speaks_in_signs_of_the_model_is_text_like_any_other(family: str, tiny_model: Models) -> None:
    loaded = tiny_model(family)
    signs = [str(sign) for sign in loaded.tokenizer.get_added_vocab()]
    losses = plain_losses(loaded, request("Which?", picture(), *signs[:6], f"{loaded.form.mark} yes"))
    assert all(0 < loss < 100 for loss in losses)
