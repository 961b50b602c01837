"""The figures of the page, drawn as SVG by hand.

Positions are percentages of whatever width there is, so the same drawing serves a desk and a phone and its words
stay the size of the page's. Colours are classes: the style sheet has one set for light and one for dark.
"""

from collections.abc import Sequence

from countersight.case import ASKING_WORDS, ASKINGS, Asking
from countersight.pages import Figure, Markup, element, interval, name, none_read, percent, text
from countersight.reports.data import GroupScores, LetterShare, ReportData, RunScores
from countersight.suites import PLAIN, Terms

_ROW = 36
"""Height of a line of the drop plot."""

MARKS: dict[Asking, Markup] = {
    "factual": element("circle", r=6),
    "counterfactual": element("path", d="M0-7.5 7.5 0 0 7.5-7.5 0z"),
    "shown": element("path", d="M0-7 7 5.5-7 5.5z"),
}
"""A shape as well as a colour for each asking."""


def mark(asking: Asking) -> Markup:
    """The sign of an asking, for legends and headings."""
    drawing = element("g", MARKS[asking], class_=f"mark {asking}")
    return element("svg", drawing, class_="sign", viewBox="-9 -9 18 18", aria_hidden="true")


def legend(askings: list[Asking], terms: Terms = PLAIN) -> Markup:
    """What the marks stand for."""
    return element(
        "ul",
        *(element("li", mark(asking), text(_meaning(asking, terms))) for asking in askings),
        class_="legend",
    )


def _meaning(asking: Asking, terms: Terms) -> str:
    """What a mark stands for: the asking, the paper's name for its accuracy where it has one, and what it is."""
    called = terms.measures.get(asking, asking)
    paper = "" if called == asking else f" ({called})"
    return f"{asking}{paper}: {ASKING_WORDS[asking]}"


def drop_plot(run: RunScores, terms: Terms = PLAIN) -> Markup:
    """How far accuracy falls from the factual to the counterfactual world, group by group, with intervals."""
    return _plot(run.groups, run.overall, terms.groups, "drop")


def accuracy_plot(lines: Sequence[GroupScores], overall: GroupScores, asking: Asking, terms: Terms) -> Markup:
    """Accuracy with its interval, line by line, where there is one world and nothing to fall from."""
    return _plot((*lines, overall), overall, terms.groups, asking, terms.measures[asking])


def _plot(
    lines: Sequence[GroupScores], overall: GroupScores, words: dict[str, str], key: str, head: str = ""
) -> Markup:
    """Marks on a scale, line by line, and one figure of each line in print."""
    rows = [
        _row(scores, words.get(scores.group, scores.group), getattr(scores, key), total=scores is overall)
        for scores in lines
    ]
    gap = Markup("<span></span>")
    top = element("div", gap, gap, element("span", text(head or key)), class_="plot-row plot-head")
    axis = element("div", gap, _axis(), gap, class_="plot-row plot-axis", aria_hidden="true")
    return element("div", top, *rows, axis, class_="plot")


def nothing_read(scores: GroupScores) -> str:
    """Of which askings there are replies on a line and not one could be read; nothing where there are none such."""
    unread = {asking: figure.unheard for asking in ASKINGS if (figure := getattr(scores, asking)) and figure.unheard}
    if unread and not _figures(scores):
        return f"nothing read: {none_read(sum(unread.values()))}"
    return "; ".join(f"{asking}: {none_read(replies)}" for asking, replies in unread.items())


def _row(scores: GroupScores, words: str, printed: Figure | None, *, total: bool) -> Markup:
    if printed and printed.value is not None:
        figure = element(
            "span",
            element("b", text(percent(printed.value))),
            element("small", text(interval(printed))),
            class_="plot-drop",
        )
    else:
        figure = element("span", text("–"), element("small", text(nothing_read(scores))), class_="plot-drop")
    return element(
        "div",
        element("span", text(name(words)), class_="plot-name", dir="auto"),
        _dumbbell(words, _figures(scores), nothing_read(scores)),
        figure,
        class_="plot-row plot-total" if total else "plot-row",
    )


def answered(report: ReportData) -> list[Asking]:
    """The askings of which any run has a figure."""
    return [asking for asking in ASKINGS if any(asking in _figures(run.overall) for run in report.runs)]


def _figures(scores: GroupScores) -> dict[Asking, Figure]:
    found = {asking: getattr(scores, asking) for asking in ASKINGS}
    return {asking: figure for asking, figure in found.items() if figure and figure.value is not None}


def _dumbbell(group: str, figures: dict[Asking, Figure], unread: str) -> Markup:
    middle = _ROW / 2
    parts = [
        element("line", x1=f"{tick}%", x2=f"{tick}%", y1=-6, y2=_ROW + 6, class_="grid")
        for tick in (0, 25, 50, 75, 100)
    ]
    shares = {asking: 100 * (figure.value or 0) for asking, figure in figures.items()}
    if "factual" in shares and "counterfactual" in shares:
        ends = {"x1": f"{shares['factual']:.2f}%", "x2": f"{shares['counterfactual']:.2f}%"}
        parts.append(element("line", **ends, y1=middle, y2=middle, class_="fall"))
    # Intervals lie a little above and below the middle, so that those that overlap can still be told apart.
    for asking, shift in zip(ASKINGS, (-3.5, 3.5, 0), strict=True):
        if asking in figures:
            low, high = (f"{100 * end:.2f}%" for end in (figures[asking].low, figures[asking].high))
            y = middle + shift
            parts.append(element("line", x1=low, x2=high, y1=y, y2=y, class_=f"interval {asking}"))
    for asking in reversed(ASKINGS):
        if asking in figures:
            # A nested drawing is the one thing that can be moved by a percentage and keep its shape.
            inner = element("g", MARKS[asking], class_=f"mark {asking}")
            parts.append(element("svg", inner, x=f"{shares[asking]:.2f}%", y=middle, overflow="visible"))
    said = [f"{asking} {percent(figure.value or 0)}% ({interval(figure)})" for asking, figure in figures.items()]
    words = "; ".join([*said, unread] if unread else said)
    return element(
        "svg",
        *parts,
        role="img",
        aria_label=f"{name(group)}: {words or 'nothing scored'}",
        class_="dumbbell",
        height=_ROW,
    )


def _axis() -> Markup:
    marks = [f"{tick}%" for tick in (0, 25, 50, 75, 100)]
    ticks = [element("text", text(mark), x=mark, y=14, text_anchor="middle") for mark in marks]
    return element("svg", *ticks, class_="dumbbell", height=18)


def letter_bars(run: RunScores) -> Markup:
    """How often each letter was answered, with a stroke where the share of right answers is."""
    panels = []
    for asking in ASKINGS:
        shares = [share for share in run.letters if share.asking == asking and share.n]
        if shares:
            panels.append(
                element(
                    "div",
                    element("p", mark(asking), text(asking), class_="bars-name"),
                    *(_bar(share) for share in sorted(shares, key=lambda share: share.letter)),
                    class_="bars",
                )
            )
    return element("div", *panels, class_="bar-panels")


def _bar(share: LetterShare) -> Markup:
    answered, gold = share.answered / share.n, share.gold / share.n
    at = f"{100 * gold:.2f}%"
    drawing = element(
        "svg",
        element("rect", width="100%", height=14, y=4, rx=3, class_="bar-ground"),
        element("rect", width=f"{100 * answered:.2f}%", height=14, y=4, rx=3, class_=f"bar {share.asking}"),
        element("line", x1=at, x2=at, y1=0, y2=22, class_="gold-halo"),
        element("line", x1=at, x2=at, y1=0, y2=22, class_="gold"),
        role="img",
        aria_label=f"{name(share.letter)}: answered {percent(answered)}%, right answer {percent(gold)}%",
        height=22,
    )
    return element(
        "div",
        element("span", text(name(share.letter)), class_="bar-letter"),
        drawing,
        element("span", text(f"{percent(answered)}%"), class_="bar-share"),
        class_="bar-row",
    )
