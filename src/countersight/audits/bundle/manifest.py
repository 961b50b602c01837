"""manifest.json, sessions.jsonl and dataset.json: who was audited by whom, with which code, and on which data.

An audit may be stopped and resumed by another version or on another machine; each time is a new session."""

import datetime
import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

import countersight
from countersight.audits.bundle.listing import content
from countersight.audits.checkers.protocol import CHECKERS
from countersight.audits.extraction.protocol import EXTRACTORS
from countersight.audits.judges.protocol import JUDGES
from countersight.audits.records import Actor, EditRecord, Failed, Manifest, ModelReply, Stage, Step, decode_record
from countersight.audits.trail import AuditTrail, CaseTrail
from countersight.dataset import Dataset
from countersight.editing import EDITORS
from countersight.errors import AuditError, CountersightError
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
    packages_sha256: str
    """A digest of the sorted `name==version` lines."""
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
        packages_sha256=digest_of_packages(packages),
        hardware=_hardware(),
    )
    if before and msgspec.structs.replace(before[-1], started="") == msgspec.structs.replace(session, started=""):
        return
    lines = [msgspec.json.encode(each) + b"\n" for each in (*before, session)]
    write_whole(folder / SESSIONS, b"".join(lines))


def digest_of_packages(packages: Mapping[str, str]) -> str:
    """Return the SHA-256 of the `name==version` lines of packages."""
    return hashlib.sha256("".join(f"{name}=={version}\n" for name, version in packages.items()).encode()).hexdigest()


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
    """Where it ran, if its name tells."""
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


DATASET_SHEET: Final = "dataset.json"
CARD: Final = "croissant.json"
LONGEST: Final = 4_000
"""Longest text stored for a field of the card, in characters."""


class Card(msgspec.Struct, frozen=True):
    """The dataset's own metadata (croissant.json); empty if it has none."""

    description: str = ""
    license: str = ""
    creator: str = ""
    published: str = ""


class CasePicture(msgspec.Struct, frozen=True):
    """The picture of one case."""

    case: str
    row: int
    file: str
    """The file name in the dataset."""
    sha256: str
    """The digest of its bytes, which is also its name in `pictures/`."""
    suite: str
    group: str


class DatasetSheet(msgspec.Struct, frozen=True, kw_only=True):
    """The content of dataset.json."""

    name: str
    fingerprint: str
    rows: int
    card: Card
    selection: str
    """The rule by which cases were selected, in words."""
    n: int
    """The number of cases."""
    pictures: int
    """The number of different pictures."""
    strata: dict[str, int]
    """The number of cases by suite and group."""
    cases: tuple[CasePicture, ...]


def dataset_sheet(folder: Path, manifest: Manifest, cases: Sequence[CaseTrail], *, from_dataset: bool) -> DatasetSheet:
    """Return the sheet of the audited dataset, with the stored card or, if the dataset is unchanged, with its own."""
    reference = manifest.dataset
    place = Path(os.path.normpath(folder.resolve() / reference.path))
    card = None
    with suppress(CountersightError, OSError):
        if from_dataset and Dataset.open(place).fingerprint == reference.fingerprint:
            card = dataset_card(place)
    those = "cases of the dataset with a picture and a factual question"
    if manifest.descriptive:
        those += " that is open and likely to be explained by a description of the picture"
    chosen = f"all {those}" if manifest.cases is None else f"{manifest.cases:,}, spread evenly over all {those}"
    listed = tuple(
        CasePicture(case.case, case.row, case.record.image, case.record.picture, case.record.suite, case.record.group)
        for case in cases
    )
    return DatasetSheet(
        name=reference.name,
        fingerprint=reference.fingerprint,
        rows=reference.rows,
        card=card or stored_card(folder, manifest),
        selection=chosen,
        n=len(listed),
        pictures=len({case.sha256 for case in listed}),
        strata=dict(sorted(Counter(_stratum(case.suite, case.group) for case in listed).items())),
        cases=listed,
    )


def _stratum(suite: str, group: str) -> str:
    return ": ".join(part for part in (suite, group) if part) or "(no group)"


def dataset_card(place: Path) -> Card | None:
    """Return the content of the dataset's card; None if there is no readable card."""
    try:
        card = decode_record(content(place / CARD), dict[str, Any], CARD)
    except AuditError:
        return None
    creator = card.get("creator")
    return Card(
        description=_words(card.get("description")),
        license=_words(card.get("license")),
        creator=_words(creator.get("name") if isinstance(creator, dict) else creator),
        published=_words(card.get("datePublished")),
    )


def stored_card(folder: Path, manifest: Manifest) -> Card:
    """Return the card stored in dataset.json; empty if there is none."""
    try:
        before = decode_record(content(folder / DATASET_SHEET), DatasetSheet, DATASET_SHEET)
    except AuditError:
        return Card()
    return before.card if before.fingerprint == manifest.dataset.fingerprint else Card()


def _words(value: Any) -> str:
    return value[:LONGEST] if isinstance(value, str) else ""
