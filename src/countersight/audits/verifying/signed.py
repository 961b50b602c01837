"""Who signed a bundle: signatures, time stamps and sign-offs beside the seal, each checked."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from countersight.audits.bundle.files import content
from countersight.audits.bundle.seal import LARGEST_SEAL, OTHERS, SEAL, SIGNATURE, SIGNATURES, STAMP
from countersight.audits.plan import PLAN, PLAN_SIGNATURE
from countersight.audits.signing.sign import SIGNED_OFF, read_sign_off
from countersight.audits.signing.ssh import NOT_INSTALLED, PublicKey, signer
from countersight.audits.signing.stamping import read_stamp
from countersight.audits.verifying.finding import Finding, Note
from countersight.errors import AuditError

LARGEST: Final = 1 << 20


class Signed(msgspec.Struct, frozen=True):
    """Somebody who vouches for a bundle."""

    file: str
    key: str
    """Fingerprint of the key, or the name in the certificate of a time stamp."""
    vouched: bool
    """Whether the key is one of those that were given."""
    name: str = ""
    role: str = ""
    at: str = ""

    def __str__(self) -> str:
        if self.file == STAMP:
            return f"Stamped at {self.at} by {_claimed(self.key)}; check its certificate with: openssl ts -verify"
        if self.file == PLAN_SIGNATURE:
            return f"The plan is signed with {self.key}, {self._known}."
        who = f"Signed off as {_claimed(self.name)} ({self._role}) on {_claimed(self.at)}" if self.name else "Signed"
        return f"{who}, with {self.key}, {self._known}."

    @property
    def _known(self) -> str:
        return "a key that was given" if self.vouched else "a key that nobody vouched for here: name it with `key`"

    @property
    def _role(self) -> str:
        return _claimed(self.role) if self.role else "no role named"


def _claimed(words: str) -> str:
    """Words that whoever signed chose: in quotation marks, so that none of them is taken for what was found here."""
    return "“" + words.replace("”", '"') + "”"


def checked_signatures(
    folder: Path, seal: str, files: frozenset[str], keys: tuple[PublicKey, ...]
) -> Iterator[Finding | Note | Signed]:
    """Every signature beside the seal, and what is wrong with it. With keys, one of them must have signed the seal."""
    sealed = content(folder / SEAL, LARGEST_SEAL)
    by_a_key = False
    for found in _each(folder, seal, sealed, files, keys):
        by_a_key |= isinstance(found, Signed) and found.vouched and SIGNATURES.fullmatch(found.file) is not None
        yield found
    if keys and not by_a_key:
        yield Finding("broken", SIGNATURE, "the seal is not signed by a key that was given")


def _each(
    folder: Path, seal: str, sealed: bytes, files: frozenset[str], keys: tuple[PublicKey, ...]
) -> Iterator[Finding | Note | Signed]:
    for name in sorted(files):
        try:
            if SIGNATURES.fullmatch(name):
                key = signer(sealed, content(folder / name, LARGEST))
                yield Signed(name, key.fingerprint, _is_allowed(key, keys))
            elif name == PLAN_SIGNATURE:
                key = signer(content(folder / PLAN, LARGEST), content(folder / name, LARGEST))
                yield Signed(name, key.fingerprint, _is_allowed(key, keys))
            elif name == STAMP:
                stamp = read_stamp(content(folder / name, LARGEST), sealed)
                yield Signed(name, stamp.by, vouched=False, at=stamp.at)
            elif name in OTHERS:
                yield Note(name, "it lies beside the seal and may be anything: nothing here can tell", trusted=False)
            elif SIGNED_OFF.fullmatch(name.removesuffix(".sig")) and name.removesuffix(".sig") not in files:
                yield Finding("broken", name, "what it was to sign is not there")
            elif SIGNED_OFF.fullmatch(name):
                yield _sign_off(folder, name, seal, keys)
        except AuditError as error:
            yield (
                Note(name, str(error), trusted=False)
                if str(error) == NOT_INSTALLED
                else Finding("broken", name, str(error))
            )


def _is_allowed(key: PublicKey, keys: tuple[PublicKey, ...]) -> bool:
    """Whether a key was given; AuditError where it was, and may not sign."""
    given = next((each for each in keys if each.raw == key.raw), None)
    if given is not None and given.refused:
        raise AuditError(f"it is signed with {key.fingerprint}, which may not sign: {given.refused}")
    return given is not None


def _sign_off(folder: Path, name: str, seal: str, keys: tuple[PublicKey, ...]) -> Signed:
    written = content(folder / name, LARGEST)
    key = signer(written, content(folder / f"{name}.sig", LARGEST))
    stated = read_sign_off(written)
    if stated.seal != seal:
        raise AuditError("it was given for another seal; the bundle was sealed again since")
    return Signed(name, key.fingerprint, _is_allowed(key, keys), stated.name, stated.role, stated.at)
