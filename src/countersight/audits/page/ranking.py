"""Rank audits: verify each, order the sound ones by CCS, and find which differ significantly."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from countersight.audits.calibration.calibrating import NAME
from countersight.audits.folder import AuditFolder
from countersight.audits.manifest import Manifest
from countersight.audits.page.score_tables import (
    interval,
    number,
)
from countersight.audits.score_records import AuditScores
from countersight.audits.scores import difference, score
from countersight.audits.trail import read_audit
from countersight.audits.verifying.verify import verify_bundle
from countersight.english import listed
from countersight.errors import AuditError, ReferenceTableError
from countersight.html import (
    name,
)
from countersight.number_formats import count
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


def load_audits(paths: Sequence[Path], *, reference: Sequence[str] | None = None) -> AuditTables:
    """Read and verify audits, and compute their scores; `reference` names tables of the paper."""
    known, names = {table.key: table for table in tables(PAPER)}, reference or (PAPER,)
    for called in names:
        if called != PAPER and called not in known:
            raise ReferenceTableError(unknown("reference table", called, [PAPER, *known]))
    chosen = tuple(table for key, table in known.items() if PAPER in names or key in names)
    audits = tuple(_load(path, label) for path, label in zip(paths, _labels(paths), strict=True))
    return AuditTables(audits, chosen)


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


def lead(found: AuditTables) -> str:
    """Return a sentence about what was measured, and the result."""
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
    range_of = f"{best} in the only audit that can be ranked" if len(found.ranked) == 1 else f"{worst} to {best}"
    return f"{start}: the Counterfactual Consistency Score (CCS) is {range_of}."


class ComparedAudits(NamedTuple):
    """Two ranked audits, the one with the higher score first, and their difference or why they cannot be compared."""

    one: ScoredAudit
    other: ScoredAudit
    apart: Difference | str

    def __str__(self) -> str:
        return f"“{name(self.one.label)}” and “{name(self.other.label)}”"


def conclusions(found: AuditTables) -> list[str]:
    """Return sentences about which models are more faithful than others, and about audits that are not ranked."""
    pairs = [ComparedAudits(*two, apart_or_why(*two)) for two in combinations(found.ranked, 2)]
    better, unclear, incomparable = defaultdict(list), [], defaultdict(list)
    for pair in pairs:
        if isinstance(pair.apart, str):
            incomparable[pair.apart].append(pair)
        elif pair.apart.low > 0:
            better[pair.one.label].append(pair)
        else:
            unclear.append(pair)
    words = []
    for label, clear in better.items():
        others = listed(f"“{name(pair.other.label)}”" for pair in clear)
        words.append(f"“{name(label)}” is more faithful than {others}{_difference(clear, 'by')}.")
    if unclear:
        words.append(f"{_named(unclear)} do not differ significantly{_difference(unclear, 'difference')}.")
    words += [f"{_named(which)} {why} and cannot be compared." for why, which in incomparable.items()]
    doubtful = [audit for audit in found.audits if audit.doubt]
    return words + [
        f"“{name(audit.label)}” is not ranked, because it could not be verified: {name(audit.doubt)}."
        for audit in doubtful
    ]


def _named(pairs: Sequence[ComparedAudits]) -> str:
    return str(pairs[0]) if len(pairs) == 1 else f"{count(len(pairs))} pairs of audits"


def _difference(pairs: Sequence[ComparedAudits], word: str) -> str:
    """Return the difference of a pair in parentheses; empty if there are several pairs."""
    [(_, _, apart), *others] = pairs
    if others or isinstance(apart, str):
        return ""
    on = several(apart.n, "shared case")
    return f" ({word} {number(apart.value)} on {on}, 95% interval {interval(apart)})"


def apart_or_why(one: ScoredAudit, other: ScoredAudit) -> Difference | str:
    """Return the difference of two audits, or why they cannot be compared."""
    first, second = one.manifest, other.manifest
    if {judge.name for judge in first.judges} != {judge.name for judge in second.judges}:
        return "had different judges"
    same = first.dataset.fingerprint == second.dataset.fingerprint
    return (difference(one.scores, other.scores, "ccs") if same else None) or "have no case in common"
