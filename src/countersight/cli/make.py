"""`countersight make`: make or import a dataset."""

import argparse
from shlex import quote
from typing import TYPE_CHECKING, Any, Final

from countersight.cli.parsing import Verbs, print_bad, shared, verb
from countersight.cli.terminal import counting
from countersight.text import printable, several

if TYPE_CHECKING:
    from countersight.suites import Part

BAD_ROWS_SHOWN = 20
_BY_LINE = (".csv", ".tsv", ".jsonl")
"""Files whose bad rows are reported by line number for every suite."""


_OPTIONS: Final = {
    "SUITE": "which benchmark; see: countersight list suites",
    "-o, --output DIR!": "the dataset folder to make",
    "--size N": "number of cases to make (default: 3000; cello: 1200; worlds: 2000); with --from: number of "
    "cases to draw at random",
    "--sample P%": "with --from: a random share of the cases, such as 10%% (C-VQA's Table 5)",
    "--seed SEED": "random seed; the same seed gives the same pixels and the same sample (default: 0)",
    "--workers N": "number of processes (default: one per core)",
    "--from FILE>source": "a file of questions to import, published or your own; cello: also a folder written by "
    "`mine`",
    "--annotations, --kinds FILE>beside": "okvqa, vqav2: the official annotations; cosim: types of change assigned by "
    "people (CSV)",
    "--keep-duplicates": "cosim: keep published cases that list the right answer twice; either option is accepted",
    "--per-task N": "cello, from a mined folder: number of cases per task (instead of --size)",
    "--wording WORDING": (
        "cvqa-synthetic: `eight` phrasings per question or `one` as published (default: eight); causal-worlds, "
        "cello from a mined folder: `first` or `second`, a paraphrase (default: first); cello also: a model that "
        "writes the questions"
    ),
    "--options {fair,published}": "cvqa-synthetic: how wrong options are drawn; `fair` avoids shortcuts "
    "(default: fair)",
    "--difficulty {easy,medium,hard}": "supports, discs, causal-worlds: number of objects (default: an even mix)",
    "--groups {least-change,several-changes}": (
        "cvqa-synthetic, supports, discs: replace the usual questions; `least-change` asks for the smallest "
        "sufficient change, `several-changes` assumes two changes or an exception"
    ),
    "--controls": "cvqa-synthetic: add a control to every case: a change that does not affect the answer",
    "--hidden KEY": "keep the right answers in this separate file instead of the dataset; score with --key KEY",
}


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    example = "countersight make cvqa-synthetic --size 3000 --seed 7 -o flowers"
    verb(verbs, "make", _make, "make or import a dataset", example, _OPTIONS, shared("pictures", "ray"))


def _make(chosen: argparse.Namespace) -> int:
    from countersight.causal import GRAPHS
    from countersight.suites import find_suite
    from countersight.verbs import make

    source = chosen.source
    mined = source is not None and (source / GRAPHS).is_file()
    counts = "line" if mined or (source and source.suffix.lower() in _BY_LINE) else find_suite(chosen.suite).counts
    shown = iter(range(BAD_ROWS_SHOWN))

    def bad(line: int, field: str, reason: str) -> None:
        if next(shown, None) is not None:
            print_bad(f"{source / GRAPHS if mined else source} {counts} {line}: {field}: {reason}")

    given = {name: value for name, value in vars(chosen).items() if name not in ("call", "log_level", "output", "verb")}
    made = make(out=chosen.output, progress=counting, on_bad=bad, **given)
    if source is None:
        controls = f", half of them controls of the {made.count // 2:,} others" if chosen.controls else ""
        print(f"{several(made.count, 'case')} in {chosen.output}{controls}")
    elif made.way == "folder":
        _print_assembled(chosen, made.details)
    else:
        _print_imported(chosen, made.details, counts, made.part)
    if made.hidden:
        print(
            f"The answers are stored only in {chosen.hidden}; keep this file. Commitment stored in {chosen.output}: "
            f"{made.hidden.commitment}"
        )
    print(f"Next: countersight run {quote(str(chosen.output))} --model MODEL (see: countersight list models)")
    return 0


def _print_assembled(chosen: argparse.Namespace, made: Any) -> None:
    print(f"{several(made.cases, 'case')} in {chosen.output}, from {several(made.graphs, 'causal graph')}")
    print(f"{several(made.bad, 'bad line')} skipped; {made.asked_about:,} graphs allow unambiguous questions")
    if made.fewer:
        fewer = ", ".join(f"{name} {number:,}" for name, number in made.fewer.items())
        print(f"some tasks have fewer than {made.wanted:,} cases, because too few graphs are suitable: {fewer}")
    if made.by_model:
        templates = made.cases - made.worded
        print(f"{made.worded:,} questions written by {chosen.wording}, {templates:,} by templates")
    if made.without_picture:
        print(
            f"{made.without_picture:,} cases have no picture, only text and a graph; run them with --prompt given-graph"
        )


def _print_imported(chosen: argparse.Namespace, imported: Any, counts: str, part: "Part | None") -> None:
    from countersight.suites import FRAME_ENDINGS

    print(f"{several(imported.cases, 'case')} in {chosen.output}, {several(imported.bad, 'bad row')} skipped")
    if imported.bad or imported.without_picture:
        again = f"rm -r {quote(str(chosen.output))}"
        print(f"To make the dataset again after a correction, remove the folder first: {again}")
    if imported.unused:
        print(printable(f"Unknown columns, which are ignored: {', '.join(imported.unused)[:1000]}"))
    if part is not None:
        whole = f", in {several(imported.sets, 'whole set')}" if imported.sets else ""
        print(f"{part} of the file, drawn at random with seed {part.seed}{whole}")
    if imported.incomplete:
        named = "; ".join(imported.incomplete[:BAD_ROWS_SHOWN])
        more = "; …" if len(imported.incomplete) > BAD_ROWS_SHOWN else ""
        print(
            printable(
                f"{several(len(imported.incomplete), 'incomplete set')}, left out of the scores by set: {named}{more}"
            )
        )
    if imported.not_found:
        absent = [f"{name} ({counts} {line})" for name, line in imported.not_found.items()]
        more = "; …" if len(absent) > BAD_ROWS_SHOWN else ""
        print(printable(f"Not in {chosen.pictures}: {'; '.join(absent[:BAD_ROWS_SHOWN])}{more}"))
        if any(name.endswith("/") for name in imported.not_found):
            print(f"Each is a folder with the frames of a video, named in order: {', '.join(FRAME_ENDINGS)} files")
    if imported.text_only:
        print(f"{imported.text_only:,} are asked without a picture, as published")
    if imported.without_picture:
        where = f"not in {chosen.pictures}" if chosen.pictures else "name its folder with --pictures"
        print(
            f"{several(imported.without_picture, 'case')} cannot be asked because the picture is missing ({where}), "
            "except with a prompt without pictures, such as text-only"
        )
