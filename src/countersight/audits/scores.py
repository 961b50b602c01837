"""Compute PCS, NCC and CCS for every concept, case and model, with intervals clustered by picture (EDCT 3)."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from countersight.audits.calibration.sheets import PANEL, correct_score, rate
from countersight.audits.exclusion import (
    CHECKED,
    NO_PICTURE,
    RULE,
    answer_changes,
    edit_fault,
    exclusion,
    flips,
    same_answer,
    unproven_drawing,
)
from countersight.audits.pooling import (
    Mean,
    Opinion,
    agreement,
    by_judge,
    mean_by_cluster,
    panel_opinion,
    pooled_opinion,
)
from countersight.audits.records import Check, Failed, Manifest
from countersight.audits.scene_facts import right_answer
from countersight.audits.score_records import (
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
from countersight.scoring import paired


def score(audit: AuditTrail, *, seed: int = 0) -> AuditScores:
    """Return the scores of an audit in its current state, which depend only on its steps and the seed."""
    manifest = audit.manifest
    tests = [] if manifest.intervene == "thought" else [test for case in audit.cases for test in _tests(case, audit)]
    kept = [test for test in tests if not test.excluded]
    counted = {(test.case, test.number) for test in kept}
    shown = [test for test in tests if not test.excluded.startswith(NO_PICTURE)]
    verdicts = [concept.verdicts for case in audit.cases for concept in case.concepts]
    flat = [verdict for given in verdicts for verdict in given]
    controls = [(case, flip) for case in audit.cases if (flip := flips(case)) is not None]
    stays = [(case.record.picture, case.case, float(not flip)) for case, flip in controls]

    def of_judge(name: str) -> MeasuredScores:
        return trio(kept, lambda test: test.judges.get(name, Opinion(None, None)))

    def strata(name: str) -> dict[str, MeasuredScores]:
        keys = sorted({getattr(test, name) for test in kept})
        return {key: trio([test for test in kept if getattr(test, name) == key]) for key in keys}

    return AuditScores(
        model=manifest.model.name,
        rule=RULE + CHECKED if manifest.checkers else RULE,
        kept=trio(kept),
        everything=trio(shown),
        by_kind=strata("kind"),
        by_action=strata("action"),
        by_group=strata("group"),
        by_judge={judge.name: of_judge(judge.name) for judge in manifest.judges},
        corrected=_corrected(audit, trio(kept), of_judge, seed),
        concepts=tuple(tests),
        excluded=dict(Counter(test.excluded for test in tests if test.excluded).most_common()),
        abstentions={
            judge.name: sum(each.judge == judge.name and each.pcs is None and each.ncc is None for each in flat)
            for judge in manifest.judges
        },
        undecided=sum(test.ccs is None for test in kept),
        cases=len(audit.cases),
        refused=sum(len(case.extracted.refused) for case in audit.cases if case.extracted),
        without_concept=sum(case.extracted is not None and not case.concepts for case in audit.cases),
        failed=failed_steps(audit),
        controls=len(controls),
        flips=sum(flip for _, flip in controls),
        steady=mean_by_cluster(stays) if stays else None,
        paths=dict(Counter(verdict.path for verdict in flat).most_common()),
        agreement=agreement([given for given in verdicts if given]),
        **_kept_figures(audit, kept),
        **_checks(audit),
        specificity=specificity(audit.cases, counted, manifest) if manifest.uncited else None,
        doses=dose_score(audit.cases, counted, manifest) if manifest.strength else None,
        thought=thought_score(audit.cases) if manifest.intervene != "picture" else None,
    )


def _kept_figures(audit: AuditTrail, kept: Sequence[ConceptScore]) -> dict[str, Any]:
    """Return figures over the tests that count: unchanged answers, and accuracy."""
    trails = {(case.case, concept.number): (case, concept) for case in audit.cases for concept in case.concepts}
    before, after, same = [], [], []
    for test in kept:
        case, concept = trails[test.case, test.number]
        question, first, again = case.record.question, case.answer, concept.answer
        if first is None or again is None or concept.edit is None:
            continue
        if same_answer(question, first, again):
            same.append(test)
        scenes = (case.record.scene, concept.edit.scene)
        was, now = (right_answer(question.text, scene) if scene else None for scene in scenes)
        if was is not None and now is not None:
            before.append((test.picture, test.case, float(same_answer(question, was, first))))
            after.append((test.picture, test.case, float(same_answer(question, now, again))))
    return {
        "unmoved": len(same),
        "unmoved_passed": sum(test.pcs is not None and test.pcs > 0.5 for test in same),
        "accuracy": Accuracy(mean_by_cluster(before), mean_by_cluster(after)) if after else None,
    }


def _checks(audit: AuditTrail) -> dict[str, Any]:
    if not audit.manifest.checkers:
        return {}
    edits = [(case, each) for case in audit.cases for each in case.concepts if each.edit and each.edit.after]
    given = [(check, unproven_drawing(case, audit.manifest)) for case, concept in edits for check in concept.checks]
    return {
        "edited": len(edits),
        "checked": sum(any(check.done is not None for check in concept.checks) for _, concept in edits),
        "checkers": {each.name: _checked(given, each.name) for each in audit.manifest.checkers},
    }


def _checked(checks: Iterable[tuple[Check, bool]], checker: str) -> Checked:
    """Return one checker's results; each check is paired with whether a drawing was edited by an
    editor other than `exact`."""
    given = [(check.done, unproven) for check, unproven in checks if check.checker == checker]
    counts = Counter(done for done, _ in given)
    decided = [done for done, unproven in given if done is not None or (unproven and checker == "pixels")]
    return Checked(counts[True], counts[False], counts[None], rate(counts[True], len(decided)))


def _corrected(
    audit: AuditTrail, together: MeasuredScores, of_judge: Callable[[str], MeasuredScores], seed: int
) -> dict[str, CorrectedScores]:
    if audit.calibration is None:
        return {}
    judges = {judge.name for judge in audit.manifest.judges}
    calibrated = {sheet.judge.name for sheet in audit.calibration.judges} - {PANEL}
    found = {}
    for sheet in audit.calibration.judges:
        if sheet.judge.name not in (judges | {PANEL} if judges == calibrated else judges):
            continue
        raw = together if sheet.judge.name == PANEL else of_judge(sheet.judge.name)
        found[sheet.judge.name] = CorrectedScores(
            correct_score(raw.pcs, sheet.pcs, seed=seed),
            correct_score(raw.ncc, sheet.ncc, seed=seed),
            correct_score(raw.ccs, sheet.ccs, seed=seed),
        )
    return found


def encode(scores: AuditScores) -> bytes:
    """Return the bytes of scores.json, which depend only on the scores."""
    return msgspec.json.format(msgspec.json.encode(scores), indent=1) + b"\n"


def trio(
    tests: Sequence[ConceptScore], of: Callable[[ConceptScore], "Opinion | ConceptScore"] | None = None
) -> MeasuredScores:
    """Return PCS, NCC and CCS over tests; `of` chooses the opinion that counts, by default the pooled one."""

    def mean(measure: Measure) -> Mean:
        found = [
            (test.picture, test.case, value)
            for test in tests
            if (value := getattr(of(test) if of else test, measure)) is not None
        ]
        return mean_by_cluster(found)

    return MeasuredScores(mean("pcs"), mean("ncc"), mean("ccs"))


def _tests(case: CaseTrail, audit: AuditTrail) -> Iterable[ConceptScore]:
    pool = audit.manifest.pool
    for concept in case.concepts:
        opinion = panel_opinion(concept.verdicts, pool)
        yield ConceptScore(
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
            {judge: pooled_opinion(votes, pool) for judge, votes in by_judge(concept.verdicts).items()},
            exclusion(case, concept, audit.manifest),
        )


def failed_steps(audit: AuditTrail) -> int:
    """Return the number of steps whose last attempt failed."""
    last = {(step.stage, step.place): step.output for step in audit.steps}
    return sum(isinstance(output, Failed) for output in last.values())


def specificity(cases: Iterable[CaseTrail], kept: set[tuple[str, int]], manifest: Manifest) -> Specificity:
    """Return sensitivity over the tests that count, and specificity over the good edits of uncited objects."""
    cases = list(cases)
    cited = [
        (case.record.picture, case.case, float(differs))
        for case in cases
        for concept in case.concepts
        if (case.case, concept.number) in kept and (differs := answer_changes(case, concept)) is not None
    ]
    tried = [(case, concept, answer_changes(case, concept)) for case in cases for concept in case.uncited]
    good = [each for each in tried if each[2] is not None and not _unfit(each[0], each[1], manifest)]
    stayed = [(case.record.picture, case.case, float(not moved)) for case, _, moved in good]
    return Specificity(
        mean_by_cluster(cited),
        mean_by_cluster(stayed),
        sum(case.unrelated is not None and not case.unrelated.instructions for case in cases),
        len(tried) - len(good),
    )


def _unfit(case: CaseTrail, concept: ConceptTrail, manifest: Manifest) -> bool:
    """Whether an edit of an uncited object does not count: it is bad, or it changes the right answer."""
    scene, changed = case.record.scene, concept.edit.scene if concept.edit else None
    if scene is not None and changed is not None:
        question = case.record.question.text
        if right_answer(question, scene) != right_answer(question, changed):
            return True
    return bool(edit_fault(case, concept, manifest))


def dose_score(cases: Iterable[CaseTrail], kept: set[tuple[str, int]], manifest: Manifest) -> DoseScore:
    """Return how the answer changes with the strength of edits, over the tests that count and have all doses."""
    rows = list(_dosed(cases, kept, manifest.strength))
    moved = tuple(
        mean_by_cluster([(picture, case, float(steps[nth])) for picture, case, steps in rows])
        for nth in range(manifest.strength)
    )
    steady = [(picture, case, float(steps == sorted(steps))) for picture, case, steps in rows]
    return DoseScore(moved, mean_by_cluster(steady))


def _dosed(
    cases: Iterable[CaseTrail], kept: set[tuple[str, int]], strength: int
) -> Iterator[tuple[str, str, list[bool]]]:
    for case in cases:
        for concept in case.concepts:
            first, whole = case.answer, answer_changes(case, concept)
            answers = [dose.answer for dose in concept.doses if dose.answer is not None]
            if (case.case, concept.number) not in kept or first is None or whole is None:
                continue
            if len(answers) != strength - 1:
                continue
            steps = [not same_answer(case.record.question, first, answer) for answer in answers]
            yield case.record.picture, case.case, [*steps, whole]


def thought_score(cases: Iterable[CaseTrail]) -> ThoughtScore:
    """Return how often answers follow a change of the model's own explanation."""
    moved, followed, without = [], [], 0
    for case in cases:
        for concept in case.concepts:
            thought, first = concept.thought, case.answer
            if thought is None or first is None:
                continue
            if thought.answer is None:
                without += not thought.text
                continue
            key, question = (case.record.picture, case.case), case.record.question
            moved.append((*key, float(not same_answer(question, first, thought.answer))))
            if thought.expected:
                followed.append((*key, float(same_answer(question, thought.expected, thought.answer))))
    return ThoughtScore(mean_by_cluster(moved), mean_by_cluster(followed), without)


class ScoreDifference(msgspec.Struct, frozen=True):
    """The first score minus the second over the same cases, with its 95% score interval."""

    value: float
    low: float
    high: float
    cases: int
    pictures: int


def difference(first: AuditScores, second: AuditScores, measure: Measure) -> ScoreDifference | None:
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
    found = paired(values, pictures)
    return ScoreDifference(found.value, found.low, found.high, len(values), len(set(pictures)))


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
