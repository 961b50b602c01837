"""What came of verifying a bundle, in lines."""

from collections.abc import Iterator
from pathlib import Path

from countersight.audit.bundle.seal import SIGNATURES
from countersight.audit.verifying.verify import Verified
from countersight.text import printable, several

UNSIGNED = (
    "It is not signed. What models and editors gave cannot be derived again: only a signature can vouch for that."
)
ALL_DERIVED = "verdicts, edits, scores, papers and page"


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
