"""`countersight score`, `report`, `compare`, `leaderboard` and `view`: scores, tables and pages of runs and audits."""

import argparse
import errno
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from countersight.cli.parsing import Verbs, in_options, shared_options, verb
from countersight.cli.terminal import EXIT_STOPPED, run_work
from countersight.errors import CountersightError
from countersight.progress import bar
from countersight.text import printable, several

if TYPE_CHECKING:
    import asyncio

    from countersight.reports import Analysis, Rereading

_SCORE: Final = {"RUN": "a run folder", "-o, --output FILE": "write one row per answer to this file (.parquet or .csv)"}
_REPORT: Final = {
    "RUN+": "runs, folders of runs, or audits",
    "-o, --output DIR=report": "the folder to write",
    "--seed SEED=0": "random seed for choosing the cases shown and for resampling",
    "--gallery N=3000": "maximum number of cases shown with pictures",
    "--groups CSV": "compare groups of pictures, from a table with the column id and one column per grouping, such as "
    "bb_gender",
    "--to {terminal,markdown}=terminal": "what to print: the tables, or a summary for a pull request or a model card",
    "--reader MODEL": "a language model that reads replies in which the rules found no answer; its readings are cached "
    "and shown in a separate table, with its rate of agreement with the rules",
    "--reference TABLE…?": "show published results next to the runs: all tables of the suite, or those named here "
    "(cfmm-2, cosim, …)",
}
_COMPARE: Final = {
    "OLD": "a run, a report, or its scores.json",
    "NEW": "the run or report to compare it with, for example of a different version, model or prompt",
    "--fail-if CONDITION*": "exit with 1 if a measure changed by this much (new minus old, in points): 'drop > 2', "
    "'counterfactual < -1'",
}
_LEADERBOARD: Final = {
    "RUN+": "runs, or folders of runs",
    "-o, --output DIR=leaderboard": "the folder to write",
    "--dataset DIR…": "current folders of datasets that were moved",
}
_VIEW: Final = {
    "FOLDER+": "a run, or a folder of runs",
    "--host H=127.0.0.1": "the address to listen on (default: only this machine)",
    "--port PORT=8642": "the port to listen on",
    "--no-browser": "do not open the browser",
}


def add(verbs: Verbs) -> None:
    """Add the commands of this module to the parser."""
    summary = "print the scores of a run; optionally write one row per answer to a file"
    example = "countersight score runs/qwen --gold corrected.csv -o runs/qwen/scores.parquet"
    verb(verbs, "score", _score, summary, example, _SCORE, shared_options("dataset", "gold"))
    summary = "write tables and an HTML report about one or more runs, or about several audits side by side"
    example = "countersight report runs/qwen runs/llava -o report"
    verb(verbs, "report", _report, summary, example, _REPORT, shared_options("dataset", "gold"))
    summary = "compare the scores of two runs or reports, and fail if a measure changed by more than allowed"
    example = "countersight compare runs/main runs/new --fail-if 'drop > 2' --fail-if 'counterfactual < -1'"
    verb(verbs, "compare", _compare, summary, example, _COMPARE)
    summary = "compare runs of any suites on one sortable page, next to published results"
    example = "countersight leaderboard runs/* -o leaderboard"
    verb(verbs, "leaderboard", _leaderboard, summary, example, _LEADERBOARD, shared_options("gold"))
    summary = "show runs in the browser, with live updates"
    verb(verbs, "view", _view, summary, "countersight view runs", _VIEW)


def _score(chosen: argparse.Namespace) -> int:
    from countersight.engine import RunFolder
    from countersight.scoring import Gold, judge_run
    from countersight.suites import named_scores

    if chosen.output and chosen.output.suffix.lower() not in (".parquet", ".csv"):
        raise CountersightError(f"{chosen.output} must end in .parquet or .csv")
    gold = Gold.open(chosen.gold) if chosen.gold else None
    judged = judge_run(RunFolder.open(chosen.run), dataset=chosen.dataset, gold=gold)
    print(named_scores(judged))
    if chosen.output:
        judged.write_answers(chosen.output)
        print(f"Every answer: {chosen.output}")
    return 0


def _second_reading(runs: Sequence[Path], folder: Path, chosen: argparse.Namespace) -> "tuple[int, Analysis | None]":
    """Have a model read the unread replies; returns 0 and an analysis of the differences, or 130 if stopped."""
    from countersight.engine import Tally
    from countersight.models import ModelSettings, open_model
    from countersight.reports import reread_async, rereading_analysis

    tally = Tally()
    model = open_model(chosen.reader, ModelSettings(seed=chosen.seed))

    async def work(stop: "asyncio.Event") -> "tuple[Rereading, ...]":
        return await reread_async(
            runs, model, folder, dataset=chosen.dataset, gold=chosen.gold, seed=chosen.seed, tally=tally, stop=stop
        )

    found = run_work(model.name, tally, "readings", work, summary=False)
    if found is None:
        return EXIT_STOPPED, None
    return 0, rereading_analysis(found)


def _report(chosen: argparse.Namespace) -> int:
    from rich.console import Console

    from countersight.engine import run_folders
    from countersight.files import refuse_foreign_folder
    from countersight.reports import print_tables, write_report

    refuse_foreign_folder(chosen.output, "report.html", "readings")
    audits = [path for path in chosen.run if (path / "audit.json").is_file()]
    if audits:
        return _report_audits(chosen, audits)
    runs = [folder for path in chosen.run for folder in run_folders(path)]
    status, readings = 0, []
    if chosen.reader:
        status, analysis = _second_reading(runs, chosen.output, chosen)
        readings += [analysis] if analysis else []
    report = write_report(
        runs,
        chosen.output,
        dataset=chosen.dataset,
        gold=chosen.gold,
        gallery=chosen.gallery,
        seed=chosen.seed,
        reference=chosen.reference,
        groups=chosen.groups,
        readings=readings,
        progress=bar,
    )
    if chosen.to == "markdown":
        print(report.summary.read_text(encoding="utf-8"), end="")
    else:
        print_tables(report.data, Console())
    for run in report.data.runs:
        for words in run.advice:
            print(f"{printable(run.label)}: {in_options(printable(words))}", file=sys.stderr)
    where = sys.stderr if chosen.to == "markdown" else sys.stdout
    print(f"Report: {report.html.resolve()}", file=where)
    return _print_damaged(report.data.damaged) or status


def _print_damaged(damaged: Collection[tuple[str, str]]) -> int:
    """Print which runs were left out; returns the exit status, which is 1 if there are any."""
    for run, reason in damaged:
        print(f"{printable(run)} cannot be read and is left out: {in_options(printable(reason))}", file=sys.stderr)
    return 1 if damaged else 0


def _report_audits(chosen: argparse.Namespace, audits: list[Path]) -> int:
    from rich.console import Console

    from countersight.audits.page import print_audit_tables, write_audit_tables

    others = [path for path in chosen.run if path not in audits]
    if others:
        raise CountersightError(
            f"{audits[0]} is an audit and {others[0]} is not; a report covers either runs or audits"
        )
    if chosen.to != "terminal":
        raise CountersightError("--to works only with runs")
    if any(given is not None for given in (chosen.groups, chosen.dataset, chosen.gold)):
        raise CountersightError(
            "--groups, --dataset and --gold work only with runs; an audit contains its own pictures"
        )
    report = write_audit_tables(chosen.run, chosen.output, reference=chosen.reference)
    print_audit_tables(report.data, Console())
    print(f"Report: {report.html.resolve()}")
    return 0


def _leaderboard(chosen: argparse.Namespace) -> int:
    from countersight.engine import run_folders
    from countersight.leaderboards import write_leaderboard

    runs = [folder for path in chosen.run for folder in run_folders(path)]
    files = write_leaderboard(runs, chosen.output, datasets=chosen.dataset, gold=chosen.gold)
    for suite in files.data.suites:
        print(f"{suite.title}: {several(suite.runs, 'run')}, {several(len(suite.boards), 'table')}")
    for words in files.data.unscored:
        print(f"Not listed, because no answer could be scored: {printable(words)}", file=sys.stderr)
    print(f"The page: {files.html.resolve()}")
    return _print_damaged(files.data.damaged)


def _view(chosen: argparse.Namespace) -> int:
    import webbrowser

    from aiohttp import web

    from countersight.view import application

    site = application(chosen.folder, chosen.host)
    address = f"http://{chosen.host}:{chosen.port}/"

    def when_it_listens(_: str) -> None:
        print(f"{address} (press Ctrl-C to stop)", flush=True)
        if not chosen.no_browser:
            webbrowser.open(address)  # does nothing if there is no browser

    try:
        web.run_app(site, host=chosen.host, port=chosen.port, print=when_it_listens)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise CountersightError(f"port {chosen.port} is already in use; choose another --port") from None
    return 0


def _compare(chosen: argparse.Namespace) -> int:
    from rich.console import Console

    from countersight.html import print_grids
    from countersight.reports import Condition, changes_grids, read_scores, score_changes

    conditions = [Condition.parse(words) for words in chosen.fail_if]
    old, new = read_scores(chosen.old), read_scores(chosen.new)
    found = score_changes(old, new)
    print_grids(changes_grids(old, new), Console())
    failed = [(each, condition) for condition in conditions for each in found if condition.holds(each)]
    for change, condition in failed:
        points = f"{change.points:+z.1f}".replace("-", "−")
        words = f"{change.measure} changed by {points} points ({condition})"
        print(f"Failed: {printable(change.run)}: {words}", file=sys.stderr)
    unknown = [each for each in conditions if each.measure not in {change.measure for change in found}]
    for condition in unknown:
        print(f"Failed: {condition}: this measure is not in both reports", file=sys.stderr)
    labels = [{run.label for run in each.runs} for each in (old, new)]
    alone = labels[0] ^ labels[1] if max(map(len, labels)) > 1 else set()
    for label in sorted(alone):
        print(f"{printable(label)}: is in only one of the two reports", file=sys.stderr)
    if failed or unknown or (conditions and alone):
        return 1
    if conditions:
        print(f"Passed: no condition of --fail-if is met ({len(conditions)} checked).")
    return 0
