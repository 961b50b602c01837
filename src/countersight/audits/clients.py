"""The models and editors of an audit: failed requests are retried, and replies are converted for the log."""

import asyncio
from typing import Any, TypeVar

from msgspec.structs import replace

from countersight.audits.folder import digest_of
from countersight.audits.manifest import Actor
from countersight.audits.prompts import AuditPrompts
from countersight.audits.records import ModelReply, RecordedTurn, Usage
from countersight.audits.steps import METER, AuditTally
from countersight.editing import Abilities, Edited, Editor, EditRequest, abilities_of
from countersight.engine import Answered, Client, RetriesExhausted, RetryPolicy
from countersight.errors import EditorError
from countersight.models import Answer, Model, Request, Turn


class AuditServer:
    """The state of one server; its last error is shown while the audit runs."""

    def __init__(self, tally: AuditTally) -> None:
        self.before = self.failed_before = 0
        self._tally = tally

    @property
    def trouble(self) -> str:
        """The last error of the server, if any."""
        return self._tally.trouble

    @trouble.setter
    def trouble(self, what: str) -> None:
        self._tally.trouble = what


RequestT = TypeVar("RequestT", bound=Request | EditRequest)
AnswerT = TypeVar("AnswerT", bound=Answer | Edited)


class MeteredClient(Client[RequestT, AnswerT]):
    """A client that adds what each request costs to the step in progress."""

    async def ask(self, request: RequestT) -> Answered[AnswerT]:
        """Send a request until it is answered; raises RetriesExhausted if all attempts fail."""
        try:
            answered = await super().ask(request)
        except RetriesExhausted as given_up:
            if meter := METER.get(None):
                meter.spent += Usage(attempts=given_up.attempts)
            raise
        add_to_step(request, answered)
        return answered


def add_to_step(request: Request | EditRequest, answered: Answered[Any]) -> None:
    """Add the conversation and the cost of an answer to the step in progress, if there is one."""
    if meter := METER.get(None):
        answer: Answer | Edited = answered.answer
        spent = Usage(cost=answer.cost, seconds=answered.seconds, attempts=answered.attempts)
        if isinstance(answer, Answer):
            model = replace_surrogates(answer.model)
            spent = replace(spent, tokens_in=answer.tokens_in, tokens_out=answer.tokens_out, model=model)
        meter.spent += spent
        if isinstance(request, Request):
            meter.add_turns(conversation(request.turns))


class AskedModel(MeteredClient[Request, Answer]):
    """A model that takes part in an audit; failed requests are retried."""

    def __init__(self, model: Model, retry: RetryPolicy, stop: asyncio.Event, status: AuditServer) -> None:
        super().__init__(model.reply, retry, stop, status)
        self.party = Actor(model.name, model.settings)
        self._model = model

    async def close(self) -> None:
        """Release connections and memory."""
        await self._model.close()


class ByModel:
    """A participant that asks a model: a judge, an extractor or a checker."""

    def __init__(self, model: AskedModel, prompts: AuditPrompts) -> None:
        self.party: Actor = model.party
        self._model, self._prompts = model, prompts


class AskedEditor(MeteredClient[EditRequest, Edited]):
    """The editor of an audit; failed requests are retried."""

    def __init__(self, editor: Editor, retry: RetryPolicy, stop: asyncio.Event, status: AuditServer) -> None:
        super().__init__(self._edit, retry, stop, status)
        self.party = Actor(editor.name, editor.settings)
        self._editor = editor

    async def close(self) -> None:
        """Release connections and memory."""
        await self._editor.close()

    async def abilities(self, request: EditRequest) -> Abilities | None:
        """Return the editor's abilities for a picture; None if it accepts any instruction."""
        able = await abilities_of(self._editor, request)
        return able if able.words else None

    async def _edit(self, request: EditRequest) -> Edited:
        edited = await self._editor.edit(request)
        if not isinstance(edited, Edited):
            raise EditorError(f"{self.party.name}: `edit` must return an Edited, not {type(edited).__name__}")
        return edited


def record_reply(answer: Answer) -> ModelReply:
    """Return a model's answer in the form in which it is logged."""
    return ModelReply(*map(replace_surrogates, (answer.text, answer.finish, answer.model)))


def conversation(turns: tuple[Turn, ...]) -> tuple[RecordedTurn, ...]:
    """Return a conversation in the form in which it is logged, with digests in place of pictures."""
    return tuple(
        RecordedTurn(turn.role, turn.text, digest_of(turn.picture.data) if turn.picture else "") for turn in turns
    )


def replace_surrogates(text: str) -> str:
    """Return the text with lone surrogates replaced, because they cannot be written to a file."""
    return text.encode("utf-8", "replace").decode()
