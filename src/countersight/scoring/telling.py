"""Scores as a notebook or a terminal shows them: a few lines, the first of which says what is amiss."""

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from countersight.pages import interval, none_read, p_value, percent
from countersight.scoring.figures import Difference, Rate
from countersight.text import several

if TYPE_CHECKING:
    from countersight.scoring.controls import FalseAlarmRates
    from countersight.scoring.scores import Row, Scores
    from countersight.scoring.sets import SetScores

ALL = "all"
"""The name of the line over every group."""

_MEASURES = ("factual", "counterfactual", "drop", "both_right", "shown", "imagination_gap", "fell_back")


def told(scores: "Scores") -> str:
    """The scores over all cases in words, a line each."""
    lines = [f"Scores of {scores.name or 'a run'}: {standing(scores.overall)}"]
    if scores.damaged:
        are, were = ("is", "was") if scores.damaged == 1 else ("are", "were")
        lines.append(f"  {several(scores.damaged, 'line')} of replies.jsonl {are} damaged, and {were} not read")
    lines += [f"  {name:<16}{words}" for name, words in _figures(scores.overall)]
    lines += [f"  {words}" for words in map(balanced, scores.alarms) if words]
    lines += [f"  {words}" for words in map(whole, scores.sets) if words]
    if scores.groups.keys() - {""}:
        lines.append(f"  by group: {', '.join(scores.groups)}")
    return "\n".join(lines)


def balanced(alarms: "FalseAlarmRates") -> str:
    """Misses and false alarms over all cases in words, with their balance; nothing for a group."""
    if alarms.group != ALL or not alarms.balance.n:
        return ""
    rates = (("missed", alarms.misses), ("false alarms", alarms.false_alarms), ("unread", alarms.unread))
    shares = [f"{_share(rate)} {words}" for words, rate in rates if rate.right or words != "unread"]
    told = "told" if alarms.asking == "counterfactual" else "shown"
    ignoring = f"ignoring every change gives {percent(alarms.ignoring)}%"
    return (
        f"changes {told}: {', '.join(shares)}; balance {_share(alarms.balance)}, {ignoring}; n = {alarms.balance.n:,}"
    )


def whole(sets: "SetScores") -> str:
    """What is right as a whole over all cases in words; nothing for a group."""
    if sets.group != ALL:
        return ""
    found = (("questions", sets.question), ("pictures", sets.picture), (_of_answers(sets.whole.size), sets.whole))
    shares = [f"{words} {_share(each.rate)}" for words, each in found if each]
    without = f", and {sets.threes:,} without the fourth" if sets.fours and sets.threes else ""
    return f"right as a whole: {', '.join(shares)}; n = {sets.whole.rate.n:,}{without}"


def _of_answers(size: float) -> str:
    """What sets are called: by how many answers each has, or has on average."""
    return f"sets of {size:.0f}" if size == round(size) else f"sets (of {size:.1f} answers on average)"


def _share(rate: Rate) -> str:
    return f"{100 * (rate.value or 0.0):.1f}% ({interval(rate)})"


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
    amiss = {"unread": row.unread - row.unheard} | {name: getattr(row, name) for name in ("cut", "empty", "failed")}
    amiss |= {"not asked yet": row.missing, "unread and left out": row.unheard}
    words = [f"{count:,} {name}" for name, count in amiss.items() if count]
    counted = f"{row.scored:,} of {several(row.questions, 'question')} scored"
    counted += f" ({row.restated:,} restated)" if row.restated else ""
    return f"{counted}; {', '.join(words)}" if words else counted


def _figures(row: "Row") -> Iterator[tuple[str, str]]:
    for name in _MEASURES:
        figure: Rate | Difference | None = getattr(row, name)
        if isinstance(figure, Rate) and figure.unheard:
            yield name.replace("_", " "), none_read(figure.unheard)
        if figure is None or figure.value is None:
            continue
        ends = f"({interval(figure)}; n = {figure.n:,}"
        if isinstance(figure, Rate) and figure.unread and figure.bounds:
            ends += f"; {percent(figure.bounds.high)}% if unread replies were right"
        if isinstance(figure, Difference):
            yield name.replace("_", " "), f"{percent(figure.value)} points {ends}; {p_value(figure.p)})"
        else:
            yield name.replace("_", " "), f"{100 * figure.value:.1f}% {ends})"
