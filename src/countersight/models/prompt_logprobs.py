"""Log-probabilities of the tokens of a prompt, as reported by vLLM, and the losses computed from them.

With `prompt_logprobs`, vLLM adds a list next to the choices, with one entry per token of the prompt. The entry of the
first token is None; the others are objects whose keys are token numbers. The first key is the actual token; more likely
tokens may follow. Newer servers also list the token numbers as `prompt_token_ids`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec

from countersight.errors import AskingFailed
from countersight.models.protocol import Request, Turn, check_options


class PromptLogprobs(msgspec.Struct, frozen=True):
    """The tokens of a prompt after the first, their log-probabilities, and their texts if reported."""

    tokens: tuple[str, ...]
    logprobs: tuple[float, ...]
    texts: tuple[str, ...]


class PromptRanker:
    """Ranks options by the log-probabilities that `read` returns for a conversation.

    The texts of tokens show where each option begins. For the first request, and if the texts do not show it, the
    question is also sent alone; an option then begins where its tokens differ from the question's.
    """

    def __init__(self, read: Callable[[tuple[Turn, ...]], Awaitable[PromptLogprobs]]) -> None:
        self._read = read
        self._texts_tell = False
        """Whether the texts of tokens are known to show where an option begins."""

    async def losses(self, request: Request) -> tuple[float, ...]:
        """Return the loss of each option; the options are sent concurrently."""
        check_options(request)
        answered = [(*request.turns, Turn("assistant", option.text)) for option in request.options]
        prompts = await self._read_all(answered)
        begins = answer_starts(prompts, [option.text for option in request.options])
        if begins is None or not self._texts_tell:
            asked = await self._read(request.turns)
            compared = [find_answer_start(asked, prompt) for prompt in prompts]
            self._texts_tell = self._texts_tell or begins == compared
            begins = compared
        return tuple(loss_from(begin, prompt) for begin, prompt in zip(begins, prompts, strict=True))

    async def _read_all(self, conversations: Sequence[tuple[Turn, ...]]) -> list[PromptLogprobs]:
        """Read all conversations; if one fails, the others are cancelled."""
        tasks = [asyncio.ensure_future(self._read(turns)) for turns in conversations]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


class InvalidLogprobs(AskingFailed):
    """Raised if the log-probabilities of a server are invalid."""

    def __init__(self, why: str) -> None:
        super().__init__(f"the server's prompt_logprobs are invalid: {why}", again=True)


def read_prompt(entries: Any, numbers: Any = None) -> PromptLogprobs:
    """Parse the entries of a prompt's tokens, and the token IDs, if the server reports them."""
    if not isinstance(entries, list) or len(entries) < 2:
        raise InvalidLogprobs("some tokens have no entry")
    named = isinstance(numbers, list) and len(numbers) == len(entries)
    read = [_entry(entries[place], str(numbers[place]) if named else None) for place in range(1, len(entries))]
    tokens, logprobs, texts = zip(*read, strict=True)
    return PromptLogprobs(tokens, logprobs, texts)


def find_answer_start(asked: PromptLogprobs, answered: PromptLogprobs) -> int:
    """Return the position at which the answer begins in `answered`; `asked` is the same prompt without the answer."""
    short = min(len(asked.tokens), len(answered.tokens))
    # The end of the question may merge with the answer: tokens that differ belong to the answer.
    return next((nth for nth in range(short) if asked.tokens[nth] != answered.tokens[nth]), short)


def answer_starts(prompts: Sequence[PromptLogprobs], answers: Sequence[str]) -> list[int] | None:
    """Return the position at which each answer begins in its prompt, from the texts of tokens; None if they do not show
    it.

    All answers follow the same question, so they begin at the same position after the same tokens.
    """
    found = [_answer_start(prompt, answer) for prompt, answer in zip(prompts, answers, strict=True)]
    first = found[0]
    if first is None or any(each != first for each in found):
        return None
    if any(prompt.tokens[:first] != prompts[0].tokens[:first] for prompt in prompts):
        return None
    return [first] * len(prompts)


def _answer_start(prompt: PromptLogprobs, answer: str) -> int | None:
    """Return the position from which the tokens consist of the answer only, ignoring spaces, which servers may omit."""
    wanted, said = "".join(answer.split()), ""
    for place in range(len(prompt.texts) - 1, -1, -1):
        said = "".join(prompt.texts[place].split()) + said
        if len(said) >= len(wanted):
            return place if said == wanted else None
    return None


def loss_from(begin: int, answered: PromptLogprobs) -> float:
    """Return the mean loss of the tokens of the answer that begins at a position."""
    costs = [-logprob for logprob in answered.logprobs[begin:]]
    if not costs:
        raise InvalidLogprobs("they do not contain the answer")
    return sum(costs) / len(costs)


def ends_with(prompt: PromptLogprobs, answer: str) -> bool:
    """Whether the prompt ends with the answer, according to the texts of its tokens if reported."""
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
    # Rounding may make a probability exceed 1; vLLM reports -9999 for an impossible token.
    if not isinstance(logprob, int | float) or isinstance(logprob, bool) or not -1e9 < logprob < 1:
        raise InvalidLogprobs("a token has no probability")
    return token, float(logprob), text if isinstance(text, str) else ""
