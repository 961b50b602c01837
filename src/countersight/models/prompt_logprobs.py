"""How likely a server's model found each token of what it was given, as vLLM reports it, and the losses that makes.

With `prompt_logprobs` vLLM puts a list beside the choices: an entry for every token of the prompt, nothing for the
first, and for the others an object whose keys are token numbers. The first key is the token that stands there; more
likely ones may follow. Newer servers list the token numbers as well, as `prompt_token_ids`.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from countersight.errors import AskingFailed
from countersight.models.protocol import Loss


class PromptLogprobs(msgspec.Struct, frozen=True):
    """The tokens of a prompt behind the first, how likely each was after those before it, and their text if told."""

    tokens: tuple[str, ...]
    logprobs: tuple[float, ...]
    texts: tuple[str, ...]


class InvalidLogprobs(AskingFailed):
    """The server told something that cannot be."""

    def __init__(self, why: str) -> None:
        super().__init__(f"the server's prompt_logprobs are invalid: {why}", again=True)


def read_prompt(entries: Any, numbers: Any = None) -> PromptLogprobs:
    """What a server told of the tokens of a prompt, and their numbers where it told those too."""
    if not isinstance(entries, list) or len(entries) < 2:
        raise InvalidLogprobs("some tokens have no entry")
    named = isinstance(numbers, list) and len(numbers) == len(entries)
    read = [_entry(entries[place], str(numbers[place]) if named else None) for place in range(1, len(entries))]
    tokens, logprobs, texts = zip(*read, strict=True)
    return PromptLogprobs(tokens, logprobs, texts)


def beginning_after(asked: PromptLogprobs, answered: PromptLogprobs) -> int:
    """The place at which the answer begins that stands in `answered` behind what was `asked`."""
    short = min(len(asked.tokens), len(answered.tokens))
    # The end of the question may melt into the answer: what differs belongs to the answer.
    return next((nth for nth in range(short) if asked.tokens[nth] != answered.tokens[nth]), short)


def beginnings(prompts: Sequence[PromptLogprobs], answers: Sequence[str]) -> list[int] | None:
    """Where each answer begins that its prompt ends with, by the texts of the tokens; None where they do not tell.

    All stand behind the same question, so they begin at the same place, and what is before it is the same.
    """
    found = [_beginning(prompt, answer) for prompt, answer in zip(prompts, answers, strict=True)]
    first = found[0]
    if first is None or any(each != first for each in found):
        return None
    if any(prompt.tokens[:first] != prompts[0].tokens[:first] for prompt in prompts):
        return None
    return [first] * len(prompts)


def _beginning(prompt: PromptLogprobs, answer: str) -> int | None:
    """The place from which the tokens say the answer and nothing else; blanks are not always told."""
    wanted, said = "".join(answer.split()), ""
    for place in range(len(prompt.texts) - 1, -1, -1):
        said = "".join(prompt.texts[place].split()) + said
        if len(said) >= len(wanted):
            return place if said == wanted else None
    return None


def loss_from(begin: int, answered: PromptLogprobs, loss: Loss) -> float:
    """The loss of the answer that begins at a place, over its tokens."""
    costs = [-logprob for logprob in answered.logprobs[begin:]]
    if not costs:
        raise InvalidLogprobs("they do not contain the answer")
    return sum(costs) if loss == "sum" else sum(costs) / len(costs)


def ends_with(prompt: PromptLogprobs, answer: str) -> bool:
    """Whether the prompt ends where the answer does, as far as the server told the text of its tokens."""
    told = "".join(prompt.texts).rstrip()
    return not told or told.endswith(answer)


def _entry(entry: Any, token: str | None) -> tuple[str, float, str]:
    if not isinstance(entry, dict) or not entry:
        raise InvalidLogprobs("an entry is missing")
    token = next(iter(entry)) if token is None else token
    told = entry.get(token)
    if not isinstance(told, dict):
        raise InvalidLogprobs("a token is missing from its entry")
    logprob, text = told.get("logprob"), told.get("decoded_token")
    # Rounding may make a certain token more than certain; vLLM says -9999 for one that is impossible.
    if not isinstance(logprob, int | float) or isinstance(logprob, bool) or not -1e9 < logprob < 1:
        raise InvalidLogprobs("a token has no probability")
    return token, float(logprob), text if isinstance(text, str) else ""
