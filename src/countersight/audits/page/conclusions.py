"""Sentences about compared audits: what was measured, and which models are more faithful than others."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from countersight.audits.page.compared_audits import ComparedAudits, ScoredAudit, apart_or_why
from countersight.audits.page.score_tables import (
    interval,
    number,
)
from countersight.english import listed
from countersight.html import (
    name,
)
from countersight.number_formats import count
from countersight.scoring import Difference
from countersight.text import several


def lead(found: ComparedAudits) -> str:
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


class AuditPair(NamedTuple):
    """Two ranked audits, the one with the higher score first, and their difference or why they cannot be compared."""

    one: ScoredAudit
    other: ScoredAudit
    apart: Difference | str

    def __str__(self) -> str:
        return f"“{name(self.one.label)}” and “{name(self.other.label)}”"


def conclusions(found: ComparedAudits) -> list[str]:
    """Return sentences about which models are more faithful than others, and about audits that are not ranked."""
    pairs = [AuditPair(*two, apart_or_why(*two)) for two in combinations(found.ranked, 2)]
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


def _named(pairs: Sequence[AuditPair]) -> str:
    return str(pairs[0]) if len(pairs) == 1 else f"{count(len(pairs))} pairs of audits"


def _difference(pairs: Sequence[AuditPair], word: str) -> str:
    """Return the difference of a pair in parentheses; empty if there are several pairs."""
    [(_, _, apart), *others] = pairs
    if others or isinstance(apart, str):
        return ""
    on = several(apart.n, "shared case")
    return f" ({word} {number(apart.value)} on {on}, 95% interval {interval(apart)})"
