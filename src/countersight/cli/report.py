"""`countersight report`: tables and a page out of runs."""

import argparse
import sys
from pathlib import Path

from countersight.cli.parsing import Verbs, positive, verb
from countersight.cli.reader import add_reader, second_reading
from countersight.errors import CountersightError
from countersight.text import printable


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    report = verb(
        verbs,
        "report",
        _report,
        "tables and a page out of one or more runs, or out of several audits side by side",
        "countersight report runs/qwen runs/llava -o report",
    )
    report.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="or what --repeat made; or audits")
    report.add_argument("-o", "--output", type=Path, default=Path("report"), metavar="DIR", help="default: report")
    report.add_argument("--dataset", type=Path, metavar="DIR", help="where the dataset is now, if it was moved")
    report.add_argument(
        "--gold",
        type=Path,
        metavar="PATH",
        help="right answers corrected since the run: a dataset, or a .csv or .jsonl with case, world and answer",
    )
    report.add_argument("--key", type=Path, metavar="KEY", help="of a dataset whose answers are hidden: make --hidden")
    report.add_argument(
        "--gallery", type=positive, default=3000, metavar="N", help="most cases shown with pictures (default: 3000)"
    )
    report.add_argument(
        "--reference",
        nargs="*",
        metavar="TABLE",
        help="set the runs beside what papers report: all tables of the suite, or those named here (cfmm-2, cosim, …)",
    )
    report.add_argument(
        "--groups", type=Path, metavar="CSV", help="compare groups of pictures: a table of which is in which"
    )
    report.add_argument("--group-key", metavar="COLUMN", help="of --groups: names the picture (default: id)")
    report.add_argument(
        "--column",
        nargs="+",
        action="extend",
        default=[],
        metavar="COLUMN",
        help="of --groups: names the group, as in bb_gender (default: every column that does)",
    )
    report.add_argument(
        "--reading",
        choices=["cvqa"],
        help="read the replies by C-VQA's plain rules too, in a table of its own beside ours",
    )
    add_reader(report, "-o")
    report.add_argument(
        "--to",
        choices=["terminal", "markdown"],
        default="terminal",
        help="what is printed: the tables, or a summary for a pull request or a model card (default: terminal)",
    )
    report.add_argument("--seed", type=int, default=0, help="for the choice of cases and what is drawn (default: 0)")


def _report(chosen: argparse.Namespace) -> int:
    from rich.console import Console

    from countersight.cli.progress import counting
    from countersight.engine import run_folders
    from countersight.reports import GroupsFile, print_tables, write_report

    for option, given in (("--group-key", chosen.group_key), ("--column", chosen.column)):
        if given and chosen.groups is None:
            raise CountersightError(f"{option} goes with --groups")
    if chosen.key and chosen.gold:
        raise CountersightError("--key has the answers of a hidden dataset; leave out --gold")
    chosen.gold = chosen.key or chosen.gold
    audits = [path for path in chosen.runs if (path / "audit.json").is_file()]
    if audits:
        return _report_audits(chosen, audits)
    chosen.runs = [folder for path in chosen.runs for folder in run_folders(path)]
    status, readings = 0, []
    if chosen.reading:
        from countersight.suites.cvqa import read_otherwise

        readings.append(read_otherwise(chosen.runs, dataset=chosen.dataset, gold=chosen.gold))
    if chosen.reader:
        status, grid = second_reading(chosen.reader, chosen.runs, chosen.output, chosen)
        readings += [grid] if grid else []
    report = write_report(
        chosen.runs,
        chosen.output,
        dataset=chosen.dataset,
        gold=chosen.gold,
        gallery=chosen.gallery,
        seed=chosen.seed,
        reference=chosen.reference,
        groups=GroupsFile(chosen.groups, chosen.group_key or "id", tuple(chosen.column)) if chosen.groups else None,
        readings=readings,
        progress=counting,
    )
    if chosen.to == "markdown":
        print(report.summary.read_text(encoding="utf-8"), end="")
    else:
        print_tables(report.data, Console())
    for run in report.data.runs:
        for words in run.advice:
            print(f"{printable(run.label)}: {printable(words)}", file=sys.stderr)
    where = sys.stderr if chosen.to == "markdown" else sys.stdout
    print(f"The page, with every case: {report.html.resolve()}", file=where)
    return status


def _report_audits(chosen: argparse.Namespace, audits: list[Path]) -> int:
    from rich.console import Console

    from countersight.audits.page import print_audit_tables, write_audit_tables

    others = [path for path in chosen.runs if path not in audits]
    if others:
        raise CountersightError(f"{audits[0]} is an audit and {others[0]} is none; report on the one or the other")
    if chosen.to != "terminal":
        raise CountersightError("--to is for runs")
    if any(given is not None for given in (chosen.groups, chosen.dataset, chosen.gold)):
        raise CountersightError("--groups, --dataset and --gold are for runs; an audit has its pictures with it")
    report = write_audit_tables(chosen.runs, chosen.output, reference=chosen.reference, seed=chosen.seed)
    print_audit_tables(report.data, Console())
    print(f"The tables as a page: {report.html.resolve()}")
    return 0
