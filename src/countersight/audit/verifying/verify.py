"""`audit verify`: is a bundle what it was when it was sealed, and does all of it follow from its log?

A bundle is taken for hostile: names in it are compared and never opened, links are not followed, and no file is read
that is larger than it was or than any of a bundle can be.
"""

import os
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path

import msgspec

from countersight.audit.bundle.files import Found, content, lying_in
from countersight.audit.bundle.naming import belongs
from countersight.audit.bundle.seal import SEAL, Bundle, read_seal
from countersight.audit.bundle.zipping import unzip_bundle
from countersight.audit.calibration.sheet import CALIBRATION
from countersight.audit.folder import MANIFEST, AuditFolder
from countersight.audit.log import LOG
from countersight.audit.scene_index import SceneIndex
from countersight.audit.selection import SELECTION
from countersight.audit.signing.ssh import PublicKey
from countersight.audit.trail import Audit, read_audit
from countersight.audit.verifying.calibrated import checked_calibration
from countersight.audit.verifying.cases import checked_cases
from countersight.audit.verifying.edits import checked_edits, checked_pictures
from countersight.audit.verifying.exact_edits import checked_exact_edits
from countersight.audit.verifying.finding import Finding, Note, Opened
from countersight.audit.verifying.form import checked_form, checked_zip
from countersight.audit.verifying.gaps import asks_too_much
from countersight.audit.verifying.order import checked_order
from countersight.audit.verifying.papers import checked_page, checked_papers
from countersight.audit.verifying.probes import checked_checks, checked_probes
from countersight.audit.verifying.sealed import against_seal, digests_of, refuse_long_lines
from countersight.audit.verifying.selected import checked_selection
from countersight.audit.verifying.signed import Signed, checked_signatures
from countersight.audit.verifying.steps import checked_steps
from countersight.audit.verifying.times import checked_times
from countersight.audit.verifying.trust import trusted
from countersight.dataset import Dataset
from countersight.errors import AuditError, CountersightError
from countersight.text import several


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
    digests = digests_of(folder, bundle, files)
    found += against_seal(bundle, lying, digests)
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
    opened = Opened(
        folder=AuditFolder.open(folder),
        audit=audit,
        bundle=bundle,
        files=files,
        dataset=(there := _dataset(audit, dataset)),
        scenes=SceneIndex(there) if there else None,
        against=against,
    )
    yield from checked_pictures(opened, digests)
    derived = _derived(opened, whole=whole)
    if not opened.early:
        yield from derived
        return
    yield Finding("not verified", SEAL, "the format of 0.1 does not hold all that is needed to derive a bundle again")
    yield from (_unproven(each) if isinstance(each, Finding) else each for each in derived)


def _derived(opened: Opened, *, whole: bool) -> Iterator[Finding | Note]:
    """Everything that can be derived again and is not as it follows, and what is taken on trust."""
    yield from checked_selection(opened)
    yield from checked_times(opened)
    yield from checked_order(opened)
    yield from checked_steps(opened)
    if whole:
        yield from checked_form(opened)
        yield from checked_cases(opened)
        yield from checked_papers(opened)
        yield from checked_edits(opened)
        yield from checked_exact_edits(opened)
        yield from checked_checks(opened)
        yield from checked_probes(opened)
        yield from checked_calibration(opened)
        yield from checked_page(opened)
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
