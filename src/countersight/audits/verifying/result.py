"""The result of a verification, in words."""

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Final

import msgspec

from countersight.audits.bundle.seal import SIGNATURES, Earlier
from countersight.audits.verifying.comparison import Finding, Note
from countersight.audits.verifying.trust import Signed, vouches
from countersight.text import printable, several

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
    as_sealed: bool = True
    """Whether every file is as in bundle.json, which is the given seal."""
    earlier: tuple[Earlier, ...] = ()
    """The seals that were replaced, as written in bundle.json."""

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


def describe_result(found: Verified, folder: Path, *, compared: bool) -> Iterator[str]:
    """Yield lines with the findings and what was not checked; `compared` is whether a known seal was given."""
    yield from map(str, found.findings)
    proven = [each for each in found.findings if each.what != "not verified"]
    if proven and all(each.what == "broken" and vouches(each.file) for each in proven):
        yield f"{folder} is NOT SIGNED as required: {several(len(proven), 'finding')} about signatures and time stamps."
        return
    if proven:
        yield f"{folder} is NOT SOUND: {several(len(found.findings), 'finding')}. {_since(found)}"
        return
    if found.findings:
        yield f"{folder} is NOT VERIFIED: {several(len(found.findings), 'part')} of it could not be recomputed."
        return
    yield (
        f"{folder} is sound: {several(found.files, 'file')} unchanged since {printable(found.sealed)}, "
        f"{several(found.steps, 'step')} chained; {ALL_DERIVED} follow from them."
    )
    yield from (f"Not as planned: {printable(each)}." for each in found.deviations)
    yield from map(str, found.notes)
    yield from (f"Sealed before at {printable(each.sealed)}: {printable(each.seal)}" for each in found.earlier)
    yield from (printable(str(each)) for each in found.signed)
    if not any(SIGNATURES.fullmatch(each.file) for each in found.signed):
        yield UNSIGNED
    yield f"Seal: {found.seal}" + ("" if compared else "  (compare it with the seal that you noted)")


def _since(found: Verified) -> str:
    """Return what is known about the time when a bundle became unsound."""
    if not found.seal:
        return "It has no valid seal."
    if found.as_sealed:
        return "Every file is as sealed, so it was already unsound then."
    return "It was changed after it was sealed, or it is not the bundle of the given seal."
