"""The models of an audit: failed requests are retried, and the number of concurrent requests per model is limited."""

import asyncio

from countersight.audits.prompts import AuditPrompts
from countersight.audits.records import Actor
from countersight.audits.steps import AuditTally
from countersight.editing import Abilities, Edited, Editor, EditRequest, abilities_of
from countersight.engine import Client, RetryPolicy
from countersight.errors import EditorError
from countersight.models import Answer, Model, Request


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
