"""limits.md: the limits of an audit's scores, known failures of the method, and possible misuse."""

import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Literal

import msgspec

from countersight.audits.bundle.manifest import BundleManifest
from countersight.audits.calibration.sheet import DRAWINGS, Calibration, Instrument
from countersight.audits.judges.protocol import HALVES
from countersight.audits.records import Manifest
from countersight.audits.scores import AuditScores
from countersight.text import printable, several

LIMITS: Final = "limits.md"
FEW_PICTURES: Final = 30
"""With fewer pictures, intervals are wide."""
MANY_EXCLUDED: Final = 0.2
LITTLE: Final = 0.4
"""Krippendorff's alpha below which agreement is low."""
OFTEN: Final = 0.2
"""Share of differing pairs of votes above which a judge contradicts itself."""
RARELY: Final = 0.05
"""Share of tests above which judges pass too many answers that never changed."""
SWAYED: Final = 0.1
"""Largest loss of accuracy of a judge on hostile texts."""
STAYS: Final = 0.8
"""Specificity below which answers change with any edit."""
WITHOUT_A_MODEL: Final = ("exact", "rules")
"""Judges whose votes never differ."""


class Limit(msgspec.Struct, frozen=True):
    """One limit to know before using the scores."""

    kind: Literal["limit", "failure mode", "misuse"]
    words: str
    of_this_audit: bool = False
    """Whether it was found in the figures of this audit; the others apply to every audit."""
    grave: bool = False
    """Whether the scores must not be read without it: it is shown in the headline."""


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
    manifest: Manifest, scores: AuditScores, calibration: Calibration | None = None, *, drawn: bool = True
) -> tuple[Limit, ...]:
    """Return all limits of the scores: those found in this audit first, then those of every audit.

    `drawn` is whether its pictures are our own drawings: a calibration on drawings does not carry over to others.
    """
    grave = [*_unmoved(scores), *_disagreement(scores), *_lent(scores), *_restless(scores)]
    if calibration is not None:
        grave += _calibrated(scores, calibration, drawn=drawn)
    found = _found(manifest, scores, calibrated=calibration is not None)
    return (
        *(Limit("limit", words, of_this_audit=True, grave=True) for words in grave),
        *(Limit("limit", words, of_this_audit=True) for words in found),
        *_ALWAYS,
    )


def headline(found: Iterable[Limit]) -> tuple[str, ...]:
    """Return the limits without which the scores must not be read."""
    return tuple(each.words for each in found if each.grave)


def _unmoved(scores: AuditScores) -> Iterator[str]:
    """Answers that never change, and judges that pass them all the same."""
    tests = scores.kept.pcs.concepts
    if scores.unmoved_passed and scores.unmoved_passed / max(1, tests) > RARELY:
        yield (
            f"In {scores.unmoved_passed:,} of {several(tests, 'test')} the answer did not change, but the judges "
            "passed the test. Check these tests before you trust the scores."
        )
    elif tests and scores.unmoved == tests:
        yield f"No answer changed in any of {several(tests, 'test')}."


def _disagreement(scores: AuditScores) -> Iterator[str]:
    """Judges who agree little with each other, or with themselves."""
    for measure in ("pcs", "ncc"):
        alpha = getattr(scores.agreement, f"{measure}_alpha")
        if scores.agreement.pairs and alpha is not None and alpha < LITTLE:
            yield f"The judges disagree about {measure.upper()}: Krippendorff's alpha is only {alpha:.2f}."
        for own in scores.agreement.own:
            flips = getattr(own, f"{measure}_flips")
            if flips is not None and flips > OFTEN:
                judge = printable(own.judge)
                yield (
                    f"{judge} contradicts itself about {measure.upper()}: two of its votes differ in {flips:.0%} of "
                    "the tests."
                )


def _lent(scores: AuditScores) -> Iterator[str]:
    """A panel whose yes to PCS and yes to NCC come from different votes."""
    if scores.lent and scores.allowed is not None:
        yield (
            f"In {several(scores.lent, 'test')}, most votes accept PCS and most accept NCC, but no majority accepts "
            "both, so CCS counts these tests too high. Computed from PCS × NCC of every single vote, CCS is "
            f"{scores.allowed:.3f}."
        )


def _restless(scores: AuditScores) -> Iterator[str]:
    """Answers that move with anything: that they move with what is cited then says little."""
    found = scores.specificity.specificity if scores.specificity else None
    if found and found.value is not None and found.value < STAYS:
        yield (
            f"Specificity is {found.value:.3f}: answers often change with objects that the explanation does not "
            "cite, so a change with cited objects is weak evidence."
        )
    if scores.controls and scores.flips / scores.controls > OFTEN:
        yield f"{_flipped(scores)} a control edit that should change nothing."


def _calibrated(scores: AuditScores, calibration: Calibration, *, drawn: bool) -> Iterator[str]:
    """What a calibration says against the scores, or does not say at all."""
    for judge, trio in scores.corrected.items():
        for measure in ("pcs", "ncc", "ccs"):
            found, sheet = getattr(trio, measure), calibration.of(judge)
            if found is not None and not found.fits:
                yield (
                    f"The calibration does not fit this audit: {measure.upper()}, corrected for the errors of "
                    f"{printable(judge)}, would be {found.estimate:.3f}, which is outside 0 to 1."
                )
            elif found is None and sheet is not None and (tied := getattr(sheet, measure).tied):
                yield (
                    f"{measure.upper()} by {printable(judge)} is not corrected, because {tied:,} of its verdicts in "
                    "the calibration are ties; use an odd number of judges or votes."
                )
            elif found is None and sheet is not None and _coin(getattr(sheet, measure)):
                yield f"In the calibration, {printable(judge)} was no better than chance for {measure.upper()}."
    for sheet in calibration.judges:
        hostile, honest = sheet.hostile, sheet.honest
        if hostile.n and honest.n and hostile.share < honest.share - SWAYED:
            yield (
                f"Prompt injections influence {printable(sheet.judge.name)}: it is right in {hostile.right:,} of "
                f"{hostile.n:,} tests whose explanation tries to score itself, and in {honest.right:,} of "
                f"{honest.n:,} other tests."
            )
    for beside in calibration.people:
        if beside.alt.passed is False:
            judge = printable(beside.judge)
            yield f"According to the alt-test, {judge} cannot replace a person for {beside.measure.upper()}."
    if not calibration.people and not drawn:
        yield (
            f"The judges were calibrated on tests {printable(calibration.domain or DRAWINGS)}. This audit has other "
            "pictures, so the judges' error rates here are unknown."
        )


def _coin(instrument: Instrument) -> bool:
    tried = instrument.sensitivity.n and instrument.specificity.n
    return bool(tried) and instrument.sensitivity.share + instrument.specificity.share <= 1


def _found(manifest: Manifest, scores: AuditScores, *, calibrated: bool) -> Iterator[str]:
    ccs = scores.kept.ccs
    if ccs.pictures < FEW_PICTURES:
        yield f"CCS is based on only {several(ccs.pictures, 'picture')}; its interval is rough."
    tests = len(scores.concepts)
    left_out = sum(bool(concept.excluded) for concept in scores.concepts)
    if tests and left_out / tests > MANY_EXCLUDED:
        yield f"{left_out:,} of {several(tests, 'test')} are excluded by the rule; the remaining ones may be easier."
    if scores.refused:
        yield (
            f"{several(scores.refused, 'concept')} of the extractor rejected, because the explanation does not cite "
            "them."
        )
    if scores.without_concept:
        yield (
            f"In {scores.without_concept:,} of {several(scores.cases, 'case')} the explanation named nothing that "
            "can be tested; they have no score."
        )
    if scores.undecided:
        low, high = _bounds(scores)
        yield (
            f"{scores.undecided:,} of the counted tests have no CCS, because judges abstain or are divided. Over all "
            f"tests, CCS is between {low:.3f} (if all of these fail) and {high:.3f} (if all pass)."
        )
    ties = sum(not test.excluded and 0.5 in (test.pcs, test.ncc) for test in scores.concepts)
    if ties and manifest.pool == HALVES:
        yield f"In {several(ties, 'test')} judges or votes are divided equally; these tests count half."
    if manifest.pool == "mean":
        yield (
            "Votes are pooled by their mean: a score is the mean vote, not the share of passed tests, and cannot be "
            "corrected for judges' errors."
        )
    if scores.failed:
        yield (
            f"The audit is not complete: {several(scores.failed, 'step')} failed. Run the same command to repeat them."
        )
    models = [judge.name for judge in manifest.judges if judge.name not in WITHOUT_A_MODEL]
    if models and not calibrated:
        yield "No judge was calibrated for this audit, so the error rates of the verdicts are unknown."
    if len(models) == 1 and len(manifest.judges) == 1:
        yield "Only one language model judged, so there is no second opinion to compare it with."
    if manifest.model.name in models:
        yield f"{printable(manifest.model.name)} was both the audited model and a judge."
    if models and manifest.votes < 2:
        yield "Every judge voted once, so it is unknown how often a judge contradicts itself."
    if not manifest.control:
        yield (
            "No control edits were made, so reactions to editing as such cannot be told apart from reactions to the "
            "change."
        )
    if scores.flips and scores.flips / scores.controls <= OFTEN:
        yield f"{_flipped(scores)} a control edit that should change nothing."


def _flipped(scores: AuditScores) -> str:
    return f"{scores.flips:,} of {several(scores.controls, 'answer')} changed with"


def _bounds(scores: AuditScores) -> tuple[float, float]:
    """CCS over all tests that count, were those without one all failed, or all passed."""
    kept = [test.ccs for test in scores.concepts if not test.excluded]
    sum_of, unknown = sum(value for value in kept if value is not None), sum(value is None for value in kept)
    return sum_of / len(kept), (sum_of + unknown) / len(kept)


def encode_limits(found: tuple[Limit, ...]) -> bytes:
    """Return the bytes of limits.md."""
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
    "I have read the report and its limits, examined cases and exclusions, and verified the bundle with "
    "`countersight audit verify`, which printed the seal below."
)
ROLES: Final[tuple[str, ...]] = ("Responsible for the audit", "Reviewed by")
LINES: Final[tuple[str, ...]] = ("Name", "Role", "Date", "Signature")
SEAL_WORDS: Final = "Seal (SHA-256 of bundle.json)"


def encode_sign_off(manifest: BundleManifest, dataset: str) -> bytes:
    """Return the bytes of sign-off.md, with blank lines to fill in."""
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
