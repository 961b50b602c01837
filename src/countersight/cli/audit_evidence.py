"""`countersight audit bundle`, `sign` and `verify`: an audit as evidence."""

import argparse
import sys
from pathlib import Path

from countersight.cli.audit_options import add_bundling, add_zip, further
from countersight.cli.audit_telling import finish_audit, zip_audit
from countersight.cli.parsing import Verbs


def add_evidence(verbs: Verbs) -> None:
    """Add the verbs to the command line."""
    _add_bundle(verbs)
    _add_sign(verbs)
    _add_verify(verbs)


def _add_bundle(verbs: Verbs) -> None:
    bundle = further(
        verbs,
        "bundle",
        _bundle,
        "Write the page and the papers of an audit anew and seal them, as after a review or a calibration came in.",
        "countersight audit bundle audits/gpt-4o --against audits/gpt-4o-may",
    )
    bundle.add_argument("folder", type=Path, metavar="DIR")
    bundle.add_argument("--calibration", type=Path, metavar="DIR", help="a calibration that came in since")
    bundle.add_argument(
        "--reviews", type=Path, metavar="EXPORT", help="of collect, flow judge: what people made of the verdicts"
    )
    add_bundling(bundle)


def _add_sign(verbs: Verbs) -> None:
    sign = further(
        verbs,
        "sign",
        _sign,
        "Sign the seal of a finished audit with an Ed25519 key of OpenSSH, or sign it off as a person.",
        "countersight audit sign audits/gpt-4o --key ~/.ssh/id_ed25519",
    )
    sign.add_argument("folder", type=Path, metavar="DIR")
    sign.add_argument("--key", type=Path, required=True, metavar="FILE", help="the private key; ssh-keygen -t ed25519")
    sign.add_argument("--name", default="", metavar="NAME", help="a person, whose sign-off is signed beside the seal")
    sign.add_argument("--role", default="", metavar="ROLE", help="of that person")
    sign.add_argument("--timestamp", metavar="URL", help="a server of RFC 3161 that stamps the seal with its time")
    add_zip(sign)


def _add_verify(verbs: Verbs) -> None:
    verify = further(
        verbs,
        "verify",
        _verify,
        "Find whatever of a finished audit was altered, is missing, was added, or does not follow from its log.",
        "countersight audit verify audits/gpt-4o",
    )
    verify.add_argument("folder", type=Path, metavar="DIR", help="or the ZIP of one")
    verify.add_argument(
        "--key",
        action="append",
        default=[],
        metavar="KEY",
        help="who must have signed: a public key, or a file of allowed signers",
    )
    verify.add_argument("--identity", default="", metavar="NAME", help="whose key it must be, by the allowed signers")
    verify.add_argument("--revoked", type=Path, metavar="FILE", help="public keys that are no longer trusted")
    verify.add_argument("--seal", default="", metavar="SHA256", help="the seal that was written down or signed")
    verify.add_argument("--dataset", type=Path, metavar="DIR", help="what was audited, if it is not where it was")
    verify.add_argument("--against", type=Path, metavar="DIR", help="the earlier audit it was compared with")


def _bundle(chosen: argparse.Namespace) -> int:
    if chosen.calibration:
        from countersight.audits import AuditFolder
        from countersight.audits.calibration import take_up

        take_up(chosen.calibration, AuditFolder.open(chosen.folder).manifest).write(chosen.folder)
    if chosen.reviews:
        from countersight.audits import read_audit, score
        from countersight.audits.bundle import take_reviews

        take_reviews(chosen.reviews, chosen.folder, score(read_audit(chosen.folder)))
    finish_audit(chosen.folder, chosen)
    return 0


def _sign(chosen: argparse.Namespace) -> int:
    import datetime

    from countersight.audits.signing import read_private_key, sign_bundle, sign_off, stamp_bundle

    key = read_private_key(chosen.key, _passphrase(chosen.key))
    if chosen.name:
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        print(sign_off(chosen.folder, key, name=chosen.name, role=chosen.role, at=now))
    else:
        print(sign_bundle(chosen.folder, key))
    if chosen.timestamp:
        print(stamp_bundle(chosen.folder, chosen.timestamp))
    zip_audit(chosen.folder, chosen.zip)
    return 0


def _passphrase(key: Path) -> str:
    """What unlocks a key, asked for where somebody can answer; empty where the key needs none."""
    from countersight.audits.signing import is_locked

    if not is_locked(key) or not sys.stdin.isatty():
        return ""
    import getpass

    return getpass.getpass(f"Passphrase for {key}: ")


def _verify(chosen: argparse.Namespace) -> int:
    from countersight.audits.signing import read_public_keys
    from countersight.audits.verifying import tell_verified, verified

    keys = tuple(
        key for named in chosen.key for key in read_public_keys(named, identity=chosen.identity, revoked=chosen.revoked)
    )
    found = verified(chosen.folder, chosen.seal, keys=keys, dataset=chosen.dataset, against=chosen.against)
    for line in tell_verified(found, chosen.folder, compared=bool(chosen.seal)):
        print(line)
    return 0 if found.sound else 1
