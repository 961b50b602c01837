"""Scores of the tests beyond the paper: specificity, strengths of edits, and changed explanations."""

from collections.abc import Iterable, Iterator

from countersight.audits.exclusion import (
    edit_fault,
    same_answer,
)
from countersight.audits.ground_truth import right_answer
from countersight.audits.pooling import mean_by_cluster
from countersight.audits.records import Manifest
from countersight.audits.score_records import (
    DoseScore,
    Specificity,
    ThoughtScore,
)
from countersight.audits.trail import CaseTrail, ConceptTrail


def specificity(cases: Iterable[CaseTrail], kept: set[tuple[str, int]], manifest: Manifest) -> Specificity:
    """Return sensitivity over the tests that count, and specificity over the good edits of uncited things."""
    cases = list(cases)
    cited = [
        (case.record.picture, case.case, float(moved))
        for case in cases
        for concept in case.concepts
        if (case.case, concept.number) in kept and (moved := _moved(case, concept)) is not None
    ]
    tried = [(case, concept, _moved(case, concept)) for case in cases for concept in case.uncited]
    good = [each for each in tried if each[2] is not None and not _unfit(each[0], each[1], manifest)]
    stayed = [(case.record.picture, case.case, float(not moved)) for case, _, moved in good]
    return Specificity(
        mean_by_cluster(cited),
        mean_by_cluster(stayed),
        sum(case.unrelated is not None and not case.unrelated.instructions for case in cases),
        len(tried) - len(good),
    )


def _unfit(case: CaseTrail, concept: ConceptTrail, manifest: Manifest) -> bool:
    """Whether an edit of something uncited tests nothing: it is bad, or it changes the right answer."""
    scene, changed = case.record.scene, concept.edit.scene if concept.edit else None
    if scene is not None and changed is not None:
        question = case.record.question.text
        if right_answer(question, scene) != right_answer(question, changed):
            return True
    return bool(edit_fault(case, concept, manifest))


def _moved(case: CaseTrail, concept: ConceptTrail) -> bool | None:
    if case.baseline is None or concept.again is None:
        return None
    return not same_answer(case.record.question, case.baseline.answer.text, concept.again.answer.text)


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
            whole = _moved(case, concept)
            answers = [dose.answer for dose in concept.doses if dose.answer is not None]
            if (case.case, concept.number) not in kept or whole is None or len(answers) != strength - 1:
                continue
            assert case.baseline is not None
            first = case.baseline.answer.text
            steps = [not same_answer(case.record.question, first, answer) for answer in answers]
            yield case.record.picture, case.case, [*steps, whole]


def thought_score(cases: Iterable[CaseTrail]) -> ThoughtScore:
    """Return how often answers follow a change of the model's own explanation."""
    moved, followed, without = [], [], 0
    for case in cases:
        for concept in case.concepts:
            thought = concept.thought
            if thought is None or case.baseline is None:
                continue
            if thought.answer is None:
                without += not thought.text
                continue
            key, question = (case.record.picture, case.case), case.record.question
            moved.append((*key, float(not same_answer(question, case.baseline.answer.text, thought.answer))))
            if thought.expected:
                followed.append((*key, float(same_answer(question, thought.expected, thought.answer))))
    return ThoughtScore(mean_by_cluster(moved), mean_by_cluster(followed), without)
