"""Batch APIs of OpenAI, Anthropic and Gemini, which process many requests asynchronously at half the price.

The official SDKs are not used, because they cannot find a batch again after the process is killed.
"""

import datetime
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import quote

import aiohttp
import msgspec

from countersight.errors import AskingFailed, BatchRefused, ModelError
from countersight.models.dialects import AnthropicDialect, GeminiDialect
from countersight.models.endpoint import Endpoint
from countersight.models.hosted import Hosted, decode_json
from countersight.models.http_service import Received, error_text, status_error
from countersight.models.protocol import Answer
from countersight.text import printable

HALF = 0.5
"""The price of a batch request, as a fraction of the normal price."""
MEGABYTE = 1_000_000
MOST_RESULTS = 1_000 * MEGABYTE
LISTED, DONE = 600.0, 26 * 3600.0
"""The maximum time in seconds until a provider lists a batch, and until the batch is done."""
CLOCKS = 3600.0
"""The maximum difference in seconds between a provider's clock and the local one."""


class Batched(NamedTuple):
    """One request of a batch: its name and its body."""

    name: str
    body: bytes


def batches_of(model: object) -> "Batches":
    """Return the batch API of a model; raises ModelError if its provider has none."""
    if isinstance(model, Hosted) and isinstance(model.dialect, AnthropicDialect):
        return AnthropicBatches(model)
    if isinstance(model, Hosted) and isinstance(model.dialect, GeminiDialect):
        return GeminiBatches(model)
    if isinstance(model, Endpoint) and model.name.partition(":")[0] in ("openai", "endpoint"):
        return OpenAIBatches(model)
    name = getattr(model, "name", "this model")
    raise ModelError(f"{name} has no batch API; openai:, anthropic: and gemini: have one. Leave out `batch`")


class Batches(ABC):
    """The batch API of a provider."""

    most_requests: int
    most_bytes: int
    lost_after: float
    """The number of seconds after which a batch that is not found is considered lost."""

    def __init__(self, model: Hosted) -> None:
        self._model = model

    @abstractmethod
    async def send(self, label: str, requests: list[Batched]) -> str:
        """Submit a batch under a label and return its id at the provider."""

    @abstractmethod
    async def find(self, label: str, since: float) -> str | None:
        """Return the id of the batch that was sent under a label at time `since`; None if it never arrived."""

    @abstractmethod
    async def collect(self, batch: str) -> dict[str, Answer] | None:
        """Return the answers by name, without failed and expired requests; None until the batch is done."""

    async def _post(self, url: str, body: bytes | aiohttp.FormData) -> Any:
        received = await self._model.service.post(url, body)
        try:
            return self._sent(received)
        except ModelError as error:
            # After an internal server error it is unknown whether the batch arrived.
            raise BatchRefused(str(error)) if 400 <= received.status < 500 else error from None

    async def _get(self, url: str) -> Any:
        return self._sent(await self._model.service.get(url))

    async def _pages(self, url: str, after: str, following: Callable[[Any], Any]) -> AsyncIterator[Any]:
        """Yield the pages of a list. Each page names the next one, which is requested with the parameter `after`."""
        asked: set[str] = set()
        name = ""
        while name not in asked:  # the last page names no next one; faulty servers repeat a name
            asked.add(name)
            page = await self._get(f"{url}&{after}={quote(name, safe='')}" if name else url)
            yield page
            name = str(following(page) or "")

    async def _lines(self, url: str) -> Iterator[Any]:
        received = await self._model.service.get(url, most=MOST_RESULTS)
        if not received.succeeded:
            raise status_error(self._model.service, received)
        return (decode_json(line) for line in received.content.splitlines() if line.strip())

    def _sent(self, received: Received) -> Any:
        if not received.succeeded:
            failure = status_error(self._model.service, received)
            raise (
                failure
                if isinstance(failure, ModelError)
                else ModelError(f"{self._model.service.host} rejected the batch: {error_text(received.content)}")
            )
        sent = decode_json(received.content)
        if not isinstance(sent, dict):
            raise ModelError(f"{self._model.service.host} sent a response that does not describe a batch")
        return sent

    def _raise_if_only_errors(self, batch: str, errors: Iterable[Any]) -> None:
        """Raise BatchRefused if a batch returned only errors, since normal requests would fail too."""
        reason = next((error_text(msgspec.json.encode(error)) for error in errors if error), "")
        if reason:
            raise BatchRefused(
                f"batch {batch} came back without answers: {printable(reason)}; fix the cause and run the same "
                "command to send the questions again, or leave out `batch` to ask them at full price"
            )

    def _answers(self, found: Iterator[tuple[Any, Any]]) -> dict[str, Answer]:
        """Return the answers by request name. Requests without an answer are omitted and sent again without a batch."""
        answers = {}
        for name, body in found:
            if not isinstance(name, str) or body is None:
                continue
            try:
                answers[name] = self._model.parse(body, HALF)
            except AskingFailed:
                continue
        return answers


class OpenAIBatches(Batches):
    """OpenAI's batch API: uploads a file of requests, creates a batch from it and downloads a file of answers."""

    most_requests, most_bytes, lost_after = 50_000, 200 * MEGABYTE, LISTED

    def __init__(self, model: Hosted) -> None:
        super().__init__(model)
        self._base = model.url.removesuffix("/chat/completions")

    async def send(self, label: str, requests: list[Batched]) -> str:
        """Upload the file, then create the batch; a file without a batch costs nothing."""
        head = b'{"custom_id":%s,"method":"POST","url":"/v1/chat/completions","body":%s}\n'
        lines = b"".join(head % (msgspec.json.encode(request.name), request.body) for request in requests)
        form = aiohttp.FormData()
        form.add_field("purpose", "batch")
        form.add_field("file", lines, filename=f"{label}.jsonl", content_type="application/jsonl")
        file = await self._post(f"{self._base}/files", form)
        made = {
            "input_file_id": file.get("id"),
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "metadata": {"label": label},
        }
        return str((await self._post(f"{self._base}/batches", msgspec.json.encode(made)))["id"])

    async def find(self, label: str, since: float) -> str | None:
        """Find a batch by the label in its metadata."""
        async for page in self._pages(f"{self._base}/batches?limit=100", "after", _next_page):
            for one in page.get("data") or []:
                if (one.get("metadata") or {}).get("label") == label:
                    return str(one["id"])
        return None

    async def collect(self, batch: str) -> dict[str, Answer] | None:
        """Return the answers, including those of an expired batch."""
        there = await self._get(f"{self._base}/batches/{batch}")
        if there.get("status") not in ("completed", "failed", "expired", "cancelled"):
            return None
        if not there.get("output_file_id"):
            self._raise_if_only_errors(batch, await self._errors(there))
            return {}
        lines = await self._lines(f"{self._base}/files/{there['output_file_id']}/content")
        return self._answers((line.get("custom_id"), (line.get("response") or {}).get("body")) for line in lines)

    async def _errors(self, there: dict[str, Any]) -> list[Any]:
        """Return the errors of a batch, or of its individual requests."""
        if there.get("error_file_id"):
            lines = await self._lines(f"{self._base}/files/{there['error_file_id']}/content")
            return [(line.get("response") or {}).get("body") for line in lines]
        return (there.get("errors") or {}).get("data") or []


class AnthropicBatches(Batches):
    """Anthropic's batch API: sends all questions in one request and reads one answer per line."""

    most_requests, most_bytes, lost_after = 100_000, 256 * MEGABYTE, DONE

    async def send(self, label: str, requests: list[Batched]) -> str:
        """Submit the questions; the label is part of their names, since a batch has no field for it."""
        parts = [b'{"custom_id":%s,"params":%s}' % (msgspec.json.encode(one.name), one.body) for one in requests]
        return str((await self._post(f"{self._model.url}/batches", b'{"requests":[%s]}' % b",".join(parts)))["id"])

    async def find(self, label: str, since: float) -> str | None:
        """Find a batch by the names in its results, which only finished batches have. The newest are listed first."""
        async for page in self._pages(f"{self._model.url}/batches?limit=100", "after_id", _next_page):
            for one in page.get("data") or []:
                if _is_older(one.get("created_at"), since - CLOCKS):
                    return None
                if one.get("processing_status") == "ended":
                    first: Any = next(await self._results(str(one["id"])), {})
                    if str(first.get("custom_id", "")).startswith(f"{label}-"):
                        return str(one["id"])
        return None

    async def collect(self, batch: str) -> dict[str, Answer] | None:
        """Return the messages of successful requests."""
        there = await self._get(f"{self._model.url}/batches/{quote(batch, safe='')}")
        if there.get("processing_status") != "ended":
            return None
        results = [(line.get("custom_id"), line.get("result") or {}) for line in await self._results(batch)]
        answers = self._answers((name, result.get("message")) for name, result in results)
        if not answers:
            self._raise_if_only_errors(batch, (result.get("error") for _, result in results))
        return answers

    async def _results(self, batch: str) -> Iterator[Any]:
        """Return the results from a fixed URL; following a URL in the response could send the key to another host."""
        return await self._lines(f"{self._model.url}/batches/{quote(batch, safe='')}/results")


class GeminiBatches(Batches):
    """Gemini's batch API: sends all questions in one request and receives all answers in one response."""

    most_requests, most_bytes, lost_after = 10_000, 19 * MEGABYTE, LISTED

    def __init__(self, model: Hosted) -> None:
        super().__init__(model)
        self._base = model.url.partition("/models/")[0]

    async def send(self, label: str, requests: list[Batched]) -> str:
        """Submit the requests under the label."""
        parts = [
            b'{"request":%s,"metadata":{"key":%s}}' % (one.body, msgspec.json.encode(one.name)) for one in requests
        ]
        body = b'{"batch":{"display_name":%s,"input_config":{"requests":{"requests":[%s]}}}}'
        url = self._model.url.replace(":generateContent", ":batchGenerateContent")
        return str((await self._post(url, body % (msgspec.json.encode(label), b",".join(parts))))["name"])

    async def find(self, label: str, since: float) -> str | None:
        """Find a batch by its label, which is its display name."""
        pages = self._pages(f"{self._base}/batches?pageSize=100", "pageToken", lambda page: page.get("nextPageToken"))
        async for page in pages:
            for one in page.get("operations") or []:
                if (one.get("metadata") or {}).get("displayName") == label:
                    return str(one["name"])
        return None

    async def collect(self, batch: str) -> dict[str, Answer] | None:
        """Return the answers of successful requests."""
        received = await self._model.service.get(f"{self._base}/{batch}", most=MOST_RESULTS)
        there = self._sent(received)
        if not there.get("done"):
            return None
        found = ((there.get("response") or {}).get("inlinedResponses") or {}).get("inlinedResponses") or []
        answers = self._answers(((one.get("metadata") or {}).get("key"), one.get("response")) for one in found)
        if not answers:
            self._raise_if_only_errors(batch, (there.get("error"), *(one.get("error") for one in found)))
        return answers


def _next_page(page: Any) -> Any:
    """Return the id after which the next page of OpenAI's or Anthropic's lists starts; None on the last page."""
    return page.get("last_id") if page.get("has_more") else None


def _is_older(told: Any, moment: float) -> bool:
    """Whether a timestamp from the provider is before `moment`; False if it cannot be parsed."""
    with suppress(ValueError, TypeError):
        return datetime.datetime.fromisoformat(told).timestamp() < moment
    return False
