"""`countersight audit bundle`, `sign` and `verify`: rewrite, sign and check a finished audit."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from countersight.cli.parsing import Verbs, verb
from countersight.cli.terminal import counting

if TYPE_CHECKING:
    from countersight.audits import Finished

BUNDLING: Final = {
    "--against DIR": "an earlier audit to compare with",
    "--gallery N=200": "number of cases shown on the page",
    "--zip FILE": "also write the audit as one reproducible ZIP file",
}
"""Options for what `audit` and `audit bundle` write."""
_BUNDLE: Final = {
    "AUDIT": "an audit folder",
    "--calibration DIR": "a calibration made after the audit",
    "--reviews EXPORT": "an export of `collect --flow judge`: people's reviews of the verdicts",
}
_SIGN: Final = {
    "AUDIT": "an audit folder",
    "--key FILE!": "the OpenSSH private key (create one with: ssh-keygen -t ed25519)",
    "--name NAME=": "name of a person; their sign-off is stored next to the seal",
    "--role ROLE=": "the person's role",
    "--timestamp URL": "an RFC 3161 server that timestamps the seal",
    "--zip FILE": BUNDLING["--zip FILE"],
}
_VERIFY: Final = {
    "AUDIT": "an audit folder, or the ZIP of one",
    "--key KEYS*": "the required signer: a public key, or a file of allowed signers",
    "--identity NAME=": "the identity that must have signed, as named in the file of allowed signers",
    "--revoked FILE": "public keys that are no longer trusted, or an OpenSSH revocation list",
    "--timestamp-ca FILE": "certificates (PEM) of the authority whose time stamps are trusted",
    "--seal SHA256=": "the expected seal",
    "--dataset DIR": "the audited dataset, if it was moved",
    "--against DIR": "the earlier audit it was compared with",
}


def add(verbs: Verbs) -> None:
    """Add the verbs to the command line."""
    summary = "rewrite the page and documents of an audit and seal them again, such as after a review or a calibration"
    example = "countersight audit bundle audits/gpt-4o --against audits/gpt-4o-may"
    verb(verbs, "audit bundle", _bundle, summary, example, _BUNDLE, BUNDLING, listed=False)
    summary = "sign the seal of a finished audit with an OpenSSH key, or add a named person's sign-off (--name)"
    example = "countersight audit sign audits/gpt-4o --key ~/.ssh/id_ed25519"
    verb(verbs, "audit sign", _sign, summary, example, _SIGN, listed=False)
    summary = "check a finished audit: report what was changed, removed or added, or does not follow from its log"
    verb(verbs, "audit verify", _verify, summary, "countersight audit verify audits/gpt-4o", _VERIFY, listed=False)


def finish_audit(folder: Path, chosen: argparse.Namespace) -> "Finished":
    """Write, seal and print the results of an audit."""
    from rich.console import Console

    from countersight.audits import finish, print_results

    finished = finish(folder, against=chosen.against, gallery=chosen.gallery, progress=counting)
    print_results(finished, Console())
    print(f"Audit page: {finished.html.resolve()}\nSeal of the bundle: {finished.seal}")
    _write_zip(folder, chosen.zip)
    return finished


def _write_zip(folder: Path, to: Path | None) -> None:
    """Write the bundle as one ZIP file, if requested."""
    if to is not None:
        from countersight.audits.bundle import zip_bundle

        zip_bundle(folder, to)
        print(f"Bundle as one ZIP file: {to}")


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
    finish_audit(chosen.audit, chosen)
    return 0


def _sign(chosen: argparse.Namespace) -> int:
    import datetime

    from countersight.audits.signing import sign_bundle, sign_off, stamp_bundle

    if chosen.name:
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        print(sign_off(chosen.audit, chosen.key, name=chosen.name, role=chosen.role, at=now))
    else:
        print(sign_bundle(chosen.audit, chosen.key))
    if chosen.timestamp:
        print(stamp_bundle(chosen.audit, chosen.timestamp))
    _write_zip(chosen.audit, chosen.zip)
    return 0


def _verify(chosen: argparse.Namespace) -> int:
    from countersight.audits.signing import read_allowed_signers, read_authorities
    from countersight.audits.verifying import Trust, describe_result, verify_bundle

    signers = read_allowed_signers(chosen.key, identity=chosen.identity, revoked=chosen.revoked)
    trust = Trust(signers, read_authorities(chosen.timestamp_ca) if chosen.timestamp_ca else ())
    found = verify_bundle(chosen.audit, chosen.seal, trust=trust, dataset=chosen.dataset, against=chosen.against)
    for line in describe_result(found, chosen.audit, compared=bool(chosen.seal)):
        print(line)
    return 0 if found.sound else 1
