"""The protocol of models: a model receives a conversation and returns the next turn."""

from typing import Any, Final, Literal, Protocol, runtime_checkable

import msgspec

from countersight.bounds import COUNT, PRICE, SECONDS, SEED, TEMPERATURE, check
from countersight.case import AnswerKind, Option, Trace
from countersight.errors import AskingFailed, ModelError
from countersight.picture import Picture
from countersight.suggestions import unknown
from countersight.text import several


class Turn(msgspec.Struct, frozen=True):
    """One turn of a conversation: its text and its pictures."""

    role: Literal["user", "assistant"]
    text: str
    picture: Picture | None = None
    further: tuple[Picture, ...] = ()
    """Pictures shown after `picture`, in this order."""

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """All pictures of this turn, in order."""
        return () if self.picture is None else (self.picture, *self.further)


class Parts(msgspec.Struct, frozen=True):
    """The parts of a question, for models that take them separately (CoSIm's matcher)."""

    question: str
    context: str = ""
    """The response to the factual picture, if the case has one."""
    change: str = ""


class Request(msgspec.Struct, frozen=True):
    """A conversation that waits for the model's next turn. It never contains the gold answer."""

    key: str
    """Identifies the question within its dataset; random baselines depend only on it and on the seed."""
    turns: tuple[Turn, ...]
    kind: AnswerKind
    options: tuple[Option, ...] = ()
    question: str = ""
    """The question without the text that the prompt adds; programs are written for it."""
    parts: Parts | None = None
    """The parts of the question; None if the question does not come from a case."""
    shape: dict[str, Any] | None = None
    """The JSON schema of the next turn; it is also described in words for models without structured output."""
    vote: int = 0
    """The number of the repetition, if the same question is asked several times; it changes the random seed."""
    restates: str = ""
    """The model's earlier reply, if the last turn asks it to state only its final answer."""

    def __repr__(self) -> str:
        asked = self.question or self.turns[-1].text
        return f"Request({self.key!r}: {asked[:80]!r}, {self.kind}, {several(len(self.pictures), 'picture')})"

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """All pictures of the conversation, in order."""
        return tuple(picture for turn in self.turns for picture in turn.pictures)


def check_options(request: Request) -> None:
    """Raise AskingFailed if a request has no options to rank, or one without text."""
    if not request.options:
        raise AskingFailed("there are no options to rank", again=False)
    if not all(option.text.strip() for option in request.options):
        raise AskingFailed("an option without text cannot be ranked", again=False)


DETAILS: Final = ("auto", "low", "high")
"""The level of detail at which a server processes pictures."""
DTYPES: Final = ("auto", "float32", "bfloat16", "float16")
"""The number formats of local models."""


class ModelSettings(msgspec.Struct, frozen=True):
    """Settings of a model that do not depend on the question."""

    seed: int = 0
    max_tokens: int = 256
    temperature: float | None = 0.0
    """The sampling temperature; None uses the server's default, because some models accept no other value."""
    detail: str = "auto"
    timeout: float = 120.0
    price_in: float = 0.0
    price_out: float = 0.0
    """The prices in dollars per million input and output tokens, for servers that do not report a cost."""
    device: str = "auto"
    dtype: str = "auto"
    batch: int | None = None
    """The device, the number format and the maximum batch size of a local model."""
    ray: str = ""
    """The address of the Ray cluster that runs the model, or `auto`; empty for this machine."""

    def __post_init__(self) -> None:
        check(SEED, seed=self.seed)
        check(COUNT, max_tokens=self.max_tokens, batch=self.batch)
        check(TEMPERATURE, temperature=self.temperature)
        check(SECONDS, timeout=self.timeout)
        check(PRICE, price_in=self.price_in, price_out=self.price_out)
        if self.detail not in DETAILS:
            raise ModelError(unknown("detail", str(self.detail), DETAILS))
        if self.dtype not in DTYPES:
            raise ModelError(unknown("dtype", str(self.dtype), DTYPES))


def recorded_settings(settings: ModelSettings, *names: str) -> dict[str, Any]:
    """Return the settings with these names, as run.json records them."""
    return {name: getattr(settings, name) for name in names}


class Answer(msgspec.Struct, frozen=True):
    """A reply of the model, and its cost."""

    text: str
    losses: tuple[float, ...] = ()
    """The loss of each option, if options were ranked."""
    finish: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    model: str = ""
    trace: Trace | None = None
    reasoning: str = ""
    """The model's reasoning, if the server reports it separately."""


class Model(Protocol):
    """A model. Its answers depend on the question and on `settings`, which are written to run.json."""

    name: str
    settings: dict[str, Any]
    needs_picture: bool

    async def reply(self, request: Request) -> Answer:
        """Return the next turn. Raises AskingFailed, or ModelError if every further question would fail too."""
        ...

    async def close(self) -> None:
        """Release connections and memory; they are acquired again if the model is used afterwards."""
        ...


class Displayed:
    """Displays built-in models by their name, and in notebooks with their settings."""

    name: str
    settings: dict[str, Any]

    def __repr__(self) -> str:
        return f"Model({self.name!r})"

    def _repr_html_(self) -> str:
        from html import escape

        rows = (f"<tr><th>{escape(key)}</th><td>{escape(str(value))}</td></tr>" for key, value in self.settings.items())
        return f"<code>{escape(repr(self))}</code><table>{''.join(rows)}</table>"


@runtime_checkable
class Ranker(Protocol):
    """A model that also reports a loss for each option; the option with the smallest loss is its answer (CFMM 3.4)."""

    async def losses(self, request: Request) -> tuple[float, ...]:
        """Return the loss of each option's text as the next turn, in order; raises the same errors as `reply`.

        The turns do not list the options, so that their order cannot matter.
        """
        ...


@runtime_checkable
class Priced(Protocol):
    """A hosted model that may cost money."""

    @property
    def is_priced(self) -> bool:
        """Whether the price of an answer is known."""
        ...


@runtime_checkable
class Viewer(Protocol):
    """A model with limits on the number of pictures in a conversation."""

    picture_limits: tuple[int, int]
    """The minimum and maximum number of pictures."""


@runtime_checkable
class Observant(Protocol):
    """A model that discovers facts while it answers questions, such as fields that its server refuses."""

    @property
    def observed(self) -> dict[str, Any]:
        """The facts known so far; they are written to run.json but are not part of the run's identity."""
        ...
