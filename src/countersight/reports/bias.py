"""The drop by groups of pictures (C-VQA 4.3), in sentences and tables."""

from collections.abc import Iterator, Sequence

from countersight.case import TWO_WORLDS
from countersight.html import Grid, count, interval, name, p_value, percent, table_line
from countersight.reports.data import Analysis, IntervalPlot, Point
from countersight.reports.image_groups import PictureGroups
from countersight.reports.scored import AnalysedRun
from countersight.scoring import RESAMPLES, Bias, Gap, Interval, bias, corrected_gaps
from countersight.suites import Terms
from countersight.text import several

_FEW_GAPS = 3


def bias_analysis(
    groups: PictureGroups,
    runs: Sequence[AnalysedRun],
    terms: Terms,
    *,
    seed: int,
) -> Analysis | None:
    """Analyse how the drop differs between groups of pictures; None if no case is scored in both worlds."""
    found = [(run, bias(run.outcomes, groups.names, groups.group_of, groups.picture_of, seed=seed)) for run in runs]
    found = [(run, measured) for run, measured in found if measured.groups]
    if not found:
        return None
    found = list(zip((run for run, _ in found), corrected_gaps([measured for _, measured in found]), strict=True))
    column = name(groups.column)
    overview = [_overview(column, found)] if len(found) > 1 else []
    return Analysis(
        heading=f"Groups of pictures: {column}",
        about=_about(groups),
        points=tuple(Point(name(run.label), tuple(_sentences(measured))) for run, measured in found),
        tables=(*overview, *(_table(column, run, measured, terms) for run, measured in found)),
        definitions=tuple(_definitions(found, seed)),
        plot=IntervalPlot(
            "diff, in points",
            tuple(
                (
                    f"{run.label}, {group.name}" if len(found) > 1 else group.name,
                    group.diff,
                )
                for run, measured in found
                for group in measured.groups
            ),
        ),
        asked_for=True,
    )


def _about(groups: PictureGroups) -> str:
    told = (
        f"{name(groups.file)} names the pictures of {count(groups.matched)} of {several(groups.cases, 'case')}, "
        f"matched by {groups.way}; {several(groups.kept, 'case')} are about pictures of one group."
    )
    left = []
    if groups.several:
        left.append(f"{several(groups.several, 'picture')} with rows of several groups")
    if groups.blank:
        left.append(f"{several(groups.blank, 'picture')} with no value")
    return f"{told} Left out: {' and '.join(left)}." if left else told


def _sentences(measured: Bias) -> Iterator[str]:
    pictures = {group.name: group.pictures for group in measured.groups}
    if not measured.gaps:
        [group] = measured.groups
        yield f"Only {name(group.name)} has cases scored in both worlds: there is nothing to compare it with."
    if measured.left_out:
        yield f"No case of {', '.join(map(name, measured.left_out))} could be scored in both worlds."
    for gap in measured.gaps:
        more, less = (gap.first, gap.second) if gap.value >= 0 else (gap.second, gap.first)
        ends = Interval(gap.low, gap.high) if gap.value >= 0 else Interval(-gap.high, -gap.low)
        larger = f"{percent(abs(gap.value))} points larger for {name(more)} than for {name(less)}"
        yield (
            f"The drop is {larger if gap.value else f'the same for {name(more)} and {name(less)}'} "
            f"({count(pictures[more])} and {several(pictures[less], 'picture')}; {interval(ends)}; "
            f"permutation {p_value(gap.p)})" + ("." if _told_apart(gap) else ": this is not significant.")
        )


def _told_apart(gap: Gap) -> bool:
    return not gap.low <= 0 <= gap.high


def _overview(column: str, found: Sequence[tuple[AnalysedRun, Bias]]) -> Grid:
    groups = list(dict.fromkeys(group.name for _, measured in found for group in measured.groups))
    gaps = list(dict.fromkeys((gap.first, gap.second) for _, measured in found for gap in measured.gaps))[:_FEW_GAPS]
    lines = []
    for run, measured in found:
        of_group = {group.name: group.diff for group in measured.groups}
        of_gap = {(gap.first, gap.second): gap for gap in measured.gaps}
        lines.append(table_line(run.label, *map(of_group.get, groups), *map(of_gap.get, gaps)))
    heads = [*(f"diff({name(each)})" for each in groups), *(f"gap({name(one)}, {name(other)})" for one, other in gaps)]
    return Grid(f"Factual minus counterfactual accuracy by {column}, all runs", ("run", *heads), tuple(lines))


def _table(column: str, run: AnalysedRun, measured: Bias, terms: Terms) -> Grid:
    lines = [
        table_line(
            each.name,
            each.pictures,
            each.n,
            *(each.factual, each.counterfactual, each.diff),
            n=each.n,
            run=run.label,
            group=each.name,
        )
        for each in measured.groups
    ]
    lines += [
        table_line(
            f"gap: {gap.first} minus {gap.second}",
            gap.pictures,
            gap.n,
            *("", "", gap),
            n=gap.n,
            run=run.label,
            group=f"{gap.first} minus {gap.second}",
            total=True,
        )
        for gap in measured.gaps
    ]
    head = (column, "pictures", "n", *(terms.measures.get(key, key) for key in TWO_WORLDS), "diff")
    measures = ("", "", "factual", "counterfactual", "diff")
    return Grid(f"By {column}: {name(run.label)}", head, tuple(lines), key=f"groups by {column}", measures=measures)


def _definitions(found: Sequence[tuple[AnalysedRun, Bias]], seed: int) -> Iterator[tuple[str, str]]:
    drawn = f"({count(RESAMPLES)} draws, seed {seed})"
    yield (
        "diff",
        "Factual minus counterfactual accuracy, over the cases about pictures of a group that were scored in both "
        "worlds. Pictures with rows of several groups are left out. Score interval for the effective number of "
        "independent cases, because cases about one picture are not independent.",
    )
    gaps = sum(len(measured.gaps) for _, measured in found)
    if gaps:
        yield (
            "gap",
            "The diff of one group minus that of another; its interval squares and adds theirs (Zou and Donner, "
            f"2008). p by a two-sided permutation test: pictures are assigned to the two groups at random {drawn}; "
            f"or the p value of the interval, if larger{_of_several(gaps)}.",
        )


def _of_several(gaps: int) -> str:
    """How the p of several gaps were corrected, as those between runs are."""
    return f"; p values and intervals of the {count(gaps)} gaps are corrected by Holm's method" if gaps > 1 else ""
