"""Every step of a log against those before it: what was asked, what follows from what was said, and what is missing."""

from collections.abc import Iterator
from typing import Final

import msgspec

from countersight import __version__
from countersight.audit.bundle.seal import SEAL
from countersight.audit.extraction.model import NOTHING_FOUND, concepts_said, extract_prompt, listed_so
from countersight.audit.extraction.protocol import Statement
from countersight.audit.extraction.registry import EXTRACTORS
from countersight.audit.extraction.rules import rules_concepts
from countersight.audit.extraction.things import things_named
from countersight.audit.folder import MANIFEST
from countersight.audit.judges.protocol import Evidence
from countersight.audit.log import LOG
from countersight.audit.prompts import SETS, AuditPrompts
from countersight.audit.records import (
    CONTROL,
    Asked,
    CaseTrail,
    Concepts,
    ConceptTrail,
    Failed,
    Manifest,
    Place,
    Response,
    Step,
)
from countersight.audit.selection import SELECTION
from countersight.audit.shapes import shaped_conversation
from countersight.audit.verifying.finding import Finding, Opened
from countersight.audit.verifying.gaps import Gaps
from countersight.audit.verifying.parties import checked_parties
from countersight.audit.verifying.unasked import asked_nobody, checked_unasked
from countersight.audit.verifying.verdicts import checked_verdict
from countersight.audit.work import NOTHING
from countersight.editing import Instruction

Checked = Iterator[Finding]
_BY_WORDS: Final = {"rules": rules_concepts, "things": things_named}
"""Extractors whose concepts anybody can find again."""


def checked_steps(opened: Opened) -> Checked:
    """Everything in the log that does not follow from what stands before it."""
    yield from repeated(opened.audit.steps)
    yield from checked_parties(opened.audit.steps, opened.audit.manifest)
    yield from checked_unasked(opened)
    yield from asked_nobody(opened.audit.steps)
    yield from _older(opened)
    try:
        prompts = msgspec.convert(opened.audit.manifest.prompts, AuditPrompts)
    except msgspec.ValidationError as error:
        yield Finding("broken", "audit.json", f"prompts: {error}")
        return
    yield from _shipped(prompts, opened.audit.manifest)
    checks = _Case(opened, prompts)
    for case in opened.audit.cases:
        yield from checks.case(case)


def repeated(steps: tuple[Step, ...]) -> Iterator[Finding]:
    """A step that gave something is never done again: a second one, or a failure, would quietly take its place."""
    done: dict[tuple[str, Place], int] = {}
    for step in steps:
        before = done.get((step.stage, step.place))
        if isinstance(step.output, Failed):
            if before is not None:
                yield _broken(step, f"it failed, and step {before} had done it before")
        elif before is not None:
            yield Finding("broken", LOG, f"step {step.n} does again what step {before} had done")
        else:
            done[step.stage, step.place] = step.n


def _older(opened: Opened) -> Iterator[Finding]:
    """The format of 0.1 had neither scenes nor a selection: who says so of a later bundle would have it not derived."""
    later = SELECTION in opened.files or any(case.record.drawn is not None for case in opened.audit.cases)
    if opened.early and later:
        yield Finding("broken", SEAL, "it says that it is older than its log is")


def _shipped(prompts: AuditPrompts, manifest: Manifest) -> Iterator[Finding]:
    """Whoever reads a name of ours takes the words for ours: those of a user's own file never have one."""
    if prompts == SETS.get(prompts.name, prompts):
        return
    words = f"its prompts are called {prompts.name}, and are not those that ship under this name"
    if manifest.countersight == __version__:
        yield Finding("broken", MANIFEST, words)
    else:
        began = f"{words}; {manifest.countersight} is said to have asked them, this is {__version__}"
        yield Finding("not verified", MANIFEST, began)


class _Case:
    """Checks the steps of cases."""

    def __init__(self, opened: Opened, prompts: AuditPrompts) -> None:
        self._opened = opened
        self._manifest = opened.audit.manifest
        self._prompts = prompts
        self._known = opened.known()
        self._gaps = Gaps(opened)
        self._verdicts: dict[tuple[str, int | None], list[Step]] = {}
        for (stage, place), step in self._known.items():
            if stage == "verdict":
                self._verdicts.setdefault((place.case, place.concept), []).append(step)

    def case(self, case: CaseTrail) -> Checked:
        here = Place(case.case, case.row)
        for gap in self._gaps.of(case):
            yield Finding("missing", LOG, f"case {case.case}: {gap}")
        yield from self._asked(here, "answer", "why", case.baseline, case, case.record.picture)
        if case.baseline is None:
            return
        yield from self._concepts(here, case, case.baseline)
        for concept in (*case.concepts, *case.uncited, *([case.control] if case.control else [])):
            yield from self._concept(case, concept, msgspec.structs.replace(here, concept=concept.number))

    def _concept(self, case: CaseTrail, concept: ConceptTrail, here: Place) -> Checked:
        edit = concept.edit
        yield from self._probed(case, concept, here)
        if edit is None:
            return
        asked = NOTHING if concept.number == CONTROL else concept.instruction
        yield from self._edit(case, here, asked)
        yield from self._asked(here, "answer again", "why again", concept.again, case, edit.after)
        if case.baseline is None or concept.again is None:
            return
        evidence = Evidence(
            case.record.question,
            case.baseline.answer.text,
            case.baseline.explanation.text,
            concept.instruction,
            concept.again.answer.text,
            concept.again.explanation.text,
            self._opened.scene(case),
            edit.drawn,
        )
        for step in self._verdicts.get((here.case, here.concept), ()):
            yield from checked_verdict(step, evidence, self._prompts)

    def _probed(self, case: CaseTrail, concept: ConceptTrail, here: Place) -> Checked:
        """The conversations about weaker edits, and after a changed thought."""
        question = self._prompts.ask(case.record.question)
        for each in concept.doses:
            if each.answer is not None:
                step = self._known["answer again", msgspec.structs.replace(here, dose=each.dose.strength)]
                yield from _conversation(step, (Asked("user", question, each.dose.after),))
        if concept.thought is not None and concept.thought.answer is not None:
            thought = Asked("assistant", concept.thought.thought.text)
            turns = (Asked("user", question, case.record.picture), thought, Asked("user", question))
            yield from _conversation(self._known["answer thought", here], turns)

    def _edit(self, case: CaseTrail, here: Place, asked: Instruction) -> Checked:
        control = Place(concept=CONTROL, picture=case.record.picture)
        step = self._known["edit", control if here.concept == CONTROL else here]
        edit = step.output
        if (edit.instruction, edit.before, edit.seed) != (asked, case.record.picture, self._manifest.seed):  # type: ignore[union-attr]
            yield _broken(step, "the edit is not the one that was asked for, of the picture that was shown")

    def _asked(
        self, here: Place, answer: str, why: str, said: Response | None, case: CaseTrail, picture: str
    ) -> Checked:
        """The conversation in which answer and explanation were given."""
        if said is None:
            return
        first = Asked("user", self._prompts.ask(case.record.question), picture)
        turns = (first, Asked("assistant", said.answer.text), Asked("user", self._prompts.why))
        for stage, expected in ((answer, (first,)), (why, turns)):
            yield from _conversation(self._known[stage, here], expected)

    def _concepts(self, here: Place, case: CaseTrail, baseline: Response) -> Checked:
        step = self._known.get(("concepts", here))
        if step is None or not isinstance(step.output, Concepts):
            return
        able = step.output.able
        statement = Statement(case.record.question.text, baseline.answer.text, baseline.explanation.text, able)
        most = self._manifest.concepts
        if step.by in _BY_WORDS:
            found = _BY_WORDS[step.by](statement, most)
            if msgspec.structs.replace(found, able=able) != step.output:
                yield _broken(step, f"the concepts are not those that {step.by} find in the explanation")
        elif EXTRACTORS.knows(step.by):
            return  # an extractor of somebody else: taken on trust
        elif able is not None and able.things == ():
            if step.output != Concepts(reason=NOTHING_FOUND, able=able):
                yield _broken(step, "there are concepts where the editor finds nothing that it could change")
            yield from _conversation(step, ())
        else:
            text = extract_prompt(self._prompts, statement, most)
            yield from _conversation(step, shaped_conversation(text, step.output.tries, self._prompts))
            if not step.output.tries or not listed_so(step.output.tries):
                yield _broken(step, f"a reply of {step.by} reads otherwise than is noted of it")
            found = concepts_said(step.output.tries, most, statement.explanation, self._prompts)
            if msgspec.structs.replace(found, able=able) != step.output:
                yield _broken(step, "the concepts are not those that stand in what the extractor said")


def _conversation(step: Step, expected: tuple[Asked, ...]) -> Checked:
    if step.asked != expected:
        yield _broken(step, f"what {step.by} was asked is not what the prompts make of the steps before")


def _broken(step: Step, why: str) -> Finding:
    return Finding("broken", LOG, f"step {step.n}: {why}")
