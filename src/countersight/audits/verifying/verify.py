"""`audit verify`: check that a bundle is as sealed, and that everything follows from its log.

A bundle is treated as hostile: names in it are compared and never opened, links are not followed, and a file is not
read if it is larger than when it was sealed, or than any file of a bundle can be.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from countersight.audits.bundle.changes import CHANGES
from countersight.audits.bundle.dataset_sheet import DATASET_SHEET, Card, dataset_card, stored_card
from countersight.audits.bundle.listing import FileEntry, OddEntry, content, digest, list_entries
from countersight.audits.bundle.seal import FORMAT, SEAL, Bundle, read_seal, sealable
from countersight.audits.bundle.zipping import unzip_bundle, zip_bundle
from countersight.audits.finishing import REPORT, belongs, is_derived, write_derived
from countersight.audits.folder import MANIFEST, AuditFolder
from countersight.audits.log import LOG
from countersight.audits.trail import read_audit
from countersight.audits.verifying.calibration import replay_calibration
from countersight.audits.verifying.comparison import Finding, Note, same_picture
from countersight.audits.verifying.opened import OpenedBundle
from countersight.audits.verifying.record_checks import (
    RECORDS,
    check_pictures,
    check_records,
    check_selection,
    check_times,
)
from countersight.audits.verifying.replay import replay_stages
from countersight.audits.verifying.result import Verified
from countersight.audits.verifying.trust import Signed, Trust, check_signatures, trusted
from countersight.dataset import Dataset
from countersight.engine import DatasetReference
from countersight.errors import AuditError, CountersightError
from countersight.system import cores

_PICTURE: Final = re.compile(rb"data:image/(?:webp|jpeg);base64,[A-Za-z0-9+/=]*")


def verify_bundle(
    folder: Path,
    seal: str = "",
    *,
    trust: Trust = Trust(),  # noqa: B008 - frozen
    dataset: Path | None = None,
    against: Path | None = None,
) -> Verified:
    """Verify a bundle, and return everything that is wrong. `seal` is the recorded or signed seal, if known.

    `dataset` is the audited dataset, if it was moved; `against` is the earlier audit that it was compared with. The
    bundle may also be a ZIP file.
    """
    if folder.is_file():
        with tempfile.TemporaryDirectory() as unpacked:
            unzip_bundle(folder, Path(unpacked))
            inside = verify_bundle(Path(unpacked), seal, trust=trust, dataset=dataset, against=against)
            extra = tuple(_check_zip(folder, Path(unpacked)))
            return msgspec.structs.replace(
                inside, findings=(*inside.findings, *extra), as_sealed=inside.as_sealed and not extra
            )
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
    names = frozenset(each.name for each in entries if isinstance(each, FileEntry))
    as_sealed = not found
    if as_sealed:  # otherwise it need not be recomputed
        found += _derive_again(folder, bundle, names, dataset, against)
    once = dict.fromkeys((*found, *check_signatures(folder, its_seal, names, trust)))
    return Verified(
        findings=tuple(each for each in once if isinstance(each, Finding)),
        notes=tuple(each for each in once if isinstance(each, Note)),
        files=len(bundle.files),
        steps=bundle.steps,
        sealed=bundle.sealed,
        seal=its_seal,
        as_sealed=as_sealed,
        earlier=bundle.earlier,
        signed=tuple(each for each in once if isinstance(each, Signed)),
        deviations=tuple(each for each in once if isinstance(each, str)),
    )


def _check_zip(file: Path, unpacked: Path) -> Iterator[Finding]:
    """Yield a finding if a ZIP file contains bytes beyond its files: zipping them again must give the same file."""
    with tempfile.TemporaryDirectory() as place, suppress(AuditError):  # a missing seal is reported elsewhere
        zip_bundle(unpacked, Path(place) / "again.zip")
        if digest(Path(place) / "again.zip") != digest(file):
            yield Finding("added", file.name, "it contains extra bytes")


def _compare_with_seal(folder: Path, bundle: Bundle, entries: list[FileEntry | OddEntry]) -> Iterator[Finding]:
    """Compare every file with its sealed digest. Names are compared and never opened, links are not followed."""
    there = {found.name: found for found in entries}

    def check(name: str) -> Finding | None:
        found, sealed, path = there.get(name), bundle.files[name], PurePosixPath(name)
        if found is None:
            outside = path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name
            return Finding("missing", name, "its name points outside the bundle, so it was not read" if outside else "")
        if isinstance(found, OddEntry):
            return Finding("altered", name, found.what)
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
        if name not in bundle.files and (isinstance(found, OddEntry) or sealable(found)):
            yield Finding("added", name, found.what if isinstance(found, OddEntry) else "")
        elif name in bundle.files and not belongs(name):
            yield Finding("added", name, "it is sealed, but does not belong to an audit")


def _derive_again(
    folder: Path, bundle: Bundle, files: frozenset[str], dataset: Path | None, against: Path | None
) -> Iterator[Finding | Note | str]:
    """Check the log, repeat the audit in another folder, and compare everything that is derived.

    Documents and page follow from the log, so they are not recomputed if the log is broken.
    """
    with tempfile.TemporaryDirectory() as place:
        try:
            again = _copy_given(folder, files, Path(place))
            audit = read_audit(again.path)
        except AuditError as error:
            words = str(error).replace(place, str(folder))
            yield Finding("broken", next((name for name in RECORDS if f"/{name}" in words), LOG), words)
            return
        opened = OpenedBundle(
            path=folder,
            again=again,
            audit=audit,
            bundle=bundle,
            files=files,
            dataset=_find_dataset(folder, audit.manifest.dataset, dataset),
            against=against,
        )
        found = list(check_pictures(opened))
        if bundle.format < FORMAT:
            words = "it was sealed by an earlier version and cannot be recomputed here"
            yield from (*found, Finding("not verified", SEAL, words))
            return
        if not any(each.what in ("missing", "altered") for each in found):  # without a picture, nothing can be repeated
            found += [*replay_stages(audit, opened.dataset, opened.unlike()), *replay_calibration(opened)]
        found += [*check_selection(opened), *check_times(opened), *check_records(opened)]
        yield from found
        if all(each.what == "not verified" for each in found):
            yield from _compare_derived(opened)
            yield from trusted(opened)


def _copy_given(folder: Path, files: frozenset[str], to: Path) -> AuditFolder:
    """Link or copy all files that are not derived into another folder; raises AuditError if a record is too large."""
    for name in filter(belongs, files):
        if name in (DATASET_SHEET, CHANGES) or not is_derived(name):  # parts of these two are not derived
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


def _compare_derived(opened: OpenedBundle) -> Iterator[Finding | str]:
    """Recompute all that follows from the log and compare it with the bundle; yield deviations from the plan, too."""
    card = stored_card(opened.again.path, opened.audit.manifest)
    if opened.dataset is not None and (dataset_card(opened.dataset.path) or Card()) != card:
        yield Finding("not verified", DATASET_SHEET, "the card of the dataset has changed")
    try:
        sheets = write_derived(
            opened.again,
            opened.audit,
            opened.bundle.gallery,
            against=opened.against if CHANGES in opened.files else None,
            from_dataset=False,  # use the stored card
        )
    except AuditError as error:
        yield Finding("broken", str(error).split(" ")[0], str(error))
        return
    yield from (Finding("broken", fault.split(" ")[0].rstrip(":"), fault) for fault in sheets.reviews.faults)
    yield from sheets.conclusion.deviations
    made = {found.name for found in list_entries(opened.again.path) if isinstance(found, FileEntry)}
    for name in sorted(filter(is_derived, made | opened.files)):
        if name not in opened.files:
            yield Finding("missing", name, "it is derived from the log, so the bundle should contain it")
        elif name not in made:
            yield Finding("added", name, "it cannot be derived from the log")
        else:
            try:
                given, derived = content(opened.path / name), content(opened.again.path / name)
            except AuditError as error:
                yield Finding("broken", name, str(error))
                continue
            if given != derived:
                yield from _explain(opened, name, given, derived)


def _explain(opened: OpenedBundle, name: str, given: bytes, derived: bytes) -> Iterator[Finding]:
    """Yield the finding for a file that differs from the derived one; none for a picture with the same pixels."""
    if name.endswith(".png"):
        if not same_picture(given, derived):
            yield Finding(opened.unlike(), name, "it is not the difference of the two pictures")
    elif opened.other_version:  # not sound: an edited page might name another version
        words = f"it was written by Countersight {opened.bundle.countersight}; verify it with that version"
        yield Finding("not verified", name, words)
    elif name == REPORT and _PICTURE.sub(b"picture", given) == _PICTURE.sub(b"picture", derived):
        yield Finding(opened.unlike(), name, "its pictures are not those of the bundle")
    else:
        yield Finding("broken", name, "it does not follow from the log")
