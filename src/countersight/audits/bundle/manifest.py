"""manifest.json: who was audited by whom, and with how much effort."""

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from countersight.audits.bundle.sessions import Session
from countersight.audits.checkers.protocol import CHECKERS
from countersight.audits.extraction.protocol import EXTRACTORS
from countersight.audits.judges.protocol import JUDGES
from countersight.audits.records import Actor, EditRecord, Failed, ModelReply, Stage, Step
from countersight.audits.trail import AuditTrail
from countersight.editing import EDITORS
from countersight.models import MODELS
from countersight.registry import Registry

MANIFEST_SHEET: Final = "manifest.json"
TABLES: Final[tuple[Registry[Any], ...]] = (MODELS, EDITORS, EXTRACTORS, JUDGES, CHECKERS)
"""The registries of everything that can take part in an audit."""


class Participant(msgspec.Struct, frozen=True, omit_defaults=True):
    """A participant: its name in the options, and the model versions that it reported."""

    role: str
    name: str
    provider: str
    """Where it ran, if its name says so."""
    settings: dict[str, Any] = {}
    returned: tuple[str, ...] = ()
    """The model versions reported in its replies."""


class Effort(msgspec.Struct, frozen=True):
    """The number, tokens, cost and time of the steps of one stage."""

    steps: int
    failed: int
    retries: int
    tokens_in: int
    tokens_out: int
    cost: float
    seconds: float


class BundleManifest(msgspec.Struct, frozen=True, kw_only=True):
    """The content of manifest.json."""

    audited: Participant
    others: tuple[Participant, ...]
    operators: tuple[str, ...]
    """All persons named as responsible, in order."""
    first_step: str
    last_step: str
    """The times of the first and the last step, in UTC."""
    steps: int
    log_head: str
    """Hash of the last step."""
    prompts: str
    """Name and version of the set of prompts."""
    prompts_sha256: str
    effort: dict[Stage, Effort]


def run_manifest(audit: AuditTrail, sessions: Sequence[Session]) -> BundleManifest:
    """Return the manifest of an audit in its current state."""
    manifest, steps = audit.manifest, audit.steps
    named: list[tuple[str, Actor]] = [("extractor", manifest.extractor), ("editor", manifest.editor)]
    named += [("judge", judge) for judge in manifest.judges]
    named += [("checker", checker) for checker in manifest.checkers]
    returned = reported_models(steps)
    prompts = hashlib.sha256(msgspec.json.encode(manifest.prompts, order="sorted"))
    return BundleManifest(
        audited=_participant("audited model", manifest.model, returned),
        others=tuple(_participant(role, party, returned) for role, party in named if party.name),
        operators=tuple(dict.fromkeys(session.operator for session in sessions if session.operator)),
        first_step=steps[0].at if steps else "",
        last_step=steps[-1].at if steps else "",
        steps=len(steps),
        log_head=steps[-1].hash if steps else "",
        prompts=f"{manifest.prompts.get('name', '?')} {manifest.prompts.get('version', '?')}",
        prompts_sha256=prompts.hexdigest(),
        effort=_effort(steps),
    )


def _participant(role: str, party: Actor, returned: dict[str, dict[str, None]]) -> Participant:
    kind, _, target = party.name.partition(":")
    here = any(table.knows(party.name) and table.where(party.name) == "here" for table in TABLES)
    provider = "this machine" if here else kind
    if kind == "endpoint":
        with suppress(ValueError):
            provider = urlsplit(target.partition("#")[0]).hostname or kind
    return Participant(role, party.name, provider, party.settings, tuple(returned.get(party.name, ())))


def reported_models(steps: Iterable[Step]) -> dict[str, dict[str, None]]:
    """Return the model names that each participant reported, in the order in which they were first reported."""
    returned: dict[str, dict[str, None]] = {}
    for step in steps:
        named = step.output.model if isinstance(step.output, ModelReply) else step.spent.model
        if isinstance(step.output, EditRecord):
            named = str(step.output.log.get("model", ""))
        if named:
            returned.setdefault(step.by, {})[named] = None
    return returned


def _effort(steps: Iterable[Step]) -> dict[Stage, Effort]:
    by_stage: dict[Stage, list[Step]] = {}
    for step in steps:
        by_stage.setdefault(step.stage, []).append(step)
    return {
        stage: Effort(
            steps=len(done),
            failed=sum(isinstance(step.output, Failed) for step in done),
            retries=sum(max(0, step.spent.attempts - 1) for step in done),
            tokens_in=sum(step.spent.tokens_in for step in done),
            tokens_out=sum(step.spent.tokens_out for step in done),
            cost=round(sum(step.spent.cost for step in done), 6),
            seconds=round(sum(step.spent.seconds for step in done), 3),
        )
        for stage, done in by_stage.items()
    }
