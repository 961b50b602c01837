"""Where the figures of a report come from, and what each of them means."""

from countersight.html import fragment, name
from countersight.number_formats import percent
from countersight.reports.data import ReportData, RunScores
from countersight.scoring import ANYTIME, MIN_MARGINAL_COUNT
from countersight.text import several


def origins_and_definitions(report: ReportData) -> list[tuple[str, str]]:
    """Return where the figures come from, then what each of them means and how it is computed."""
    return [*origins(report), *definitions(report)]


def definitions(report: ReportData) -> list[tuple[str, str]]:
    """Return the meaning and computation of each figure; the texts are in `definitions.txt`."""
    measures = report.terms.measures
    factual = measures.get("factual", "factual")
    figures = ((run, figure) for run in report.runs for figure in (run.overall.factual, run.overall.counterfactual))
    stopped = dict.fromkeys(name(run.label) for run, figure in figures if figure.method == ANYTIME)
    words = fragment(
        __package__,
        "definitions.txt",
        report=report,
        measures=measures,
        level=percent(report.confidence, 0),
        factual=factual.capitalize() if factual.isalpha() else factual,  # names such as acc_b stay as they are
        is_shown="shown" in measures and any(run.overall.shown for run in report.runs),
        stopped_early=", ".join(stopped),
        analysed={table.key.partition(" by ")[0] for analysis in report.analyses for table in analysis.tables},
        least_in_a_margin=MIN_MARGINAL_COUNT,
        has_total=any(run.total for run in report.runs),
        has_chance=any(share is not None for run in report.runs for share in run.overall.chance.values()),
    ).unescape()
    return [(term, text) for term, _, text in (line.partition(" | ") for line in words.splitlines() if line)]


def origins(report: ReportData) -> list[tuple[str, str]]:
    """Return the origin of the figures: the dataset, each run, and the program."""
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
            f"run by Countersight {name(run.version)}",
        )
        for run in report.runs
    ]
    corrected = [("corrected answers", report.gold)] if report.gold else []
    return [("dataset", dataset), *corrected, *runs, ("report", f"Countersight {report.version}, seed {report.seed}")]


def _way(run: RunScores) -> str:
    """Return how the answers were obtained, in addition to the prompt."""
    way = "options ranked by loss" if run.answering == "rank" else "answers written"
    settings = ", ".join(f"{name(key)} {name(value)}" for key, value in run.settings)
    return f"{way} ({settings})" if settings else way
