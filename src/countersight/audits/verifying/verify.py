"""`audit verify`: check that a bundle is unchanged, and that everything follows from its log.

A bundle is treated as hostile: names in it are compared but never opened, links are not followed, and a file is not
read if it exceeds its sealed size or the size limit of files in a bundle.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from html import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePosixPath
from platform import machine, system
from typing import Final

import msgspec

from countersight import __version__
from countersight.audits.finishing import REPORT, belongs, is_derived, write_derived
from countersight.audits.folder import MANIFEST, AuditFolder
from countersight.audits.seal import (
    FORMAT,
    SEAL,
    SIGNATURES,
    Bundle,
    FileEntry,
    content,
    digest,
    file_names,
    is_sealed,
    list_entries,
    read_seal,
)
from countersight.audits.sessions import read_sessions
from countersight.audits.step_log import LOG
from countersight.audits.trail import AuditTrail, read_audit
from countersight.audits.verifying.findings import Finding, Note, What, same_picture
from countersight.audits.verifying.given_files import (
    RECORDS,
    check_calibration,
    check_log,
    check_records,
    check_selection,
    other_version,
)
from countersight.audits.verifying.replay import replay_stages
from countersight.audits.verifying.trust import Opened, Signed, Trust, check_signatures, trusted, vouches
from countersight.dataset import Dataset
from countersight.engine import DatasetReference
from countersight.errors import AuditError, CountersightError
from countersight.system import cores
from countersight.text import printable, several

_THUMBNAIL: Final = re.compile(rb"data:image/(?:webp|jpeg);base64,[A-Za-z0-9+/=]*")
UNSIGNED: Final = "It is not signed, so nothing confirms what is taken on trust."
ALL_DERIVED: Final = "verdicts, edits, scores, documents and page"


class Verified(msgspec.Struct, frozen=True):
    """The result of verifying a bundle."""

    findings: tuple[Finding, ...]
    notes: tuple[Note, ...] = ()
    """Items taken on trust, and why."""
    files: int = 0
    steps: int = 0
    sealed: str = ""
    seal: str = ""
    signed: tuple[Signed, ...] = ()
    """The signers with valid signatures."""
    deviations: tuple[str, ...] = ()
    """Deviations of the audit from its plan."""

    @property
    def sound(self) -> bool:
        """Whether there are no findings."""
        return not self.findings

    def __repr__(self) -> str:
        result = "sound" if self.sound else several(len(self.findings), "finding")
        signers = f"signed by {len(self.signed)}" if self.signed else "unsigned"
        lines = (f"  {each}" for each in (*self.findings, *self.notes))
        counted = f"{several(self.files, 'file')}, {several(self.steps, 'step')}, {signers}"
        return "\n".join([f"Verified: {result}; {counted}", *lines])

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


def verify_bundle(
    folder: Path,
    seal: str = "",
    *,
    trust: Trust = Trust(),  # noqa: B008 - frozen
    dataset: Path | None = None,
) -> Verified:
    """Verify a bundle, and return everything that is wrong. `seal` is the recorded or signed seal, if known.

    `dataset` is the path of the audited dataset, if it was moved.
    """
    if not (folder / MANIFEST).is_file() and not (folder / SEAL).is_file():
        raise AuditError(f"{folder} is not an audit: it contains neither {MANIFEST} nor {SEAL}")
    if not (folder / SEAL).exists():
        why = "the audit was not finished, or its seal was removed; seal it with: countersight audit bundle"
        return Verified((Finding("missing", SEAL, why),))
    try:
        bundle, its_seal = read_seal(folder)
    except AuditError as error:
        return Verified((Finding("broken", SEAL, str(error)),))
    found: list[Finding | Note | Signed | str] = []
    if seal and seal.strip().casefold() != its_seal:
        found.append(Finding("altered", SEAL, f"its seal is {its_seal}, not the given one"))
    entries = list(list_entries(folder))
    found += _compare_with_seal(folder, bundle, entries)
    names = frozenset(each.name for each in entries if not each.odd)
    if not found and bundle.format == FORMAT:  # otherwise it need not be recomputed
        found += _derive_again(folder, bundle, names, dataset)
    elif not found:
        words = (
            "it was sealed by an earlier version and cannot be recomputed here; verify it with the version that sealed "
            "it"
        )
        found.append(Finding("not verified", SEAL, words))
    once = dict.fromkeys((*found, *check_signatures(folder, names, trust)))
    return Verified(
        findings=tuple(each for each in once if isinstance(each, Finding)),
        notes=tuple(each for each in once if isinstance(each, Note)),
        files=len(bundle.files),
        steps=bundle.steps,
        sealed=bundle.sealed.isoformat(),
        seal=its_seal,
        signed=tuple(each for each in once if isinstance(each, Signed)),
        deviations=tuple(each for each in once if isinstance(each, str)),
    )


def _compare_with_seal(folder: Path, bundle: Bundle, entries: list[FileEntry]) -> Iterator[Finding]:
    """Compare every file with its sealed digest. Names are compared but never opened, and links are not followed."""
    there = {found.name: found for found in entries}

    def check(name: str) -> Finding | None:
        found, sealed, path = there.get(name), bundle.files[name], PurePosixPath(name)
        if found is None:
            outside = path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name
            return Finding("missing", name, "its name points outside the bundle, so it was not read" if outside else "")
        if found.odd:
            return Finding("altered", name, found.odd)
        if found.bytes != sealed.bytes:
            return Finding("altered", name, f"it has {found.bytes:,} bytes instead of {sealed.bytes:,}")
        try:
            same = digest(folder / name) == sealed.sha256
        except AuditError as error:  # too large, or made unreadable since it was listed
            return Finding("broken", name, str(error))
        return None if same else Finding("altered", name, "its content differs from the sealed one")

    with ThreadPoolExecutor(cores()) as pool:  # hashing releases the GIL
        yield from filter(None, pool.map(check, bundle.files))
    for name, found in there.items():
        if name not in bundle.files and (found.odd or is_sealed(found)):
            yield Finding("added", name, found.odd)
        elif name in bundle.files and bundle.format == FORMAT and not belongs(name):
            yield Finding("added", name, "it is sealed, but does not belong to an audit")


def _derive_again(
    folder: Path, bundle: Bundle, files: frozenset[str], named: Path | None
) -> Iterator[Finding | Note | str]:
    """Check the log, repeat the audit in another folder, and compare everything that is derived.

    Documents and page follow from the log, so they are not recomputed if the log is broken.
    """
    with tempfile.TemporaryDirectory() as place:
        try:
            again = _copy_given(folder, files, Path(place))
            audit = read_audit(again.path)
            dataset = _find_dataset(folder, audit.manifest.dataset, named)
        except AuditError as error:
            words = str(error).replace(place, str(folder))
            yield Finding("broken", next((name for name in RECORDS if f"/{name}" in words), LOG), words)
            return
        unlike = _different_drawing(bundle, audit)
        found = list(check_log(audit, bundle, files))
        if not any(each.what in ("missing", "altered") for each in found):  # without a picture, nothing can be repeated
            found += replay_stages(audit, dataset, unlike)
        found += [*check_selection(audit, dataset), *check_calibration(audit), *check_records(folder, bundle, files)]
        yield from found
        if all(each.what == "not verified" for each in found):
            yield from _compare_derived(folder, files, again, audit, bundle, unlike)
            yield from trusted(Opened(audit, files, dataset is not None))


def _copy_given(folder: Path, files: frozenset[str], to: Path) -> AuditFolder:
    """Link or copy all files that are not derived into another folder; raises AuditError if a record is too large."""
    for name in files:
        if belongs(name) and not is_derived(name):
            if name in RECORDS and name != LOG:
                content(folder / name)
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(folder / name, to / name, follow_symlinks=False)
            except OSError:
                shutil.copyfile(folder / name, to / name, follow_symlinks=False)
    return AuditFolder.open(to)


def _find_dataset(folder: Path, reference: DatasetReference, named: Path | None) -> Dataset | None:
    """Return the audited dataset if it exists and is unchanged; raises AuditError if the named one differs."""
    if named or reference.path:
        with suppress(CountersightError, OSError):
            dataset = Dataset.open(named or Path(os.path.normpath(folder.resolve() / reference.path)))
            if dataset.fingerprint == reference.fingerprint:
                return dataset
    if named:
        raise AuditError(f"{named} is not the audited dataset: its rows differ")
    return None


def _different_drawing(bundle: Bundle, audit: AuditTrail) -> What:
    """Return the kind of finding for a picture that differs when redrawn.

    It is "broken" if the audit was made with the same versions on the same platform, otherwise "not verified".
    """
    try:
        here = {name.replace("-", "_"): version(name) for name in ("skia-python", "pillow")}
    except PackageNotFoundError:
        return "not verified"
    sessions = [session.packages for session in read_sessions(audit.path)]
    alike = all(packages.get(name, used) == used for packages in sessions for name, used in here.items())
    same_machine = not sessions or audit.manifest.platform == f"{system()} {machine()}"
    return "broken" if alike and same_machine and bundle.countersight == __version__ else "not verified"


def _compare_derived(
    folder: Path, files: frozenset[str], again: AuditFolder, audit: AuditTrail, bundle: Bundle, unlike: What
) -> Iterator[Finding | str]:
    """Recompute everything that follows from the log and compare it with the bundle; yield deviations from the plan."""
    try:
        sheets = write_derived(again, audit)
    except AuditError as error:
        yield Finding("broken", str(error).split(" ")[0], str(error))
        return
    yield from (Finding("broken", fault.split(" ")[0].rstrip(":"), fault) for fault in sheets.reviews.faults)
    yield from sheets.conclusion.deviations
    made = frozenset(file_names(again.path))
    for name in sorted(filter(is_derived, made | files)):
        if name not in files:
            yield Finding("missing", name, "it is derived from the log, so the bundle should contain it")
        elif name not in made:
            yield Finding("added", name, "it cannot be derived from the log")
        else:
            try:
                given, derived = content(folder / name), content(again.path / name)
            except AuditError as error:
                yield Finding("broken", name, str(error))
                continue
            if given != derived:
                yield from _explain(name, given, derived, bundle, unlike)


def _explain(name: str, given: bytes, derived: bytes, bundle: Bundle, unlike: What) -> Iterator[Finding]:
    """Yield the finding for a file that differs from the derived one; none for a picture with the same pixels."""
    if name.endswith(".png"):
        if not same_picture(given, derived):
            yield Finding(unlike, name, "it is not the difference of the two pictures")
    elif other_version(bundle):  # not sound: an edited page might name another version
        words = f"it was written by Countersight {bundle.countersight}; verify it with that version"
        yield Finding("not verified", name, words)
    elif name == REPORT and _THUMBNAIL.sub(b"picture", given) == _THUMBNAIL.sub(b"picture", derived):
        yield Finding(unlike, name, "its pictures are not the ones in the bundle")
    else:
        yield Finding("broken", name, "it does not follow from the log")


def describe_result(found: Verified, folder: Path, *, compared: bool) -> Iterator[str]:
    """Yield lines with the findings and what was not checked; `compared` is whether a known seal was given."""
    yield from map(str, found.findings)
    proven = [each for each in found.findings if each.what != "not verified"]
    if proven and all(each.what == "broken" and vouches(each.file) for each in proven):
        yield f"{folder} is NOT SIGNED as required: {several(len(proven), 'finding')} about signatures and time stamps."
        return
    if proven:
        yield f"{folder} is NOT SOUND: {several(len(found.findings), 'finding')}."
        return
    if found.findings:
        yield f"{folder} is NOT VERIFIED: {several(len(found.findings), 'part')} of it could not be recomputed."
        return
    yield (
        f"{folder} is sound: {several(found.files, 'file')} unchanged since {found.sealed}, "
        f"{several(found.steps, 'step')} chained; {ALL_DERIVED} follow from them."
    )
    yield from (f"Not as planned: {printable(each)}." for each in found.deviations)
    yield from map(str, found.notes)
    yield from (printable(str(each)) for each in found.signed)
    if not any(SIGNATURES.fullmatch(each.file) for each in found.signed):
        yield UNSIGNED
    yield f"Seal: {found.seal}" + ("" if compared else "  (compare it with the seal that you noted)")
