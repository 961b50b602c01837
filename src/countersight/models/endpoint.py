"""Models behind an OpenAI-compatible chat endpoint: hosted ones, vLLM, llama.cpp, Ollama, LM Studio and the like."""

import asyncio
from typing import Any

from countersight.errors import AskingFailed, ModelError
from countersight.models.chat import Chat, first_choice
from countersight.models.hosted import MAX_RESPONSE, Hosted
from countersight.models.prompt_logprobs import Prompt, Senseless, ends_with, loss_of, read_prompt
from countersight.models.protocol import Answer, ModelSettings, Request, Turn
from countersight.models.saying import decoded
from countersight.models.service import Received, Service, error_text, refused

UNKNOWN_FIELD = (400, 422, 501)
"""How servers tell that a field is unknown, or not for this model."""


class Endpoint(Hosted):
    """Asks one model of one endpoint; it can be held to a shape, and rank options, where the server offers that."""

    def __init__(
        self, name: str, url: str, model: str, service: Service, settings: ModelSettings, chat: Chat | None = None
    ) -> None:
        super().__init__(name, model, url, service, chat or Chat(model), settings)
        self._loss = settings.loss
        self._told = asyncio.Lock()
        self._tells = False
        """Whether the server was found to tell how likely the tokens of a prompt are."""
        self._shapes = True
        """Whether the server can be held to a shape, for all we know."""

    async def reply(self, request: Request) -> Answer:
        """What the model says next, in the shape that is wanted if it can be held to one."""
        shaped = request.shape is not None and self._shapes
        if shaped:
            schema = {"name": "reply", "strict": True, "schema": request.shape}
            held = {"response_format": {"type": "json_schema", "json_schema": schema}}
            received = await self.asked(request.turns, request.vote, **held)
            if received.status not in UNKNOWN_FIELD:
                return self.answer(received)
        answer = await super().reply(request)
        if shaped:  # it was about the shape: from now on words must do
            self._shapes = False
        return answer

    async def losses(self, request: Request) -> tuple[float, ...]:
        """How little the model expected each option, where the server tells that as vLLM does."""
        if not request.options:
            raise AskingFailed("there are no options to rank", again=False)
        if not all(option.text.strip() for option in request.options):
            raise AskingFailed("an option without words cannot be ranked", again=False)
        async with self._told:
            if not self._tells:
                await self._try_telling()
                self._tells = True
        asked = await self._read(request.turns)
        answered = [await self._read((*request.turns, Turn("assistant", one.text))) for one in request.options]
        return tuple(loss_of(asked, prompt, self._loss) for prompt in answered)

    async def _try_telling(self) -> None:
        """Stop the run at once where the server cannot rank: it would not at any question."""
        said = "Yes"
        received = await self._rank((Turn("user", "Is this a question?"), Turn("assistant", said)))
        why = f"HTTP {received.status}: {error_text(received.content)}"
        if received.status not in UNKNOWN_FIELD:
            try:
                prompt = self._prompt(received)
            except Senseless as error:
                why = str(error)
            else:
                if prompt is not None and ends_with(prompt, said):
                    return
                why = "it knows no prompt_logprobs" if prompt is None else "it does not know continue_final_message"
        raise ModelError(
            f"{self.service.host} does not say how likely an option is ({why}), so it cannot rank them; "
            "leave out `answering` and ask with the prompt swapped"
        )

    async def _read(self, turns: tuple[Turn, ...]) -> Prompt:
        prompt = self._prompt(await self._rank(turns))
        if prompt is None:
            raise AskingFailed("the server sent no prompt_logprobs this time", again=True)
        return prompt

    def _prompt(self, received: Received) -> Prompt | None:
        if not received.well:
            raise refused(self.service.host, received)
        sent: Any = decoded(received.content)
        choice = first_choice(sent)
        # For completions that are no chat vLLM puts the list into the choice; some servers do so always.
        entries = sent.get("prompt_logprobs") or choice.get("prompt_logprobs")
        return None if entries is None else read_prompt(entries, sent.get("prompt_token_ids"))

    async def _rank(self, turns: tuple[Turn, ...]) -> Received:
        """Asks how likely the prompt is; one that ends with an answer is left open there, with nothing behind it."""
        answered = turns[-1].role == "assistant"
        return await self.asked(
            turns,
            **{self.fields.called("max_tokens"): 1},
            prompt_logprobs=1,
            return_token_ids=True,
            add_generation_prompt=not answered,
            continue_final_message=answered,
        )


def serving(address: str, key: str, settings: ModelSettings, header: str = "Authorization") -> Service:
    """The service at an address, with the bounds that answers of models have."""
    return Service(address, key, header=header, timeout=settings.timeout, most=MAX_RESPONSE)
