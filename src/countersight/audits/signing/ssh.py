"""Signatures of OpenSSH, made and checked by `ssh-keygen -Y`: with any of its keys, agents and lists of signers."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from countersight.errors import AuditError

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
    """The identity that must have signed; any of the file if empty."""
    revoked: Path | None = None
    """Keys that are no longer trusted: public keys, or a revocation list of OpenSSH."""


def read_allowed_signers(
    named: Sequence[str], *, identity: str = "", revoked: Path | None = None
) -> AllowedSigners | None:
    """Return the keys in files (.pub, or allowed signers) or given themselves ("ssh-ed25519 AAAA…"); None for none."""
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
    """Whether one of these keys, which is valid now and for this purpose, signed a message."""
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
            start_new_session=not sys.stdin.isatty(),  # nobody can answer: fail instead of asking for a passphrase
        )
    except OSError:
        raise AuditError(NO_SSH) from None
