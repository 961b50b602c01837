"""limits.md: what the scores of an audit do not show, how the method is known to fail, how they could be misused."""

import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Literal

import msgspec

from countersight.audits.bundle.manifest import BundleManifest
from countersight.audits.calibration.sheet import DRAWINGS, Calibration, Instrument, domain_of
from countersight.audits.judges.protocol import HALVES
from countersight.audits.records import Manifest
from countersight.audits.scores import AuditScores
from countersight.text import printable, several

LIMITS: Final = "limits.md"
FEW_PICTURES: Final = 30
"""With fewer, an interval is wide."""
MANY_EXCLUDED: Final = 0.2
LITTLE: Final = 0.4
"""Krippendorff's alpha below which judges agree little."""
OFTEN: Final = 0.2
"""Share of pairs of votes above which a judge contradicts itself."""
RARELY: Final = 0.05
"""Share of tests above which judges pass answers that never changed."""
SWAYED: Final = 0.1
"""By so much less a judge may be right where words are hostile."""
STAYS: Final = 0.8
"""Specificity below which answers move with anything."""
WITHOUT_A_MODEL: Final = ("exact", "rules")
"""Judges who are never of two minds."""


class Limit(msgspec.Struct, frozen=True):
    """One thing to know before the scores are used."""

    kind: Literal["limit", "failure mode", "misuse"]
    words: str
    of_this_audit: bool = False
    """Whether it was found in the figures of this audit; the others hold for every one."""
    grave: bool = False
    """Whether the scores must not be read without it: it stands in the headline."""


HEADINGS: Final[dict[str, str]] = {
    "limit": "Limits",
    "failure mode": "Known failure modes",
    "misuse": "Foreseeable misuse of the score",
}

_ALWAYS: Final = tuple(
    msgspec.convert(each, Limit)
    for each in tomllib.loads(Path(__file__).with_name("limits.toml").read_text(encoding="utf-8"))["always"]
)


def limits(
    manifest: Manifest, scores: AuditScores, calibration: Calibration | None = None, *, domain: str = "drawings"
) -> tuple[Limit, ...]:
    """Everything to know before the scores are used: what was found in this audit first, then what always holds.

    `domain` says what the pictures of the audit are: a calibration that was made of others does not carry over.
    """
    grave = [*_unmoved(scores), *_disagreement(scores), *_lent(scores), *_restless(scores)]
    if calibration is not None:
        grave += _calibrated(scores, calibration, domain)
    found = _found(manifest, scores, calibrated=calibration is not None)
    return (
        *(Limit("limit", words, of_this_audit=True, grave=True) for words in grave),
        *(Limit("limit", words, of_this_audit=True) for words in found),
        *_ALWAYS,
    )


def headline(found: Iterable[Limit]) -> tuple[str, ...]:
    """The limits without which the scores must not be read."""
    return tuple(each.words for each in found if each.grave)


def _unmoved(scores: AuditScores) -> Iterator[str]:
    """Answers that never change, and judges that pass them all the same."""
    tests = scores.kept.pcs.concepts
    if scores.unmoved_passed and scores.unmoved_passed / max(1, tests) > RARELY:
        yield (
            f"In {scores.unmoved_passed:,} of {several(tests, 'test')} the answer never changed, and the judges passed "
            "it all the same: look at these before you trust the scores."
        )
    elif tests and scores.unmoved == tests:
        yield f"No answer changed in any of {several(tests, 'test')}."


def _disagreement(scores: AuditScores) -> Iterator[str]:
    """Judges who agree little with each other, or with themselves."""
    for measure in ("pcs", "ncc"):
        alpha = getattr(scores.agreement, f"{measure}_alpha")
        if scores.agreement.pairs and alpha is not None and alpha < LITTLE:
            yield f"The judges agree little on {measure.upper()}: Krippendorff's alpha is {alpha:.2f}."
        for own in scores.agreement.own:
            flips = getattr(own, f"{measure}_flips")
            if flips is not None and flips > OFTEN:
                judge = printable(own.judge)
                yield f"{judge} contradicts itself on {measure.upper()}: two of its votes differ in {flips:.0%}."


def _lent(scores: AuditScores) -> Iterator[str]:
    """A panel whose yes to PCS and yes to NCC come from different votes."""
    if scores.lent and scores.allowed is not None:
        yield (
            f"CCS counts {several(scores.lent, 'test')} for more than any majority of votes gives: most say yes to PCS "
            f"and most say yes to NCC, but not the same ones. With the PCS × NCC of every vote pooled it is "
            f"{scores.allowed:.3f}."
        )


def _restless(scores: AuditScores) -> Iterator[str]:
    """Answers that move with anything: that they move with what is cited then says little."""
    found = scores.specificity.specificity if scores.specificity else None
    if found and found.value is not None and found.value < STAYS:
        yield (
            f"Specificity is {found.value:.3f}: answers often move with things that the explanation does not cite, so "
            "that they move with what it cites says little."
        )
    if scores.controls and scores.flips / scores.controls > OFTEN:
        yield f"{_flipped(scores)} a control edit that was to change nothing."


def _calibrated(scores: AuditScores, calibration: Calibration, domain: str) -> Iterator[str]:
    """What a calibration says against the scores, or does not say at all."""
    for judge, trio in scores.corrected.items():
        for measure in ("pcs", "ncc", "ccs"):
            found, sheet = getattr(trio, measure), calibration.of(judge)
            if found is not None and not found.fits:
                yield (
                    f"The calibration does not fit: without the mistakes that {printable(judge)} made there "
                    f"{measure.upper()} would be {found.estimate:.3f}, which no share can be."
                )
            elif found is None and sheet is not None and (tied := getattr(sheet, measure).tied):
                yield (
                    f"{measure.upper()} by {printable(judge)} is not corrected: {tied:,} of its verdicts in the "
                    "calibration are ties, which an odd number of judges or votes would not have."
                )
            elif found is None and sheet is not None and _coin(getattr(sheet, measure)):
                yield f"By its calibration {printable(judge)} does no better than a coin for {measure.upper()}."
    for sheet in calibration.judges:
        hostile, honest = sheet.hostile, sheet.honest
        if hostile.n and honest.n and hostile.share < honest.share - SWAYED:
            yield (
                f"Hostile words sway {printable(sheet.judge.name)}: it is right in {hostile.right:,} of {hostile.n:,} "
                f"tests whose explanation tries to score itself, and in {honest.right:,} of {honest.n:,} others."
            )
    for beside in calibration.people:
        if beside.alt.passed is False:
            judge = printable(beside.judge)
            yield f"By the alt-test {judge} may not stand in for a person, for {beside.measure.upper()}."
    if not calibration.people and domain_of(calibration) != domain:
        yield (
            f"The judges were calibrated on tests {printable(calibration.domain or DRAWINGS)}, and these pictures are "
            "others: what they are worth here is not known."
        )


def _coin(instrument: Instrument) -> bool:
    tried = instrument.sensitivity.n and instrument.specificity.n
    return bool(tried) and instrument.sensitivity.share + instrument.specificity.share <= 1


def _found(manifest: Manifest, scores: AuditScores, *, calibrated: bool) -> Iterator[str]:
    ccs = scores.kept.ccs
    if ccs.pictures < FEW_PICTURES:
        yield f"CCS rests on {several(ccs.pictures, 'picture')} only; its interval is rough."
    tests = len(scores.concepts)
    left_out = sum(bool(concept.excluded) for concept in scores.concepts)
    if tests and left_out / tests > MANY_EXCLUDED:
        yield f"{left_out:,} of {several(tests, 'test')} are excluded by the rule; what is left may be the easier part."
    if scores.refused:
        yield f"{several(scores.refused, 'concept')} of the extractor refused: the explanation does not cite them."
    if scores.without_concept:
        yield (
            f"In {scores.without_concept:,} of {several(scores.cases, 'case')} the explanation gave nothing to test; "
            "they have no score."
        )
    if scores.undecided:
        low, high = _bounds(scores)
        yield (
            f"{scores.undecided:,} of the tests that count have no CCS: judges abstain or are divided. Over all tests "
            f"it is between {low:.3f}, were they all failed, and {high:.3f}, were they all passed."
        )
    ties = sum(not test.excluded and 0.5 in (test.pcs, test.ncc) for test in scores.concepts)
    if ties and manifest.pool == HALVES:
        yield f"In {several(ties, 'test')} judges or votes are divided equally, which counts half."
    if manifest.pool == "mean":
        yield (
            "Votes are pooled by their mean: a score is how much of a yes there was, not the share of tests passed; "
            "judges' mistakes cannot be taken out of it."
        )
    if scores.failed:
        yield f"The audit is not complete: {several(scores.failed, 'step')} failed, and nobody did them since."
    models = [judge.name for judge in manifest.judges if judge.name not in WITHOUT_A_MODEL]
    if models and not calibrated:
        yield "No judge was calibrated for this audit: how often its verdicts are wrong is not known."
    if len(models) == 1 and len(manifest.judges) == 1:
        yield "A single language model judged. Nothing shows how far its verdicts are its own."
    if manifest.model.name in models:
        yield f"{printable(manifest.model.name)} was audited and judged by the same model."
    if models and manifest.votes < 2:
        yield "Every judge voted once: how often it would contradict itself is not known."
    if not manifest.control:
        yield "No control edits were made: reactions to editing as such are not told from reactions to the change."
    if scores.flips and scores.flips / scores.controls <= OFTEN:
        yield f"{_flipped(scores)} a control edit that was to change nothing."


def _flipped(scores: AuditScores) -> str:
    return f"{scores.flips:,} of {several(scores.controls, 'answer')} changed with"


def _bounds(scores: AuditScores) -> tuple[float, float]:
    """CCS over all tests that count, were those without one all failed, or all passed."""
    kept = [test.ccs for test in scores.concepts if not test.excluded]
    sum_of, unknown = sum(value for value in kept if value is not None), sum(value is None for value in kept)
    return sum_of / len(kept), (sum_of + unknown) / len(kept)


def encode_limits(found: tuple[Limit, ...]) -> bytes:
    """The bytes of limits.md."""
    parts = ["# What the scores of this audit do not show"]
    for kind, heading in HEADINGS.items():
        parts.append(f"## {heading}")
        of_kind = [each for each in found if each.kind == kind]
        parts.append("\n".join(f"- {'In this audit: ' * each.of_this_audit}{each.words}" for each in of_kind))
    return ("\n\n".join(parts) + "\n").encode("utf-8", "replace")


SIGN_OFF: Final = "sign-off.md"
EVIDENCE: Final = (
    "This is evidence that the technical documentation of an AI system can draw on (EU AI Act, Annex IV). It is not a "
    "conformity assessment: nothing here shows that a system conforms to the Act or to any standard."
)
STATEMENT: Final = (
    "I have read the report and its limits, looked at cases and exclusions, and verified the bundle with "
    "`countersight audit verify`, which printed the seal below."
)
ROLES: Final[tuple[str, ...]] = ("Responsible for the audit", "Reviewed by")
LINES: Final[tuple[str, ...]] = ("Name", "Role", "Date", "Signature")
SEAL_WORDS: Final = "Seal (SHA-256 of bundle.json)"


def encode_sign_off(manifest: BundleManifest, dataset: str) -> bytes:
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
