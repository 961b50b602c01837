"""Hosted models, which send requests in the dialect of their service over persistent connections."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from countersight.errors import AskingFailed
from countersight.models.dialects import Dialect, Names, PictureUrls, reported_cost
from countersight.models.http_service import Received, Service, error_text, shorten, status_error
from countersight.models.prices import find_price
from countersight.models.protocol import Answer, Displayed, ModelSettings, Request, Turn, recorded_settings
from countersight.text import printable

MAX_RESPONSE = 4 * 1024 * 1024
"""The maximum size of a response in bytes; longer responses are an error."""
_encoder = msgspec.json.Encoder()
REFUSES = (400, 422)
"""Status codes with which servers reject a request as invalid."""
_NOT_TAKEN = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|deprecated|not permitted|not allowed|"
    r"forbidden|extra inputs|may not be set|cannot be set",
    re.IGNORECASE,
)
_OF_SIZE = re.compile(
    r"too (?:large|big|long|high|many|small|low)|exceed|at most|at least|maximum|greater than|less than|out of range",
    re.IGNORECASE,
)
"""Words in error messages about an invalid value; the server may still accept the field with another value."""
_THINKING = re.compile(r"\s*<(think|thinking|reasoning)>", re.IGNORECASE)


class Fields:
    """The settings sent with each question, as far as the server accepts them."""

    def __init__(self, settings: Mapping[str, Any], names: Names) -> None:
        self._values = {name: value for name, value in settings.items() if value is not None and names.get(name)}
        self._names = {name: names[name] for name in self._values}
        self.refused: dict[str, str] = {}
        """The server's message for each refused field."""
        self.sent = self._taken()
        """The fields of the next request, by the server's names; updated by `learn`."""

    def called(self, setting: str) -> str:
        """Return the name under which a setting is sent; its own name if the server refused all names."""
        return next(iter(self._left(setting)), setting)

    def instead_of(self, refused: str) -> str:
        """Describe how a refused field is handled: left out, or sent under its other name."""
        other = next(
            (left[0] for setting, names in self._names.items() if refused in names and (left := self._left(setting))),
            "",
        )
        return f"sent as {other}" if other else "left out"

    def learn(self, sent: Mapping[str, Any], said: str) -> bool:
        """Learn from an error response which field the server refuses; returns whether to repeat the request.

        If a concurrent request has already learned about the field, repeating is enough. If the server sends the same
        message without the fields, they were not the cause and are sent again.
        """
        if any(name not in self.sent for name in sent):
            return True
        named = next((name for name in sent if re.search(rf"(?<![a-z_]){name}(?![a-z_])", said, re.IGNORECASE)), None)
        if named is None or (_OF_SIZE.search(said) and not _NOT_TAKEN.search(said)):
            self.refused = {name: why for name, why in self.refused.items() if why != said}
        else:
            self.refused[named] = said
        self.sent = self._taken()
        return self.refused.get(named or "") == said

    def _left(self, setting: str) -> list[str]:
        return [name for name in self._names.get(setting, ()) if name not in self.refused]

    def _taken(self) -> dict[str, Any]:
        return {left[0]: value for setting, value in self._values.items() if (left := self._left(setting))}


class Hosted(Displayed):
    """A model of a hosted service."""

    needs_picture = True
    tells_cost = False
    """Whether responses report their cost."""

    def __init__(
        self, name: str, model: str, url: str, service: Service, dialect: Dialect, settings: ModelSettings
    ) -> None:
        self.name = name
        self.settings = recorded_settings(settings, "max_tokens", "temperature", "seed", "detail")
        self.model = model
        self.url = url
        self.service = service
        self.dialect = dialect
        self.fields = Fields(self.settings, dialect.names)
        self.price = find_price(model, settings)
        self.pictures = PictureUrls()

    @property
    def observed(self) -> dict[str, Any]:
        """Fields that were sent and refused, and the prices used."""
        found: dict[str, Any] = {"sent": self.fields.sent}
        if self.fields.refused:
            found["refused"] = dict(self.fields.refused)
        if self.price.is_known:
            found["prices"] = msgspec.to_builtins(self.price)
        return found

    @property
    def is_priced(self) -> bool:
        """Whether the price of an answer is known, from a table or from the service."""
        return self.price.is_known or self.tells_cost

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks to show to the user at the end."""
        return tuple(
            f"{self.service.host} does not support {field} ({printable(said)}): it was {self.fields.instead_of(field)}"
            for field, said in self.fields.refused.items()
        )

    async def reply(self, request: Request) -> Answer:
        """Return the next turn."""
        return self.answer(await self.send(request.turns, request.vote))

    async def send(
        self, turns: tuple[Turn, ...], vote: int = 0, most: Callable[[bytes], int] | None = None, **further: Any
    ) -> Received:
        """Send a conversation, without fields that the service refused before, and return the response.

        `most` returns the maximum size of the response for a request body.
        """
        while True:
            fields = self.fields.sent
            body = await self.request_body(turns, vote, **further)
            received = await self.service.post(self.url, body, most(body) if most else None)
            if received.status not in REFUSES or not self.fields.learn(fields, error_text(received.content)):
                return received

    async def request_body(self, turns: tuple[Turn, ...], vote: int = 0, **further: Any) -> bytes:
        """Return the encoded request; each repetition (`vote`) uses a different seed."""
        fields = self.fields.sent
        for name in self.dialect.names.get("seed", ()) if vote else ():
            if name in fields:
                fields = fields | {name: fields[name] + vote}
        body = await self.dialect.body(turns, fields, self.pictures)
        return _encoder.encode(body | further if further else body)

    def answer(self, received: Received) -> Answer:
        """Parse a response into an answer; raises an error that matches the status if the request failed."""
        if not received.succeeded:
            raise status_error(self.service, received)
        return self.parse(decode_json(received.content))

    def parse(self, sent: Any, share: float = 1.0) -> Answer:
        """Return the answer in a response, with its reasoning separated; `share` is the fraction of the price paid."""
        said = self.dialect.read(sent)
        text, thoughts = split_reasoning(said.text)
        cost = reported_cost(sent)
        if cost is None:
            cost = share * self.price.of(said.tokens_in, said.tokens_out)
        return replace(said, text=text, reasoning=said.reasoning or thoughts, cost=cost)

    async def close(self) -> None:
        """Close the connections."""
        await self.service.close()


def decode_json(content: bytes) -> Any:
    """Decode the JSON of a response; raises AskingFailed."""
    try:
        try:
            return msgspec.json.decode(content)
        except msgspec.DecodeError:
            # Half a surrogate pair, as in an emoji that was cut off, is valid JSON only for some parsers.
            return json.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise AskingFailed(f"the server sent no answer: {shorten(str(error))}", again=True) from None


def split_reasoning(text: str) -> tuple[str, str]:
    """Split a text into the answer and the tagged reasoning before it.

    If the reasoning is unfinished, the token limit cut it off and the answer is empty.
    """
    opened = _THINKING.match(text)
    if opened is None:
        return text, ""
    thoughts, closed, answer = text[opened.end() :].partition(f"</{opened[1]}>")
    return (answer.strip(), thoughts.strip()) if closed else ("", thoughts.strip())
