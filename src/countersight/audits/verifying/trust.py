"""Check the signatures and the time stamp of a bundle, and list what must be taken on trust."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from countersight.audits.checkers.protocol import CHECKERS
from countersight.audits.extraction.protocol import EXTRACTORS
from countersight.audits.judges.protocol import JUDGES
from countersight.audits.orders import ORDERS
from countersight.audits.plan import PLAN, PLAN_SIGNATURE
from countersight.audits.reviews import REVIEWED
from countersight.audits.scores import failed_steps
from countersight.audits.seal import LARGEST_SEAL, SEAL, SIGNATURE, SIGNATURES, STAMP, content
from countersight.audits.signing import AllowedSigners, MissingToolError, signer, why_refused
from countersight.audits.time_stamps import read_stamp
from countersight.audits.trail import AuditTrail
from countersight.audits.verifying.findings import Finding, Note
from countersight.audits.verifying.replay import BUILT_IN, is_model
from countersight.errors import AuditError
from countersight.text import several

LARGEST: Final = 1 << 20
"""The size limit of a signature, in bytes."""


class Signed(msgspec.Struct, frozen=True):
    """A valid signature or time stamp of a bundle."""

    file: str
    key: str = ""
    """The fingerprint of the key; empty for a time stamp."""
    refused: str = ""
    """The reason if the signature was not made by one of the given keys; otherwise empty."""
    at: str = ""
    """The time, if it is a time stamp."""

    def __str__(self) -> str:
        if self.file == STAMP:
            return f"Stamped at {self.at} by a server of the given certificate authority."
        by = f"not trusted: {self.refused}" if self.refused else "a given key"
        return f"{'The plan is signed' if self.file == PLAN_SIGNATURE else 'Signed'} with {self.key}, {by}."


class Trust(msgspec.Struct, frozen=True):
    """Who is trusted to sign a bundle, and to stamp it."""

    signers: AllowedSigners | None = None
    """The keys that may sign; if given, one of them must have signed the seal."""
    authorities: tuple[Any, ...] = ()
    """Certificates of the authorities of time stamp servers."""


def check_signatures(folder: Path, files: frozenset[str], trust: Trust) -> Iterator[Finding | Note | Signed]:
    """Check every signature next to the seal, the signature of the plan, and the time stamp."""
    refused = {}
    for name in filter(vouches, sorted(files)):
        try:
            found: Finding | Note | Signed = _check_signature(folder, name, trust)
        except MissingToolError as error:
            found = Note(name, str(error), trusted=False)
        except AuditError as error:
            found = Finding("broken", name, str(error))
        if isinstance(found, Signed) and SIGNATURES.fullmatch(name):
            refused[name] = found.refused
        yield found
    if trust.signers and all(refused.values()):
        why = "; ".join(f"{name}: {reason}" for name, reason in refused.items()) or "there is no valid signature"
        yield Finding("broken", SIGNATURE, f"no given key that is valid now has signed the seal: {why}")


def _check_signature(folder: Path, name: str, trust: Trust) -> Note | Signed:
    """Return what a signature or a time stamp vouches for; raises AuditError if it is invalid."""
    given = content(folder / name, LARGEST)
    message = content(folder / (PLAN if name == PLAN_SIGNATURE else SEAL), LARGEST_SEAL)
    if name != STAMP:
        key = signer(message, given)
        unknown = "its key is unknown; name the trusted key with --key"
        refused = why_refused(message, given, trust.signers) if trust.signers else unknown
        return Signed(name, key, refused)
    at = read_stamp(given, message, trust.authorities)
    if trust.authorities:
        return Signed(name, at=at)
    return Note(name, f"its time is {at}; name the certificate of its authority with --timestamp-ca", trusted=False)


def vouches(name: str) -> bool:
    """Whether a file is a signature or a time stamp."""
    return name in (PLAN_SIGNATURE, STAMP) or SIGNATURES.fullmatch(name) is not None


class Opened(msgspec.Struct, frozen=True):
    """A bundle to verify: its audit, the names of its files, and whether its dataset was found unchanged."""

    audit: AuditTrail
    files: frozenset[str]
    has_dataset: bool


def _plugged_in(opened: Opened) -> bool:
    """Whether a judge, extractor or checker from another package took part."""
    manifest = opened.audit.manifest
    parties = ((JUDGES, manifest.judges), (EXTRACTORS, (manifest.extractor,)), (CHECKERS, manifest.checkers))
    return any(
        party.name not in BUILT_IN
        and not party.name.startswith("detector:")
        and (registry.knows(party.name) or not is_model(party.name, opened.audit.steps))
        for registry, named in parties
        for party in named
    )


_TRUST: Final[tuple[tuple[str, str, Callable[[Opened], object]], ...]] = (
    ("replies of models", "they were recorded; a model may answer differently now",
     lambda opened: sum(bool(step.asked) for step in opened.audit.steps)),
    ("pictures, masks and refusals of the editor, and what it can edit",
     "they were recorded; only edits by exact can be repeated",
     lambda opened: opened.audit.manifest.editor.name not in ("", "exact")),
    ("steps that failed", "failures cannot be reproduced", lambda opened: failed_steps(opened.audit)),
    ("times, costs, operator, packages, machine, and reported model names",
     "as reported by clocks, servers and the machine", lambda opened: True),
    ("names and settings of all models and tools, and the options of the audit",
     "as written in audit.json; the replies cannot confirm them", lambda opened: True),
    ("the calibration of the judges", "as written in calibration.json; a calibration has its own bundle to verify",
     lambda opened: opened.audit.calibration is not None),
    ("whether there was a plan, and when it was written",
     "as written in audit.json and plan.json; only a signature can confirm it", lambda opened: True),
    ("the time of sealing", "as written in bundle.json; only a time stamp can confirm it",
     lambda opened: True),
    ("the digests that identify steps",
     "they only prevent repeated steps; no result depends on them", lambda opened: True),
    ("the dataset: its rows and pictures, and which cases were selected", "it was not found; name it with --dataset",
     lambda opened: not opened.has_dataset),
    ("the card of the dataset", "as written in selection.json", lambda opened: True),
    ("people's reviews", "people's judgements cannot be recomputed", lambda opened: REVIEWED in opened.files),
    ("LPIPS of the edits, and checks by a detector", "their weights are not in the bundle",
     lambda opened: opened.audit.manifest.lpips
     or any(checker.name.startswith("detector:") for checker in opened.audit.manifest.checkers)),
    ("results of other packages' judges, extractors and checkers", "they are not part of Countersight", _plugged_in),
    ("paid orders of edits", "as reported by the service", lambda opened: ORDERS in opened.files),
)  # fmt: skip
TRUSTED: Final = {what: why for what, why, _ in _TRUST}
"""Everything that may be taken on trust, and why; `audit verify` lists the items that apply to a bundle."""


def trusted(opened: Opened) -> Iterator[Note]:
    """Return what is taken on trust in this bundle."""
    for what, why, is_there in _TRUST:
        if found := is_there(opened):
            yield Note(what + (f", {several(found, 'step')}" if type(found) is int else ""), why)
