"""`audit verify`: is a bundle what it was when it was sealed, and do its scores follow from what is in it?

A bundle is taken for hostile: names in it are compared and never opened, links are not followed, and no file is read
that is larger than it was or than any of a bundle can be.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import Literal

import msgspec

from countersight import __version__
from countersight.audit.bundle.cases import CASES, EXCLUSIONS, case_sheets, encode_cases, encode_exclusions
from countersight.audit.bundle.files import LARGEST_FILE, Found, Odd, content, digest, lying_in
from countersight.audit.bundle.seal import SEAL, SIGNATURES, Bundle, read_seal, sealable
from countersight.audit.calibration.sheet import CALIBRATION
from countersight.audit.folder import MANIFEST, PICTURES
from countersight.audit.log import LOG
from countersight.audit.records import CaseRecord, EditRecord
from countersight.audit.scores import SCORES, Scores, encode, score
from countersight.audit.trail import Audit, read_audit
from countersight.errors import AuditError
from countersight.files import bounded_lines
from countersight.machine import cores
from countersight.text import printable, several

LONGEST_LINE = 64 * 1024**2
"""A line of the log that is longer was never written by an audit."""

What = Literal["altered", "missing", "added", "broken"]


class Finding(msgspec.Struct, frozen=True):
    """Something that is not as it was, or does not follow."""

    what: What
    file: str
    why: str = ""

    def __str__(self) -> str:
        return printable(f"{self.what}: {self.file}" + (f" ({self.why})" if self.why else ""))


class Verified(msgspec.Struct, frozen=True):
    """What came of verifying a bundle."""

    findings: tuple[Finding, ...]
    files: int = 0
    steps: int = 0
    sealed: str = ""
    seal: str = ""
    signatures: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong with it."""
        return not self.findings


def verified(folder: Path, seal: str = "") -> Verified:
    """Everything that is wrong with a bundle. `seal` is the one that somebody wrote down or signed, if known."""
    if not (folder / MANIFEST).is_file() and not (folder / SEAL).is_file():
        raise AuditError(f"{folder} is not an audit: there is neither {MANIFEST} nor {SEAL} in it")
    if not (folder / SEAL).exists():
        why = "the audit was not finished, or its seal was taken away; countersight audit bundle seals it"
        return Verified((Finding("missing", SEAL, why),))
    try:
        bundle, its_seal = read_seal(folder)
    except AuditError as error:
        return Verified((Finding("broken", SEAL, str(error)),))
    findings = []
    if seal and seal.strip().casefold() != its_seal:
        findings.append(Finding("altered", SEAL, f"its seal is {its_seal}, not the one that was given"))
    lying = list(lying_in(folder))
    files = [found for found in lying if isinstance(found, Found)]
    digests = _digests(folder, bundle, files)
    findings += _against_seal(bundle, lying, digests)
    findings += _records(folder, bundle, {found.name for found in files}, digests)
    return Verified(
        tuple(dict.fromkeys(findings)),
        len(bundle.files),
        bundle.steps,
        bundle.sealed,
        its_seal,
        tuple(found.name for found in files if found.name in SIGNATURES),
    )


def verify(folder: Path, seal: str = "") -> int:
    """Print what is wrong with a bundle, a line each; 0 where nothing is, and 1 otherwise."""
    found = verified(folder, seal)
    for finding in found.findings:
        print(finding)
    if found.findings:
        print(f"{folder} is not as it was sealed: {several(len(found.findings), 'finding')}.")
        return 1
    print(
        f"{folder} is sound: {several(found.files, 'file')} as sealed on {printable(found.sealed)}, "
        f"{several(found.steps, 'step')} chained, and the scores follow from the verdicts."
    )
    for name in found.signatures:
        print(f"There is a signature, which is not checked here: {name}")
    print(f"Seal: {found.seal}" + ("" if seal else " (compare it with the one that was signed)"))
    return 0


def _digests(folder: Path, bundle: Bundle, files: list[Found]) -> dict[str, str]:
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


def _against_seal(bundle: Bundle, lying: list[Found | Odd], digests: dict[str, str]) -> Iterator[Finding]:
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


def _records(folder: Path, bundle: Bundle, files: set[str], digests: dict[str, str]) -> Iterator[Finding]:
    """Whether the log holds together, and the rest follows from it."""
    for name in (MANIFEST, LOG):
        if name not in files:
            yield Finding("missing", name)
            return
    for name in (MANIFEST, CALIBRATION):
        if name in files:
            try:
                content(folder / name)  # neither a link nor too large to be read
            except AuditError as error:
                yield Finding("broken", name, str(error))
                return
        elif os.path.lexists(folder / name):
            return  # it is no plain file, which was found already
    try:
        _refuse_long_lines(folder / LOG)
        audit = read_audit(folder)
    except AuditError as error:
        yield Finding("broken", LOG, str(error))
        return
    head = audit.steps[-1].hash if audit.steps else ""
    if (len(audit.steps), head) != (bundle.steps, bundle.last_step):
        was = several(bundle.steps, "step")
        yield Finding("broken", LOG, f"it has {len(audit.steps):,} steps and another end; sealed were {was}")
    yield from _pictures(audit, bundle, files, digests)
    yield from _follows(folder, audit, bundle, files)


def _refuse_long_lines(path: Path) -> None:
    with open(path, "rb") as file:
        for number, line in enumerate(bounded_lines(file, LONGEST_LINE), 1):
            if len(line) > LONGEST_LINE:
                raise AuditError(f"line {number} is longer than {LONGEST_LINE:,} bytes")


def _pictures(audit: Audit, bundle: Bundle, files: set[str], digests: dict[str, str]) -> Iterator[Finding]:
    """Every picture that a step speaks of is there under its own digest, and no other is."""
    spoken = {
        picture
        for step in audit.steps
        for picture in (
            (step.output.picture,)
            if isinstance(step.output, CaseRecord)
            else (step.output.before, step.output.after, step.output.mask)
            if isinstance(step.output, EditRecord)
            else ()
        )
        if picture
    }
    there = {PurePosixPath(name).stem: name for name in files if name.startswith(f"{PICTURES}/")}
    for missing in sorted(spoken - there.keys()):
        yield Finding("missing", f"{PICTURES}/{missing}", "a step speaks of it")
    for name in sorted(there[stem] for stem in there.keys() - spoken):
        yield Finding("added", name, "no step speaks of it")
    for stem in sorted(spoken & there.keys()):
        found, sealed = digests.get(there[stem]), bundle.files.get(there[stem])
        if found and sealed and found == sealed.sha256 != stem:  # another one than was sealed is named already
            yield Finding("altered", there[stem], "its bytes are not those that its name is the digest of")


def _follows(folder: Path, audit: Audit, bundle: Bundle, files: set[str]) -> Iterator[Finding]:
    """The scores, the cases and the exclusions are what the verdicts in the log make them."""
    scores = score(audit)
    sheets = case_sheets(audit, scores, files)
    hint = "" if bundle.countersight == __version__ else f"; written by {bundle.countersight}, this is {__version__}"
    for name, follows in (
        (SCORES, encode(scores)),
        (CASES, encode_cases(sheets)),
        (EXCLUSIONS, encode_exclusions(sheets)),
    ):
        if name not in files:
            yield Finding("missing", name)
            continue
        try:
            written = content(folder / name)
        except AuditError as error:
            yield Finding("broken", name, str(error))
            continue
        if written != follows:
            what = _told_scores(written, scores) if name == SCORES else "it does not follow from the log"
            yield Finding("broken", name, what + hint)


def _told_scores(written: bytes, follows: Scores) -> str:
    try:
        told = msgspec.json.decode(written, type=Scores).kept.ccs.value
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "it is damaged; scores follow from the verdicts in the log"
    if told == follows.kept.ccs.value:
        return "it does not follow from the verdicts in the log"
    return f"CCS is {told} in it; {follows.kept.ccs.value} follows from the verdicts in the log"
