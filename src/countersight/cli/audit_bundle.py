"""`countersight audit bundle`, `sign` and `verify`: rewrite, sign and check a finished audit."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from countersight.cli.parsing import Verbs, verb
from countersight.progress import bar

if TYPE_CHECKING:
    from countersight.audits import Finished

_BUNDLE: Final = {
    "AUDIT": "an audit folder",
    "--calibration DIR": "a calibration made after the audit",
    "--reviews EXPORT": "an export of `collect --flow judge`: people's reviews of the verdicts",
}
_SIGN: Final = {
    "AUDIT": "an audit folder",
    "--key FILE!": "the OpenSSH private key (create one with: ssh-keygen -t ed25519)",
    "--timestamp URL": "an RFC 3161 server that timestamps the seal",
}
_VERIFY: Final = {
    "AUDIT": "an audit folder",
    "--key KEYS*": "the required signer: a public key, or a file of allowed signers",
    "--identity NAME=": "the identity that must have signed, as named in the file of allowed signers",
    "--revoked FILE": "public keys that are no longer trusted, or an OpenSSH revocation list",
    "--timestamp-ca FILE": "certificates (PEM) of the authority whose time stamps are trusted",
    "--seal SHA256=": "the expected seal",
    "--dataset DIR": "the audited dataset, if it was moved",
}


def add(verbs: Verbs) -> None:
    """Add the verbs to the command line."""
    summary = "rewrite the page and documents of an audit and seal them again, such as after a review or a calibration"
    example = "countersight audit bundle audits/gpt-4o --calibration calibrations/gpt-4o"
    verb(verbs, "audit bundle", _bundle, summary, example, _BUNDLE, listed=False)
    summary = "sign the seal of a finished audit with an OpenSSH key"
    example = "countersight audit sign audits/gpt-4o --key ~/.ssh/id_ed25519"
    verb(verbs, "audit sign", _sign, summary, example, _SIGN, listed=False)
    summary = "check a finished audit: report what was changed, removed or added, or does not follow from its log"
    verb(verbs, "audit verify", _verify, summary, "countersight audit verify audits/gpt-4o", _VERIFY, listed=False)


def finish_audit(folder: Path) -> "Finished":
    """Write, seal and print the results of an audit."""
    from rich.console import Console

    from countersight.audits import finish, print_results

    finished = finish(folder, progress=bar)
    print_results(finished, Console())
    print(f"Audit page: {finished.html.resolve()}\nSeal of the bundle: {finished.seal}")
    return finished


def _bundle(chosen: argparse.Namespace) -> int:
    if chosen.calibration:
        from countersight.audits import AuditFolder
        from countersight.audits.calibration import check_calibration, copy_calibration

        check_calibration(chosen.calibration, AuditFolder.open(chosen.audit).manifest)
        copy_calibration(chosen.calibration, chosen.audit)
    if chosen.reviews:
        from countersight.audits import read_audit, score
        from countersight.audits.calibration import take_reviews

        take_reviews(chosen.reviews, chosen.audit, score(read_audit(chosen.audit)))
    finish_audit(chosen.audit)
    return 0


def _sign(chosen: argparse.Namespace) -> int:
    from countersight.audits import sign_bundle, stamp_bundle

    print(sign_bundle(chosen.audit, chosen.key))
    if chosen.timestamp:
        print(stamp_bundle(chosen.audit, chosen.timestamp))
    return 0


def _verify(chosen: argparse.Namespace) -> int:
    from countersight.audits import read_allowed_signers, read_authorities
    from countersight.audits.verifying import Trust, describe_result, verify_bundle

    signers = read_allowed_signers(chosen.key, identity=chosen.identity, revoked=chosen.revoked)
    trust = Trust(signers, read_authorities(chosen.timestamp_ca) if chosen.timestamp_ca else ())
    found = verify_bundle(chosen.audit, chosen.seal, trust=trust, dataset=chosen.dataset)
    for line in describe_result(found, chosen.audit, compared=bool(chosen.seal)):
        print(line)
    return 0 if found.sound else 1
