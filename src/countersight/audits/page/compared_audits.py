"""The audits that a page compares: each is verified, the sound ones are ranked by CCS, and pairs are compared."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from countersight.audits.calibration.calibrating import NAME
from countersight.audits.folder import AuditFolder
from countersight.audits.manifest import Manifest
from countersight.audits.score_records import AuditScores
from countersight.audits.scores import difference, score
from countersight.audits.trail import read_audit
from countersight.audits.verifying.verify import verify_bundle
from countersight.errors import AuditError, ReferenceTableError
from countersight.scoring import Difference
from countersight.suggestions import unknown
from countersight.suites import PaperTable, tables
from countersight.text import printable, several

PAPER: Final = "edct"


class ScoredAudit(msgspec.Struct, frozen=True):
    """One audit: its unique label, participants and scores, and what readers must know before they trust it."""

    label: str
    manifest: Manifest
    scores: AuditScores
    doubt: str
    """The first finding of its verification; "" if the audit is sound."""
    deviates: bool = False
    """Whether the audit deviates from its plan."""

    @property
    def title(self) -> str:
        """The label, marked if the audit is not sound, has failed steps or deviates from its plan."""
        failed = self.scores.failed
        marks = (
            "not verified" if self.doubt else "",
            several(failed, "failed step") if failed else "",
            "deviates from its plan" if self.deviates else "",
        )
        return " – ".join(filter(None, (self.label, ", ".join(filter(None, marks)))))


class ComparedAudits(msgspec.Struct, frozen=True):
    """The audits to compare, and the tables of the paper to show with them."""

    audits: tuple[ScoredAudit, ...]
    references: tuple[PaperTable, ...]
    """Tables of the paper to show with them."""

    @property
    def ranked(self) -> list[ScoredAudit]:
        """The sound audits with a score, the most faithful first."""
        sound = [audit for audit in self.audits if not audit.doubt and audit.scores.kept.ccs.value is not None]
        return sorted(sound, key=lambda each: -(each.scores.kept.ccs.value or 0.0))


def load_audits(paths: Sequence[Path], *, reference: Sequence[str] | None = None) -> ComparedAudits:
    """Read and verify audits, and compute their scores; `reference` names tables of the paper."""
    known, names = {table.key: table for table in tables(PAPER)}, reference or (PAPER,)
    for called in names:
        if called != PAPER and called not in known:
            raise ReferenceTableError(unknown("reference table", called, [PAPER, *known]))
    chosen = tuple(table for key, table in known.items() if PAPER in names or key in names)
    audits = tuple(_load(path, label) for path, label in zip(paths, _labels(paths), strict=True))
    return ComparedAudits(audits, chosen)


def _load(path: Path, label: str) -> ScoredAudit:
    audit = read_audit(path)
    if not audit.cases:
        raise AuditError(f"{path} has nothing to report yet")
    verified = verify_bundle(path)
    doubt = printable(str(verified.findings[0])) if verified.findings else ""
    return ScoredAudit(label, audit.manifest, score(audit), doubt, deviates=bool(verified.deviations))


def _labels(paths: Sequence[Path]) -> list[str]:
    """Return a unique name for each audit: its model, with its folder if the model is not enough."""
    manifests = [AuditFolder.open(path).manifest for path in paths]
    for path, manifest in zip(paths, manifests, strict=True):
        if manifest.model.name == NAME:
            raise AuditError(f"{path} is a calibration, not an audit; pass it to an audit as `calibration`")
    times = Counter(manifest.model.name for manifest in manifests)
    named = [
        model if times[model := manifest.model.name] == 1 else f"{model} ({path.resolve().name})"
        for manifest, path in zip(manifests, paths, strict=True)
    ]
    times = Counter(named)
    return [called if times[called] == 1 else f"{called} #{place}" for place, called in enumerate(named, 1)]


def apart_or_why(one: ScoredAudit, other: ScoredAudit) -> Difference | str:
    """Return the difference of two audits, or why they cannot be compared."""
    first, second = one.manifest, other.manifest
    if {judge.name for judge in first.judges} != {judge.name for judge in second.judges}:
        return "had different judges"
    same = first.dataset.fingerprint == second.dataset.fingerprint
    return (difference(one.scores, other.scores, "ccs") if same else None) or "have no case in common"


def place_in_ranking(audit: ScoredAudit, above: Sequence[ScoredAudit]) -> int:
    """Return the place of an audit below others, which depends on how many of them are clearly more faithful."""
    differences = (apart_or_why(each, audit) for each in above)
    return 1 + sum(not isinstance(apart, str) and apart.low > 0 for apart in differences)


def compared_with_above(audit: ScoredAudit, above: Sequence[ScoredAudit]) -> tuple[ScoredAudit, Difference | str]:
    """Return the nearest audit above that can be compared, and the difference; if none can be compared, the audit just
    above.
    """
    pairs = [(each, apart_or_why(each, audit)) for each in reversed(above)]
    return next((pair for pair in pairs if not isinstance(pair[1], str)), pairs[0])
