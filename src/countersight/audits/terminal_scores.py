"""Print the scores of an audit in a terminal: the tables of its page, and the warnings."""

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.text import Text

from countersight.audits.calibration.sheet import Calibration
from countersight.audits.clusters import Mean
from countersight.audits.page.score_tables import (
    agreement_grids,
    calibration_grids,
    corrected_grid,
    interval,
    number,
    result_grids,
)
from countersight.audits.plan import Conclusion
from countersight.audits.scores import AuditScores
from countersight.html import print_grids
from countersight.text import printable, several


def tell(
    scores: AuditScores, console: Console, warnings: Iterable[str] = (), conclusion: Conclusion | None = None
) -> None:
    """Print warnings, the scores, the exclusions with reasons, and the agreement of the judges."""
    console.print(Text(printable(f"Are the explanations of {scores.model} faithful?"), style="bold"))
    if conclusion is not None:
        console.print(Text(printable(conclusion.words), style="bold"))
    for warning in warnings:
        console.print(Text(printable(f"Warning: {warning}"), style="bold"))
    corrected = [corrected_grid(scores)] if scores.corrected else []
    print_grids((*result_grids(scores), *agreement_grids(scores.agreement), *corrected), console)
    console.print()
    for line in _lines(scores):
        console.print(Text(printable(line)))


def tell_calibration(calibration: Calibration, console: Console) -> None:
    """Print the calibration of judges."""
    print_grids(calibration_grids(calibration), console)


def _figure(mean: Mean) -> str:
    return "–" if mean.value is None else f"{number(mean.value)} ({interval(mean)})"


def _lines(scores: AuditScores) -> Iterator[str]:
    tested = f"{several(scores.cases, 'case')}, {several(len(scores.concepts), 'concept')} tested"
    yield f"{tested}; 95% intervals, clustered by picture"
    if scores.refused:
        yield f"rejected: {several(scores.refused, 'concept')} that the extractor named but no explanation cites"
    if scores.without_concept:
        yield f"{several(scores.without_concept, 'explanation')} named nothing that can be tested"
    for reason, count in scores.excluded.items():
        yield f"left out: {count:,} x {reason}"
    if scores.undecided:
        yield f"{several(scores.undecided, 'test')} undecided: judges abstain or are divided"
    for judge, count in scores.abstentions.items():
        if count:
            yield f"{judge} abstained {count:,} times"
    if scores.accuracy is not None:
        before, after = _figure(scores.accuracy.before), _figure(scores.accuracy.after)
        yield f"accuracy of the answers (not part of the scores): {before} before the edits, {after} after them"
    if scores.controls:
        yield (
            f"after control edits that change nothing, the answer changed in {scores.flips:,} of "
            f"{several(scores.controls, 'case')}"
        )
    if (found := scores.specificity) is not None:
        yield f"edits of uncited objects: {found.left_out:,} excluded, {found.without:,} cases without one"
    if scores.failed:
        yield f"{several(scores.failed, 'step')} failed; run the same command to repeat them"
