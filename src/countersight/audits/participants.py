"""The participants of an audit: the options that name them, and how they are opened."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import msgspec

from countersight.audits.checkers.model import ModelChecker
from countersight.audits.checkers.protocol import CHECKERS, Checker
from countersight.audits.checkers.seams import SeamChecker
from countersight.audits.clients import AskedEditor, AskedModel, AuditServer
from countersight.audits.extraction.model import ModelExtractor
from countersight.audits.extraction.protocol import EXTRACTORS, Extractor
from countersight.audits.judges.model import ModelJudge
from countersight.audits.judges.protocol import JUDGES, Judge
from countersight.audits.manifest import Actor, AuditMethod
from countersight.audits.prompts import AuditPrompts
from countersight.audits.records import Failed, Step
from countersight.audits.steps import AuditTally
from countersight.editing import Editor, EditorSettings, open_editor
from countersight.engine import RetryPolicy
from countersight.english import article
from countersight.errors import CountersightError, ModelError
from countersight.models import MODELS, Model, ModelSettings, Viewer, open_model
from countersight.registry import Registry
from countersight.suggestions import unknown

T = TypeVar("T")
Role = Literal["extractor", "judge", "checker"]
ROLES: Final[dict[Role, tuple[Registry[Any], Any]]] = {
    "extractor": (EXTRACTORS, ModelExtractor),
    "judge": (JUDGES, ModelJudge),
    "checker": (CHECKERS, ModelChecker),
}
"""For each role, the participants that need no model, and the class that asks a model."""


USUAL_CHECKERS: tuple[str, ...] = ("pixels", "seams")
"""The default checkers of edits, which need no model."""


class AuditOptions(AuditMethod, frozen=True):
    """The settings of an audit: the model, the other participants, and the method."""

    model: str | Model
    extractor: str
    editor: str | Editor
    judges: tuple[str | Judge, ...]
    prompts: AuditPrompts
    settings: ModelSettings = ModelSettings(max_tokens=2048)
    """Settings of the audited model."""
    extractor_settings: ModelSettings = ModelSettings(max_tokens=2048)
    judge_settings: ModelSettings = ModelSettings(max_tokens=2048)
    editor_settings: EditorSettings = EditorSettings()
    retry: RetryPolicy = RetryPolicy()
    calibration: Path | None = None
    """A folder written by `audit calibrate`, for scores corrected for the judges' errors."""
    lpips: Path | None = None
    checkers: tuple[str, ...] = ()
    """The checkers that decide whether an edit did what was requested."""
    operator: str = ""
    plan: Path | None = None
    """A plan written by `audit plan`; deviations from it are reported."""
    requires: tuple[str, ...] = ()
    """Criteria in addition to those of the plan, such as "CCS lower end at least 0.8"."""


class Participants(msgspec.Struct, frozen=True):
    """The participants of an audit, opened or, when it is verified, as recorded."""

    model: Any
    """An AskedModel, or a recorded model."""
    extractor: Extractor
    judges: tuple[Judge, ...]
    editor: Any = None
    """An AskedEditor, or a recorded editor; None if only the model's explanation is changed."""
    checkers: tuple[Checker, ...] = ()


class Opener:
    """Opens the participants of one audit; `opened` closes them, even if a later one cannot be opened."""

    def __init__(self, options: AuditOptions, opened: AsyncExitStack, tally: AuditTally, stop: asyncio.Event) -> None:
        self._options, self._opened, self._tally, self._stop = options, opened, tally, stop
        self._servers: dict[str, AuditServer] = {}

    def open(self, begun: Iterable[Actor] = ()) -> Participants:
        """Open all participants. A resumed audit keeps the thresholds of `begun`, the checkers that it started with."""
        options = self._options
        twice = [name for name, times in Counter(map(_name_of, options.judges)).items() if times > 1]
        if twice:
            raise CountersightError(f"the judge {twice[0]} is given twice; for more votes, set `votes`")
        thresholds = {party.name: party.settings for party in begun if party.name == "seams"}
        model = options.model
        return Participants(
            model=self._client(open_model(model, options.settings) if isinstance(model, str) else model),
            extractor=self._named("extractor", options.extractor, options.extractor_settings),
            editor=None if options.intervene == "thought" else self._editor(options.editor),
            judges=tuple(self._named("judge", each, options.judge_settings) for each in options.judges),
            checkers=tuple(
                SeamChecker(thresholds[name])
                if name in thresholds
                else self._named("checker", name, options.judge_settings)
                for name in dict.fromkeys(options.checkers)
            ),
        )

    def count_earlier_answers(self, steps: Iterable[Step]) -> None:
        """Count each participant's earlier answers. If there is one, an error is not due to a wrong model name."""
        for name, count in Counter(step.by for step in steps if not isinstance(step.output, Failed)).items():
            if name in self._servers:
                self._servers[name].before = count

    def _named(self, role: Role, named: Any, settings: ModelSettings) -> Any:
        """Open the extractor, judge or checker with this name, which may be the name of a model; or use the object."""
        registry, by_model = ROLES[role]
        if not isinstance(named, str):
            return self._closing(named)
        if registry.knows(named):
            return self._closing(open_registered(registry, named))
        if not MODELS.knows(named):
            raise ModelError(unknown(role, named, [*registry.usages(), *MODELS.usages()]))
        model = open_model(named, settings)
        client = self._client(model)
        needs_picture = named in ("chance", "always-first") or (isinstance(model, Viewer) and model.picture_limits[0])
        if role != "checker" and needs_picture:
            raise ModelError(f"{named} cannot be {article(role)} {role}, because it needs a picture")
        return by_model(client, self._options.prompts)

    def _client(self, model: Model) -> AskedModel:
        return self._closing(AskedModel(model, self._options.retry, self._stop, self._server(model.name)))

    def _editor(self, editor: str | Editor) -> AskedEditor:
        editor = open_editor(editor, self._options.editor_settings) if isinstance(editor, str) else editor
        return self._closing(AskedEditor(editor, self._options.retry, self._stop, self._server(editor.name)))

    def _closing(self, opened: T) -> T:
        """Close a participant with the others at the end, if it has something to close."""
        if close := getattr(opened, "close", None):
            self._opened.push_async_callback(close)
        return opened

    def _server(self, name: str) -> AuditServer:
        return self._servers.setdefault(name, AuditServer(self._tally))


def _name_of(judge: str | Judge) -> str:
    return judge if isinstance(judge, str) else judge.party.name


def open_exact_editor() -> AskedEditor:
    """Open the editor `exact`, which needs no server."""
    server = AuditServer(AuditTally())
    return AskedEditor(open_editor("exact", EditorSettings()), RetryPolicy(), asyncio.Event(), server)


def open_registered(registry: Registry[T], name: str) -> T:
    """Open an extractor, judge or checker that is not a model."""
    opener, target = registry.find(name)
    opened: T = registry.called(name, opener, *([target] if target else []))
    return opened
