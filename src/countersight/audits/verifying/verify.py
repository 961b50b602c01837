"""`audit verify`: is a bundle what it was when it was sealed, and does all of it follow from its log?

A bundle is taken for hostile: names in it are compared and never opened, links are not followed, and no file is read
that is larger than it was or than any of a bundle can be.
"""

import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html import escape
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from countersight.audits.bundle.changes import CHANGES
from countersight.audits.bundle.files import LARGEST_FILE, Found, Odd, content, digest, lying_in
from countersight.audits.bundle.reviews import REVIEWED, REVIEWS
from countersight.audits.bundle.seal import (
    LARGEST_SEAL,
    OTHERS,
    SEAL,
    SIGNATURE,
    SIGNATURES,
    STAMP,
    Bundle,
    read_seal,
    sealable,
    unzip_bundle,
)
from countersight.audits.bundle.write import belongs
from countersight.audits.calibration.calibrating import CALIBRATION_FOLDER
from countersight.audits.calibration.sheet import CALIBRATION
from countersight.audits.checkers.protocol import CHECKERS
from countersight.audits.extraction.protocol import EXTRACTORS
from countersight.audits.folder import LOG, MANIFEST, ORDERS, AuditFolder
from countersight.audits.judges.protocol import JUDGES
from countersight.audits.plan import PLAN, PLAN_SIGNATURE
from countersight.audits.records import Failed, Manifest
from countersight.audits.selection import SELECTION
from countersight.audits.signing.sign import SIGNED_OFF, read_sign_off
from countersight.audits.signing.ssh import NOT_INSTALLED, PublicKey, signer
from countersight.audits.signing.stamping import read_stamp
from countersight.audits.trail import Audit, read_audit
from countersight.audits.verifying.finding import Finding, Note
from countersight.audits.verifying.records import (
    checked_differences,
    checked_form,
    checked_papers,
    checked_pictures,
    checked_selection,
    checked_times,
    checked_zip,
)
from countersight.audits.verifying.replay import OURS
from countersight.audits.verifying.stages import (
    Opened,
    asks_too_much,
    recalibrated,
    refuse_long_lines,
    replayed,
    same_audit,
)
from countersight.dataset import Dataset
from countersight.errors import AuditError, CountersightError
from countersight.system import cores
from countersight.text import printable, several

TRUSTED: Final[dict[str, str]] = {
    "what models said": "they were asked then, and might say something else now",
    "pictures, masks and refusals of the editor": "it edited then; only edits by exact can be made again",
    "steps that failed": "nobody can tell now whether they did",
    "when steps were done, what they cost, and how models name themselves": "clocks and servers said so",
    "who worked, with which packages and on which machine": "the machine said so",
    "settings of those who took part, and what was asked for": "audit.json says so, and no step contradicts it",
    "the plan, and that it was written before the audit": "plan.json says so; its signature would vouch for it",
    "when it was sealed, and seals before this one": "bundle.json says so; a time stamp would vouch for it",
    "which calibration was put in, if any": "audit.json names it, the log does not; out of both, it leaves no trace",
    "the digests by which steps are known again": "they spare doing a step twice, and nothing follows from them",
    "the dataset: its rows, pictures and card": "it is not here: name it with --dataset",
    "the earlier audit that it is compared with": "it is not here: name it with --against",
    "what people said in reviews": "they judged then",
    "what people said for the calibration": "they judged then",
    "the audit that people labelled for the calibration": "it is another one than this",
    "how good the editor is, by the calibration": "its edits are not in the bundle",
    "LPIPS of the edits": "its weights are not in the bundle",
    "checks by a detector": "its weights are not in the bundle",
    "what judges, extractors and checkers of others found": "they are no part of Countersight",
    "orders of edits that were paid for": "a service and its bills said so",
}
"""Everything that may be taken on trust, and why; verify names what of it there is in the bundle at hand."""


def trusted(opened: Opened) -> Iterator[Note]:
    """What of this bundle is taken on trust."""
    manifest, calibration = opened.audit.manifest, opened.audit.calibration
    people = calibration is not None and calibration.people
    there = {
        "what models said": sum(bool(step.asked) for step in opened.audit.steps),
        "pictures, masks and refusals of the editor": manifest.editor.name not in ("", "exact"),
        "steps that failed": _failed(opened),
        "when steps were done, what they cost, and how models name themselves": True,
        "who worked, with which packages and on which machine": True,
        "settings of those who took part, and what was asked for": True,
        "the plan, and that it was written before the audit": manifest.plan,
        "when it was sealed, and seals before this one": True,
        "which calibration was put in, if any": True,
        "the digests by which steps are known again": True,
        "the dataset: its rows, pictures and card": opened.dataset is None,
        "the earlier audit that it is compared with": CHANGES in opened.files and opened.against is None,
        "what people said in reviews": bool({REVIEWS, REVIEWED} & opened.files),
        "what people said for the calibration": people,
        "the audit that people labelled for the calibration": people and _of_another(opened),
        "how good the editor is, by the calibration": calibration is not None and calibration.editor is not None,
        "LPIPS of the edits": manifest.lpips,
        "checks by a detector": any(checker.name.startswith("detector:") for checker in manifest.checkers),
        "what judges, extractors and checkers of others found": any(_plugged_in(manifest)),
        "orders of edits that were paid for": ORDERS in opened.files,
    }
    for what, found in there.items():
        if found:
            counted = f", {several(found, 'step')}" if type(found) is int else ""
            yield Note(what + counted, TRUSTED[what])


def _failed(opened: Opened) -> int:
    """Steps that failed and were not done since."""
    last = {(step.stage, step.place): step.output for step in opened.audit.steps}
    return sum(isinstance(output, Failed) for output in last.values())


def _plugged_in(manifest: Manifest) -> Iterator[bool]:
    """Whether each who took part is known here and comes from somebody else."""
    parties = ((JUDGES, manifest.judges), (EXTRACTORS, (manifest.extractor,)), (CHECKERS, manifest.checkers))
    for registry, named in parties:
        for party in named:
            yield registry.knows(party.name) and party.name not in OURS and not party.name.startswith("detector:")


def _of_another(opened: Opened) -> bool:
    try:
        judged = AuditFolder.open(opened.path / CALIBRATION_FOLDER).manifest
    except AuditError:
        return False  # it is found already
    return not same_audit(judged, opened.audit.manifest)


LARGEST: Final = 1 << 20


class Signed(msgspec.Struct, frozen=True):
    """Somebody who vouches for a bundle."""

    file: str
    key: str
    """Fingerprint of the key, or the name in the certificate of a time stamp."""
    vouched: bool
    """Whether the key is one of those that were given."""
    name: str = ""
    role: str = ""
    at: str = ""

    def __str__(self) -> str:
        if self.file == STAMP:
            return f"Stamped at {self.at} by {_claimed(self.key)}; check its certificate with: openssl ts -verify"
        if self.file == PLAN_SIGNATURE:
            return f"The plan is signed with {self.key}, {self._known}."
        who = f"Signed off as {_claimed(self.name)} ({self._role}) on {_claimed(self.at)}" if self.name else "Signed"
        return f"{who}, with {self.key}, {self._known}."

    @property
    def _known(self) -> str:
        return "a key that was given" if self.vouched else "a key that nobody vouched for here: name it with `key`"

    @property
    def _role(self) -> str:
        return _claimed(self.role) if self.role else "no role named"


def _claimed(words: str) -> str:
    """Words that whoever signed chose: in quotation marks, so that none of them is taken for what was found here."""
    return "“" + words.replace("”", '"') + "”"


def checked_signatures(
    folder: Path, seal: str, files: frozenset[str], keys: tuple[PublicKey, ...]
) -> Iterator[Finding | Note | Signed]:
    """Every signature beside the seal, and what is wrong with it. With keys, one of them must have signed the seal."""
    sealed = content(folder / SEAL, LARGEST_SEAL)
    by_a_key = False
    for found in _each(folder, seal, sealed, files, keys):
        by_a_key |= isinstance(found, Signed) and found.vouched and SIGNATURES.fullmatch(found.file) is not None
        yield found
    if keys and not by_a_key:
        yield Finding("broken", SIGNATURE, "the seal is not signed by a key that was given")


def _each(
    folder: Path, seal: str, sealed: bytes, files: frozenset[str], keys: tuple[PublicKey, ...]
) -> Iterator[Finding | Note | Signed]:
    for name in sorted(files):
        try:
            if SIGNATURES.fullmatch(name):
                key = signer(sealed, content(folder / name, LARGEST))
                yield Signed(name, key.fingerprint, _is_allowed(key, keys))
            elif name == PLAN_SIGNATURE:
                key = signer(content(folder / PLAN, LARGEST), content(folder / name, LARGEST))
                yield Signed(name, key.fingerprint, _is_allowed(key, keys))
            elif name == STAMP:
                stamp = read_stamp(content(folder / name, LARGEST), sealed)
                yield Signed(name, stamp.by, vouched=False, at=stamp.at)
            elif name in OTHERS:
                yield Note(name, "it lies beside the seal and may be anything: nothing here can tell", trusted=False)
            elif SIGNED_OFF.fullmatch(name.removesuffix(".sig")) and name.removesuffix(".sig") not in files:
                yield Finding("broken", name, "what it was to sign is not there")
            elif SIGNED_OFF.fullmatch(name):
                yield _sign_off(folder, name, seal, keys)
        except AuditError as error:
            yield (
                Note(name, str(error), trusted=False)
                if str(error) == NOT_INSTALLED
                else Finding("broken", name, str(error))
            )


def _is_allowed(key: PublicKey, keys: tuple[PublicKey, ...]) -> bool:
    """Whether a key was given; AuditError where it was, and may not sign."""
    given = next((each for each in keys if each.raw == key.raw), None)
    if given is not None and given.refused:
        raise AuditError(f"it is signed with {key.fingerprint}, which may not sign: {given.refused}")
    return given is not None


def _sign_off(folder: Path, name: str, seal: str, keys: tuple[PublicKey, ...]) -> Signed:
    written = content(folder / name, LARGEST)
    key = signer(written, content(folder / f"{name}.sig", LARGEST))
    stated = read_sign_off(written)
    if stated.seal != seal:
        raise AuditError("it was given for another seal; the bundle was sealed again since")
    return Signed(name, key.fingerprint, _is_allowed(key, keys), stated.name, stated.role, stated.at)


UNSIGNED: Final = (
    "It is not signed. What models and editors gave cannot be derived again: only a signature can vouch for that."
)
ALL_DERIVED: Final = "verdicts, edits, scores, papers and page"


class Verified(msgspec.Struct, frozen=True):
    """What came of verifying a bundle."""

    findings: tuple[Finding, ...]
    notes: tuple[Note, ...] = ()
    """What is taken on trust, and why."""
    files: int = 0
    steps: int = 0
    sealed: str = ""
    seal: str = ""
    signed: tuple[Signed, ...] = ()
    """Who vouches for it, by signatures that are right."""

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong with it."""
        return not self.findings

    def __repr__(self) -> str:
        came = "sound" if self.sound else several(len(self.findings), "finding")
        signers = f"signed by {len(self.signed)}" if self.signed else "unsigned"
        told = (f"  {each}" for each in (*self.findings, *self.notes))
        counted = f"{several(self.files, 'file')}, {several(self.steps, 'step')}, {signers}"
        return "\n".join([f"Verified: {came}; {counted}", *told])

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


def verified(
    folder: Path,
    seal: str = "",
    *,
    keys: tuple[PublicKey, ...] = (),
    dataset: Path | None = None,
    against: Path | None = None,
) -> Verified:
    """Everything that is wrong with a bundle. `seal` is the one that somebody wrote down or signed, if known.

    With `keys`, one of them must have signed it. `dataset` is what was audited, where it is no longer where it was;
    `against` the earlier audit it was compared with. A bundle may also be in one ZIP.
    """
    if folder.is_file():
        with tempfile.TemporaryDirectory() as unpacked:
            unzip_bundle(folder, Path(unpacked))
            inside = verified(Path(unpacked), seal, keys=keys, dataset=dataset, against=against)
            return msgspec.structs.replace(inside, findings=(*inside.findings, *checked_zip(folder, Path(unpacked))))
    if not (folder / MANIFEST).is_file() and not (folder / SEAL).is_file():
        raise AuditError(f"{folder} is not an audit: there is neither {MANIFEST} nor {SEAL} in it")
    if not (folder / SEAL).exists():
        why = "the audit was not finished, or its seal was taken away; countersight audit bundle seals it"
        return Verified((Finding("missing", SEAL, why),))
    try:
        bundle, its_seal = read_seal(folder)
    except AuditError as error:
        return Verified((Finding("broken", SEAL, str(error)),))
    found: list[Finding | Note] = []
    if seal and seal.strip().casefold() != its_seal:
        found.append(Finding("altered", SEAL, f"its seal is {its_seal}, not the one that was given"))
    lying = list(lying_in(folder))
    files = [each for each in lying if isinstance(each, Found)]
    digests = _digests(folder, bundle, files)
    found += _against_seal(bundle, lying, digests)
    names = frozenset(each.name for each in files)
    whole = not found
    found += _records(folder, bundle, names, digests, dataset, against, whole=whole)
    found += _strange(bundle, names)
    once = dict.fromkeys((*found, *checked_signatures(folder, its_seal, names, keys)))
    return Verified(
        tuple(each for each in once if isinstance(each, Finding)),
        tuple(each for each in once if isinstance(each, Note)),
        len(bundle.files),
        bundle.steps,
        bundle.sealed,
        its_seal,
        tuple(each for each in once if isinstance(each, Signed)),
    )


def tell_verified(found: Verified, folder: Path, *, compared: bool) -> Iterator[str]:
    """Every finding, or that there is none, and what was not checked; `compared` says that a seal was given."""
    yield from map(str, found.findings)
    if any(each.what != "not verified" for each in found.findings):
        yield f"{folder} is not as it was sealed: {several(len(found.findings), 'finding')}."
        return
    if found.findings:
        yield f"{folder} is NOT VERIFIED: {several(len(found.findings), 'part')} of it could not be derived again."
        return
    yield (
        f"{folder} is sound: {several(found.files, 'file')} as sealed on {printable(found.sealed)}, "
        f"{several(found.steps, 'step')} chained; {ALL_DERIVED} follow from them."
    )
    yield from map(str, found.notes)
    yield from (printable(str(each)) for each in found.signed)
    if not any(SIGNATURES.fullmatch(each.file) for each in found.signed):
        yield UNSIGNED
    yield f"Seal: {found.seal}" + ("" if compared else " (compare it with the one that was written down)")


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
    """Every file against what it was. Names are compared and never opened, links are not followed."""
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


def _strange(bundle: Bundle, lying: frozenset[str]) -> Iterator[Finding]:
    for name in bundle.files:
        if name in lying and not belongs(name):
            yield Finding("added", name, "it was sealed with the others, and no audit writes it")


def _records(
    folder: Path,
    bundle: Bundle,
    files: frozenset[str],
    digests: dict[str, str],
    dataset: Path | None,
    against: Path | None,
    *,
    whole: bool,
) -> Iterator[Finding | Note]:
    """Whether the log holds together, and the rest follows from it.

    Where a file is not as it was sealed, nothing that takes long is derived: a page that was altered need not be made
    again to know that.
    """
    fault = _unreadable(folder, files)
    if fault is not None:
        yield from fault
        return
    try:
        refuse_long_lines(folder / LOG)
        audit = read_audit(folder)
    except AuditError as error:
        yield Finding("broken", LOG, str(error))
        return
    if too_much := asks_too_much(audit.manifest):
        yield Finding("broken", MANIFEST, too_much)
        return
    head = audit.steps[-1].hash if audit.steps else ""
    if (len(audit.steps), head) != (bundle.steps, bundle.last_step):
        was = several(bundle.steps, "step")
        yield Finding("broken", LOG, f"it has {len(audit.steps):,} steps and another end; sealed were {was}")
    there = _dataset(audit, dataset)
    opened = Opened(
        folder=AuditFolder.open(folder), audit=audit, bundle=bundle, files=files, dataset=there, against=against
    )
    yield from checked_pictures(opened, digests)
    derived = _derived(opened, whole=whole)
    if not opened.early:
        yield from derived
        return
    yield Finding("not verified", SEAL, "an earlier version sealed it, and not all of it can be derived again here")
    yield from (_unproven(each) if isinstance(each, Finding) else each for each in derived)


def _derived(opened: Opened, *, whole: bool) -> Iterator[Finding | Note]:
    """Everything that can be derived again and is not as it follows, and what is taken on trust.

    Papers and page follow from the log: where that is broken they are not written again.
    """
    found = [*checked_selection(opened), *checked_times(opened)]
    if whole:
        found += [*checked_form(opened), *replayed(opened), *recalibrated(opened)]
    yield from found
    if whole and all(each.what == "not verified" for each in found):
        yield from checked_differences(opened)
        yield from checked_papers(opened)
        yield from trusted(opened)


def _unproven(found: Finding) -> Finding:
    """What this version would have done otherwise than 0.1 proves nothing against a bundle of 0.1."""
    return msgspec.structs.replace(found, what="not verified")


def _unreadable(folder: Path, files: frozenset[str]) -> list[Finding] | None:
    """Why the records cannot be read, where they cannot; a list without findings where that was found already."""
    for name in (MANIFEST, LOG):
        if name not in files:
            return [Finding("missing", name)]
    for name in (MANIFEST, CALIBRATION, SELECTION):
        if name in files:
            try:
                content(folder / name)  # neither a link nor too large to be read
            except AuditError as error:
                return [Finding("broken", name, str(error))]
        elif os.path.lexists(folder / name):
            return []  # it is no plain file
    return None


def _dataset(audit: Audit, named: Path | None) -> Path | None:
    """Where the dataset is that was audited, if it is there as it was."""
    reference = audit.manifest.dataset
    place = named or Path(os.path.normpath(audit.path.resolve() / reference.path))
    try:
        same = bool(named or reference.path) and Dataset.open(place).fingerprint == reference.fingerprint
    except (CountersightError, OSError):
        same = False
    if named and not same:
        raise AuditError(f"{named} is not the dataset that was audited: its rows are others")
    return place if same else None
