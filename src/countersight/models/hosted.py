"""Hosted models: requests over persistent connections, in the dialect of the service."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec

from countersight.errors import AskingFailed
from countersight.models.fields import Fields, Names
from countersight.models.picture_urls import Sending
from countersight.models.prices import price_of
from countersight.models.protocol import Answer, Displayed, ModelSettings, Request, Turn
from countersight.models.response_parsing import ServerAnswer, apart, decoded
from countersight.models.service import Received, Service, error_text, refused
from countersight.text import printable

MAX_RESPONSE = 4 * 1024 * 1024
"""The maximum size of a response in bytes; reading stops there."""
_encoder = msgspec.json.Encoder()
REFUSES = (400, 422)
"""Status codes with which servers reject a request as invalid."""


class Dialect(Protocol):
    """The request and response format of a service."""

    names: Names
    """The service's names of the settings max_tokens, temperature, seed and detail."""

    async def body(self, turns: tuple[Turn, ...], fields: Mapping[str, Any], pictures: Sending) -> dict[str, Any]:
        """Return the request body for the next turn of a conversation."""
        ...

    def read(self, sent: Any) -> ServerAnswer:
        """Parse a response; raises AskingFailed if it is not an answer."""
        ...


class Hosted(Displayed):
    """One model of one service."""

    needs_picture = True
    tells_cost = False
    """Whether its answers report their cost."""

    def __init__(
        self, name: str, model: str, url: str, service: Service, dialect: Dialect, settings: ModelSettings
    ) -> None:
        self.name = name
        self.settings: dict[str, Any] = {
            "max_tokens": settings.max_tokens,
            "temperature": settings.temperature,
            "seed": settings.seed,
            "detail": settings.detail,
        }
        self.model = model
        self.url = url
        self.service = service
        self.dialect = dialect
        self.fields = Fields(self.settings, dialect.names)
        self.price = price_of(model, settings)
        self.pictures = Sending()

    @property
    def observed(self) -> dict[str, Any]:
        """Fields that were sent and refused, and the prices used."""
        found: dict[str, Any] = {"sent": self.fields.sent}
        if self.fields.refused:
            found["refused"] = dict(self.fields.refused)
        if self.price.read or self.price.written:
            found["prices"] = msgspec.to_builtins(self.price)
        return found

    @property
    def is_priced(self) -> bool:
        """Whether the price of an answer is known, from a table or from the service."""
        return bool(self.price.read or self.price.written) or self.tells_cost

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks to show to the user at the end."""
        return tuple(
            f"{self.service.host} does not support {field} ({printable(said)}): it was {self.fields.instead_of(field)}"
            for field, said in self.fields.refused.items()
        )

    async def reply(self, request: Request) -> Answer:
        """Return the next turn."""
        return self.answer(await self.asked(request.turns, request.vote))

    async def asked(
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
        """Return the encoded request; another vote has another seed."""
        fields = self.fields.sent
        for name in self.dialect.names.get("seed", ()) if vote else ():
            if name in fields:
                fields = fields | {name: fields[name] + vote}
        body = await self.dialect.body(turns, fields, self.pictures)
        return _encoder.encode(body | further if further else body)

    def answer(self, received: Received) -> Answer:
        """Parse the response into an answer; raises the matching error if there is none."""
        if not received.well:
            raise refused(self.service.host, received)
        return self.answer_of(self.dialect.read(decoded(received.content)))

    def answer_of(self, said: ServerAnswer, share: float = 1.0) -> Answer:
        """Build an answer with separated reasoning and its cost, of which `share` is paid."""
        text, thoughts = apart(said.text)
        cost = share * self.price.of(said.tokens_in, said.tokens_out) if said.cost is None else said.cost
        return Answer(
            text,
            reasoning=said.reasoning or thoughts,
            finish=said.finish,
            tokens_in=said.tokens_in,
            tokens_out=said.tokens_out,
            cost=cost,
            model=said.model,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self.service.close()


def nothing_said(what: str) -> AskingFailed:
    """Return the error for a response that is not an answer."""
    return AskingFailed(f"the server sent no {what}", again=True)
