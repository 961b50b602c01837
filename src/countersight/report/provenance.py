"""How the figures of a report were got, in words: a figure without this is not worth printing."""

from countersight.report.data import ReportData, RunScores
from countersight.report.wording import count, name, percent
from countersight.wording import several


def sentence(report: ReportData) -> str:
    """What was measured and what came out, in a sentence."""
    asked = f"{several(report.cases, 'case')} of {name(report.dataset)}"
    told = "about the picture as it is and about what would be true under a change"
    if len(report.runs) > 1:
        drops = [run.overall.drop.value for run in report.runs if run.overall.drop]
        known = [drop for drop in drops if drop is not None]
        start = f"{count(len(report.runs))} runs were asked {asked}, {told}"
        if not known:
            return start + "."
        least, most = percent(min(known)), percent(max(known))
        between = f"{least} points in each" if least == most else f"between {least} and {most} points"
        return f"{start}: the drop in accuracy is {between}."
    run = report.runs[0]
    drop = run.overall.drop
    start = f"{name(run.label)} was asked {asked}, {told}"
    if drop is None or drop.value is None:
        return start + "."
    return (
        f"{start}: the drop in accuracy is {percent(drop.value)} points "
        f"({percent(report.confidence, 0)}% interval {percent(drop.low)} to {percent(drop.high)})."
    )


def definitions(report: ReportData) -> list[tuple[str, str]]:
    """What each figure means and how it was computed."""
    level = percent(report.confidence, 0)
    bootstrap = (
        f"{level}% interval by paired bootstrap over cases ({count(report.resamples)} resamples, seed {report.seed}); "
        "p by McNemar's exact test, two-sided. Where no case differs the interval has no width, however few there are"
    )
    wilson = f"{level}% interval by Wilson's method"
    entries = [
        (
            "factual, counterfactual",
            "Share of questions answered right about the picture as it is, and about the picture under a change "
            f"that is told in words. {wilson}.",
        ),
        ("drop", f"Factual minus counterfactual, in points, over the cases scored in both worlds. {bootstrap}."),
        ("both right", f"Share of those cases answered right in both worlds. {wilson}."),
    ]
    if any(run.overall.shown for run in report.runs):
        entries += [
            ("shown", f"Share answered right when the picture after the change is shown, not told. {wilson}."),
            (
                "imagination gap",
                f"Shown minus counterfactual, in points, over the cases scored both ways. {bootstrap}.",
            ),
        ]
    entries += [
        ("n", "Cases in the line. A figure that rests on fewer says its own n."),
        ("unread", "Replies in which no answer could be read. They count in n and are never right."),
        ("failed, missing", "Questions that got no reply, or were not asked yet. They are left out of every share."),
    ]
    if report.comparisons:
        entries.append(("comparisons", f"Run minus run over the cases both answered, in points. {bootstrap}."))
    return entries


def origins(report: ReportData) -> list[tuple[str, str]]:
    """Where the figures come from: the dataset, each run, and the program."""
    dataset = f"{name(report.dataset)}, {several(report.cases, 'case')}, fingerprint {name(report.fingerprint)}"
    if report.bad_rows:
        left_out = "was left out" if report.bad_rows == 1 else "were left out"
        dataset += f"; {several(report.bad_rows, 'row')} could not be read and {left_out}"
    runs = [
        (
            f"run {name(run.label)}",
            f"model {name(run.model)}; prompt {name(run.prompt)}; {_way(run)}; started {name(run.started)}; "
            f"asked by Countersight {name(run.version)}",
        )
        for run in report.runs
    ]
    return [("dataset", dataset), *runs, ("report", f"Countersight {report.version}, seed {report.seed}")]


def _way(run: RunScores) -> str:
    """How its answers were got, beside the prompt."""
    way = "options ranked by loss" if run.answering == "rank" else "answers written"
    settings = ", ".join(f"{name(key)} {name(value)}" for key, value in run.settings)
    return f"{way} ({settings})" if settings else way
