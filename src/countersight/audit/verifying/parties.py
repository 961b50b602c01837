"""Who did each step, against those whom audit.json names."""

from collections.abc import Iterator
from typing import Final

from countersight.audit.folder import MANIFEST
from countersight.audit.further import OURS
from countersight.audit.records import Manifest, Stage, Step
from countersight.audit.verifying.finding import Finding

_ASKED: Final[tuple[Stage, ...]] = ("answer", "why", "answer again", "why again", "answer thought")
_OURS: Final[tuple[Stage, ...]] = ("uncited", "dose", "thought")


def checked_parties(steps: tuple[Step, ...], manifest: Manifest) -> Iterator[Finding]:
    """Everybody who did something, by the log, and is not named for it: another name would take the credit."""
    named = _named(manifest)
    unnamed = {(step.stage, by): None for step in steps for by in _did(step) if by not in named[step.stage]}
    for stage, by in unnamed:
        if stage == "verdict":
            yield Finding("broken", MANIFEST, f"{by} judged, by the log, and is not named as a judge")
        elif stage == "check":
            yield Finding("broken", MANIFEST, f"{by} looked at edits, by the log, and is not named as a checker")
        else:
            expected = " or ".join(named[stage]) or "nobody"
            yield Finding("broken", MANIFEST, f"{by} did the step {stage!r}, by the log; named for it is {expected}")


def _did(step: Step) -> set[str]:
    """The place of a verdict or a check says whose it is, too."""
    return {step.by, step.place.judge} if step.stage in ("verdict", "check") else {step.by}


def _named(manifest: Manifest) -> dict[str, tuple[str, ...]]:
    return {
        "case": ("",),
        "concepts": (manifest.extractor.name,),
        "edit": (manifest.editor.name,),
        "verdict": tuple(judge.name for judge in manifest.judges),
        "check": tuple(checker.name for checker in manifest.checkers),
        **dict.fromkeys(_ASKED, (manifest.model.name,)),
        **dict.fromkeys(_OURS, (OURS.name,)),
    }
