"""What vouches for a bundle: signatures and time stamps next to its seal; and what must be taken on trust."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from countersight.audits.bundle.changes import CHANGES
from countersight.audits.bundle.listing import content
from countersight.audits.bundle.seal import LARGEST_SEAL, OTHERS, SEAL, SIGNATURE, SIGNATURES, STAMP
from countersight.audits.calibration.people import REVIEWED
from countersight.audits.checkers.protocol import CHECKERS
from countersight.audits.extraction.protocol import EXTRACTORS
from countersight.audits.judges.protocol import JUDGES
from countersight.audits.orders import ORDERS
from countersight.audits.plan import PLAN, PLAN_SIGNATURE
from countersight.audits.scores import failed_steps
from countersight.audits.signing.signatures import (
    NO_SSH,
    SIGNED_OFF,
    AllowedSigners,
    is_allowed,
    read_sign_off,
    signer,
)
from countersight.audits.signing.stamping import NO_STAMPS, read_stamp
from countersight.audits.verifying.comparison import Finding, Note
from countersight.audits.verifying.opened import OpenedBundle
from countersight.audits.verifying.replay import BUILT_IN
from countersight.errors import AuditError
from countersight.text import several

LARGEST: Final = 1 << 20
"""Size limit of a signature or a sign-off, in bytes."""


class Signed(msgspec.Struct, frozen=True):
    """A signer of a bundle."""

    file: str
    key: str
    """Fingerprint of the key; empty for a time stamp."""
    vouched: bool
    """Whether the key is one of the given ones."""
    name: str = ""
    role: str = ""
    at: str = ""

    def __str__(self) -> str:
        if self.file == STAMP:
            return f"Stamped at {self.at} by a server of the given certificate authority."
        known = "a given key" if self.vouched else "an unknown key; name the trusted key with --key"
        if self.file == PLAN_SIGNATURE:
            return f"The plan is signed with {self.key}, {known}."
        role = _quoted(self.role) if self.role else "no role named"
        who = f"Signed off as {_quoted(self.name)} ({role}) on {_quoted(self.at)}" if self.name else "Signed"
        return f"{who}, with {self.key}, {known}."


def _quoted(words: str) -> str:
    """Return a signer's words in quotation marks, so that they are not taken for a result of the verification."""
    return "“" + words.replace("”", '"') + "”"


class Trust(msgspec.Struct, frozen=True):
    """Who is trusted to sign a bundle, and to stamp it."""

    signers: AllowedSigners | None = None
    """If given, one of them must have signed the seal."""
    authorities: tuple[Any, ...] = ()
    """Certificates of the authorities of time stamp servers."""


def check_signatures(folder: Path, seal: str, files: frozenset[str], trust: Trust) -> Iterator[Finding | Note | Signed]:
    """Check every signature next to the seal."""
    by_a_key = False
    for name in sorted(files):
        try:
            found = _check_signature(folder, name, seal, files, trust)
        except AuditError as error:
            missing = str(error) in (NO_SSH, NO_STAMPS)
            found = Note(name, str(error), trusted=False) if missing else Finding("broken", name, str(error))
        if found is not None:
            by_a_key |= isinstance(found, Signed) and found.vouched and SIGNATURES.fullmatch(name) is not None
            yield found
    if trust.signers and not by_a_key:
        yield Finding("broken", SIGNATURE, "the seal is not signed by a given key that is valid now")


def _check_signature(
    folder: Path, name: str, seal: str, files: frozenset[str], trust: Trust
) -> Finding | Note | Signed | None:
    """Return what a file vouches for; None if it is not a signature. Raises AuditError if the signature is wrong."""
    sealed = content(folder / SEAL, LARGEST_SEAL)
    statement = name.removesuffix(".sig")

    def signed_by(message: bytes, signature: str) -> tuple[str, bool]:
        given = content(folder / signature, LARGEST)
        return signer(message, given), trust.signers is not None and is_allowed(message, given, trust.signers)

    if SIGNATURES.fullmatch(name) or name == PLAN_SIGNATURE:
        return Signed(name, *signed_by(content(folder / PLAN, LARGEST) if name == PLAN_SIGNATURE else sealed, name))
    if name == STAMP:
        at = read_stamp(content(folder / name, LARGEST), sealed, trust.authorities)
        if trust.authorities:
            return Signed(name, "", vouched=True, at=at)
        return Note(name, f"it says {at}; name the certificate of its authority with --timestamp-ca", trusted=False)
    if name in OTHERS:
        return Note(name, "it is not covered by the seal, so it cannot be checked", trusted=False)
    if not SIGNED_OFF.fullmatch(statement) or (statement != name and statement in files):
        return None
    if statement != name:
        raise AuditError("the signed file is missing")
    written = content(folder / name, LARGEST)
    key, vouched = signed_by(written, f"{name}.sig")
    stated = read_sign_off(written)
    if stated.seal != seal:
        raise AuditError("it belongs to an earlier seal; the bundle was sealed again later")
    return Signed(name, key, vouched, stated.name, stated.role, stated.at)


def vouches(name: str) -> bool:
    """Whether a file is a signature, a sign-off or a time stamp."""
    signed = SIGNATURES.fullmatch(name) or SIGNED_OFF.fullmatch(name.removesuffix(".sig"))
    return bool(signed) or name in (PLAN_SIGNATURE, STAMP)


def _by_people(opened: OpenedBundle) -> bool:
    return opened.audit.calibration is not None and bool(opened.audit.calibration.people)


def _plugged_in(opened: OpenedBundle) -> bool:
    """Whether an installed judge, extractor or checker of another package took part."""
    manifest = opened.audit.manifest
    parties = ((JUDGES, manifest.judges), (EXTRACTORS, (manifest.extractor,)), (CHECKERS, manifest.checkers))
    return any(
        registry.knows(party.name) and party.name not in BUILT_IN and not party.name.startswith("detector:")
        for registry, named in parties
        for party in named
    )


_TRUST: Final[tuple[tuple[str, str, Callable[[OpenedBundle], object]], ...]] = (
    ("replies of models", "they were recorded; a model may answer differently now",
     lambda opened: sum(bool(step.asked) for step in opened.audit.steps)),
    ("pictures, masks and refusals of the editor, and what it can edit",
     "they were recorded; only edits by exact can be repeated",
     lambda opened: opened.audit.manifest.editor.name not in ("", "exact")),
    ("steps that failed", "failures cannot be reproduced", lambda opened: failed_steps(opened.audit)),
    ("times, costs, operator, packages, machine, and reported model names",
     "as reported by clocks, servers and the machine", lambda opened: True),
    ("names and settings of all models and tools, the options of the audit, and its calibration",
     "as written in audit.json; no reply proves them", lambda opened: True),
    ("whether there was a plan, and when it was written",
     "as written in audit.json and plan.json; only a signature can confirm it", lambda opened: True),
    ("the time of sealing, and earlier seals", "as written in bundle.json; only a time stamp can confirm it",
     lambda opened: True),
    ("the digests that identify steps",
     "they only prevent repeating a step; no result depends on them", lambda opened: True),
    ("the dataset: its rows, pictures and card", "it was not found; name it with --dataset",
     lambda opened: opened.dataset is None),
    ("the earlier audit that it is compared with", "it was not found; name it with --against",
     lambda opened: CHANGES in opened.files and opened.against is None),
    ("people's reviews and labels, and the audit that they labelled", "people's judgements cannot be recomputed",
     lambda opened: REVIEWED in opened.files or _by_people(opened)),
    ("LPIPS of the edits, and checks by a detector", "their weights are not in the bundle",
     lambda opened: opened.audit.manifest.lpips
     or any(checker.name.startswith("detector:") for checker in opened.audit.manifest.checkers)),
    ("results of judges, extractors, checkers of other packages", "they are not part of Countersight", _plugged_in),
    ("paid orders of edits", "as reported by the service", lambda opened: ORDERS in opened.files),
)  # fmt: skip
TRUSTED: Final = {what: why for what, why, _ in _TRUST}
"""Everything that may be taken on trust, and why; `audit verify` lists the items that apply to a bundle."""


def trusted(opened: OpenedBundle) -> Iterator[Note]:
    """Return what is taken on trust in this bundle."""
    for what, why, is_there in _TRUST:
        if found := is_there(opened):
            yield Note(what + (f", {several(found, 'step')}" if type(found) is int else ""), why)
