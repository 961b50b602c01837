"""The loss of an option the plain way: one whole pass over picture, conversation and option for each (CFMM 3.4).

An option's loss is how little the model expected its words after the conversation: the negative logarithm of the
probability of each of its tokens, given the picture, the conversation and the tokens before it, as a mean over the
tokens or as their sum. Neither the tokens of the conversation nor a token that ends the answer count. Which tokens an
option has is said at `conversation.answers_tokens`.
"""

from typing import Any

from countersight.errors import AskingFailed
from countersight.models.local.conversation import answers_tokens, check, inputs, pictures_of, with_answer
from countersight.models.local.loading import Loaded
from countersight.models.protocol import Loss, Request


def plain_losses(loaded: Loaded, request: Request, loss: Loss = "mean") -> tuple[float, ...]:
    """The loss of each option of a request, `mean` or `sum` over its tokens."""
    check(loaded, request)
    prompt = inputs(loaded, [request], pictures_of(request))
    text = loaded.form.write(request.turns)
    options = options_tokens(loaded, text, request)
    return tuple(_loss(loaded, prompt, option, loss) for option in options)


def options_tokens(loaded: Loaded, prompt: str, request: Request) -> list[list[int]]:
    """The tokens of each option after the written conversation; there is always one at least."""
    options = answers_tokens(loaded, prompt, [option.text for option in request.options])
    if not all(options):
        raise AskingFailed("an option without words cannot be ranked", again=False)
    return options


def _loss(loaded: Loaded, prompt: dict[str, Any], option: list[int], loss: Loss) -> float:
    import torch

    expected = torch.tensor(option, device=loaded.device)
    with torch.inference_mode():
        if loaded.answers_apart:
            begun = torch.tensor([[loaded.decoder_start, *option[:-1]]], device=loaded.device)
            logits = loaded.model(**prompt, decoder_input_ids=begun, use_cache=False).logits[0]
        else:
            said = with_answer(loaded, prompt, option)
            logits = loaded.model(**said, use_cache=False).logits[0, -len(option) - 1 : -1]
        unexpected = torch.nn.functional.cross_entropy(logits.float(), expected, reduction=loss)
    return float(unexpected)
