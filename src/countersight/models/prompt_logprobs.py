"""How likely a server's model found each token of what it was given, as vLLM reports it, and the losses that makes.

With `prompt_logprobs` vLLM puts a list beside the choices: an entry for every token of the prompt, nothing for the
first, and for the others an object whose keys are token numbers. The first key is the token that stands there; more
likely ones may follow. Newer servers list the token numbers as well, as `prompt_token_ids`.
"""

from typing import Any

import msgspec

from countersight.errors import AskingFailed
from countersight.models.protocol import Loss


class Prompt(msgspec.Struct, frozen=True):
    """The tokens of a prompt behind the first, how likely each was after those before it, and their text if told."""

    tokens: tuple[str, ...]
    logprobs: tuple[float, ...]
    texts: tuple[str, ...]


class Senseless(AskingFailed):
    """The server told something that cannot be."""

    def __init__(self, why: str) -> None:
        super().__init__(f"the server's prompt_logprobs make no sense: {why}", again=True)


def read_prompt(entries: Any, numbers: Any = None) -> Prompt:
    """What a server told of the tokens of a prompt, and their numbers where it told those too."""
    if not isinstance(entries, list) or len(entries) < 2:
        raise Senseless("there is no entry for every token")
    named = isinstance(numbers, list) and len(numbers) == len(entries)
    read = [_entry(entries[place], str(numbers[place]) if named else None) for place in range(1, len(entries))]
    tokens, logprobs, texts = zip(*read, strict=True)
    return Prompt(tokens, logprobs, texts)


def loss_of(asked: Prompt, answered: Prompt, loss: Loss) -> float:
    """The loss of the answer that stands in `answered` behind what was `asked`, over its tokens."""
    short = min(len(asked.tokens), len(answered.tokens))
    # The end of the question may melt into the answer: what differs belongs to the answer.
    begin = next((nth for nth in range(short) if asked.tokens[nth] != answered.tokens[nth]), short)
    costs = [-logprob for logprob in answered.logprobs[begin:]]
    if not costs:
        raise Senseless("the answer is not in it")
    return sum(costs) if loss == "sum" else sum(costs) / len(costs)


def ends_with(prompt: Prompt, answer: str) -> bool:
    """Whether the prompt ends where the answer does, as far as the server told the text of its tokens."""
    told = "".join(prompt.texts).rstrip()
    return not told or told.endswith(answer)


def _entry(entry: Any, token: str | None) -> tuple[str, float, str]:
    if not isinstance(entry, dict) or not entry:
        raise Senseless("an entry is missing")
    token = next(iter(entry)) if token is None else token
    told = entry.get(token)
    if not isinstance(told, dict):
        raise Senseless("a token is not among those of its entry")
    logprob, text = told.get("logprob"), told.get("decoded_token")
    # Rounding may make a certain token more than certain; vLLM says -9999 for one that is impossible.
    if not isinstance(logprob, int | float) or isinstance(logprob, bool) or not -1e9 < logprob < 1:
        raise Senseless("a token has no probability")
    return token, float(logprob), text if isinstance(text, str) else ""
