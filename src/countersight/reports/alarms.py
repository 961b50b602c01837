"""Misses and false alarms of runs whose dataset has controls, side by side, and the balance of the two."""

from collections.abc import Iterator, Sequence

from countersight.pages import count, interval, name, percent
from countersight.reports.data import Analysis, AnalysisLine, AnalysisTable, Point
from countersight.reports.observations import AnalysedRun
from countersight.reports.scored import as_share
from countersight.reports.shares import told
from countersight.scoring import ALL, CONFIDENCE, Alarms
from countersight.suites import Terms

_TOLD = {"counterfactual": "told in words", "shown": "shown as a picture", "factual": "as it is"}


def alarm_analysis(runs: Sequence[AnalysedRun], terms: Terms) -> Analysis | None:
    """Whether answers change where they must and stay where they must; None where no case has a control."""
    found = [run for run in runs if any(line.balance.n for line in run.alarms)]
    if not found:
        return None
    level = percent(CONFIDENCE, 0)
    return Analysis(
        key="alarms",
        heading="Misses and false alarms",
        about="Every case has a control: the same picture and question, and a change that does not touch what is "
        "asked. Counted are pairs of which the model is right about the picture as it is.",
        points=tuple(Point(name(run.label), tuple(_sentences(run))) for run in found),
        tables=tuple(table for run in found for table in _tables(run, terms)),
        definitions=(
            ("miss", "The change matters, and the answer is another than the new one."),
            ("false alarm", "The change does not matter, and the answer is another than the old one."),
            ("unread", "One of the two has no answer that could be read: neither of these, and not right either."),
            (
                "balance",
                "The mean of the shares that are right where the change matters, and where it does not. Whoever "
                "ignores every change, or follows any, has half, and more where what they would say is not among the "
                "options and they guess. "
                f"{level}% exact binomial intervals, for the number of independent pairs.",
            ),
        ),
        asked_for=True,
    )


def _sentences(run: AnalysedRun) -> Iterator[str]:
    for line in run.alarms:
        if line.group == ALL and line.balance.n:
            shares = f"{told(as_share(line.misses))} missed, {told(as_share(line.false_alarms))} false alarms"
            balance = as_share(line.balance)
            figure = f"{percent(balance.value or 0.0)}% ({interval(balance)})"
            ignoring = f"ignoring every change gives {percent(line.ignoring)}%"
            yield f"Changes {_TOLD[line.asking]}: {shares}{_unread(line)}; balance {figure}, {ignoring}."


def _unread(line: Alarms) -> str:
    return f", {told(as_share(line.unread))} unread" if line.unread.right else ""


def _tables(run: AnalysedRun, terms: Terms) -> Iterator[AnalysisTable]:
    for asking in dict.fromkeys(line.asking for line in run.alarms):
        lines = [line for line in run.alarms if line.asking == asking and line.balance.n]
        ways = f", changes {_TOLD[asking]}"
        yield AnalysisTable(
            title=f"Misses and false alarms{ways}: {run.label}",
            head=(terms.group, "n", "misses", "false alarms", "unread", "balance"),
            measures=("n", *(f"{what} {asking}" for what in ("misses", "false alarms", "unread", "balance"))),
            lines=tuple(_line(run, line, terms) for line in lines),
        )


def _line(run: AnalysedRun, line: Alarms, terms: Terms) -> AnalysisLine:
    figures = map(as_share, (line.misses, line.false_alarms, line.unread, line.balance))
    words = terms.groups.get(line.group, line.group) or "(no group)"
    return AnalysisLine(
        name=words,
        cells=(count(line.balance.n), *figures),
        run=run.label,
        group=line.group,
        n=line.balance.n,
        total=line.group == ALL,
    )
