"""Open the participants of an audit by name."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from countersight.audits.asking import AskedEditor, AskedModel, AuditServer
from countersight.audits.checkers.model import ModelChecker
from countersight.audits.checkers.protocol import CHECKERS, Checker
from countersight.audits.checkers.seams import SeamChecker
from countersight.audits.extraction.model import ModelExtractor
from countersight.audits.extraction.protocol import EXTRACTORS, Extractor
from countersight.audits.judges.model import ModelJudge
from countersight.audits.judges.protocol import JUDGES, Judge
from countersight.audits.prompts import AuditPrompts
from countersight.audits.records import Actor, Failed, Step
from countersight.audits.steps import AuditTally
from countersight.editing import Editor, EditorSettings, open_editor
from countersight.engine import RetryPolicy
from countersight.english import article
from countersight.errors import CountersightError, ModelError
from countersight.models import MODELS, Model, ModelSettings, Viewer, open_model
from countersight.registry import Registry
from countersight.text import unknown

T = TypeVar("T")


class Opener:
    """Opens models, extractors, editors and judges for one audit."""

    def __init__(self, retry: RetryPolicy, prompts: AuditPrompts, tally: AuditTally, stop: asyncio.Event) -> None:
        self._retry = retry
        self._prompts = prompts
        self._tally = tally
        self._stop = stop
        self._news: dict[str, AuditServer] = {}

    def know(self, steps: Iterable[Step]) -> None:
        """Record which participants answered in an earlier process: a refusal now is not an unknown name."""
        for name, count in Counter(step.by for step in steps if not isinstance(step.output, Failed)).items():
            if name in self._news:
                self._news[name].before = count

    def model(self, model: str | Model, settings: ModelSettings) -> AskedModel:
        """Open the audited model."""
        return self._asked(open_model(model, settings) if isinstance(model, str) else model)

    def extractor(self, name: str, settings: ModelSettings) -> Extractor:
        """Open the extractor with this name."""
        if EXTRACTORS.knows(name):
            return _opened(EXTRACTORS, name)
        return ModelExtractor(self._reader("extractor", name, settings, EXTRACTORS), self._prompts)

    def editor(self, editor: str | Editor, settings: EditorSettings) -> AskedEditor:
        """Open the editor with this name, or use the given one."""
        editor = open_editor(editor, settings) if isinstance(editor, str) else editor
        return AskedEditor(editor, self._retry, self._stop, self._heard(editor.name))

    def judges(self, judges: Sequence[str | Judge], settings: ModelSettings) -> tuple[Judge, ...]:
        """Open a panel of judges by name, or use the given ones; a judge named twice is an error."""
        names = [judge if isinstance(judge, str) else judge.party.name for judge in judges]
        twice = next((name for name, times in Counter(names).items() if times > 1), None)
        if twice:
            raise CountersightError(f"the judge {twice} is given twice; for more votes, set `votes`")
        opened = []
        for judge in judges:
            if isinstance(judge, str):
                ours = _opened(JUDGES, judge) if JUDGES.knows(judge) else None
                judge = ours or ModelJudge(self._reader("judge", judge, settings, JUDGES), self._prompts)
            opened.append(judge)
        return tuple(opened)

    def checkers(
        self, names: Sequence[str], settings: ModelSettings, before: Sequence[Actor] = ()
    ) -> tuple[Checker, ...]:
        """Open the checkers of edits, each once: pixels, seams, a detector, or any vision model.

        An audit ends with the thresholds that it was begun with: `before` are those who checked so far.
        """
        begun = {party.name: party.settings for party in before}
        opened: list[Checker] = []
        for name in dict.fromkeys(names):
            if name == "seams" and name in begun:
                opened.append(SeamChecker(begun[name]))
            elif CHECKERS.knows(name):
                opened.append(_opened(CHECKERS, name))
            elif MODELS.knows(name):
                opened.append(ModelChecker(self._asked(open_model(name, settings))))
            else:
                raise ModelError(unknown("checker", name, [*CHECKERS.usages(), *MODELS.usages()]))
        return tuple(opened)

    def _reader(self, what: str, name: str, settings: ModelSettings, others: Registry[Any]) -> AskedModel:
        """A model that reads text alone."""
        try:
            model = open_model(name, settings)
            if name in ("chance", "always-first") or (isinstance(model, Viewer) and model.picture_limits[0]):
                raise ModelError(f"{name} cannot be {article(what)} {what}, because it needs a picture")
            return self._asked(model)
        except ModelError:
            if MODELS.knows(name):
                raise
            names = [*others.usages(), *MODELS.usages()]
            raise ModelError(unknown(what, name, names)) from None

    def _asked(self, model: Model) -> AskedModel:
        return AskedModel(model, self._retry, self._stop, self._heard(model.name))

    def _heard(self, name: str) -> AuditServer:
        return self._news.setdefault(name, AuditServer(self._tally))


def open_ours(role: str, name: str) -> Any:
    """Open an extractor, editor, judge or checker that ships with Countersight and needs no server."""
    if role == "editor":
        quiet = AuditServer(AuditTally())
        return AskedEditor(open_editor(name, EditorSettings()), RetryPolicy(), asyncio.Event(), quiet)
    tables: dict[str, Registry[Any]] = {"extractor": EXTRACTORS, "judge": JUDGES, "checker": CHECKERS}
    return _opened(tables[role], name)


def _opened(table: Registry[T], name: str) -> T:
    opener, target = table.find(name)
    opened: T = table.called(name, opener, *([target] if target else []))
    return opened
