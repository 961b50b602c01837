"""Sign a bundle: its seal, and a person's statement about it."""

import hashlib
import re
from pathlib import Path
from typing import Final

import msgspec

from countersight.audits.bundle.files import content
from countersight.audits.bundle.limits import STATEMENT
from countersight.audits.bundle.seal import SEAL, SIGNATURE, read_seal
from countersight.audits.signing.ssh import sign, signer
from countersight.errors import AuditError
from countersight.files import write_whole

SIGNED_OFF: Final = re.compile(r"sign-off\.[a-z0-9-]{1,60}\.json")


class SignOff(msgspec.Struct, frozen=True):
    """A person's statement about a bundle; signed, it lies beside the seal and not under it."""

    seal: str
    """SHA-256 of bundle.json."""
    name: str
    role: str
    at: str
    """The time in UTC."""
    statement: str = STATEMENT


def sign_bundle(folder: Path, key: Path) -> Path:
    """Sign the seal of a bundle and return the signature file."""
    read_seal(folder)
    sealed = content(folder / SEAL)
    signature = sign(sealed, key)
    mine, file = signer(sealed, signature), folder / SIGNATURE
    if file.exists() and _signer(file, sealed) != mine:
        file = folder / f"{SEAL}.{hashlib.sha256(mine.encode()).hexdigest()[:12]}.sig"
    write_whole(file, signature)
    return file


def _signer(file: Path, signed: bytes) -> str:
    try:
        return signer(signed, content(file))
    except AuditError as error:
        raise AuditError(f"{file} is not a signature of this file ({error}); remove it before you sign again") from None


def sign_off(folder: Path, key: Path, *, name: str, role: str, at: str) -> Path:
    """Write and sign the statement of a person who vouches for a bundle; return its file."""
    _, seal = read_seal(folder)
    slug = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:60]
    if not slug:
        raise AuditError(
            f"{name!r} contains no Latin letters or digits to make a file name from; add a transliteration in brackets"
        )
    written = _written(SignOff(seal, name, role, at))
    statement, signature = folder / f"sign-off.{slug}.json", sign(written, key)
    proof = statement.with_name(f"{statement.name}.sig")
    if statement.exists() and proof.exists() and _signer(proof, content(statement)) != signer(written, signature):
        raise AuditError(f"{statement} was signed with another key; use that key, or sign off under another name")
    write_whole(statement, written)
    write_whole(proof, signature)
    return statement


def read_sign_off(data: bytes) -> SignOff:
    """Return the statement of a person; raises AuditError if it is invalid."""
    try:
        stated = msgspec.json.decode(data, type=SignOff)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise AuditError(f"it is not a sign-off: {error}") from None
    if stated.statement != STATEMENT or _written(stated) != data:
        raise AuditError("it contains something other than a sign-off")
    return stated


def _written(stated: SignOff) -> bytes:
    return msgspec.json.format(msgspec.json.encode(stated), indent=1) + b"\n"
