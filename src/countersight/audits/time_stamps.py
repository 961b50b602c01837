"""RFC 3161 time stamps of a bundle: proof that its seal existed at a certain time."""

import hashlib
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from countersight.audits.seal import SEAL, STAMP, content
from countersight.errors import AuditError
from countersight.files import write_whole

if TYPE_CHECKING:
    from cryptography.x509 import Certificate
from countersight.audits.signing import LARGEST, MissingToolError

_HASHES: Final = {32: "sha256", 48: "sha384", 64: "sha512"}
TIMEOUT: Final = 30.0
"""The timeout of the server in seconds."""


def stamp_bundle(folder: Path, server: str) -> Path:
    """Request a time stamp for the seal of a bundle from a server, and return its file."""
    client, stamp = _library(), folder / STAMP
    if urlsplit(server).scheme not in ("http", "https"):
        raise AuditError(f"{server} is not the address of a time stamp server: it must begin with http:// or https://")
    seal = content(folder / SEAL)
    if stamp.exists() and (at := _time_of(stamp, seal)):  # keep it: an earlier stamp proves more
        raise AuditError(f"this seal already has a time stamp, {stamp}, of {at}")
    asked = client.TimestampRequestBuilder().hash_algorithm(client.base.HashAlgorithm.SHA256).data(seal)
    request = urllib.request.Request(  # noqa: S310 - http and https only
        server, asked.build().as_bytes(), {"Content-Type": "application/timestamp-query"}
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as reply:  # noqa: S310
            answer = reply.read(LARGEST)
    except (OSError, urllib.error.URLError, ValueError) as error:
        raise AuditError(f"{server} returned no time stamp: {error}") from None
    try:
        read_stamp(answer, seal)
    except AuditError as error:
        raise AuditError(f"{server} returned an unusable time stamp: {error}") from None
    write_whole(stamp, answer)
    return stamp


def _time_of(stamp: Path, seal: bytes) -> str:
    """Return the time of a time stamp of this seal; empty if the stamp belongs to an earlier seal or is damaged."""
    try:
        return read_stamp(content(stamp, LARGEST), seal)
    except AuditError:
        return ""


def read_stamp(answer: bytes, stamped: bytes, authorities: "tuple[Certificate, ...]" = ()) -> str:
    """Return the time at which these bytes were stamped; raises AuditError if the time stamp is invalid.

    The signature is checked only if there are certificates; without them, anybody could have made the time stamp.
    """
    client = _library()
    try:
        stamp = client.decode_timestamp_response(answer)
        imprint = stamp.tst_info.message_imprint
        at = str(stamp.tst_info.gen_time)
    except ValueError as error:
        raise AuditError(f"it is not a time stamp: {error}") from None
    if hashlib.new(_HASHES.get(len(imprint.message), "sha256"), stamped).digest() != imprint.message:
        raise AuditError("it belongs to another file")
    if authorities:
        try:
            client.VerifierBuilder(roots=list(authorities)).build().verify_message(stamp, stamped)
        except (client.VerificationError, ValueError):
            raise AuditError("it is not signed by a server of the given certificate authority") from None
    return at


def read_authorities(file: Path) -> "tuple[Certificate, ...]":
    """Return the certificates in a PEM file."""
    _library()
    from cryptography.x509 import load_pem_x509_certificates

    try:
        return tuple(load_pem_x509_certificates(file.read_bytes()))
    except (OSError, ValueError) as error:
        raise AuditError(f"{file} has no certificates in PEM format: {error}") from None


def _library() -> Any:
    try:
        import rfc3161_client
    except ImportError:
        raise MissingToolError(
            "time stamps need rfc3161-client; install it with: pip install 'countersight[sign]'"
        ) from None
    return rfc3161_client
