"""Scores as a notebook or a terminal shows them: a few lines, the first of which says what is amiss."""

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from countersight.scoring.figures import Difference, Rate
from countersight.text import several

if TYPE_CHECKING:
    from countersight.scoring.scores import Row, Scores

_MEASURES = ("factual", "counterfactual", "drop", "both_right", "shown", "imagination_gap")


def told(scores: "Scores") -> str:
    """The scores over all cases in words, a line each."""
    lines = [f"Scores of {scores.name or 'a run'}: {standing(scores.overall)}"]
    lines += [f"  {name:<16}{words}" for name, words in _figures(scores.overall)]
    if scores.groups.keys() - {""}:
        lines.append(f"  by group: {', '.join(scores.groups)}")
    return "\n".join(lines)


def as_html(scores: "Scores") -> str:
    """The scores of every group as a table of HTML; names out of files are made harmless."""
    head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in ("group", "n", *_MEASURES))
    lines = []
    for row in scores.rows:
        found = dict(_figures(row))
        figures = (found.get(name.replace("_", " "), "") for name in _MEASURES)
        cells = (row.group or "(no group)", f"{row.n:,}", *figures)
        lines.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    caption = escape(f"{scores.name or 'A run'}: {standing(scores.overall)}")
    return f"<table><caption>{caption}</caption><tr>{head}</tr>{''.join(lines)}</table>"


def standing(row: "Row") -> str:
    """How far the asking has come and what is amiss: "118 of 120 questions scored; 3 unread, 2 cut"."""
    amiss = [(name, getattr(row, name)) for name in ("unread", "cut", "empty", "failed", "missing")]
    words = [f"{count:,} {'not asked yet' if name == 'missing' else name}" for name, count in amiss if count]
    counted = f"{row.scored:,} of {several(row.questions, 'question')} scored"
    return f"{counted}; {', '.join(words)}" if words else counted


def _figures(row: "Row") -> Iterator[tuple[str, str]]:
    for name in _MEASURES:
        figure: Rate | Difference | None = getattr(row, name)
        if figure is None or figure.value is None:
            continue
        ends = f"({100 * figure.low:.1f} to {100 * figure.high:.1f}; n = {figure.n:,}"
        if isinstance(figure, Difference):
            yield name.replace("_", " "), f"{100 * figure.value:.1f} points {ends}; p = {figure.p:.3g})"
        else:
            yield name.replace("_", " "), f"{100 * figure.value:.1f}% {ends})"
