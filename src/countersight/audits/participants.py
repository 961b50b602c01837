"""Open the participants of an audit by name: models, extractors, editors, judges and checkers."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from typing import Any, Final, Literal, TypeVar

from countersight.audits.checkers.model import ModelChecker
from countersight.audits.checkers.protocol import CHECKERS, Checker
from countersight.audits.checkers.seams import SeamChecker
from countersight.audits.clients import AskedEditor, AskedModel, AuditServer
from countersight.audits.extraction.model import ModelExtractor
from countersight.audits.extraction.protocol import EXTRACTORS, Extractor
from countersight.audits.judges.model import ModelJudge
from countersight.audits.judges.protocol import JUDGES, Judge
from countersight.audits.prompts import AuditPrompts
from countersight.audits.records import (
    Actor,
    Failed,
    Step,
)
from countersight.audits.steps import AuditTally
from countersight.editing import Editor, EditorSettings, open_editor
from countersight.engine import RetryPolicy
from countersight.english import article
from countersight.errors import CountersightError, ModelError
from countersight.models import MODELS, Model, ModelSettings, Viewer, open_model
from countersight.registry import Registry
from countersight.suggestions import unknown

T = TypeVar("T")
P = TypeVar("P", bound=AskedModel | AskedEditor | Extractor | Judge | Checker)
Role = Literal["extractor", "judge", "checker"]
ROLES: Final[dict[Role, tuple[Registry[Any], Any]]] = {
    "extractor": (EXTRACTORS, ModelExtractor),
    "judge": (JUDGES, ModelJudge),
    "checker": (CHECKERS, ModelChecker),
}
"""For each role, the participants that need no model, and the class that asks a model."""


class Opener:
    """Opens models, extractors, editors and judges for one audit."""

    def __init__(self, retry: RetryPolicy, prompts: AuditPrompts, tally: AuditTally, stop: asyncio.Event) -> None:
        self._retry = retry
        self._prompts = prompts
        self._tally = tally
        self._stop = stop
        self._servers: dict[str, AuditServer] = {}
        self.opened = AsyncExitStack()
        """Closes everything that was opened, even if a later participant cannot be opened."""

    def count_earlier_answers(self, steps: Iterable[Step]) -> None:
        """Count each participant's earlier answers: after one, an error is not due to a wrong model name."""
        for name, count in Counter(step.by for step in steps if not isinstance(step.output, Failed)).items():
            if name in self._servers:
                self._servers[name].before = count

    def model(self, model: str | Model, settings: ModelSettings) -> AskedModel:
        """Open the audited model."""
        return self._client(open_model(model, settings) if isinstance(model, str) else model)

    def editor(self, editor: str | Editor, settings: EditorSettings) -> AskedEditor:
        """Open an editor by name, or use the given object."""
        editor = open_editor(editor, settings) if isinstance(editor, str) else editor
        return self._closing(AskedEditor(editor, self._retry, self._stop, self._server(editor.name)))

    def extractor(self, name: str, settings: ModelSettings) -> Extractor:
        """Open an extractor by name."""
        extractor: Extractor = self._open("extractor", name, settings)
        return extractor

    def judges(self, judges: Sequence[str | Judge], settings: ModelSettings) -> tuple[Judge, ...]:
        """Open the judges by name, or use the given objects; naming a judge twice is an error."""
        names = [judge if isinstance(judge, str) else judge.party.name for judge in judges]
        twice = next((name for name, times in Counter(names).items() if times > 1), None)
        if twice:
            raise CountersightError(f"the judge {twice} is given twice; for more votes, set `votes`")
        return tuple(
            self._open("judge", judge, settings) if isinstance(judge, str) else self._closing(judge) for judge in judges
        )

    def checkers(self, names: Sequence[str], settings: ModelSettings, begun: Sequence[Actor]) -> tuple[Checker, ...]:
        """Open each checker of edits once: pixels, seams, a detector, or any vision model.

        A resumed audit keeps the thresholds that it started with; `begun` lists the checkers used so far.
        """
        thresholds = {party.name: party.settings for party in begun}
        return tuple(
            SeamChecker(thresholds[name])
            if name == "seams" and name in thresholds
            else self._open("checker", name, settings)
            for name in dict.fromkeys(names)
        )

    def _open(self, role: Role, name: str, settings: ModelSettings) -> Any:
        """Open the extractor, judge or checker with this name, which may be the name of a model."""
        registry, by_model = ROLES[role]
        if registry.knows(name):
            return self._closing(open_registered(registry, name))
        if not MODELS.knows(name):
            raise ModelError(unknown(role, name, [*registry.usages(), *MODELS.usages()]))
        model = open_model(name, settings)
        client = self._client(model)
        needs_picture = name in ("chance", "always-first") or (isinstance(model, Viewer) and model.picture_limits[0])
        if role != "checker" and needs_picture:
            raise ModelError(f"{name} cannot be {article(role)} {role}, because it needs a picture")
        return by_model(client, self._prompts)

    def _client(self, model: Model) -> AskedModel:
        return self._closing(AskedModel(model, self._retry, self._stop, self._server(model.name)))

    def _closing(self, opened: P) -> P:
        self.opened.push_async_callback(opened.close)
        return opened

    def _server(self, name: str) -> AuditServer:
        return self._servers.setdefault(name, AuditServer(self._tally))


def open_exact_editor() -> AskedEditor:
    """Open the editor `exact`, which needs no server."""
    server = AuditServer(AuditTally())
    return AskedEditor(open_editor("exact", EditorSettings()), RetryPolicy(), asyncio.Event(), server)


def open_registered(registry: Registry[T], name: str) -> T:
    """Open an extractor, judge or checker that is not a model."""
    opener, target = registry.find(name)
    opened: T = registry.called(name, opener, *([target] if target else []))
    return opened
