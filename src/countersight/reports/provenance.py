"""How the figures of a report were got, in words: a figure without this is not worth printing."""

from countersight.html import count, name, percent
from countersight.reports.data import ReportData, RunScores
from countersight.text import several


def definitions(report: ReportData) -> list[tuple[str, str]]:
    """What each figure means and how it was computed."""
    level = percent(report.confidence, 0)
    score = (
        f"{level}% interval by Tango's score method with a correction of half a case; p by McNemar's exact test, "
        "two-sided. Zero lies in the interval exactly where p is not below 0.05"
    )
    exact = f"Exact binomial {level}% interval (Clopper and Pearson)"
    entries = _accuracies(report, exact)
    entries.append(
        (
            "intervals",
            "Cases that share a picture, or stand in one set, are not independent, and an answer that is worth a part "
            "tells more than one that is right or wrong: both count as the number of independent cases that would vary "
            "as much (Korn and Graubard, 1998).",
        )
    )
    measures = report.terms.measures
    if report.two_worlds:
        entries += [
            (
                measures["drop"],
                f"{_capital(measures['factual'])} minus {measures['counterfactual']}, in points, over the cases scored "
                f"in both worlds. {score}.",
            ),
            (measures["both_right"], f"Share of those cases answered right in both worlds. {exact}."),
        ]
    if "shown" in measures and any(run.overall.shown for run in report.runs):
        entries += [
            ("shown", f"Share answered right when the picture after the change is shown, not told. {exact}."),
            (
                "imagination gap",
                f"Shown minus counterfactual, in points, over the cases scored both ways. {score}.",
            ),
        ]
    entries += _suite(report)
    entries += [
        ("n", "Cases in the line. A figure that rests on fewer says its own n."),
        (
            "unread",
            "Replies in which no answer could be read. They count in n and are never right: beside an accuracy stands "
            "what it would be if every unread reply were wrong, and if every one were right. On a line of which not "
            "one could be read there is no figure.",
        ),
        (
            "cut, empty, failed, missing",
            "Replies that the limit of tokens ended before an answer, replies that say nothing, questions that got no "
            "reply, and those that were not asked yet. They are left out of every share.",
        ),
    ]
    if report.comparisons:
        entries.append(
            ("comparisons", f"Run minus run over the cases both answered, in points. {score}.{_several(report)}")
        )
    if report.references or report.terms.beside:
        entries.append(
            (
                "reported",
                "Printed in the paper that is named beside it, and copied from there; asked of other models, in other "
                "ways and perhaps of other cases. Nothing of it was measured here.",
            )
        )
    entries += [entry for analysis in report.analyses for entry in analysis.definitions]
    return entries


def _accuracies(report: ReportData, interval: str) -> list[tuple[str, str]]:
    measures = report.terms.measures
    names = ", ".join(measures[world] for world in report.worlds)
    if report.soft:
        return [
            (
                names,
                "The official soft accuracy of VQA: an answer is worth a third for each of the people that gave it, at "
                f"most 1, averaged over leaving out each of them in turn. The mean over the questions. {interval}. In "
                "the gallery and in scores.parquet an answer worth half or more is called right.",
            )
        ]
    if report.two_worlds:
        words = (
            "Share of questions answered right about the picture as it is (factual), and about what would be true "
            "under a change that is told in words (counterfactual)"
        )
    else:
        words = "Share of questions answered right"
    return [(names, f"{words}. {interval}.")]


def _suite(report: ReportData) -> list[tuple[str, str]]:
    """What only some suites have."""
    entries = []
    if any(run.total for run in report.runs):
        entries.append(
            (
                "total",
                "The sum of the accuracies of all groups in per cent, as the paper counts: every group weighs as much "
                "as any other, however many cases it has. Its interval squares and adds theirs (Zou and Donner, 2008).",
            )
        )
    if any(run.overall.chance for run in report.runs):
        entries.append(
            (
                "chance",
                "What guessing among the answers that each scored question offers would give, on average; a question "
                "that offers none, for a number or in words, counts as 0.",
            )
        )
    if report.blind:
        entries.append(
            ("blind", "What is answered from the words alone, without a picture; see: countersight blind DATASET.")
        )
    if report.knowledge:
        entries.append(("knowledge", "What is answered by counting, in other pictures, what usually keeps what."))
    return entries


def _several(report: ReportData) -> str:
    if len(report.comparisons) < 2:
        return ""
    return (
        f" Of the {count(len(report.comparisons))} pairs of runs each p is corrected by Holm's method, group by group "
        "and measure by measure, and each interval widened to agree with it."
    )


def _capital(words: str) -> str:
    return words.capitalize() if words.isalpha() else words  # acc_b is a name


def origins(report: ReportData) -> list[tuple[str, str]]:
    """Where the figures come from: the dataset, each run, and the program."""
    controls = f" and {several(report.controls, 'control')}" if report.controls else ""
    cases = f"{several(report.cases, 'case')}{controls}"
    dataset = f"{name(report.dataset)}, {cases}, fingerprint {name(report.fingerprint)}"
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
