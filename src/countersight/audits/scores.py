"""The scores of an audit: PCS, NCC and CCS for every concept, case and model, and the measures beside them.

Intervals are clustered by picture (EDCT 3). The further measures are the accuracy of the answers, sensitivity and
specificity, the effect of weaker edits and of changed explanations, the results of the checkers, and scores corrected
for the errors of judges.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from countersight.audits.answer_changes import answer_changes, flips, same_answer
from countersight.audits.calibration.judge_accuracy import PANEL, correct_score, rate
from countersight.audits.ccs import Mean, by_judge, mean_by_cluster, panel_opinion, pooled_opinion
from countersight.audits.exclusion import (
    CHECKED,
    NO_PICTURE,
    RULE,
    edit_fault,
    exclusion,
    unproven_drawing,
)
from countersight.audits.judge_agreement import agreement
from countersight.audits.manifest import Manifest
from countersight.audits.records import Failed
from countersight.audits.scene_facts import right_answer
from countersight.audits.score_records import (
    MEASURES,
    Accuracy,
    AuditScores,
    Checked,
    ConceptScore,
    CorrectedScores,
    DoseScore,
    Measure,
    MeasuredScores,
    Specificity,
    ThoughtScore,
)
from countersight.audits.trail import AuditTrail, CaseTrail, ConceptTrail
from countersight.scoring import Difference, paired


class _Test(NamedTuple):
    case: CaseTrail
    trail: ConceptTrail
    score: ConceptScore


def score(audit: AuditTrail) -> AuditScores:
    """Return the scores of an audit in its current state, which depend only on its steps and its calibration."""
    manifest, cases = audit.manifest, audit.cases
    pairs = [(case, trail) for case in cases for trail in case.concepts]
    scored = [] if manifest.intervene == "thought" else pairs  # without edited pictures, there is no test to score
    tests = [_score_test(*pair, manifest) for pair in scored]
    counted = [_Test(*pair, test) for pair, test in zip(scored, tests, strict=True) if not test.excluded]
    kept = [test.score for test in counted]
    without_ccs = [test for test in kept if test.ccs is None]
    unmoved = [test.score for test in counted if answer_changes(test.case, test.trail) is False]
    edits = [(case, trail) for case, trail in pairs if trail.edit and trail.edit.after]
    verdicts = [trail.verdicts for _, trail in pairs]
    flat = [verdict for given in verdicts for verdict in given]
    controls = [(case, flip) for case in cases if (flip := flips(case)) is not None]

    def strata(name: str) -> dict[str, MeasuredScores]:
        keys = sorted({getattr(test, name) for test in kept})
        return {key: trio([test for test in kept if getattr(test, name) == key]) for key in keys}

    return AuditScores(
        model=manifest.model.name,
        rule=RULE + CHECKED if manifest.checkers else RULE,
        kept=trio(kept),
        everything=trio([test for test in tests if not test.excluded.startswith(NO_PICTURE)]),
        by_kind=strata("kind"),
        by_action=strata("action"),
        by_group=strata("group"),
        by_judge={judge.name: trio(kept, judge.name) for judge in manifest.judges},
        corrected=_corrected(audit, kept),
        concepts=tuple(tests),
        excluded=dict(Counter(test.excluded for test in tests if test.excluded).most_common()),
        abstentions={
            judge.name: sum(each.judge == judge.name and each.pcs is None and each.ncc is None for each in flat)
            for judge in manifest.judges
        },
        undecided=sum(not test.failures for test in without_ccs),
        unfinished=sum(bool(test.failures) for test in without_ccs),
        cases=len(cases),
        refused=sum(len(case.extracted.refused) for case in cases if case.extracted),
        without_concept=sum(case.extracted is not None and not case.concepts for case in cases),
        failed=failed_steps(audit),
        controls=len(controls),
        flips=sum(flip for _, flip in controls),
        steady=mean_by_cluster(_row(case, not flip) for case, flip in controls) if controls else None,
        paths=dict(Counter(verdict.path for verdict in flat).most_common()),
        agreement=agreement([given for given in verdicts if given]),
        unmoved=len(unmoved),
        unmoved_passed=sum(test.pcs is not None and test.pcs > 0.5 for test in unmoved),
        accuracy=_accuracy(counted),
        edited=len(edits) if manifest.checkers else None,
        checked=sum(any(check.done is not None for check in trail.checks) for _, trail in edits)
        if manifest.checkers
        else None,
        checkers={each.name: _checked(edits, each.name, manifest) for each in manifest.checkers},
        specificity=_specificity(cases, counted, manifest) if manifest.uncited else None,
        doses=_dose_score(counted, manifest.strength) if manifest.strength > 1 else None,
        thought=_thought_score(cases) if manifest.intervene != "picture" else None,
    )


def _row(case: CaseTrail, value: bool) -> tuple[str, str, float]:
    """Return an observation about a case in the form that `mean_by_cluster` needs."""
    return case.record.picture, case.case, float(value)


def _score_test(case: CaseTrail, concept: ConceptTrail, manifest: Manifest) -> ConceptScore:
    opinion = panel_opinion(concept.verdicts, manifest.pool)
    votes = by_judge(concept.verdicts).items()
    return ConceptScore(
        case.case,
        case.row,
        case.record.picture,
        concept.number,
        concept.instruction.concept,
        concept.instruction.kind,
        concept.instruction.action,
        case.record.group,
        opinion.pcs,
        opinion.ncc,
        opinion.ccs,
        {judge: pooled_opinion(given, manifest.pool) for judge, given in votes},
        exclusion(case, concept, manifest),
        concept.failures,
    )


def trio(tests: Sequence[ConceptScore], judge: str = "") -> MeasuredScores:
    """Return PCS, NCC and CCS over tests, by all judges or by one of them."""

    def mean(measure: Measure) -> Mean:
        given = [(test, test.judges.get(judge) if judge else test) for test in tests]
        values = [(test, getattr(opinion, measure)) for test, opinion in given if opinion is not None]
        return mean_by_cluster((test.picture, test.case, value) for test, value in values if value is not None)

    return MeasuredScores(*map(mean, MEASURES))


def _accuracy(counted: Iterable[_Test]) -> Accuracy | None:
    before, after = [], []
    for case, trail, _ in counted:
        question, first, again = case.record.question, case.answer, trail.answer
        scenes = (case.record.scene, trail.edit.scene if trail.edit else None)
        was, now = (right_answer(question.text, scene) if scene else None for scene in scenes)
        if was is not None and now is not None and first is not None and again is not None:
            before.append(_row(case, same_answer(question, was, first)))
            after.append(_row(case, same_answer(question, now, again)))
    return Accuracy(mean_by_cluster(before), mean_by_cluster(after)) if after else None


def _checked(edits: Iterable[tuple[CaseTrail, ConceptTrail]], checker: str, manifest: Manifest) -> Checked:
    """Return one checker's results. If `pixels` cannot recognize a drawing edited by an editor other than `exact`, this
    counts as no in the share."""
    given = [(case, check.done) for case, trail in edits for check in trail.checks if check.checker == checker]
    counts = Counter(done for _, done in given)
    unrecognized = sum(
        done is None and checker == "pixels" and unproven_drawing(case, manifest) for case, done in given
    )
    share = rate(counts[True], counts[True] + counts[False] + unrecognized)
    return Checked(counts[True], counts[False], counts[None], share)


def _corrected(audit: AuditTrail, kept: Sequence[ConceptScore]) -> dict[str, CorrectedScores]:
    if audit.calibration is None:
        return {}
    judges = {judge.name for judge in audit.manifest.judges}
    calibrated = {sheet.judge.name for sheet in audit.calibration.judges} - {PANEL}
    found = {}
    for sheet in audit.calibration.judges:
        name = sheet.judge.name
        if name in judges or (name == PANEL and judges == calibrated):
            raw = trio(kept, "" if name == PANEL else name)
            scores = (correct_score(getattr(raw, each), getattr(sheet, each)) for each in MEASURES)
            found[name] = CorrectedScores(*scores)
    return found


def failed_steps(audit: AuditTrail) -> int:
    """Return the number of steps whose last attempt failed."""
    last = {(step.stage, step.place): step.output for step in audit.steps}
    return sum(isinstance(output, Failed) for output in last.values())


def _specificity(cases: Iterable[CaseTrail], counted: Iterable[_Test], manifest: Manifest) -> Specificity:
    """Return sensitivity over the tests that count, and specificity over the good edits of uncited objects."""
    cited = [(case, answer_changes(case, trail)) for case, trail, _ in counted]
    uncited = [(case, trail, answer_changes(case, trail)) for case in cases for trail in case.uncited]
    good = [
        (case, moved)
        for case, trail, moved in uncited
        if moved is not None and not edit_fault(case, trail, manifest) and not _moves_right_answer(case, trail)
    ]
    return Specificity(
        mean_by_cluster(_row(case, moved) for case, moved in cited if moved is not None),
        mean_by_cluster(_row(case, not moved) for case, moved in good),
        sum(case.unrelated is not None and not case.unrelated.instructions for case in cases),
        len(uncited) - len(good),
    )


def _moves_right_answer(case: CaseTrail, concept: ConceptTrail) -> bool:
    scene, changed = case.record.scene, concept.edit.scene if concept.edit else None
    if scene is None or changed is None:
        return False
    question = case.record.question.text
    return right_answer(question, scene) != right_answer(question, changed)


def _dose_score(counted: Iterable[_Test], strength: int) -> DoseScore:
    """Return how the answer changes with the strength of edits, over the tests that count and have all strengths."""
    rows = list(_dosed(counted, strength))
    moved = (mean_by_cluster(_row(case, steps[nth]) for case, steps in rows) for nth in range(strength))
    return DoseScore(tuple(moved), mean_by_cluster(_row(case, steps == sorted(steps)) for case, steps in rows))


def _dosed(counted: Iterable[_Test], strength: int) -> Iterator[tuple[CaseTrail, list[bool]]]:
    for case, trail, _ in counted:
        first, whole = case.answer, answer_changes(case, trail)
        answers = [dose.answer for dose in trail.doses if dose.answer is not None]
        if first is not None and whole is not None and len(answers) == strength - 1:
            yield case, [*(not same_answer(case.record.question, first, answer) for answer in answers), whole]


def _thought_score(cases: Iterable[CaseTrail]) -> ThoughtScore:
    """Return how often answers follow a change of the model's own explanation."""
    moved, followed, without = [], [], 0
    for case in cases:
        for thought in filter(None, (concept.thought for concept in case.concepts)):
            without += not thought.text
            if case.answer is None or thought.answer is None:
                continue
            question = case.record.question
            moved.append(_row(case, not same_answer(question, case.answer, thought.answer)))
            if thought.expected:
                followed.append(_row(case, same_answer(question, thought.expected, thought.answer)))
    return ThoughtScore(mean_by_cluster(moved), mean_by_cluster(followed), without)


def difference(first: AuditScores, second: AuditScores, measure: Measure) -> Difference | None:
    """Return how much higher the first audit scores; None if no case counts in both.

    The interval takes into account that cases share pictures.
    """
    other = by_case(second, measure)
    apart = [
        (picture, value - other[case][1]) for case, (picture, value) in by_case(first, measure).items() if case in other
    ]
    if not apart:
        return None
    pictures, values = zip(*apart, strict=True)
    return paired(values, pictures)


def by_case(scores: AuditScores, measure: Measure) -> dict[str, tuple[str, float]]:
    """Return the picture and the score of every case that counts; the score is the mean over its concepts."""
    values: dict[str, list[float]] = {}
    pictures: dict[str, str] = {}
    for concept in scores.concepts:
        value = getattr(concept, measure)
        if not concept.excluded and value is not None:
            values.setdefault(concept.case, []).append(value)
            pictures[concept.case] = concept.picture
    return {case: (pictures[case], sum(given) / len(given)) for case, given in values.items()}
