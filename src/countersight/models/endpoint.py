"""Models behind an OpenAI-compatible chat endpoint: hosted ones, vLLM, llama.cpp, Ollama, LM Studio and the like."""

import asyncio
import json
import os
from typing import Any

import msgspec

from countersight.errors import AskingFailed, ModelError, Overloaded
from countersight.models.prompt_logprobs import Prompt, Senseless, ends_with, loss_of, read_prompt
from countersight.models.protocol import Answer, ModelSettings, Request, Turn
from countersight.models.sending import Sending
from countersight.models.service import Received, Service, checked_address, error_text, key_from, refused, shorten

OPENAI = "https://api.openai.com/v1"
MAX_RESPONSE = 4 * 1024 * 1024
"""More bytes than this are no answer; reading stops there."""


class _Message(msgspec.Struct):
    content: Any = None
    refusal: Any = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: Any = None
    prompt_logprobs: Any = None


class _Completion(msgspec.Struct):
    """Of a completion only the message must have its shape: no answer is lost over a side field."""

    choices: list[_Choice] = []
    usage: Any = None
    model: Any = None
    error: Any = None
    prompt_logprobs: Any = None
    prompt_token_ids: Any = None


_completion = msgspec.json.Decoder(_Completion)


class Endpoint:
    """Asks one model of one endpoint over kept-alive connections."""

    needs_picture = True

    def __init__(self, name: str, url: str, model: str, key: str, settings: ModelSettings) -> None:
        self.name = name
        self.settings = {
            "max_tokens": settings.max_tokens,
            "temperature": settings.temperature,
            "seed": settings.seed,
            "detail": settings.detail,
        }
        self._url = url.rstrip("/") + "/chat/completions"
        self._model = model
        self._options = settings
        self._service = Service(url, key, timeout=settings.timeout, most=MAX_RESPONSE)
        self._pictures = Sending()
        self._told = asyncio.Lock()
        self._tells = False
        """Whether the server was found to tell how likely the tokens of a prompt are."""
        self._shapes = True
        """Whether the server can be held to a shape, for all we know."""

    async def reply(self, request: Request) -> Answer:
        further: dict[str, Any] = {"seed": self._options.seed + request.vote} if request.vote else {}
        shaped = request.shape is not None and self._shapes
        if shaped:
            schema = {"name": "reply", "strict": True, "schema": request.shape}
            held = {"response_format": {"type": "json_schema", "json_schema": schema}}
            received = await self._post(await self._body(request.turns, self._options.max_tokens, **held, **further))
            if received.status not in (400, 422, 501):  # they tell that a field is unknown, or not for this model
                return self._answer(self._completion(received))
        received = await self._post(await self._body(request.turns, self._options.max_tokens, **further))
        answer = self._answer(self._completion(received))
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
        return tuple(loss_of(asked, prompt, self._options.loss) for prompt in answered)

    async def _try_telling(self) -> None:
        """Stop the run at once where the server cannot rank: it would not at any question."""
        said = "Yes"
        turns = (Turn("user", "Is this a question?"), Turn("assistant", said))
        received = await self._post(await self._ranking_body(turns))
        why = f"HTTP {received.status}: {error_text(received.content)}"
        if received.status not in (400, 422, 501):  # they tell that a field is unknown, or not for this model
            try:
                prompt = self._prompt(received)
            except Senseless as error:
                why = str(error)
            else:
                if prompt is not None and ends_with(prompt, said):
                    return
                why = "it knows no prompt_logprobs" if prompt is None else "it does not know continue_final_message"
        raise ModelError(
            f"{self._service.host} does not say how likely an option is ({why}), so it cannot rank them; "
            "leave out --rank and ask with --prompt swapped"
        )

    async def _read(self, turns: tuple[Turn, ...]) -> Prompt:
        prompt = self._prompt(await self._post(await self._ranking_body(turns)))
        if prompt is None:
            raise AskingFailed("the server sent no prompt_logprobs this time", again=True)
        return prompt

    def _prompt(self, received: Received) -> Prompt | None:
        completion = self._completion(received)
        # For completions that are no chat vLLM puts the list into the choice; some servers do so always.
        entries = completion.prompt_logprobs or completion.choices[0].prompt_logprobs
        return None if entries is None else read_prompt(entries, completion.prompt_token_ids)

    async def _ranking_body(self, turns: tuple[Turn, ...]) -> bytes:
        """Asks how likely the prompt is; one that ends with an answer is left open there, with nothing behind it."""
        answered = turns[-1].role == "assistant"
        return await self._body(
            turns,
            1,
            prompt_logprobs=1,
            return_token_ids=True,
            add_generation_prompt=not answered,
            continue_final_message=answered,
        )

    async def _post(self, body: bytes) -> Received:
        return await self._service.post(self._url, body)

    async def close(self) -> None:
        await self._service.close()

    async def _body(self, turns: tuple[Turn, ...], most: int, **further: Any) -> bytes:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [await self._message(turn) for turn in turns],
            "max_completion_tokens" if self._url.startswith(OPENAI) else "max_tokens": most,
            "seed": self._options.seed,
            **further,
        }
        if self._options.temperature is not None:
            body["temperature"] = self._options.temperature
        return msgspec.json.encode(body)

    async def _message(self, turn: Turn) -> dict[str, Any]:
        if turn.picture is None:
            return {"role": turn.role, "content": turn.text}
        image = {"url": await self._pictures.address(turn.picture), "detail": self._options.detail}
        return {
            "role": turn.role,
            "content": [{"type": "image_url", "image_url": image}, {"type": "text", "text": turn.text}],
        }

    def _completion(self, received: Received) -> _Completion:
        """What the server sent, if it is an answer of whatever kind."""
        if not received.well:
            raise refused(self._service.host, received)
        try:
            completion = _decode(received.content)
        except (ValueError, RecursionError) as error:
            raise AskingFailed(f"the server sent no chat completion: {shorten(str(error))}", again=True) from None
        if not completion.choices:
            if completion.error:  # some gateways send errors with status 200
                reason = f"the server sent an error: {error_text(received.content)}"
                code = completion.error.get("code") if isinstance(completion.error, dict) else None
                raise Overloaded(reason, None) if code in (429, 503) else AskingFailed(reason, again=True)
            raise AskingFailed("the server sent no choices", again=True)
        return completion

    def _answer(self, completion: _Completion) -> Answer:
        choice = completion.choices[0]
        text = _text(choice.message.content)
        if not text and isinstance(choice.message.refusal, str):
            # A refusal is what the model said: it is kept, read as no answer, and counted as unread.
            text = choice.message.refusal
        if not text and choice.finish_reason == "content_filter":
            raise AskingFailed("the server's content filter held the answer back", again=False)
        usage = completion.usage if isinstance(completion.usage, dict) else {}
        tokens_in, tokens_out = int(_amount(usage, "prompt_tokens")), int(_amount(usage, "completion_tokens"))
        cost = (tokens_in * self._options.price_in + tokens_out * self._options.price_out) / 1e6
        return Answer(
            text,
            finish=_short_text(choice.finish_reason),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost=_amount(usage, "cost") if "cost" in usage else cost,
            model=_short_text(completion.model),
        )


def open_endpoint(name: str, address: str, settings: ModelSettings) -> Endpoint:
    """`endpoint:URL#MODEL`; the key, if the server wants one, is read from COUNTERSIGHT_API_KEY."""
    url, _, model = address.partition("#")
    if not model:
        raise ModelError("an endpoint is named endpoint:URL#MODEL, as in endpoint:http://127.0.0.1:8000/v1#qwen2.5-vl")
    return Endpoint(name, checked_address(url), model, key_from("COUNTERSIGHT_API_KEY"), settings)


def open_openai(name: str, model: str, settings: ModelSettings) -> Endpoint:
    """`openai:MODEL`; key from OPENAI_API_KEY, another base address from OPENAI_BASE_URL."""
    key = key_from("OPENAI_API_KEY")
    if not key:
        raise ModelError("openai: needs a key; set OPENAI_API_KEY in the environment")
    return Endpoint(name, checked_address(os.environ.get("OPENAI_BASE_URL") or OPENAI), model, key, settings)


def _decode(content: bytes) -> _Completion:
    try:
        return _completion.decode(content)
    except msgspec.DecodeError:
        # Half of a surrogate pair, as a model cut off within an emoji sends it, is JSON to some and not to others.
        return msgspec.convert(json.loads(content.decode()), _Completion)


def _text(content: Any) -> str:
    """The words of a message; some servers send them in parts."""
    if isinstance(content, list):
        content = "".join(_text(part.get("text") if isinstance(part, dict) else part) for part in content)
    if not isinstance(content, str):
        return ""
    return content if content.isascii() else content.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _short_text(value: Any) -> str:
    return shorten(_text(value))


def _amount(usage: dict[str, Any], name: str) -> float:
    """A count or cost the server reports, if it can be one."""
    value = usage.get(name)
    return value if isinstance(value, int | float) and 0 <= value < 1e12 else 0
