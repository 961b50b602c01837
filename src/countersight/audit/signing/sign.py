"""Signing a bundle: its seal, and beside it what a person states about it."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from countersight.audit.bundle.files import content
from countersight.audit.bundle.seal import SEAL, SIGNATURE, read_seal
from countersight.audit.bundle.sign_off import STATEMENT
from countersight.audit.signing.ssh import signature
from countersight.errors import AuditError
from countersight.files import write_whole

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

SIGNED_OFF: Final = re.compile(r"sign-off\.[a-z0-9-]{1,60}\.json")


class SignOff(msgspec.Struct, frozen=True):
    """What a person states about a bundle; signed, it lies beside the seal and not under it."""

    seal: str
    """SHA-256 of bundle.json."""
    name: str
    role: str
    at: str
    """When, in UTC."""
    statement: str = STATEMENT


def sign_bundle(folder: Path, key: "Ed25519PrivateKey") -> Path:
    """Sign the seal of a bundle; the file of the signature."""
    read_seal(folder)
    signed = folder / SIGNATURE
    write_whole(signed, signature(content(folder / SEAL), key))
    return signed


def sign_off(folder: Path, key: "Ed25519PrivateKey", *, name: str, role: str, at: str) -> Path:
    """Write down and sign that a person vouches for a bundle; the file of the statement."""
    _, seal = read_seal(folder)
    slug = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:60]
    if not slug:
        raise AuditError(f"{name!r} has no letter of a to z by which its file could be named; add one in brackets")
    written = msgspec.json.format(msgspec.json.encode(SignOff(seal, name, role, at)), indent=1) + b"\n"
    statement = folder / f"sign-off.{slug}.json"
    write_whole(statement, written)
    write_whole(statement.with_name(f"{statement.name}.sig"), signature(written, key))
    return statement


def read_sign_off(data: bytes) -> SignOff:
    """The statement of a person; AuditError where it is none."""
    try:
        return msgspec.json.decode(data, type=SignOff)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise AuditError(f"it is no sign-off: {error}") from None
