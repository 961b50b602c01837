"""The parts of a bundle that cannot be recomputed and must be taken on trust."""

from collections.abc import Callable, Iterator
from typing import Final

from countersight.audits.bundle.changes import CHANGES
from countersight.audits.calibration.people import REVIEWED
from countersight.audits.checkers.protocol import CHECKERS
from countersight.audits.extraction.protocol import EXTRACTORS
from countersight.audits.folder import ORDERS
from countersight.audits.judges.protocol import JUDGES
from countersight.audits.scores import failed_steps
from countersight.audits.verifying.comparison import Note
from countersight.audits.verifying.replay import OURS, OpenedBundle
from countersight.text import several


def _by_people(opened: OpenedBundle) -> bool:
    return opened.audit.calibration is not None and bool(opened.audit.calibration.people)


def _plugged_in(opened: OpenedBundle) -> bool:
    """Whether an installed judge, extractor or checker of another package took part."""
    manifest = opened.audit.manifest
    parties = ((JUDGES, manifest.judges), (EXTRACTORS, (manifest.extractor,)), (CHECKERS, manifest.checkers))
    return any(
        registry.knows(party.name) and party.name not in OURS and not party.name.startswith("detector:")
        for registry, named in parties
        for party in named
    )


_TRUST: Final[tuple[tuple[str, str, Callable[[OpenedBundle], object]], ...]] = (
    ("replies of models", "they were recorded; a model may answer differently now",
     lambda opened: sum(bool(step.asked) for step in opened.audit.steps)),
    ("pictures, masks and refusals of the editor", "they were recorded; only edits by exact can be repeated",
     lambda opened: opened.audit.manifest.editor.name not in ("", "exact")),
    ("steps that failed", "failures cannot be reproduced", lambda opened: failed_steps(opened.audit)),
    ("times, costs, operator, packages, machine, and reported model names",
     "as reported by clocks, servers and the machine", lambda opened: True),
    ("names and settings of all models and tools, the options of the audit, and its calibration",
     "as written in audit.json; no reply proves them", lambda opened: True),
    ("whether there was a plan, and when it was written",
     "as written in audit.json and plan.json; only a signature can confirm it", lambda opened: True),
    ("the time of sealing, and earlier seals", "as written in bundle.json; only a time stamp can confirm it",
     lambda opened: True),
    ("the digests that identify steps",
     "they only prevent repeating a step; no result depends on them", lambda opened: True),
    ("the dataset: its rows, pictures and card", "it was not found; name it with --dataset",
     lambda opened: opened.dataset is None),
    ("the earlier audit that it is compared with", "it was not found; name it with --against",
     lambda opened: CHANGES in opened.files and opened.against is None),
    ("people's reviews and labels, and the audit that they labelled", "people's judgements cannot be recomputed",
     lambda opened: REVIEWED in opened.files or _by_people(opened)),
    ("LPIPS of the edits, and checks by a detector", "their weights are not in the bundle",
     lambda opened: opened.audit.manifest.lpips
     or any(checker.name.startswith("detector:") for checker in opened.audit.manifest.checkers)),
    ("results of judges, extractors, checkers of other packages", "they are not part of Countersight", _plugged_in),
    ("paid orders of edits", "as reported by the service", lambda opened: ORDERS in opened.files),
)  # fmt: skip
TRUSTED: Final = {what: why for what, why, _ in _TRUST}
"""Everything that may be taken on trust, and why; `audit verify` lists the items that apply to a bundle."""


def trusted(opened: OpenedBundle) -> Iterator[Note]:
    """Return what is taken on trust in this bundle."""
    for what, why, is_there in _TRUST:
        if found := is_there(opened):
            yield Note(what + (f", {several(found, 'step')}" if type(found) is int else ""), why)
