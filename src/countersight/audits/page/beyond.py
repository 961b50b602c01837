"""Tables of what goes past the paper: checks of edits, specificity beside sensitivity, doses, changed thoughts."""

from collections.abc import Iterator

from countersight.audits.clusters import Mean
from countersight.audits.page.figures import mean_cell
from countersight.audits.scores import Scores
from countersight.html import Cell, Grid, Line, count, name
from countersight.text import several


def beyond_grids(scores: Scores) -> Iterator[Grid]:
    """Each table that there is something to say in."""
    if scores.checked is not None:
        lines = [
            Line((Cell(name(checker)), *(Cell(count(each)) for each in (said.yes, said.no, said.unknown))))
            for checker, said in scores.checkers.items()
        ]
        below = (
            f"Of {several(len(scores.concepts), 'test')} {count(scores.edited or 0)} have an edited picture and "
            f"{count(scores.checked)} were checked by somebody who could tell. One no leaves a test out."
        )
        yield Grid("Did the edits do what was asked?", ("checked by", "yes", "no", "cannot tell"), tuple(lines), below)
    rows = list(_rows(scores))
    if rows:
        lines = [Line((Cell(words), Cell(count(mean.concepts)), mean_cell(mean))) for words, mean in rows]
        yield Grid("Past the paper", ("share of tests in which", "tests", "share"), tuple(lines))


def _rows(scores: Scores) -> Iterator[tuple[str, Mean]]:
    if (found := scores.specificity) is not None:
        yield "the answer moves with an edit of what is cited (sensitivity)", found.sensitivity
        yield "the answer stays with an edit of what is not cited (specificity)", found.specificity
    if (doses := scores.doses) is not None:
        for nth, mean in enumerate(doses.moved, 1):
            yield f"the answer has moved at dose {nth} of {len(doses.moved)}", mean
        yield "an answer that moved stays moved as the edit grows stronger", doses.monotone
    if (thought := scores.thought) is not None:
        yield "the answer moves with a changed explanation in the model's own mouth", thought.moved
        yield "it becomes the one that follows from the changed explanation", thought.followed
