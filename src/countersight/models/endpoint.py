"""Models behind an OpenAI-compatible chat endpoint: hosted ones, vLLM, llama.cpp, Ollama, LM Studio and others."""

import asyncio
from typing import Any
from urllib.parse import urlsplit

from countersight.errors import AskingFailed, ModelError, Refused
from countersight.models.dialects import ChatDialect, first_choice
from countersight.models.hosted import MAX_RESPONSE, Hosted, decode_json
from countersight.models.http_service import ApiKey, Received, Service, error_text, status_error
from countersight.models.prompt_logprobs import InvalidLogprobs, PromptLogprobs, PromptRanker, ends_with, read_prompt
from countersight.models.protocol import Answer, ModelSettings, Request, Turn, check_options

COMPLETIONS = "/chat/completions"
BYTES_PER_BYTE = 256
"""The maximum size of the log-probabilities in a response, in bytes per byte of the request."""
MAX_RANKING = 256 * 1024 * 1024
UNKNOWN_FIELD = (400, 422, 501)
"""Status codes with which servers reject an unknown or unsupported field."""


class Endpoint(Hosted):
    """One model of an endpoint; supports JSON schemas and ranking if the server does."""

    def __init__(
        self, name: str, url: str, model: str, service: Service, settings: ModelSettings, chat: ChatDialect
    ) -> None:
        super().__init__(name, model, url, service, chat, settings)
        self._ranker = PromptRanker(self._read)
        self._checking = asyncio.Lock()
        self._ranks = False
        """Whether the server is known to report log-probabilities of prompts."""
        self._cannot_rank: ModelError | None = None
        self._writes = False
        self._shapes = True
        """Whether the server is assumed to support JSON schemas."""

    async def reply(self, request: Request) -> Answer:
        """Return the next turn, in the requested JSON schema if the server supports it."""
        self._writes = True
        shaped = request.shape is not None and self._shapes
        if shaped:
            schema = {"name": "reply", "strict": True, "schema": request.shape}
            held: dict[str, Any] = {"response_format": {"type": "json_schema", "json_schema": schema}}
            received = await self.send(request.turns, request.vote, **held)
            if received.status not in UNKNOWN_FIELD:
                return self.answer(received)
        answer = await super().reply(request)
        if shaped:  # the schema was refused: from now on it is described in words
            self._shapes = False
        return answer

    @property
    def observed(self) -> dict[str, Any]:
        """The fields that were sent. If options were only ranked, the token limit is 1."""
        found = super().observed
        if self._ranks and not self._writes:
            found["sent"] = self.fields.sent | self._one_token
        return found

    def answer(self, received: Received) -> Answer:
        """Parse a response into an answer; if the address has no path, the message for HTTP 404 says so."""
        if received.status == 404 and urlsplit(self.url).path == COMPLETIONS:
            raise Refused(f"HTTP 404: {error_text(received.content)}; the address lacks /v1, which most servers need")
        return super().answer(received)

    async def losses(self, request: Request) -> tuple[float, ...]:
        """Return the loss of each option, if the server reports log-probabilities as vLLM does."""
        check_options(request)
        await self._check_ranking()
        return await self._ranker.losses(request)

    async def _check_ranking(self) -> None:
        """Raise an error if the server cannot rank options; checked once per run."""
        async with self._checking:
            if self._cannot_rank is not None:
                raise self._cannot_rank
            if self._ranks:
                return
            said = "Yes"
            received = await self._rank((Turn("user", "Is this a question?"), Turn("assistant", said)))
            why = f"HTTP {received.status}: {error_text(received.content)}"
            if received.status not in UNKNOWN_FIELD:
                try:
                    prompt = self._prompt(received)
                except InvalidLogprobs as error:
                    why = str(error)
                else:
                    if prompt is not None and ends_with(prompt, said):
                        self._ranks = True
                        return
                    why = (
                        "it does not support prompt_logprobs"
                        if prompt is None
                        else "it does not support continue_final_message"
                    )
            self._cannot_rank = ModelError(
                f"{self.service.host} does not report the probability of an option ({why}), so it cannot rank "
                "options; leave out `answering` and choose the prompt swapped"
            )
            raise self._cannot_rank

    async def _read(self, turns: tuple[Turn, ...]) -> PromptLogprobs:
        prompt = self._prompt(await self._rank(turns))
        if prompt is None:
            raise AskingFailed("the server sent no prompt_logprobs for this request", again=True)
        return prompt

    def _prompt(self, received: Received) -> PromptLogprobs | None:
        if not received.succeeded:
            raise status_error(self.service, received)
        sent: Any = decode_json(received.content)
        choice = first_choice(sent)
        # For plain completions vLLM puts the list into the choice; some servers always do.
        entries = sent.get("prompt_logprobs") or choice.get("prompt_logprobs")
        return None if entries is None else read_prompt(entries, sent.get("prompt_token_ids"))

    @property
    def _one_token(self) -> dict[str, int]:
        return {self.fields.called("max_tokens"): 1}

    async def _rank(self, turns: tuple[Turn, ...]) -> Received:
        """Request the log-probabilities of a prompt; if the last turn is an answer, it is not closed."""
        answered = turns[-1].role == "assistant"
        return await self.send(
            turns,
            most=lambda body: min(MAX_RESPONSE + BYTES_PER_BYTE * len(body), MAX_RANKING),
            **self._one_token,
            prompt_logprobs=0,  # of the tokens themselves, not of alternatives
            return_token_ids=True,
            add_generation_prompt=not answered,
            continue_final_message=answered,
        )


def open_service(address: str, key: ApiKey, settings: ModelSettings, header: str = "Authorization") -> Service:
    """Return the service at an address, with the timeout and size limit for model responses."""
    return Service(address, key, header=header, timeout=settings.timeout, most=MAX_RESPONSE)
