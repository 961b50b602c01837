"""Sign a bundle with OpenSSH: its seal, and a person's statement about it; made and checked by `ssh-keygen -Y`."""

import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from countersight.audits.bundle.limits import STATEMENT
from countersight.audits.bundle.listing import content
from countersight.audits.bundle.seal import SEAL, SIGNATURE, read_seal
from countersight.audits.records import decode_record
from countersight.errors import AuditError
from countersight.files import write_whole

NAMESPACE: Final = "countersight"
"""The purpose of the signatures; a signature for another purpose is invalid."""
NO_SSH: Final = "signatures need ssh-keygen of OpenSSH, which is not installed"
_KEY: Final = re.compile(r"\b(?:sk-)?(?:ssh|ecdsa)-[\w.@-]+[ \t]+AAAA")
_SIGNER: Final = re.compile(r"^Good .* key (SHA256:\S+)$", re.MULTILINE)
_LARGEST_KEY: Final = 1 << 20


class AllowedSigners(msgspec.Struct, frozen=True):
    """The keys that may sign, in the format of OpenSSH's allowed signers."""

    lines: str
    identity: str = ""
    """The identity that must have signed; if empty, any identity in the file."""
    revoked: Path | None = None
    """Keys that are no longer trusted: public keys, or a revocation list of OpenSSH."""


def read_allowed_signers(
    named: Sequence[str], *, identity: str = "", revoked: Path | None = None
) -> AllowedSigners | None:
    """Return the keys given as files (.pub, allowed signers) or as text ("ssh-ed25519 AAAA…"); None without keys."""
    lines: list[str] = []
    for each in named:
        text = each if _KEY.match(each.strip()) else _read(each)
        if not _KEY.search(text):
            raise AuditError(f"{each} has no OpenSSH public key; make a pair with: ssh-keygen -t ed25519 -f key")
        lines += [f"* {line}" if _KEY.match(line) else line for line in text.splitlines()]
    return AllowedSigners("\n".join(lines) + "\n", identity, revoked) if lines else None


def _read(named: str) -> str:
    try:
        with open(named, encoding="utf-8", errors="replace") as file:
            return file.read(_LARGEST_KEY)
    except OSError as error:
        raise AuditError(f"{named} cannot be read ({error.strerror}); name a public key, such as key.pub") from None


def sign(message: bytes, key: Path) -> bytes:
    """Return the armoured signature of a message; ssh-keygen asks for a passphrase if the key has one."""
    made = _ssh_keygen("sign", message, "-q", "-f", key)
    if made.returncode:
        why = made.stderr.decode(errors="replace").strip().splitlines() or ["ssh-keygen gives no reason"]
        raise AuditError(f"{key} cannot sign: {why[-1]}; make a key with: ssh-keygen -t ed25519 -f key")
    return made.stdout


def signer(message: bytes, signature: bytes) -> str:
    """Return the fingerprint of the key that signed a message; raises AuditError if the signature is invalid."""
    if not signature.startswith(b"-----BEGIN SSH SIGNATURE-----"):
        raise AuditError("it is not an OpenSSH signature")
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "signature"
        file.write_bytes(signature)
        checked = _ssh_keygen("check-novalidate", message, "-s", file)
    found = _SIGNER.search(checked.stdout.decode(errors="replace"))
    if checked.returncode or not found:
        unreadable = b"invalid format" in checked.stderr or b"parse" in checked.stderr
        raise AuditError("it is not an OpenSSH signature" if unreadable else "it signs something else, or was altered")
    return found[1]


def is_allowed(message: bytes, signature: bytes, signers: AllowedSigners) -> bool:
    """Whether one of these keys signed a message and is valid now and for this purpose."""
    with tempfile.TemporaryDirectory() as place:
        file, allowed = Path(place) / "signature", Path(place) / "allowed"
        file.write_bytes(signature)
        allowed.write_text(signers.lines, encoding="utf-8")
        given = ("-s", file, "-f", allowed)
        found = _ssh_keygen("find-principals", b"", *given).stdout.decode(errors="replace").splitlines()
        revoked = ("-r", signers.revoked) if signers.revoked else ()
        names = [signers.identity] if signers.identity else found
        return any(not _ssh_keygen("verify", message, *given, "-I", name, *revoked).returncode for name in names)


def _ssh_keygen(verb: str, message: bytes, *options: str | Path) -> subprocess.CompletedProcess[bytes]:
    command = ["ssh-keygen", "-Y", verb, "-n", NAMESPACE, *map(str, options)]
    try:
        return subprocess.run(  # noqa: S603 - a fixed program; no shell
            command,
            input=message,
            capture_output=True,
            check=False,
            start_new_session=not sys.stdin.isatty(),  # without a terminal, fail instead of asking for a passphrase
        )
    except OSError:
        raise AuditError(NO_SSH) from None


SIGNED_OFF: Final = re.compile(r"sign-off\.[a-z0-9-]{1,60}\.json")


class SignOff(msgspec.Struct, frozen=True):
    """A person's signed statement about a bundle; its file is next to the seal and not sealed itself."""

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
    stated = decode_record(data, SignOff, "the sign-off")
    if stated.statement != STATEMENT or _written(stated) != data:
        raise AuditError("it contains something other than a sign-off")
    return stated


def _written(stated: SignOff) -> bytes:
    return msgspec.json.format(msgspec.json.encode(stated), indent=1) + b"\n"
