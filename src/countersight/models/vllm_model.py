"""Models that vLLM runs in this process; waiting requests are passed to vLLM in batches.

Uses the documented `LLM.chat`, `SamplingParams` and `RequestOutput` of vLLM.
"""

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from countersight.errors import AskingFailed, ModelError
from countersight.models.dialects import ChatDialect, PictureUrls
from countersight.models.hosted import split_reasoning
from countersight.models.http_service import shorten
from countersight.models.prompt_logprobs import InvalidLogprobs, PromptLogprobs, PromptRanker
from countersight.models.protocol import Answer, Displayed, ModelSettings, Request, Turn, recorded_settings
from countersight.models.request_queue import Feed, Queue
from countersight.registry import with_options

OPTIONS: Final[dict[str, Callable[[str], int | float]]] = {
    "max_model_len": int,
    "tensor_parallel_size": int,
    "gpu_memory_utilization": float,
}
"""The options of vLLM that may follow the name of a model."""
MOST = 256
"""The maximum number of conversations per call; vLLM decides how many of them run concurrently."""


_Kind = tuple[bool, bool, int]
"""The kind of a request: whether log-probabilities are requested instead of the next turn, whether the last turn is an
answer, and the vote.

All requests of a call have the same kind.
"""
_Asked = tuple[list[dict[str, Any]], _Kind]
"""The messages of a conversation, and its kind."""


class VllmModel(Displayed):
    """A model that vLLM runs in this process.

    Its name is `vllm:NAME_OR_PATH[?max_model_len=N&tensor_parallel_size=N&gpu_memory_utilization=SHARE]`.
    """

    needs_picture = True
    places = MOST // 64

    def __init__(self, name: str, path: str, settings: ModelSettings) -> None:
        vllm = _import_vllm()
        path, options = _parse_options(path)
        self.name = name
        self.settings = recorded_settings(settings, "max_tokens", "temperature", "seed", "dtype") | {
            "vllm": vllm.__version__
        }
        self._ranker = PromptRanker(self._read)
        self._sampling = vllm.SamplingParams
        most: dict[str, Any] = {"max_num_seqs": settings.batch} if settings.batch else {}
        most["limit_mm_per_prompt"] = {"video": 0, "audio": 0}  # only pictures are sent
        self._load = partial(vllm.LLM, model=path, dtype=settings.dtype, seed=settings.seed, **most, **options)
        self._engine: Any = None
        self._chat, self._pictures = ChatDialect(path), PictureUrls()
        self._queue = Queue(MOST)

    async def reply(self, request: Request) -> Answer:
        """Return the next turn."""
        output = await self._computed(request.turns, vote=request.vote)
        said = output.outputs[0]
        text, thoughts = split_reasoning(said.text)
        return Answer(
            text,
            reasoning=thoughts,
            finish=said.finish_reason or "",
            tokens_in=len(output.prompt_token_ids or ()),
            tokens_out=len(said.token_ids),
        )

    async def losses(self, request: Request) -> tuple[float, ...]:
        """Return the loss of each option."""
        return await self._ranker.losses(request)

    async def close(self) -> None:
        """Free the model and its memory."""
        queue, self._queue = self._queue, self._queue.renewed()
        await queue.close()
        self._engine = None

    async def _read(self, turns: tuple[Turn, ...]) -> PromptLogprobs:
        """Return the tokens of a conversation after the first, with their log-probabilities."""
        output = await self._computed(turns, ranked=True)
        tokens = output.prompt_token_ids[1:]
        found = [one.get(token) for token, one in zip(tokens, (output.prompt_logprobs or [])[1:], strict=False)]
        if len(found) != len(tokens) or not all(found):
            raise InvalidLogprobs("some tokens have no entry")
        return PromptLogprobs(
            tuple(map(str, tokens)),
            tuple(float(one.logprob) for one in found),
            tuple(one.decoded_token or "" for one in found),
        )

    async def _computed(self, turns: tuple[Turn, ...], *, ranked: bool = False, vote: int = 0) -> Any:
        """Return vLLM's output for a conversation."""
        body = await self._chat.body(turns, {}, self._pictures)
        kind = ranked, turns[-1].role == "assistant", vote
        return await self._queue.ask(self._outputs, (body["messages"], kind), kind=kind)

    def _outputs(self, feed: Feed[_Asked]) -> Iterator[tuple[int, Any]]:
        """Compute a batch in one call."""
        engine, asked = self._loaded(), dict(feed)
        ranked, answered, vote = next(iter(asked.values()))[1]
        try:
            outputs = engine.chat(
                [messages for messages, _ in asked.values()],
                sampling_params=self._sampling_params(ranked, vote),
                use_tqdm=False,
                add_generation_prompt=not answered,
                continue_final_message=answered,
            )
        except Exception as error:  # vLLM raises ValueError, RuntimeError and exceptions of torch
            raise AskingFailed(f"vLLM failed: {shorten(str(error))}", again=False) from None
        yield from zip(asked, outputs, strict=True)

    def _sampling_params(self, ranked: bool, vote: int) -> Any:
        """Return the sampling parameters; for ranking, only the prompt is evaluated."""
        if ranked:
            return self._sampling(max_tokens=1, temperature=0.0, prompt_logprobs=0)
        heat = {} if self.settings["temperature"] is None else {"temperature": self.settings["temperature"]}
        return self._sampling(max_tokens=self.settings["max_tokens"], seed=self.settings["seed"] + vote, **heat)

    def _loaded(self) -> Any:
        if self._engine is None:
            try:
                self._engine = self._load()
            except Exception as error:  # many kinds of exceptions: memory, files, an unknown architecture
                raise ModelError(f"vLLM cannot load {self.name}: {shorten(str(error))}") from None
        return self._engine


def _parse_options(target: str) -> tuple[str, dict[str, Any]]:
    """Split a target into the name of a model and vLLM's options."""
    path, given = with_options(target, tuple(OPTIONS), ModelError)
    options: dict[str, Any] = {}
    for name, value in given.items():
        try:
            options[name] = OPTIONS[name](value)
        except ValueError:
            raise ModelError(f"vllm: {name}={value[:40]} is not a number") from None
    return path, options


def _import_vllm() -> Any:
    os.environ.setdefault("VLLM_LOGGING_STREAM", "ext://sys.stderr")  # stdout is for our own output
    try:
        import vllm
    except ImportError:
        raise ModelError(
            "vllm: needs vLLM, which is not installed: pip install vllm; or start a vLLM server and use endpoint:"
        ) from None
    return vllm
