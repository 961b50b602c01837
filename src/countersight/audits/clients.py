"""The models and editors of an audit: failed requests are retried, and replies are converted for the log."""

import asyncio

import msgspec

from countersight.audits.prompts import AuditPrompts
from countersight.audits.records import (
    Actor,
    ModelReply,
    RecordedTurn,
    Usage,
)
from countersight.audits.steps import AuditTally
from countersight.editing import Abilities, Edited, Editor, EditRequest, abilities_of
from countersight.engine import Answered, Client, RetryPolicy
from countersight.errors import EditorError
from countersight.models import Answer, Model, Request, Turn
from countersight.picture import Picture


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


class AskedModel(Client[Request, Answer]):
    """A model that takes part in an audit; failed requests are retried."""

    def __init__(self, model: Model, retry: RetryPolicy, stop: asyncio.Event, news: AuditServer) -> None:
        super().__init__(model.reply, retry, stop, news)
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

    async def close(self) -> None:
        """Release connections and memory."""
        await self._model.close()


class AskedEditor(Client[EditRequest, Edited]):
    """The editor of an audit; failed requests are retried."""

    def __init__(self, editor: Editor, retry: RetryPolicy, stop: asyncio.Event, news: AuditServer) -> None:
        super().__init__(self._edit, retry, stop, news)
        self.party = Actor(editor.name, editor.settings)
        self._editor = editor

    async def abilities(self, request: EditRequest) -> Abilities | None:
        """Return the editor's abilities for a picture; None if it accepts any instruction."""
        able = await abilities_of(self._editor, request)
        return able if able.words else None

    async def close(self) -> None:
        """Release connections and memory."""
        await self._editor.close()

    async def _edit(self, request: EditRequest) -> Edited:
        edited = await self._editor.edit(request)
        if not isinstance(edited, Edited):
            raise EditorError(f"{self.party.name}: `edit` must return an Edited, not {type(edited).__name__}")
        return edited


class ShownPicture(msgspec.Struct, frozen=True):
    """A picture and its digest."""

    picture: Picture
    digest: str


def record_reply(answer: Answer) -> ModelReply:
    """Return a model's answer in the form in which it is logged."""
    return ModelReply(
        replace_surrogates(answer.text), replace_surrogates(answer.finish), replace_surrogates(answer.model)
    )


def add_usage(answered: Answered[Answer], so_far: Usage | None = None) -> Usage:
    """Return the usage of an answer, added to `so_far`."""
    answer, sum_of = answered.answer, so_far or Usage(attempts=0)
    return Usage(
        tokens_in=sum_of.tokens_in + answer.tokens_in,
        tokens_out=sum_of.tokens_out + answer.tokens_out,
        cost=sum_of.cost + answer.cost,
        seconds=round(sum_of.seconds + answered.seconds, 4),
        attempts=sum_of.attempts + answered.attempts,
        model=replace_surrogates(answer.model),
    )


def conversation(turns: tuple[Turn, ...], shown: ShownPicture | None = None) -> tuple[RecordedTurn, ...]:
    """Return a conversation in the form in which it is logged, with digests in place of pictures."""
    return tuple(
        RecordedTurn(turn.role, turn.text, shown.digest if shown and turn.picture is not None else "") for turn in turns
    )


def replace_surrogates(text: str) -> str:
    """Return the text with lone surrogates replaced, because they cannot be written to a file."""
    return text.encode("utf-8", "replace").decode()
