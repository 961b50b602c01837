"""How often the grammar imagined in the model's place (prompt `compose`), and what came of it."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from countersight.pages import Figure, count, name, percent
from countersight.reports.data import Analysis, AnalysisLine, AnalysisTable, Point
from countersight.reports.observations import AnalysedRun
from countersight.reports.shares import share, told
from countersight.reports.watching import Watched
from countersight.scoring import CONFIDENCE
from countersight.suites import Terms

_Mask = NDArray[np.bool_]


def composed_analysis(runs: Sequence[AnalysedRun], watched: Sequence[Watched], terms: Terms) -> Analysis | None:
    """What was composed and what was asked under a change; None where no run composed anything."""
    found = [(run, seen.composed) for run, seen in zip(runs, watched, strict=True) if seen.composed]
    if not found:
        return None
    return Analysis(
        key="composed",
        heading="Composed answers",
        about="Numbers under a change that a grammar worked out from what the model had counted; whatever it does not "
        "decide, the model was asked.",
        points=tuple(Point(name(run.label), tuple(_sentences(run, rows))) for run, rows in found),
        tables=tuple(_table(run, rows, terms) for run, rows in found),
        definitions=(
            (
                "composed",
                "Of the answered questions about the change, those whose number followed by the grammar from the "
                f"model's own count. It is right where both are. {percent(CONFIDENCE, 0)}% exact binomial intervals.",
            ),
        ),
    )


def _sentences(run: AnalysedRun, rows: set[int]) -> Iterator[str]:
    outcomes = run.outcomes
    composed, scored, right = _masks(run, rows)
    composed_share = share(int((composed & scored).sum()), int(scored.sum()))
    yield f"{told(composed_share)} of the answers under a change were composed."
    parts = [
        f"{which} {told(share(int((right & mask).sum()), int((scored & mask).sum())))}"
        for which, mask in (("composed", composed), ("asked", ~composed))
        if (scored & mask).any()
    ]
    yield f"Right under a change: {', '.join(parts)}."
    seen = composed & outcomes.right("factual")
    if seen.any():
        after = share(int((seen & right).sum()), int(seen.sum()))
        yield f"Where the model had counted right, the composed answer is right in {told(after)}."


def _table(run: AnalysedRun, rows: set[int], terms: Terms) -> AnalysisTable:
    outcomes = run.outcomes
    composed, scored, right = _masks(run, rows)
    named = [group for group in terms.groups if group in outcomes.group_names]
    named += [group for group in outcomes.group_names if group not in named]
    lines = []
    for group in named if len(named) > 1 else []:
        inside = outcomes.groups == outcomes.group_names.index(group)
        words = terms.groups.get(group, group) or "(no group)"
        lines.append(_line(run, words, group, composed & inside, scored & inside, right))
    lines.append(_line(run, "all", "all", composed, scored, right))
    return AnalysisTable(
        title=f"Composed and asked under a change: {run.label}",
        head=(terms.group, "n", "composed", "right where composed", "right where asked"),
        measures=("n", "composed", "right where composed", "right where asked"),
        lines=tuple(lines),
    )


def _line(run: AnalysedRun, words: str, group: str, composed: _Mask, scored: _Mask, right: _Mask) -> AnalysisLine:
    n = int(scored.sum())
    cells: list[Figure | str] = [count(n), share(int((composed & scored).sum()), n)]
    for mask in (composed & scored, ~composed & scored):
        cells.append(share(int((mask & right).sum()), int(mask.sum())))
    return AnalysisLine(name=words, cells=tuple(cells), run=run.label, group=group, n=n, total=words == "all")


def _masks(run: AnalysedRun, rows: set[int]) -> tuple[_Mask, _Mask, _Mask]:
    """Of the questions about the change: which were composed, which are scored, and which are right."""
    outcomes = run.outcomes
    composed: _Mask = np.isin(outcomes.rows, np.fromiter(rows, np.int64, len(rows)))
    return composed, outcomes.scored("counterfactual"), outcomes.right("counterfactual")
