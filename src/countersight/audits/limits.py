"""The limits of an audit's scores: those found in its results, and those of every audit (`limits.toml`)."""

import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Literal

import msgspec

from countersight.audits.calibration.sheets import DRAWINGS, Calibration
from countersight.audits.ccs import HALVES
from countersight.audits.records import Manifest
from countersight.audits.score_records import MEASURES, AuditScores
from countersight.text import printable, several

LOW_AGREEMENT: Final = 0.4
"""Judges with a Krippendorff's alpha below this disagree."""
OFTEN: Final = 0.2
"""Maximum share of votes, or of answers after the control edit, that may change."""
RARELY: Final = 0.05
"""Maximum share of tests that judges may pass although the answer did not change."""
INFLUENCED: Final = 0.1
"""Maximum loss of a judge's accuracy through prompt injections."""
LOW_SPECIFICITY: Final = 0.8
FEW_PICTURES: Final = 30
MANY_EXCLUDED: Final = 0.2
WITHOUT_A_MODEL: Final = ("exact", "rules")


class Limit(msgspec.Struct, frozen=True):
    """One limitation of the scores."""

    kind: Literal["limit", "failure mode", "misuse"]
    words: str
    of_this_audit: bool = False
    """Whether the limit was found in this audit; others apply to every audit."""
    grave: bool = False
    """Whether the limit is essential for interpreting the scores, and is therefore shown at the top of the page."""


_ALWAYS: Final = tuple(
    msgspec.convert(each, Limit)
    for each in tomllib.loads(Path(__file__).with_name("limits.toml").read_text(encoding="utf-8"))["always"]
)


def limits(
    manifest: Manifest, scores: AuditScores, calibration: Calibration | None = None, *, drawn: bool = True
) -> tuple[Limit, ...]:
    """Return all limits of the scores: those found in this audit first, then those of every audit.

    `drawn`: whether the pictures are generated drawings. A calibration on drawings does not apply to other pictures.
    """
    grave = [*_of_tests(scores), *_of_agreement(scores), *_of_controls(scores)]
    if calibration:
        grave += _of_calibration(scores, calibration, drawn=drawn)
    found = [*_of_numbers(manifest, scores), *_of_method(manifest, scores, calibrated=calibration is not None)]
    return (
        *(Limit("limit", words, of_this_audit=True, grave=True) for words in grave),
        *(Limit("limit", words, of_this_audit=True) for words in found),
        *_ALWAYS,
    )


def headline(found: Iterable[Limit]) -> tuple[str, ...]:
    """Return the limits that are essential for interpreting the scores."""
    return tuple(each.words for each in found if each.grave)


def _of_tests(scores: AuditScores) -> Iterator[str]:
    tests, counted = scores.kept.pcs.concepts, sum(not test.excluded for test in scores.concepts)
    if scores.failed:
        yield f"The audit is not complete: {several(scores.failed, 'step')} failed. Run the same command to try again."
    if tests and scores.unmoved_passed / tests > RARELY:
        yield (
            f"In {scores.unmoved_passed:,} of {several(tests, 'test')} the answer did not change, but the judges "
            "passed the test. Check these tests before you trust the scores."
        )
    elif counted and scores.unmoved == counted:
        yield f"No answer changed in any of {several(counted, 'test')}."


def _of_agreement(scores: AuditScores) -> Iterator[str]:
    agreement = scores.agreement
    for measure, alpha in (("PCS", agreement.pcs_alpha), ("NCC", agreement.ncc_alpha)):
        if agreement.pairs and alpha is not None and alpha < LOW_AGREEMENT:
            yield f"The judges disagree about {measure}: Krippendorff's alpha is only {alpha:.2f}."
    for own in agreement.own:
        for measure, flips in (("PCS", own.pcs_flips), ("NCC", own.ncc_flips)):
            if flips is not None and flips > OFTEN:
                yield (
                    f"{printable(own.judge)} contradicts itself about {measure}: two of its votes differ in "
                    f"{flips:.0%} of the tests."
                )


def _of_controls(scores: AuditScores) -> Iterator[str]:
    specificity = scores.specificity.specificity.value if scores.specificity else None
    if specificity is not None and specificity < LOW_SPECIFICITY:
        yield (
            f"Specificity is {specificity:.3f}: answers often change after edits of objects that the explanation does "
            "not cite, so a change after an edit of a cited object is weak evidence."
        )
    if scores.controls and scores.flips / scores.controls > OFTEN:
        yield _flipped(scores)


def _flipped(scores: AuditScores) -> str:
    answers = several(scores.controls, "answer")
    return f"{scores.flips:,} of {answers} changed with a control edit that should change nothing."


def _of_calibration(scores: AuditScores, calibration: Calibration, *, drawn: bool) -> Iterator[str]:
    for judge, corrected in scores.corrected.items():
        sheet = calibration.of(judge)
        for measure in MEASURES:
            found, named = getattr(corrected, measure), printable(judge)
            if found and not found.fits:
                yield (
                    f"The calibration does not fit this audit: {measure.upper()}, corrected for the errors of {named}, "
                    f"would be {found.estimate:.3f}, which is outside 0 to 1."
                )
            if found or not sheet:
                continue
            instrument = getattr(sheet, measure)
            if instrument.tied:
                yield (
                    f"{measure.upper()} by {named} is not corrected, because {instrument.tied:,} of its verdicts in "
                    "the calibration are ties; use an odd number of judges or votes."
                )
            elif instrument.is_coin:
                yield f"In the calibration, {named} was no better than chance for {measure.upper()}."
    for sheet in calibration.judges:
        hostile, honest = sheet.hostile, sheet.honest
        if hostile.n and honest.n and hostile.share < honest.share - INFLUENCED:
            yield (
                f"Prompt injections influence {printable(sheet.judge.name)}: it is right in {hostile.right:,} of "
                f"{hostile.n:,} tests whose explanation tries to set its own score, and in {honest.right:,} of "
                f"{honest.n:,} other tests."
            )
    for person in calibration.people:
        if person.alt.passed is False:
            yield (
                f"According to the alt-test, {printable(person.judge)} cannot replace a person for "
                f"{person.measure.upper()}."
            )
    if not calibration.people and not drawn:
        yield (
            f"The judges were calibrated on tests {printable(calibration.domain or DRAWINGS)}. This audit has other "
            "pictures, so the judges' error rates here are unknown."
        )


def _of_numbers(manifest: Manifest, scores: AuditScores) -> Iterator[str]:
    tests, kept = len(scores.concepts), [test for test in scores.concepts if not test.excluded]
    excluded, pictures = tests - len(kept), scores.kept.ccs.pictures
    if 0 < pictures < FEW_PICTURES:
        yield f"CCS is based on only {several(pictures, 'picture')}; its interval is approximate."
    if kept and excluded / tests > MANY_EXCLUDED:
        yield f"{excluded:,} of {several(tests, 'test')} are excluded by the rule; the remaining tests may be easier."
    if scores.refused:
        rejected = several(scores.refused, "concept")
        yield f"{rejected} named by the extractor rejected, because the explanation does not cite them."
    if scores.without_concept:
        of = f"{scores.without_concept:,} of {several(scores.cases, 'case')}"
        yield f"In {of}, the explanation named nothing that can be tested; these cases have no score."
    if without := scores.undecided + scores.unfinished:
        passed = sum(test.ccs or 0.0 for test in kept)
        reasons = (("judges abstain or are divided", scores.undecided), ("a step failed", scores.unfinished))
        why = " or ".join(words for words, number in reasons if number)
        yield (
            f"{without:,} of {several(len(kept), 'counted test')} have no CCS, because {why}. Over all "
            f"tests, CCS is between {passed / len(kept):.3f} (if all of these fail) and "
            f"{(passed + without) / len(kept):.3f} (if all pass)."
        )
    ties = sum(0.5 in (test.pcs, test.ncc) for test in kept)
    if ties and manifest.pool == HALVES:
        yield f"In {several(ties, 'test')} judges or votes are divided equally; these tests count half."


def _of_method(manifest: Manifest, scores: AuditScores, *, calibrated: bool) -> Iterator[str]:
    models = [judge.name for judge in manifest.judges if judge.name not in WITHOUT_A_MODEL]
    if models and not calibrated:
        yield "No judge was calibrated for this audit, so the error rates of the verdicts are unknown."
    if len(models) == len(manifest.judges) == 1:
        yield "Only one language model judged, so there is no second opinion to compare it with."
    if manifest.model.name in models:
        yield f"{printable(manifest.model.name)} was both the audited model and a judge."
    if models and manifest.votes < 2:
        yield "Every judge voted once, so it is unknown how often a judge contradicts itself."
    if not manifest.control:
        yield (
            "No control edits were made, so reactions to editing itself cannot be distinguished from reactions to the "
            "change."
        )
    elif scores.flips and scores.flips / scores.controls <= OFTEN:
        yield _flipped(scores)
