"""Signatures of a bundle and of a plan, made and checked by OpenSSH (`ssh-keygen -Y`)."""

import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from countersight.audits.seal import SEAL, SIGNATURE, content, read_seal
from countersight.errors import AuditError
from countersight.files import write_whole

NAMESPACE: Final = "countersight"
"""The purpose of the signatures; a signature for another purpose is invalid."""
_KEY: Final = re.compile(r"\b(?:sk-)?(?:ssh|ecdsa)-[\w.@-]+[ \t]+AAAA")
_INAPPLICABLE: Final = re.compile(r"^\S+:\d+: (key .+)$", re.MULTILINE)
"""Why a line of the allowed signers does not apply: the key has expired, or may not sign for this purpose."""
_SIGNER: Final = re.compile(r"^Good .* key (SHA256:\S+)$", re.MULTILINE)
LARGEST: Final = 1 << 20
"""The size limit of a key and of a time stamp, in bytes."""


class MissingToolError(AuditError):
    """Raised if signatures or time stamps cannot be checked, because a tool is not installed."""


class AllowedSigners(msgspec.Struct, frozen=True):
    """The keys that may sign, in the format of OpenSSH's allowed signers."""

    lines: str
    identity: str = ""
    """The identity that must have signed; if empty, any identity in the file is accepted."""
    revoked: Path | None = None
    """Keys that are no longer trusted: public keys, or a revocation list of OpenSSH."""


def read_allowed_signers(
    named: Sequence[str], *, identity: str = "", revoked: Path | None = None
) -> AllowedSigners | None:
    """Return the keys given as files (.pub, allowed signers) or as text ("ssh-ed25519 AAAA…"), or None without any."""
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
            return file.read(LARGEST)
    except OSError as error:
        raise AuditError(f"{named} cannot be read ({error.strerror}); name a public key, such as key.pub") from None


def sign(message: bytes, key: Path) -> bytes:
    """Return the armoured signature of a message; ssh-keygen asks for a passphrase if the key has one."""
    made = _ssh_keygen("sign", message, "-q", "-f", key)
    if made.returncode:
        why = _text(made.stderr).strip().splitlines() or ["ssh-keygen gives no reason"]
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
    found = _SIGNER.search(_text(checked.stdout))
    if checked.returncode or not found:
        if b"namespace does not match" in checked.stderr:
            raise AuditError(f"it was made for another purpose than {NAMESPACE!r}, its namespace")
        unreadable = b"invalid format" in checked.stderr or b"parse" in checked.stderr
        raise AuditError("it is not an OpenSSH signature" if unreadable else "it signs something else, or was altered")
    return found[1]


def why_refused(message: bytes, signature: bytes, signers: AllowedSigners) -> str:
    """Return why `ssh-keygen -Y verify` refuses the signature of a message; "" if an allowed signer made it."""
    with tempfile.TemporaryDirectory() as place:
        file, allowed = Path(place) / "signature", Path(place) / "allowed"
        file.write_bytes(signature)
        allowed.write_text(signers.lines, encoding="utf-8")
        given = ("-s", file, "-f", allowed)
        listed = _ssh_keygen("find-principals", b"", *given)
        principals, said = _text(listed.stdout).splitlines(), [_text(listed.stderr)]
        for name in [signers.identity] if signers.identity else principals:
            checked = _ssh_keygen("verify", message, *given, "-I", name)
            if not checked.returncode:
                if signers.revoked is None:
                    return ""
                revoked = _ssh_keygen("verify", message, *given, "-I", name, "-r", signers.revoked)
                return "its key was revoked" if revoked.returncode else ""
            said.append(_text(checked.stderr))
    if found := _INAPPLICABLE.search("\n".join(said)):
        return f"its {found[1]}"
    if principals:
        return f"its key belongs to {', '.join(principals)}, not to {signers.identity}"
    return "its key is not one of the given keys"


def _text(output: bytes) -> str:
    return output.decode(errors="replace")


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
        raise MissingToolError("signatures need ssh-keygen of OpenSSH, which is not installed") from None


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
