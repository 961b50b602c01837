"""How often each number is the right answer, group by group: C-VQA's Figure 3, for whatever asks for numbers."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from countersight.case import Case
from countersight.pages import (
    MARGIN,
    WIDTH,
    Cell,
    Grid,
    Line,
    Markup,
    element,
    name,
    percent,
    sheet,
    text,
    with_its_ends,
    words_at,
)
from countersight.reports.saving import saving
from countersight.suites import Terms
from countersight.text import several

_MOST: Final = 10
"""Numbers from here on stand together."""
_MOST_GROUPS: Final = 12
"""More groups than these are told of as one."""
_TITLE: Final = "How often each number is the right answer under the change"
_ACROSS, _GAP, _BAR, _LABEL = 3, 32, 22, 78
_BROAD: Final = (WIDTH - 2 * MARGIN - (_ACROSS - 1) * _GAP) / _ACROSS


class AnswerShares(msgspec.Struct, frozen=True):
    """Of the questions of a group that ask for a number under the change, the share of each right answer."""

    group: str
    questions: int
    shares: tuple[tuple[str, float], ...]


def answer_shares(cases: Iterable[tuple[int, Case]]) -> tuple[AnswerShares, ...]:
    """The shares of every group, in order of first appearance; none where no number is asked for."""
    counts: dict[str, Counter[str]] = {}
    for _, case in cases:
        question = case.counterfactual
        if question is not None and question.kind == "number":
            counts.setdefault(case.group, Counter())[_label(question.answer)] += 1
    if len(counts) > _MOST_GROUPS:
        counts = {"all": sum(counts.values(), Counter())}
    return tuple(AnswerShares(group, found.total(), tuple(_shares(found))) for group, found in counts.items())


def _shares(found: Counter[str]) -> Iterator[tuple[str, float]]:
    for label in (*map(str, range(_MOST)), f"{_MOST} or more", "other"):
        if found[label]:
            yield label, found[label] / found.total()


def _label(answer: str) -> str:
    if not answer.isdecimal():
        return "other"
    return str(int(answer)) if int(answer) < _MOST else f"{_MOST} or more"


def shares_grid(found: tuple[AnswerShares, ...], terms: Terms) -> Grid:
    """The shares as a table: a line an answer, a column a group."""
    labels = list(dict.fromkeys(label for each in found for label, _ in each.shares))
    labels.sort(key=lambda label: (not label[0].isdigit(), int(label.split()[0]) if label[0].isdigit() else 0))
    columns = [dict(each.shares) for each in found]
    rows = ([Cell(label), *(Cell(percent(column.get(label, 0.0))) for column in columns)] for label in labels)
    lines = tuple(Line(tuple(row)) for row in rows)
    head = ("right answer", *(f"{name(terms.groups.get(each.group, each.group))}, %" for each in found))
    return Grid("Right answers under the change", head, lines, "The share of each number, group by group.")


def shares_figure(found: tuple[AnswerShares, ...], terms: Terms) -> Markup:
    """The shares as bars, a panel a group; saved, they are one drawing."""
    panels = element("div", *_panels(found, terms), class_="bar-panels")
    return element("figure", panels, saving(_drawing(found, terms), "right-answers"), class_="panel panel-bars")


def _drawing(found: tuple[AnswerShares, ...], terms: Terms) -> Markup:
    """The panels side by side on one sheet, three in a row."""
    parts, top = [words_at(MARGIN, 40, _TITLE, "head")], 64.0
    for start in range(0, len(found), _ACROSS):
        beside = found[start : start + _ACROSS]
        for place, each in enumerate(beside):
            parts += _panel(each, terms, MARGIN + place * (_BROAD + _GAP), top)
        top += 34 + _BAR * max(len(each.shares) for each in beside)
    return sheet(_TITLE, int(top + 20), ".bar { fill: var(--two) }", parts)


def _panel(each: AnswerShares, terms: Terms, x: float, y: float) -> Iterator[Markup]:
    yield words_at(x, y + 12, with_its_ends(_heading(each, terms), 36), "soft")
    for place, (label, share) in enumerate(each.shares):
        line = y + 20 + place * _BAR
        yield words_at(x + _LABEL - 8, line + 13, label, "soft", "end")
        yield element("rect", class_="bar", x=x + _LABEL, y=line, width=share * (_BROAD - _LABEL - 48), height=_BAR - 4)
        yield words_at(x + _BROAD, line + 13, f"{percent(share)}%", "soft", "end")


def _panels(found: tuple[AnswerShares, ...], terms: Terms) -> Iterator[Markup]:
    for each in found:
        bars = [_bar(label, share) for label, share in each.shares]
        heading = element("p", text(_heading(each, terms)), class_="bars-name", dir="auto")
        yield element("div", heading, *bars, class_="bars")


def _heading(each: AnswerShares, terms: Terms) -> str:
    return f"{name(terms.groups.get(each.group, each.group))} ({several(each.questions, 'question')})"


def _bar(label: str, share: float) -> Markup:
    drawing = element(
        "svg",
        element("rect", width="100%", height=14, y=4, rx=3, class_="bar-ground"),
        element("rect", width=f"{100 * share:.2f}%", height=14, y=4, rx=3, class_="bar counterfactual"),
        role="img",
        aria_label=f"{label}: {percent(share)}%",
        height=22,
    )
    return element(
        "div",
        element("span", text(label), class_="bar-letter bar-answer"),
        drawing,
        element("span", text(f"{percent(share)}%"), class_="bar-share"),
        class_="bar-row",
    )
