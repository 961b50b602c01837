"""Ed25519 signatures in OpenSSH's format (PROTOCOL.sshsig), and their keys."""

import base64
import binascii
import hashlib
import re
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from countersight.errors import AuditError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from datetime import UTC, datetime
from fnmatch import fnmatchcase

NAMESPACE: Final = "countersight"
"""The purpose of the signatures; a signature for another purpose is invalid."""
_MAGIC: Final = b"SSHSIG"
_KIND: Final = b"ssh-ed25519"
_HASHES: Final = {b"sha512": hashlib.sha512, b"sha256": hashlib.sha256}
_ARMOUR: Final = re.compile(
    rb"\s*-----BEGIN SSH SIGNATURE-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END SSH SIGNATURE-----\s*"
)
KEY: Final = re.compile(r"\bssh-ed25519[ \t]+([A-Za-z0-9+/]+={0,2})")
LARGEST_KEY: Final = 1 << 20
NOT_INSTALLED: Final = "signatures need the package cryptography; install it with: pip install 'countersight[sign]'"


class PublicKey(msgspec.Struct, frozen=True):
    """An Ed25519 public key of 32 bytes."""

    raw: bytes
    refused: str = ""
    """Why it may not sign, if its file says so."""

    @property
    def blob(self) -> bytes:
        """The key in OpenSSH's binary format."""
        return _string(_KIND) + _string(self.raw)

    @property
    def fingerprint(self) -> str:
        """The fingerprint as printed by `ssh-keygen -l`."""
        return "SHA256:" + base64.b64encode(hashlib.sha256(self.blob).digest()).decode().rstrip("=")


def read_private_key(path: Path, passphrase: str = "") -> "Ed25519PrivateKey":
    """Read a private key as written by `ssh-keygen -t ed25519`."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_ssh_private_key
    except ImportError:
        raise AuditError(NOT_INSTALLED) from None
    try:
        key = load_ssh_private_key(path.read_bytes(), passphrase.encode() or None)
    except OSError as error:
        raise AuditError(f"{path} cannot be read ({error.strerror})") from None
    except TypeError:
        raise AuditError(f"{path} needs a passphrase, or was given one that it does not need") from None
    except (ValueError, UnsupportedAlgorithm) as error:
        raise AuditError(f"{path} is not a readable OpenSSH private key: {error}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise AuditError(f"{path} is not an Ed25519 key; make one with: ssh-keygen -t ed25519 -f key")
    return key


def is_locked(path: Path) -> bool:
    """Whether a private key needs a passphrase, according to its unencrypted header."""
    try:
        lines = path.read_bytes()[:LARGEST_KEY].splitlines()
        whole = base64.b64decode(b"".join(line for line in lines if not line.startswith(b"-----")))
    except (OSError, binascii.Error):
        return False
    return whole.startswith(b"openssh-key-v1\0") and not whole.startswith(b"openssh-key-v1\0" + _string(b"none"))


def public_half(key: "Ed25519PrivateKey") -> PublicKey:
    """Return the public key with which others check signatures."""
    return PublicKey(key.public_key().public_bytes_raw())


def signature(message: bytes, key: "Ed25519PrivateKey") -> bytes:
    """Return the armoured signature of a message, as `ssh-keygen -Y sign -n countersight` does."""
    mine = public_half(key)
    given = key.sign(_signed(message, NAMESPACE.encode(), b"sha512"))
    whole = b"".join(
        (
            _MAGIC,
            struct.pack(">I", 1),
            _string(mine.blob),
            _string(NAMESPACE.encode()),
            _string(b""),
            _string(b"sha512"),
            _string(_string(_KIND) + _string(given)),
        )
    )
    coded = base64.b64encode(whole)
    lines = [coded[at : at + 70] for at in range(0, len(coded), 70)]
    return b"\n".join((b"-----BEGIN SSH SIGNATURE-----", *lines, b"-----END SSH SIGNATURE-----", b""))


def signer(message: bytes, armoured: bytes) -> PublicKey:
    """Return the signer of a message; raises AuditError if the signature is invalid or of another message."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        raise AuditError(NOT_INSTALLED) from None
    key, hashed, given = _parts(armoured)
    try:
        Ed25519PublicKey.from_public_bytes(key.raw).verify(given, _signed(message, NAMESPACE.encode(), hashed))
    except (InvalidSignature, ValueError):
        raise AuditError("it signs something else, or was altered") from None
    return key


def _parts(armoured: bytes) -> tuple[PublicKey, bytes, bytes]:
    """The key, the name of the hash and the signature in an armoured signature."""
    found = _ARMOUR.fullmatch(armoured)
    try:
        whole = base64.b64decode(b"".join(found[1].split()), validate=True) if found else b""
    except binascii.Error:
        whole = b""
    if not whole.startswith(_MAGIC + struct.pack(">I", 1)):
        raise AuditError("it is not an OpenSSH signature")
    blob, namespace, _, hashed, given = _strings(whole[len(_MAGIC) + 4 :], 5)
    if namespace != NAMESPACE.encode():
        raise AuditError(f"it was not signed for {NAMESPACE}, but for another use")
    if not blob.startswith(_string(_KIND)):
        raise AuditError("it is not an Ed25519 signature")
    kind, raw = _strings(blob, 2)
    kind_given, signed = _strings(given, 2)
    if (kind, kind_given, len(raw)) != (_KIND, _KIND, 32) or hashed not in _HASHES:
        raise AuditError("it is not an Ed25519 signature")
    return PublicKey(raw), hashed, signed


def public_key(coded: str) -> PublicKey:
    """Parse a key in OpenSSH's base64 format."""
    try:
        kind, raw = _strings(base64.b64decode(coded, validate=True), 2)
    except binascii.Error:
        raise AuditError("a public key is cut off or damaged") from None
    if kind != _KIND or len(raw) != 32:
        raise AuditError("a public key is damaged")
    return PublicKey(raw)


def _signed(message: bytes, namespace: bytes, hashed: bytes) -> bytes:
    """What is really signed."""
    digest = _HASHES[hashed](message).digest()
    return _MAGIC + _string(namespace) + _string(b"") + _string(hashed) + _string(digest)


def _string(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def _strings(data: bytes, count: int) -> list[bytes]:
    """So many strings, each behind its length, and nothing after them."""
    found = []
    for _ in range(count):
        if len(data) < 4 or len(data) < 4 + (length := struct.unpack(">I", data[:4])[0]):
            raise AuditError("it is cut off")
        found.append(data[4 : 4 + length])
        data = data[4 + length :]
    if data:
        raise AuditError("it contains more than a signature")
    return found


_OPTION: Final = re.compile(r'(?P<name>[A-Za-z-]+)(?:="(?P<value>(?:\\.|[^"\\])*)")?(?:,|$)')
_LINE: Final = re.compile(
    r'(?P<principals>"[^"]*"|\S+)\s+(?:(?P<options>(?:"(?:\\.|[^"\\])*"|[^\s"])+)\s+)?ssh-ed25519\s+(?P<key>\S+)(?:\s.*)?'
)
_TIMES: Final = {8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}


def read_public_keys(named: str, *, identity: str = "", revoked: Path | None = None) -> tuple[PublicKey, ...]:
    """The keys of a file (a `.pub` file, or one of allowed signers), or the key itself: "ssh-ed25519 AAAA…".

    A key that may not sign now, for this use or under this identity says so in `refused`.
    """
    text = named if KEY.match(named.strip()) else _read(named)
    gone = {match[1] for match in KEY.finditer(_revoked(revoked))} if revoked else set()
    found: dict[bytes, PublicKey] = {}
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        key = _of_line(line, identity)
        if key is None:
            continue
        if any(public_key(each).raw == key.raw for each in gone):
            key = PublicKey(key.raw, "it was revoked")
        if key.raw not in found or found[key.raw].refused:  # one line that allows it is enough
            found[key.raw] = key
    if not found:
        raise AuditError(f"{named} has no Ed25519 key of OpenSSH; make a pair with: ssh-keygen -t ed25519 -f key")
    return tuple(found.values())


def _read(named: str) -> str:
    try:
        with open(named, encoding="utf-8", errors="replace") as file:
            return file.read(LARGEST_KEY)
    except OSError as error:
        raise AuditError(f"{named} cannot be read ({error.strerror}); name a public key, such as key.pub") from None


def _revoked(path: Path) -> str:
    text = _read(str(path))
    if text.startswith("SSHKRL\n"):
        raise AuditError(f"{path} is a binary list of revoked keys; give the public keys themselves, one per line")
    return text


def _of_line(line: str, identity: str) -> PublicKey | None:
    if match := KEY.match(line):
        return public_key(match[1])
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    key = public_key(match["key"])
    return PublicKey(key.raw, _refused(match["principals"].strip('"'), match["options"] or "", identity))


def _refused(principals: str, options: str, identity: str) -> str:
    """Why a line of allowed signers does not let its key sign here and now; nothing where it does."""
    given: dict[str, str] = {}
    at = 0
    while at < len(options):
        found = _OPTION.match(options, at)
        if found is None:
            return f"its options cannot be read: {options[at : at + 40]}"
        given[found["name"].lower()] = (found["value"] or "").replace('\\"', '"')
        at = found.end()
    strange = given.keys() - {"cert-authority", "namespaces", "valid-after", "valid-before"}
    if strange:
        return f"its option {sorted(strange)[0]} is not known"
    if "cert-authority" in given:
        return "it is the key of a certificate authority, which does not sign files"
    if identity and not _matches(principals, identity):
        return f"it belongs to {principals[:80]}, not to {identity[:80]}"
    if "namespaces" in given and not _matches(given["namespaces"], NAMESPACE):
        return f"it may sign for {given['namespaces'][:80]}, not for {NAMESPACE}"
    now = datetime.now(UTC)
    for name in ("valid-after", "valid-before"):
        if name in given:
            limit = _time(given[name])
            if limit is None:
                return f"its {name} is not a time: {given[name][:40]}"
            if (now < limit) if name == "valid-after" else (now > limit):
                return f"it is {name.replace('-', ' ')} {given[name]}"
    return ""


def _matches(patterns: str, name: str) -> bool:
    """Whether a list of patterns has the name, as OpenSSH reads it: one with ! takes it out again."""
    listed = patterns.split(",")
    if any(each.startswith("!") and fnmatchcase(name, _plain(each[1:])) for each in listed):
        return False
    return any(fnmatchcase(name, _plain(each)) for each in listed if not each.startswith("!"))


def _plain(pattern: str) -> str:
    """Only * and ? are patterns."""
    return pattern.replace("[", "[[]")


def _time(text: str) -> datetime | None:
    """A time as OpenSSH writes it: digits in local time, or in UTC with a Z."""
    digits, utc = text.removesuffix("Z"), text.endswith("Z")
    try:
        found = datetime.strptime(digits, _TIMES[len(digits)])
    except (ValueError, KeyError):
        return None
    return found.replace(tzinfo=UTC) if utc else found.astimezone()
