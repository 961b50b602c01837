"""A model behind somebody's service: asked over kept connections, in the dialect that the service speaks."""

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
"""More bytes than this are no answer; reading stops there."""
_encoder = msgspec.json.Encoder()
REFUSES = (400, 422)
"""How servers say that they do not take a request as it is."""


class Dialect(Protocol):
    """How a service is spoken to."""

    names: Names
    """What it calls our settings: max_tokens, temperature, seed, detail."""

    async def body(self, turns: tuple[Turn, ...], fields: Mapping[str, Any], pictures: Sending) -> dict[str, Any]:
        """The request for the next turn of a conversation."""
        ...

    def read(self, sent: Any) -> ServerAnswer:
        """What the service answered; raises AskingFailed where it is no answer."""
        ...


class Hosted(Displayed):
    """Asks one model of one service."""

    needs_picture = True
    tells_cost = False
    """Whether its answers say what they cost."""

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
        """What was really sent beside the question, what the service refused, and which prices were reckoned with."""
        found: dict[str, Any] = {"sent": self.fields.sent}
        if self.fields.refused:
            found["refused"] = dict(self.fields.refused)
        if self.price.read or self.price.written:
            found["prices"] = msgspec.to_builtins(self.price)
        return found

    @property
    def is_priced(self) -> bool:
        """Whether it is known what an answer costs, from a table or from the service itself."""
        return bool(self.price.read or self.price.written) or self.tells_cost

    @property
    def remarks(self) -> tuple[str, ...]:
        """What whoever asked should know at the end."""
        return tuple(
            f"{self.service.host} does not support {field} ({printable(said)}): it was {self.fields.instead_of(field)}"
            for field, said in self.fields.refused.items()
        )

    async def reply(self, request: Request) -> Answer:
        """What the model says next."""
        return self.answer(await self.asked(request.turns, request.vote))

    async def asked(
        self, turns: tuple[Turn, ...], vote: int = 0, most: Callable[[bytes], int] | None = None, **further: Any
    ) -> Received:
        """Send a conversation, without the fields that the service has refused before, and return the response.

        `most` says how many bytes may come back for a request.
        """
        while True:
            fields = self.fields.sent
            body = await self.request_body(turns, vote, **further)
            received = await self.service.post(self.url, body, most(body) if most else None)
            if received.status not in REFUSES or not self.fields.learn(fields, error_text(received.content)):
                return received

    async def request_body(self, turns: tuple[Turn, ...], vote: int = 0, **further: Any) -> bytes:
        """A request as it goes over the wire; what is asked again for another vote is asked with another seed."""
        fields = self.fields.sent
        for name in self.dialect.names.get("seed", ()) if vote else ():
            if name in fields:
                fields = fields | {name: fields[name] + vote}
        body = await self.dialect.body(turns, fields, self.pictures)
        return _encoder.encode(body | further if further else body)

    def answer(self, received: Received) -> Answer:
        """An answer of whatever kind; raises what it means that there is none."""
        if not received.well:
            raise refused(self.service.host, received)
        return self.answer_of(self.dialect.read(decoded(received.content)))

    def answer_of(self, said: ServerAnswer, share: float = 1.0) -> Answer:
        """What a service said, with its thoughts apart and its cost, of which `share` is paid."""
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
        """Let go of the connections."""
        await self.service.close()


def nothing_said(what: str) -> AskingFailed:
    """The failure where a service answered with something else than an answer."""
    return AskingFailed(f"the server sent no {what}", again=True)
