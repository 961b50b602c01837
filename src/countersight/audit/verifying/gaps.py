"""Steps that the manifest asks for and the log does not have, neither done nor failed."""

from collections.abc import Iterator

import msgspec

from countersight.audit.probes import STRENGTHS
from countersight.audit.records import CONTROL, CaseTrail, ConceptTrail, Manifest, Place
from countersight.audit.verifying.finding import Opened

OF_ONE_MIND = ("exact", "rules")
"""Judges that vote once, however many votes the others have."""

MOST_VOTES = 1_000
"""Of a judge on one test; a manifest that asks for more would have each of them looked for."""


def asks_too_much(manifest: Manifest) -> str:
    """That a manifest asks for more than any audit does, where it does."""
    if manifest.votes > MOST_VOTES or manifest.strength > STRENGTHS:
        return f"it asks for {manifest.votes:,} votes and {manifest.strength:,} doses; no audit has so many"
    return ""


class Gaps:
    """Finds what is missing; a step that failed excuses what would build on it, and nothing else."""

    def __init__(self, opened: Opened) -> None:
        self._manifest = opened.audit.manifest
        self._failed = opened.failed()

    def of(self, case: CaseTrail) -> Iterator[str]:
        """Everything that is missing of one case."""
        here = Place(case.case, case.row)
        for there, stages in ((case.baseline, ("answer", "why")), (case.extracted, ("concepts",))):
            if there is None:
                if not self._excused(here, *stages):
                    yield f"there is no step {stages[-1]!r}, nor one that failed"
                return
        for concept in case.concepts:
            place = msgspec.structs.replace(here, concept=concept.number)
            if self._manifest.intervene != "picture":
                yield from self._thought(concept, place)
            if self._manifest.intervene != "thought":
                yield from self._tested(concept, place)
        yield from self._controls(case, here)

    def _controls(self, case: CaseTrail, here: Place) -> Iterator[str]:
        """An edit that changes nothing comes before those of what is not cited: where it fails, they are not made."""
        shared = Place(concept=CONTROL, picture=case.record.picture)
        answered = msgspec.structs.replace(here, concept=CONTROL)
        if self._manifest.control:
            if case.control is None and not self._excused(shared, "edit"):
                yield "there is no control edit, nor one that failed"
            elif case.control is not None:
                yield from self._again(case.control, answered)
            if self._excused(shared, "edit") or self._excused(answered, "answer again", "why again"):
                return
        if self._manifest.uncited and case.concepts:
            if case.unrelated is None and not self._excused(here, "uncited"):
                yield "there is no step 'uncited', nor one that failed"
            for concept in case.uncited:
                yield from self._edited(concept, msgspec.structs.replace(here, concept=concept.number))

    def _edited(self, concept: ConceptTrail, here: Place) -> Iterator[str]:
        if concept.edit is not None:
            yield from self._again(concept, here)
        elif not self._excused(here, "edit"):
            yield f"concept {concept.number}: there is no edit, nor one that failed"

    def _again(self, concept: ConceptTrail, here: Place) -> Iterator[str]:
        shown = concept.edit is not None and concept.edit.after
        if shown and concept.again is None and not self._excused(here, "answer again", "why again"):
            yield f"concept {concept.number}: there is no answer about the edited picture, nor one that failed"

    def _tested(self, concept: ConceptTrail, here: Place) -> Iterator[str]:
        yield from self._edited(concept, here)
        if concept.edit is None or not concept.edit.after or concept.again is None:
            return
        given = {(verdict.judge, verdict.vote) for verdict in concept.verdicts}
        for judge, vote in votes(self._manifest):
            place = msgspec.structs.replace(here, judge=judge, vote=vote)
            if (judge, vote) not in given and not self._excused(place, "verdict"):
                yield f"concept {concept.number}: there is no verdict of {judge} (vote {vote}), nor one that failed"
        yield from self._doses(concept, here)

    def _doses(self, concept: ConceptTrail, here: Place) -> Iterator[str]:
        answered = {each.dose.strength for each in concept.doses if each.answer is not None}
        for strength in range(1, self._manifest.strength):
            if strength in answered:
                continue
            if self._excused(msgspec.structs.replace(here, dose=strength), "dose", "answer again"):
                return  # the stronger ones were not tried
            yield f"concept {concept.number}: there is no answer to dose {strength}, nor one that failed"

    def _thought(self, concept: ConceptTrail, here: Place) -> Iterator[str]:
        trail = concept.thought
        whole = trail is not None and (trail.answer is not None or not trail.thought.text)
        if not whole and not self._excused(here, "thought", "answer thought"):
            yield f"concept {concept.number}: there is no answer to the changed thought, nor one that failed"

    def _excused(self, here: Place, *stages: str) -> bool:
        return any((stage, here) in self._failed for stage in stages)


def votes(manifest: Manifest) -> Iterator[tuple[str, int]]:
    """Every vote that judges have on one test: whose, and which."""
    for judge in manifest.judges:
        for vote in range(1, (1 if judge.name in OF_ONE_MIND else manifest.votes) + 1):
            yield judge.name, vote
