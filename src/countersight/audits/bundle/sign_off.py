"""sign-off.md: the page that the responsible persons date and sign."""

from typing import Final

from countersight.audits.bundle.manifest import RunManifest
from countersight.text import printable

SIGN_OFF: Final = "sign-off.md"
EVIDENCE: Final = (
    "This is evidence that the technical documentation of an AI system can draw on (EU AI Act, Annex IV). It is not a "
    "conformity assessment: nothing here shows that a system conforms to the Act or to any standard."
)
STATEMENT: Final = (
    "I have read the report and its limits, looked at cases and exclusions, and verified the bundle with "
    "`countersight audit verify`, which printed the seal below."
)
ROLES: Final = ("Responsible for the audit", "Reviewed by")
LINES: Final = ("Name", "Role", "Date", "Signature")
SEAL_WORDS: Final = "Seal (SHA-256 of bundle.json)"


def encode_sign_off(manifest: RunManifest, dataset: str) -> bytes:
    """The bytes of sign-off.md, its lines blank."""
    parts = [
        "# Sign-off",
        f"Audit of {printable(manifest.audited.name)} on {printable(dataset)}: {manifest.steps:,} steps, the last with "
        f"the hash {manifest.log_head}.",
        EVIDENCE,
        STATEMENT,
        f"{SEAL_WORDS}: {'_' * 64}",
    ]
    for role in ROLES:
        parts += [f"## {role}", "\n\n".join(f"{line}: {'_' * 40}" for line in LINES)]
    return ("\n\n".join(parts) + "\n").encode("utf-8", "replace")
