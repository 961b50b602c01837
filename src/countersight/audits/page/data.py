"""Several audits side by side: what the tables show, and where each figure comes from."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import msgspec

from countersight import __version__
from countersight.audits.folder import AuditFolder
from countersight.audits.paired import Difference, difference
from countersight.audits.records import Manifest
from countersight.audits.scores import MEASURES, Measure, Scores, score
from countersight.audits.trail import read_audit
from countersight.errors import AuditError, ReferenceTableError
from countersight.suites import PaperTable, tables
from countersight.text import unknown

PAPER = "edct"


class ScoredAudit(msgspec.Struct, frozen=True):
    """One audit: a name that no other in the tables has, who took part, and its scores."""

    label: str
    manifest: Manifest
    scores: Scores


class Compared(msgspec.Struct, frozen=True):
    """The first audit of a dataset and a later one, over the cases that count in both."""

    first: str
    second: str
    differences: dict[Measure, Difference | None]


class AuditTables(msgspec.Struct, frozen=True):
    """Everything the tables show."""

    audits: tuple[ScoredAudit, ...]
    compared: tuple[Compared, ...]
    references: tuple[PaperTable, ...]
    """Tables of the paper to be set beside them."""
    seed: int
    version: str
    ranked: tuple[ScoredAudit, ...] = ()
    """The most faithful first; audits without a score last."""
    next_best: tuple[Compared, ...] = ()
    """Each of them beside the next, where both are of one dataset."""


def load_audits(paths: Sequence[Path], *, reference: Sequence[str] | None = None, seed: int = 0) -> AuditTables:
    """Audits with their scores, worked out from their logs; `reference` names tables of the paper, if not all."""
    audits = []
    for path, label in zip(paths, _labels(paths), strict=True):
        audit = read_audit(path)
        if not audit.cases:
            raise AuditError(f"{path} has nothing to report yet")
        audits.append(ScoredAudit(label, audit.manifest, score(audit, seed=seed)))
    firsts: dict[str, ScoredAudit] = {}
    compared = []
    for each in audits:
        first = firsts.setdefault(each.manifest.dataset.fingerprint, each)
        if first is not each:
            compared.append(_compared(first, each))
    ranked = sorted(audits, key=lambda each: -1.0 if (found := each.scores.kept.ccs.value) is None else found)[::-1]
    pairs = [(one, other) for one, other in pairwise(ranked) if _is_same_data(one, other)]
    return AuditTables(
        tuple(audits),
        tuple(compared),
        _references(reference or ()),
        seed,
        __version__,
        tuple(ranked),
        tuple(_compared(one, other) for one, other in pairs),
    )


def _is_same_data(one: ScoredAudit, other: ScoredAudit) -> bool:
    return one.manifest.dataset.fingerprint == other.manifest.dataset.fingerprint


def _compared(one: ScoredAudit, other: ScoredAudit) -> Compared:
    found = {measure: difference(one.scores, other.scores, measure) for measure in MEASURES}
    return Compared(one.label, other.label, found)


def _references(names: Sequence[str]) -> tuple[PaperTable, ...]:
    known = {table.key: table for table in tables(PAPER)}
    for name in names:
        if name != PAPER and name not in known:
            raise ReferenceTableError(unknown("reported table of audits", name, [PAPER, *known]))
    return tuple(table for key, table in known.items() if not names or PAPER in names or key in names)


def _labels(paths: Sequence[Path]) -> list[str]:
    """A name for each audit that no other has: its model, with its folder where the model is not enough."""
    models = []
    for path in paths:
        manifest = AuditFolder.open(path).manifest
        if manifest.dataset.name == "calibration" and not manifest.dataset.path:
            raise AuditError(
                f"{path} is a calibration, not an audit; its sheet goes with an audit as its `calibration`"
            )
        models.append(manifest.model.name)
    times = Counter(models)
    named = [
        model if times[model] == 1 else f"{model} ({path.resolve().name})"
        for model, path in zip(models, paths, strict=True)
    ]
    times = Counter(named)
    return [name if times[name] == 1 else f"{name} #{place}" for place, name in enumerate(named, 1)]
