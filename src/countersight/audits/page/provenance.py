"""Where on the page evidence comes from: the steps of a case, and the stage at which a test ended early."""

from collections.abc import Iterable, Iterator
from typing import Final, Literal

from countersight.audits.bundle.cases import CaseSheet, ConceptSheet
from countersight.audits.exclusion import BAD_EDIT, NO_PICTURE
from countersight.audits.records import Step
from countersight.html import Markup, element, name, text

Ended = Literal["", "answer", "concepts", "edit", "gate", "rule", "verdict"]

ENDS: Final[dict[Ended, str]] = {
    "answer": "asking the model",
    "concepts": "finding concepts",
    "edit": "editing: no picture",
    "gate": "editing: a bad edit",
    "rule": "excluded by another rule",
    "verdict": "judging: undecided",
}
"""Where a test can end without a score that counts."""


def ended_at(case: CaseSheet, test: ConceptSheet | None = None) -> Ended:
    """At which stage a test, or a case without one, ended early; nothing where it has a score that counts."""
    if test is None:
        return "answer" if case.answer is None or not case.no_concept else "concepts"
    if test.excluded.startswith(NO_PICTURE):
        return "edit"
    if test.excluded.startswith(BAD_EDIT):
        return "gate"
    if test.excluded:
        return "rule"
    return "verdict" if test.ccs is None else ""


def steps_by_case(steps: Iterable[Step]) -> dict[str, list[Step]]:
    """The steps of every case, in order."""
    found: dict[str, list[Step]] = {}
    for step in steps:
        found.setdefault(step.place.case, []).append(step)
    return found


def provenance(steps: list[Step]) -> Iterator[Markup]:
    """The numbers and hashes of the steps that a card tells of, folded."""
    if not steps:
        return
    lines = [
        element(
            "li",
            text(f"step {step.n}, {_called(step)}: "),
            element("code", text(step.hash[:16]), title=step.hash),
        )
        for step in steps
    ]
    summary = element("summary", text(f"{len(lines)} steps in steps.jsonl, from {steps[0].n} on, with their hashes"))
    yield element("details", summary, element("ol", *lines), class_="steps")


def _called(step: Step) -> str:
    of = "" if step.place.concept is None else f" of concept {step.place.concept}"
    return f"{step.stage}{of}, by {name(step.by)}" if step.by else f"{step.stage}{of}"
