"""Who was audited by whom, on which machine, and with how much effort: sessions.jsonl and manifest.json."""

import datetime
import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

import countersight
from countersight.audits.bundle.seal import content
from countersight.audits.checkers.protocol import CHECKERS
from countersight.audits.extraction.protocol import EXTRACTORS
from countersight.audits.judges.protocol import JUDGES
from countersight.audits.records import Actor, EditRecord, Failed, ModelReply, Stage, Step, decode_record
from countersight.audits.trail import AuditTrail
from countersight.editing import EDITORS
from countersight.files import write_whole
from countersight.models import MODELS
from countersight.registry import Registry
from countersight.system import cores

SESSIONS: Final = "sessions.jsonl"


class Code(msgspec.Struct, frozen=True):
    """The version of the program."""

    countersight: str
    commit: str
    """The git commit of the checkout, with "-dirty" if files were changed; empty if installed."""
    sha256: str
    """A digest of all files of the package, to compare copies."""


class Hardware(msgspec.Struct, frozen=True):
    """The machine that an audit ran on."""

    system: str
    processor: str
    cores: int
    memory_gib: float
    accelerators: tuple[str, ...] = ()
    """The accelerators that torch found, if it was in use."""


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One session of work on an audit."""

    started: str
    operator: str
    """The person responsible, if named."""
    code: Code
    python: str
    packages: dict[str, str]
    hardware: Hardware


def begin_session(folder: Path, operator: str = "") -> None:
    """Record the operator, the versions and the machine of a session, unless they are those of the last session."""
    packages, before = _packages(), read_sessions(folder)
    session = Session(
        started=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        operator=operator,
        code=_code(),
        python=platform.python_version(),
        packages=packages,
        hardware=_hardware(),
    )
    if before and msgspec.structs.replace(before[-1], started="") == msgspec.structs.replace(session, started=""):
        return
    lines = [msgspec.json.encode(each) + b"\n" for each in (*before, session)]
    write_whole(folder / SESSIONS, b"".join(lines))


def read_sessions(folder: Path) -> tuple[Session, ...]:
    """Return every session, in order; none if nothing was recorded."""
    file = folder / SESSIONS
    lines = content(file).splitlines() if file.exists() else ()
    return tuple(decode_record(line, Session, file) for line in lines)


@cache
def _packages() -> dict[str, str]:
    """Return the version of every installed package, from names of folders: reading the metadata takes seconds."""
    found: dict[str, str] = {}
    for folder in map(Path, sys.path):
        for described in folder.glob("*.dist-info"):
            name, _, version = described.name.removesuffix(".dist-info").rpartition("-")
            found.setdefault(name, version)  # the first one on the path is imported
    return dict(sorted(found.items(), key=lambda item: item[0].casefold()))


@cache
def _code() -> Code:
    root = Path(countersight.__file__).parent
    whole = hashlib.sha256()
    for file in sorted(root.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            whole.update(f"{file.relative_to(root).as_posix()}\0{file.stat().st_size}\0".encode())
            whole.update(file.read_bytes())
    return Code(countersight.__version__, _commit(root), whole.hexdigest())


def _commit(root: Path) -> str:
    """Return what git reports about the checkout that contains the package, if there is one."""
    git = shutil.which("git")
    if git is None or not any((folder / ".git").exists() for folder in root.parents[:2]):
        return ""
    command = [git, "-C", str(root), "describe", "--always", "--dirty", "--abbrev=40"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)  # noqa: S603 - fixed
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _hardware() -> Hardware:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if "SC_PHYS_PAGES" in os.sysconf_names else 0
    processor = platform.processor()
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:  # on Linux
        names = (line.partition(":")[2].strip() for line in lines if line.startswith(("model name", "Model")))
        processor = next(names, processor)
    torch = sys.modules.get("torch")  # importing it to ask would take seconds
    devices = torch.cuda.device_count() if torch is not None and torch.cuda.is_available() else 0
    return Hardware(
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        processor=processor,
        cores=cores(),
        memory_gib=round(memory / 1024**3, 1),
        accelerators=tuple(torch.cuda.get_device_name(number) for number in range(devices)) if torch else (),
    )


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
