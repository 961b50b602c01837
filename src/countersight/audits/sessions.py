"""sessions.jsonl: who worked on an audit, with which software and on which machine."""

import datetime
import hashlib
import os
import platform
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

import countersight
from countersight.audits.records import decode_record
from countersight.audits.seal import content
from countersight.files import write_whole
from countersight.system import cores

SESSIONS: Final = "sessions.jsonl"


class Code(msgspec.Struct, frozen=True):
    """The version of the program."""

    countersight: str
    sha256: str
    """A digest of all files of the package, for comparing copies."""


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
    """Record the operator, the versions and the machine of a session, unless they equal the last session's."""
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
    """Return the version of every installed package, from folder names because reading the metadata takes seconds."""
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
    return Code(countersight.__version__, whole.hexdigest())


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
