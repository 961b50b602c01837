"""The files of a bundle against its seal. Names are compared and never opened, links are not followed."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath

from countersight.audit.bundle.files import LARGEST_FILE, Found, Odd, digest
from countersight.audit.bundle.seal import Bundle, sealable
from countersight.audit.verifying.finding import Finding
from countersight.errors import AuditError
from countersight.files import bounded_lines
from countersight.machine import cores

LONGEST_LINE = 64 * 1024**2
"""A line of the log that is longer was never written by an audit."""


def digests_of(folder: Path, bundle: Bundle, files: list[Found]) -> dict[str, str]:
    """The SHA-256 of every sealed file that has the size it had; the others are not worth reading."""
    same = [
        found.name
        for found in files
        if (sealed := bundle.files.get(found.name)) and found.bytes == sealed.bytes <= LARGEST_FILE
    ]

    def of(name: str) -> str:
        try:
            return digest(folder / name)
        except AuditError:  # it went or was made unreadable since it was listed
            return ""

    with ThreadPoolExecutor(cores()) as pool:  # hashing lets go of the interpreter
        return dict(zip(same, pool.map(of, same), strict=True))


def against_seal(bundle: Bundle, lying: list[Found | Odd], digests: dict[str, str]) -> Iterator[Finding]:
    """Every file against what it was."""
    there = {found.name: found for found in lying}
    for name, sealed in bundle.files.items():
        found = there.get(name)
        if found is None:
            inside = _is_plain(name)
            yield Finding("missing", name, "" if inside else "its name leads out of the bundle, and was not followed")
        elif isinstance(found, Odd):
            yield Finding("altered", name, found.what)
        elif found.bytes != sealed.bytes:
            yield Finding("altered", name, f"it has {found.bytes:,} bytes, it had {sealed.bytes:,}")
        elif found.bytes > LARGEST_FILE:
            yield Finding("broken", name, f"it has {found.bytes:,} bytes; no file of a bundle has")
        elif not digests[name]:
            yield Finding("altered", name, "it cannot be read")
        elif digests[name] != sealed.sha256:
            yield Finding("altered", name, "its bytes are not those that were sealed")
    for name, found in there.items():
        if name not in bundle.files and (isinstance(found, Odd) or sealable(found)):
            yield Finding("added", name, found.what if isinstance(found, Odd) else "")


def _is_plain(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and "\\" not in name and "\0" not in name


def refuse_long_lines(path: Path) -> None:
    """AuditError where a line of a log is longer than any audit writes."""
    with open(path, "rb") as file:
        for number, line in enumerate(bounded_lines(file, LONGEST_LINE), 1):
            if len(line) > LONGEST_LINE:
                raise AuditError(f"line {number} is longer than {LONGEST_LINE:,} bytes")
