"""Time stamps by RFC 3161: a server certifies that a seal existed at a certain time.

`openssl ts -verify -in bundle.json.tsr -data bundle.json -CAfile ca.pem` checks them, and certificates too.
"""

import hashlib
import secrets
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec

from countersight.audits.bundle.files import content
from countersight.audits.bundle.seal import SEAL, STAMP
from countersight.audits.signing.ssh import NOT_INSTALLED
from countersight.errors import AuditError
from countersight.files import write_whole

INTEGER: Final = 0x02
OCTETS: Final = 0x04
OID: Final = 0x06
TIME: Final = 0x18
SEQUENCE: Final = 0x30
SET: Final = 0x31
FIRST: Final = 0xA0
"""The context-specific tag 0."""
LARGEST: Final = 1 << 20
PATIENCE: Final = 30.0
"""Timeout of the server in seconds."""
_SHA256: Final = bytes.fromhex("0609608648016503040201")
_MESSAGE_DIGEST: Final = bytes.fromhex("06092a864886f70d010904")
_HASHES: Final = {
    _SHA256[2:]: "sha256",
    bytes.fromhex("608648016503040202"): "sha384",
    bytes.fromhex("608648016503040203"): "sha512",
}


class Stamp(msgspec.Struct, frozen=True):
    """A time stamp with a valid signature."""

    at: str
    """The server's time: YYYYMMDDhhmmssZ."""
    by: str
    """The name in the server's certificate, which is not checked further."""


def stamp_bundle(folder: Path, server: str) -> Path:
    """Have a server time-stamp the seal of a bundle; return the file of the time stamp."""
    if urlsplit(server).scheme not in ("http", "https"):
        raise AuditError(f"{server} is not the address of a time stamp server: it must begin with http:// or https://")
    seal = content(folder / SEAL)
    _refuse_second(folder / STAMP, seal)
    imprint = value(SEQUENCE, value(SEQUENCE, _SHA256, b"\x05\x00"), value(OCTETS, hashlib.sha256(seal).digest()))
    query = value(SEQUENCE, integer(1), imprint, integer(secrets.randbits(63)), b"\x01\x01\xff")
    request = urllib.request.Request(  # noqa: S310 - http and https only
        server, query, {"Content-Type": "application/timestamp-query"}
    )
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as reply:  # noqa: S310
            answer = reply.read(LARGEST)
    except (OSError, urllib.error.URLError, ValueError) as error:
        raise AuditError(f"{server} returned no time stamp: {error}") from None
    try:
        read_stamp(answer, seal)
    except AuditError as error:
        raise AuditError(f"{server} returned an unusable time stamp: {error}") from None
    stamp = folder / STAMP
    write_whole(stamp, answer)
    return stamp


def _refuse_second(stamp: Path, seal: bytes) -> None:
    """The earlier a stamp, the more it proves: one of this seal is not written over."""
    if stamp.exists():
        try:
            at = read_stamp(content(stamp, LARGEST), seal).at
        except AuditError:
            return  # of an earlier seal, or damaged
        raise AuditError(f"this seal already has a time stamp, {stamp}, of {at}")


def read_stamp(answer: bytes, stamped: bytes) -> Stamp:
    """Return when and by whom these bytes were stamped; raises AuditError if the stamp is invalid or of other bytes."""
    status, *token = values(first(answer, SEQUENCE).content)
    if int.from_bytes(first(status.content, INTEGER).content, "big") > 1 or not token:
        raise AuditError("the server refused to stamp")
    signed = first(first(token[0].content, FIRST).content, SEQUENCE).content
    inner = first(signed, SEQUENCE).content
    told = first(first(inner, FIRST).content, OCTETS).content
    fields = list(values(first(told, SEQUENCE).content))
    imprint = next((field for field in fields if field.tag == SEQUENCE), None)
    at = next((field for field in fields if field.tag == TIME), None)
    if imprint is None or at is None:
        raise AuditError("it contains no time or no hash")
    if _hash_of(imprint.content, stamped) != first(imprint.content, OCTETS).content:
        raise AuditError("it belongs to another file")
    return Stamp(at.content.decode("ascii", "replace"), _signer(signed, told))


def _hash_of(algorithm: bytes, data: bytes) -> bytes:
    """The hash of data by the algorithm that a sequence begins with."""
    oid = first(first(algorithm, SEQUENCE).content, OID).content
    if oid not in _HASHES:
        raise AuditError("it uses an unknown hash")
    return hashlib.new(_HASHES[oid], data).digest()


def _signer(signed: bytes, told: bytes) -> str:
    """Whose certificate in the token the signature fits; AuditError where none does."""
    parts = list(values(signed))
    info = first(parts[-1].content, SEQUENCE).content
    attributes = first(info, FIRST)
    digests = [found for found in values(attributes.content) if _MESSAGE_DIGEST in found.content]
    algorithm = next(values(info[len(_before_algorithm(info)) :])).content
    name = _HASHES.get(first(algorithm, OID).content, "")
    if not name or not digests or first(first(digests[0].content, SET).content, OCTETS).content != _digest(name, told):
        raise AuditError("its content does not match its signature")
    given = first(info, OCTETS).content
    for certificate in _certificates(parts):
        if _fits(certificate, given, bytes((SET,)) + attributes.whole[1:], name):
            return str(certificate.subject.rfc4514_string())
    raise AuditError("it does not contain the certificate of its signature; request a time stamp with the certificate")


def _before_algorithm(info: bytes) -> bytes:
    version, signer, *_ = values(info)
    return version.whole + signer.whole


def _digest(name: str, data: bytes) -> bytes:
    return hashlib.new(name, data).digest()


def _certificates(parts: list[Any]) -> Iterator[Any]:
    try:
        from cryptography.x509 import load_der_x509_certificate
    except ImportError:
        raise AuditError(NOT_INSTALLED) from None
    for part in parts:
        if part.tag == FIRST:
            for found in values(part.content):
                try:
                    yield load_der_x509_certificate(found.whole)
                except ValueError:
                    continue


def _fits(certificate: Any, given: bytes, attributes: bytes, name: str) -> bool:
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

    hashed = {"sha256": hashes.SHA256(), "sha384": hashes.SHA384(), "sha512": hashes.SHA512()}[name]
    try:
        key = certificate.public_key()
        if isinstance(key, rsa.RSAPublicKey):
            key.verify(given, attributes, padding.PKCS1v15(), hashed)
        elif isinstance(key, ec.EllipticCurvePublicKey):
            key.verify(given, attributes, ec.ECDSA(hashed))
        else:
            return False
    except (InvalidSignature, UnsupportedAlgorithm, ValueError):
        return False
    return True


class Value(NamedTuple):
    """A value in ASN.1's DER: its tag, its content, and all its bytes."""

    tag: int
    content: bytes
    whole: bytes


def value(tag: int, *parts: bytes) -> bytes:
    """Encode a value."""
    content = b"".join(parts)
    size = len(content)
    if size < 0x80:
        return bytes((tag, size)) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(length))) + length + content


def integer(number: int) -> bytes:
    """Encode a whole number that is not negative."""
    return value(INTEGER, number.to_bytes(number.bit_length() // 8 + 1, "big"))


def values(data: bytes) -> Iterator[Value]:
    """Return consecutive values; raises AuditError if one is cut off."""
    while data:
        if len(data) < 2:
            raise AuditError("it is cut off")
        size, start = data[1], 2
        if size & 0x80:
            start += size & 0x7F
            if start == 2 or start > 6:
                raise AuditError("its length is invalid")
            size = int.from_bytes(data[2:start], "big")
        end = start + size
        if len(data) < end:
            raise AuditError("it is cut off")
        yield Value(data[0], data[start:end], data[:end])
        data = data[end:]


def first(data: bytes, tag: int) -> Value:
    """Return the first value with this tag; raises AuditError if there is none."""
    for found in values(data):
        if found.tag == tag:
            return found
    raise AuditError("it is not an RFC 3161 time stamp")
