"""The figures to remember, at the head of the report's page."""

from countersight.pages import Markup, element, interval, name, percent, text
from countersight.reports.data import ReportData

_FEW_RUNS = 3


def tiles_of(report: ReportData) -> Markup:
    """The figures to remember, a row a run; many runs are better read in the table below."""
    rows: list[Markup] = []
    if len(report.runs) > _FEW_RUNS:
        return Markup("")
    for run in report.runs:
        scores, words = run.overall, report.terms.measures
        tiles = [
            ("factual", words.get("factual"), scores.factual, "%"),
            ("counterfactual", words.get("counterfactual"), scores.counterfactual, "%"),
            ("drop", words.get("drop"), scores.drop, " pts"),
            ("both", words.get("both_right"), scores.both_right, "%"),
            ("gap", words.get("imagination_gap"), scores.imagination_gap, " pts"),
        ]
        written = [
            element(
                "div",
                element("dt", text(called)),
                element(
                    "dd",
                    element("b", text(percent(figure.value)), element("span", text(unit))),
                    element("small", text(interval(figure))),
                ),
                class_=f"tile tile-{key}",
            )
            for key, called, figure, unit in tiles
            if called and figure and figure.value is not None
        ]
        standing = [element("small", text(f" {run.standing}"))] if run.standing else []
        heading = element("p", text(name(run.label)), *standing, class_="tiles-run", dir="auto")
        rows.append(element("div", heading, element("dl", *written, class_="tiles"), class_="tiles-row"))
    return element("div", *rows, class_="tiles-rows")
