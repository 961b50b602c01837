"""Analyse how the drop differs between groups of pictures (C-VQA 4.3)."""

from collections.abc import Sequence

from countersight.case import TWO_WORLDS
from countersight.html import Grid, name, table_line
from countersight.number_formats import count
from countersight.reports.data import Analysis
from countersight.reports.image_groups import PictureGroups
from countersight.reports.loaded_run import LoadedRun
from countersight.scoring import Bias, bias
from countersight.suites import Terms
from countersight.text import several


def bias_analysis(groups: PictureGroups, runs: Sequence[LoadedRun], terms: Terms) -> Analysis:
    """Analyse how the drop differs between groups of pictures."""
    measured = bias([run.outcomes for run in runs], groups.names, groups.group_of, groups.picture_of)
    found = [(run, each) for run, each in zip(runs, measured, strict=True) if each.groups]
    left_out = [
        text
        for number, text in ((groups.several, "in several groups"), (groups.blank, "with no value"))
        for text in ([f"{several(number, 'picture')} {text}"] if number else [])
    ]
    about = (
        f"{name(groups.file)} names the pictures of {count(groups.matched)} of {several(groups.cases, 'case')}, "
        f"matched by {groups.way}; {several(int((groups.group_of >= 0).sum()), 'case')} are about pictures of one "
        "group."
    )
    column = name(groups.column)
    return Analysis(
        heading=f"Groups of pictures: {column}",
        about=f"{about} Left out: {' and '.join(left_out)}." if left_out else about,
        tables=tuple(_table(column, run, each, terms) for run, each in found),
        plot=tuple(
            (f"{run.label}, {group.name}" if len(found) > 1 else group.name, group.diff)
            for run, each in found
            for group in each.groups
        ),
    )


def _table(column: str, run: LoadedRun, measured: Bias, terms: Terms) -> Grid:
    lines = [
        table_line(
            *(each.name, each.pictures, each.n, each.factual, each.counterfactual, each.diff),
            n=each.n,
            run=run.label,
            group=each.name,
        )
        for each in measured.groups
    ]
    for gap in measured.gaps:
        pair = f"{gap.first} minus {gap.second}"
        cells = (gap.pictures, gap.n, "", "", gap)
        lines.append(table_line(f"gap: {pair}", *cells, n=gap.n, run=run.label, group=pair, total=True))
    head = (column, "pictures", "n", *(terms.measures.get(key, key) for key in TWO_WORLDS), "diff")
    left_out = ", ".join(map(name, measured.left_out))
    return Grid(
        f"By {column}: {name(run.label)}",
        head,
        tuple(lines),
        f"No case of {left_out} could be scored in both worlds." if left_out else "",
        key=f"groups by {column}",
        measures=("", "", "factual", "counterfactual", "diff"),
    )
