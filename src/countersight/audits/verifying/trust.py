"""What a bundle asks to be believed: nobody can derive it again, and a signature alone vouches for it."""

from collections.abc import Iterator
from typing import Final

from countersight.audits.bundle.changes import CHANGES
from countersight.audits.bundle.reviews import REVIEWED, REVIEWS
from countersight.audits.calibration.taking import CALIBRATION_FOLDER
from countersight.audits.checkers.registry import CHECKERS
from countersight.audits.extraction.registry import EXTRACTORS
from countersight.audits.folder import AuditFolder
from countersight.audits.judges.registry import JUDGES
from countersight.audits.orders import ORDERS
from countersight.audits.records import Failed, Manifest
from countersight.audits.verifying.finding import Note
from countersight.audits.verifying.replay import OURS
from countersight.audits.verifying.stages import Opened, same_audit
from countersight.errors import AuditError
from countersight.text import several

TRUSTED: Final[dict[str, str]] = {
    "what models said": "they were asked then, and might say something else now",
    "pictures, masks and refusals of the editor": "it edited then; only edits by exact can be made again",
    "steps that failed": "nobody can tell now whether they did",
    "when steps were done, what they cost, and how models name themselves": "clocks and servers said so",
    "who worked, with which packages and on which machine": "the machine said so",
    "settings of those who took part, and what was asked for": "audit.json says so, and no step contradicts it",
    "when it was sealed, and seals before this one": "bundle.json says so; a time stamp would vouch for it",
    "which calibration was put in, if any": "audit.json names it, the log does not; out of both, it leaves no trace",
    "the digests by which steps are known again": "they spare doing a step twice, and nothing follows from them",
    "the dataset: its rows, pictures and card": "it is not here: name it with --dataset",
    "the earlier audit that it is compared with": "it is not here: name it with --against",
    "what people said in reviews": "they judged then",
    "what people said for the calibration": "they judged then",
    "the audit that people labelled for the calibration": "it is another one than this",
    "how good the editor is, by the calibration": "its edits are not in the bundle",
    "LPIPS of the edits": "its weights are not in the bundle",
    "checks by a detector": "its weights are not in the bundle",
    "what judges, extractors and checkers of others found": "they are no part of Countersight",
    "orders of edits that were paid for": "a service and its bills said so",
}
"""Everything that may be taken on trust, and why; verify names what of it there is in the bundle at hand."""


def trusted(opened: Opened) -> Iterator[Note]:
    """What of this bundle is taken on trust."""
    manifest, calibration = opened.audit.manifest, opened.audit.calibration
    people = calibration is not None and calibration.people
    there = {
        "what models said": sum(bool(step.asked) for step in opened.audit.steps),
        "pictures, masks and refusals of the editor": manifest.editor.name not in ("", "exact"),
        "steps that failed": _failed(opened),
        "when steps were done, what they cost, and how models name themselves": True,
        "who worked, with which packages and on which machine": True,
        "settings of those who took part, and what was asked for": True,
        "when it was sealed, and seals before this one": True,
        "which calibration was put in, if any": True,
        "the digests by which steps are known again": True,
        "the dataset: its rows, pictures and card": opened.dataset is None,
        "the earlier audit that it is compared with": CHANGES in opened.files and opened.against is None,
        "what people said in reviews": bool({REVIEWS, REVIEWED} & opened.files),
        "what people said for the calibration": people,
        "the audit that people labelled for the calibration": people and _of_another(opened),
        "how good the editor is, by the calibration": calibration is not None and calibration.editor is not None,
        "LPIPS of the edits": manifest.lpips,
        "checks by a detector": any(checker.name.startswith("detector:") for checker in manifest.checkers),
        "what judges, extractors and checkers of others found": any(_plugged_in(manifest)),
        "orders of edits that were paid for": ORDERS in opened.files,
    }
    for what, found in there.items():
        if found:
            counted = f", {several(found, 'step')}" if type(found) is int else ""
            yield Note(what + counted, TRUSTED[what])


def _failed(opened: Opened) -> int:
    """Steps that failed and were not done since."""
    last = {(step.stage, step.place): step.output for step in opened.audit.steps}
    return sum(isinstance(output, Failed) for output in last.values())


def _plugged_in(manifest: Manifest) -> Iterator[bool]:
    """Whether each who took part is known here and comes from somebody else."""
    parties = ((JUDGES, manifest.judges), (EXTRACTORS, (manifest.extractor,)), (CHECKERS, manifest.checkers))
    for registry, named in parties:
        for party in named:
            yield registry.knows(party.name) and party.name not in OURS and not party.name.startswith("detector:")


def _of_another(opened: Opened) -> bool:
    try:
        judged = AuditFolder.open(opened.path / CALIBRATION_FOLDER).manifest
    except AuditError:
        return False  # it is found already
    return not same_audit(judged, opened.audit.manifest)
