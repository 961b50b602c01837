"""bundle.json: the SHA-256 of every file of an audit, so that no byte can change unseen."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import msgspec

from countersight.audits.bundle.files import Found, Odd, content, digest, lying_in
from countersight.engine import LOCK
from countersight.errors import AuditError
from countersight.files import write_whole
from countersight.system import cores

SEAL: Final = "bundle.json"
SIGNATURE: Final = f"{SEAL}.sig"
SIGNATURES: Final = re.compile(rf"{re.escape(SEAL)}(?:\.[0-9a-f]{{12}})?\.sig")
"""The first signature, and those of others beside it, named by their keys."""
STAMP: Final = f"{SEAL}.tsr"
OTHERS: Final = tuple(f"{SEAL}.{ending}" for ending in ("asc", "minisig", "sigstore.json"))
"""Where other programs put signatures; they are not checked here."""
_BESIDE: Final = re.compile(
    "|".join((SIGNATURES.pattern, *map(re.escape, (STAMP, *OTHERS)), r"sign-off\.[a-z0-9-]{1,60}\.json(?:\.sig)?"))
)
"""What comes after the seal and lies beside it: signatures, time stamps and sign-offs of persons."""
FORMAT: Final = 3
"""3: the exact judge scores faithfulness, and there is a verdict.

2: what follows from the log is derived again when the bundle is verified, the page too; cases have their scenes."""
MOST_NAMES: Final = 200_000
LARGEST_SEAL: Final = 64 * 1024**2
"""Bytes of a seal over as many files, with room to spare; a larger one is refused before it is read."""


class SealedFile(msgspec.Struct, frozen=True):
    """What a file was when the bundle was sealed."""

    sha256: str
    bytes: int


class Earlier(msgspec.Struct, frozen=True):
    """A seal that this one takes the place of: more was judged, reviewed or calibrated since."""

    sealed: str
    seal: str
    """SHA-256 of the bundle.json it was."""


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """bundle.json."""

    format: int = FORMAT
    sealed: str
    """When, in UTC."""
    countersight: str
    steps: int
    """Lines of the log."""
    last_step: str
    """Hash of the last of them, which all others are chained to."""
    files: dict[str, SealedFile]
    """Every file beside this one, by its path with slashes."""
    gallery: int = 0
    """How many cases the page shows at most."""
    earlier: tuple[Earlier, ...] = ()


def sealable(found: Found) -> bool:
    """Whether a file belongs under the seal: not the seal, what vouches for it, nor the empty file of the lock."""
    return not (found.name == SEAL or _BESIDE.fullmatch(found.name) or (found.name == LOCK and not found.bytes))


def seal(folder: Path, *, sealed: str, countersight: str, steps: int, last_step: str, gallery: int) -> str:
    """Write bundle.json over all files of a folder; its SHA-256, which is the seal to write down or sign.

    One that says the same but for its time is left as it is.
    """
    lying = list(lying_in(folder))
    for odd in lying:
        if isinstance(odd, Odd):
            raise AuditError(f"{folder / odd.name} {odd.what}; take it away to seal the bundle")
    files = [found for found in lying if isinstance(found, Found) and sealable(found)]
    if len(files) > MOST_NAMES:
        raise AuditError(f"{folder} has more than {MOST_NAMES:,} files; audit fewer cases at a time")
    before = read_seal(folder) if (folder / SEAL).exists() else None
    bundle = Bundle(
        sealed=sealed,
        countersight=countersight,
        steps=steps,
        last_step=last_step,
        files={
            found.name: SealedFile(sha256, found.bytes)
            for found, sha256 in zip(files, digests(folder, [found.name for found in files]), strict=True)
        },
        gallery=gallery,
    )
    if before is not None:
        if msgspec.structs.replace(before[0], sealed=sealed, earlier=()) == bundle:
            return before[1]  # nothing was done since: the seal, and whoever signed it, stand
        earlier = (*before[0].earlier, Earlier(before[0].sealed, before[1]))
        bundle = msgspec.structs.replace(bundle, earlier=earlier)
    written = msgspec.json.format(msgspec.json.encode(bundle), indent=1) + b"\n"
    write_whole(folder / SEAL, written)
    return hashlib.sha256(written).hexdigest()


def digests(folder: Path, names: Sequence[str]) -> Iterable[str]:
    """SHA-256 of each named file, in order; AuditError at the first that cannot be read."""
    with ThreadPoolExecutor(cores()) as pool:  # hashing lets go of the interpreter
        return list(pool.map(lambda name: digest(folder / name), names))


def read_seal(folder: Path) -> tuple[Bundle, str]:
    """bundle.json, and its own SHA-256."""
    written = content(folder / SEAL, LARGEST_SEAL)
    if written.count(b'"sha256"') > MOST_NAMES:
        raise AuditError(f"{folder / SEAL} lists more than {MOST_NAMES:,} files; no audit has so many")
    try:
        bundle = msgspec.json.decode(written, type=Bundle)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise AuditError(f"{folder / SEAL} is damaged: {error}") from None
    if bundle.format > FORMAT:
        raise AuditError(f"{folder / SEAL} was written by a later Countersight ({bundle.countersight})")
    return bundle, hashlib.sha256(written).hexdigest()
