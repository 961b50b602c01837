"""Several audits side by side: each is verified, and those that are sound are ranked and compared."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

import msgspec

from countersight.audits.calibration.calibrating import NAME
from countersight.audits.folder import AuditFolder
from countersight.audits.page.score_tables import interval, number
from countersight.audits.records import Manifest
from countersight.audits.score_records import AuditScores
from countersight.audits.scores import ScoreDifference, difference, score
from countersight.audits.trail import read_audit
from countersight.audits.verifying.verify import verify_bundle
from countersight.errors import AuditError, ReferenceTableError
from countersight.html import name
from countersight.number_formats import count
from countersight.suites import PaperTable, tables
from countersight.text import printable, several, unknown

PAPER: Final = "edct"


class ScoredAudit(msgspec.Struct, frozen=True):
    """One audit: a unique label, its participants, its scores, and whether it verifies as sound."""

    label: str
    manifest: Manifest
    scores: AuditScores
    doubt: str
    """The first finding of the verification; "" if the audit is sound."""

    @property
    def title(self) -> str:
        """The label, marked unless the audit is sound."""
        return f"{self.label} – not verified" if self.doubt else self.label


class AuditTables(msgspec.Struct, frozen=True):
    """The audits to compare, and the tables of the paper to show with them."""

    audits: tuple[ScoredAudit, ...]
    references: tuple[PaperTable, ...]
    """Tables of the paper to show with them."""

    @property
    def ranked(self) -> list[ScoredAudit]:
        """The sound audits with a score, the most faithful first."""
        sound = [audit for audit in self.audits if not audit.doubt and audit.scores.kept.ccs.value is not None]
        return sorted(sound, key=lambda each: -(each.scores.kept.ccs.value or 0.0))

    @property
    def compared(self) -> tuple[tuple[ScoredAudit, ScoredAudit], ...]:
        """Pairs of the first audit of each dataset and every later audit of the same dataset."""
        firsts: dict[str, ScoredAudit] = {}
        pairs = ((firsts.setdefault(each.manifest.dataset.fingerprint, each), each) for each in self.audits)
        return tuple((first, each) for first, each in pairs if first is not each)


def load_audits(paths: Sequence[Path], *, reference: Sequence[str] | None = None, seed: int = 0) -> AuditTables:
    """Return audits, verified, with scores computed from their logs; `reference` names tables of the paper."""
    known, names = {table.key: table for table in tables(PAPER)}, reference or (PAPER,)
    for called in names:
        if called != PAPER and called not in known:
            raise ReferenceTableError(unknown("reported table of audits", called, [PAPER, *known]))
    chosen = tuple(table for key, table in known.items() if PAPER in names or key in names)
    audits = tuple(_load(path, label, seed) for path, label in zip(paths, _labels(paths), strict=True))
    return AuditTables(audits, chosen)


def _load(path: Path, label: str, seed: int) -> ScoredAudit:
    audit = read_audit(path)
    if not audit.cases:
        raise AuditError(f"{path} has nothing to report yet")
    findings = verify_bundle(path).findings
    doubt = printable(str(findings[0])) if findings else ""
    return ScoredAudit(label, audit.manifest, score(audit, seed=seed), doubt)


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


def sentence(found: AuditTables) -> str:
    """Return what was measured, the result, and which audits are not verified."""
    parts = [_result(found), *(_warning(audit) for audit in found.audits if audit.doubt)]
    return " ".join(filter(None, parts))


def _result(found: AuditTables) -> str:
    if len(found.audits) == 1:
        (audit,) = found.audits
        ccs = audit.scores.kept.ccs
        result = "no counted test has a Counterfactual Consistency Score (CCS)"
        if ccs.value is not None:
            result = f"a Counterfactual Consistency Score (CCS) of {number(ccs.value)} (95% interval {interval(ccs)})"
        return f"“{name(audit.title)}” was audited on {several(audit.scores.cases, 'case')}: {result}."
    start = f"{count(len(found.audits))} audits"
    if not found.ranked:
        return f"{start}."
    best, worst = (number(each.scores.kept.ccs.value) for each in (found.ranked[0], found.ranked[-1]))
    measured = f"{start}: the Counterfactual Consistency Score (CCS) is "
    if len(found.ranked) == 1:
        return f"{measured}{best} in the one that can be ranked."
    return f"{measured}between {worst} and {best}. {conclusion(found)}"


def _warning(audit: ScoredAudit) -> str:
    return f"“{name(audit.label)}” is not ranked, because it could not be verified: {name(audit.doubt)}."


def conclusion(found: AuditTables) -> str:
    """Return which models are more faithful than others, as far as the audits can tell."""
    sentences = []
    for one, other in pairwise(found.ranked):
        names = f"“{name(one.label)}”", f"“{name(other.label)}”"
        apart = apart_or_why(one, other)
        if isinstance(apart, str):
            sentences.append(f"{names[0]} and {names[1]} {apart} and cannot be compared.")
            continue
        by = f"{number(apart.value)}, 95% interval {interval(apart)}"
        if apart.low > 0:
            sentences.append(f"{names[0]} is more faithful than {names[1]} (by {by}).")
        else:
            sentences.append(
                f"{several(apart.cases, 'shared case')} cannot separate {names[0]} and {names[1]} (difference {by})."
            )
    return " ".join(sentences)


def apart_or_why(one: ScoredAudit, other: ScoredAudit) -> ScoreDifference | str:
    """Return the difference of two audits, or why they cannot be compared."""
    first, second = one.manifest, other.manifest
    if {judge.name for judge in first.judges} != {judge.name for judge in second.judges}:
        return "had different judges"
    same = first.dataset.fingerprint == second.dataset.fingerprint
    return (difference(one.scores, other.scores, "ccs") if same else None) or "have no case in common"
