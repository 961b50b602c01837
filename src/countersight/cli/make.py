"""`countersight make`, `build` and `mine`: make or import a dataset, write counterfactual pairs, find causal graphs."""

import argparse
from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING, Any, Final

from countersight.cli.parsing import Verbs, model_settings, print_bad, shared_options, verb
from countersight.progress import bar
from countersight.text import printable, several

if TYPE_CHECKING:
    from countersight.suites import Part

BAD_ROWS_SHOWN = 20
_ROW_NAMES = {".parquet": "row", ".json": "entry", ".gz": "entry"}
"""The word for a row in messages, by file extension; in any other file, a row is called a line."""
_MEGABYTE = 1 << 20

_MAKE: Final = {
    "SUITE": "the benchmark; see: countersight list suites",
    "-o, --output DIR!": "the dataset folder to make",
    "--size N": "number of cases to make (default: 3000; cello: 1200; worlds: 2000); with --from: number of "
    "cases to draw at random",
    "--sample P%": "with --from: a random share of the cases, such as 10%% (C-VQA's Table 5)",
    "--seed SEED": "random seed; the same seed gives the same pixels and the same sample (default: 0)",
    "--workers N": "number of processes (default: one per core)",
    "--from FILE>source": "a file of questions to import, published or your own; cello: also a folder written by "
    "`mine`",
    "--annotations FILE": "okvqa, vqav2: the official annotations; cosim: types of change assigned by people (CSV)",
    "--per-task N": "cello, from a mined folder: number of cases per task (instead of --size)",
    "--wording WORDING": (
        "cvqa-synthetic: `eight` phrasings per question or `one` as published (default: eight); causal-worlds, "
        "cello from a mined folder: `first` or `second`, a paraphrase (default: first); for cello also a model that "
        "writes the questions"
    ),
    "--difficulty {easy,medium,hard}": "supports, discs, causal-worlds: number of objects (default: an even mix)",
    "--groups {usual,least-change,several-changes}": (
        "cvqa-synthetic, supports, discs: `least-change` asks for the smallest sufficient change, `several-changes` "
        "(not cvqa-synthetic) assumes two changes or an exception (default: usual)"
    ),
    "--controls": "cvqa-synthetic: add a control to every case: a change that does not affect the answer",
    "--hidden KEY": "keep the right answers in this separate file instead of the dataset; score with --key KEY",
}
_BUILD: Final = {
    "SUITE {cvqa,cfmm}": "the benchmark for which pairs are built",
    "-o, --output DATASET!": "the dataset folder to make",
    "--questions FILE!": "VQAv2's or OK-VQA's questions, C-VQA's CSV, or a dataset folder with factual questions",
    "--annotations FILE": "VQA's annotations, which contain the answers",
    "--writer WRITER=grammar": "grammar (how-many questions only), or any model: see list models",
    "--groups NAMES": "direct, boolean or both (default: all that the writer can write)",
    "--size N=500": "pairs to build",
    "--blind MODEL": "drop questions that this model answers without the picture (default: the writer; none: no "
    "such check)",
}
_MINE: Final = {
    "GRAPHS": "scene_graphs.json or relationships.json of Visual Genome, GQA's scene graphs, FACTUAL's CSV of regions, "
    "or Countersight's JSONL, optionally gzipped; or a folder that contains one of them",
    "-o, --output DIR!": "the folder to make",
}


def add(verbs: Verbs) -> None:
    """Add the commands of this module to the parser."""
    example = "countersight make cvqa-synthetic --size 3000 --seed 7 -o flowers"
    verb(verbs, "make", _make, "make or import a dataset", example, _MAKE, shared_options("pictures"))
    verb(
        verbs,
        "build",
        _build,
        "write counterfactual versions of existing questions, check them, and create a dataset of the pairs",
        "countersight build cvqa --questions questions.json --annotations annotations.json --pictures val2014 "
        "--writer grammar --size 500 -o pairs",
        _BUILD,
        shared_options("pictures", "seed", "temperature", "max_tokens", "timeout", "price", "ray", concurrency=16),
    )
    example = "countersight mine scene_graphs.json --pictures VG -o causal"
    verb(verbs, "mine", _mine, "find causal graphs in scene graphs", example, _MINE, shared_options("pictures"))


def _make(chosen: argparse.Namespace) -> int:
    from countersight.causal import GRAPHS
    from countersight.verbs import make

    source = chosen.source
    mined = source is not None and (source / GRAPHS).is_file()
    row_name = "line" if mined or source is None else _ROW_NAMES.get(source.suffix.lower(), "line")
    shown = iter(range(BAD_ROWS_SHOWN))

    def bad(line: int, field: str, reason: str) -> None:
        if next(shown, None) is not None:
            print_bad(f"{source / GRAPHS if mined else source} {row_name} {line}: {field}: {reason}")

    made = make(
        chosen.suite,
        chosen.output,
        size=chosen.size,
        seed=chosen.seed,
        source=source,
        pictures=chosen.pictures,
        annotations=chosen.annotations,
        sample=chosen.sample,
        controls=chosen.controls,
        difficulty=chosen.difficulty,
        groups=chosen.groups,
        per_task=chosen.per_task,
        wording=chosen.wording,
        hidden=chosen.hidden,
        workers=chosen.workers,
        progress=bar,
        on_bad=bad,
    )
    if source is None:
        controls = f", half of them controls of the {made.count // 2:,} others" if chosen.controls else ""
        print(f"{several(made.count, 'case')} in {chosen.output}{controls}")
    elif made.source_kind == "folder":
        _print_assembled(chosen, made.details)
    else:
        _print_imported(chosen, made.details, row_name, made.part)
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


def _print_imported(chosen: argparse.Namespace, imported: Any, row_name: str, part: "Part | None") -> None:
    from countersight.suites import FRAME_ENDINGS, first_of

    print(f"{several(imported.cases, 'case')} in {chosen.output}, {several(imported.bad, 'bad row')} skipped")
    if imported.bad or imported.without_picture or imported.notes:
        again = f"rm -r {quote(str(chosen.output))}"
        print(f"To make the dataset again after a correction, remove the folder first: {again}")
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in sorted(imported.kinds.items()))
    print(f"Questions by kind of answer: {kinds}")
    for note in imported.notes:
        print(printable(note))
    if part is not None:
        whole = f", in {several(imported.sets, 'whole set')}" if imported.sets else ""
        print(f"{part} of the file, drawn at random with seed {part.seed}{whole}")
    if imported.incomplete:
        sets = f"{several(len(imported.incomplete), 'incomplete set')}, excluded from the scores of sets"
        print(printable(f"{sets}: {first_of(imported.incomplete)}"))
    if imported.not_found:
        absent = [f"{name} ({row_name} {line})" for name, line in imported.not_found.items()]
        print(printable(f"Not in {chosen.pictures}: {first_of(absent)}"))
        if any(name.endswith("/") for name in imported.not_found):
            print(f"Each must be a folder with the frames of a video, named in order: {', '.join(FRAME_ENDINGS)} files")
    if imported.text_only:
        has = "has" if imported.text_only == 1 else "have"
        print(f"{several(imported.text_only, 'case')} {has} no picture by design, according to the file")
    if imported.without_picture:
        where = f"not in {chosen.pictures}" if chosen.pictures else "name its folder with --pictures"
        print(
            f"{several(imported.without_picture, 'case')} cannot be asked because the picture is missing ({where}), "
            "except with a prompt without pictures, such as text-only"
        )


def _why_fewer(empty: Sequence[str]) -> str:
    """Return why fewer pairs were built: a group has no suitable question, or no further one."""
    named = " and no ".join({"direct": "how-many", "boolean": "yes/no"}[group] for group in empty)
    return f"no {named} question is suitable" if named else "no other question is suitable"


def _build(chosen: argparse.Namespace) -> int:
    from countersight.authoring import REJECTED
    from countersight.engine import RetryPolicy
    from countersight.verbs import build

    built = build(
        chosen.suite,
        chosen.questions,
        chosen.output,
        annotations=chosen.annotations,
        pictures=chosen.pictures,
        writer=chosen.writer,
        groups=[name.strip() for name in (chosen.groups or "").split(",") if name.strip()],
        size=chosen.size,
        seed=chosen.seed,
        blind=chosen.blind,
        settings=model_settings(chosen),
        retry=RetryPolicy(chosen.concurrency),
        progress=bar,
    )
    print(f"{several(built.cases, 'pair')} in {chosen.output}; {built.rejected:,} others, with reasons, in {REJECTED}")
    if built.cases < chosen.size:
        print(f"fewer than the requested {chosen.size:,}: {built.stopped or _why_fewer(built.empty)}")
    if built.without_picture:
        print(f"{built.without_picture:,} without a picture: name the folder of the pictures with --pictures")
    for step in built.funnel.steps:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in step.reasons)
        print(f"  {step.passed:>7,}  {step.name}" + (f"   (less {reasons})" if reasons else ""))
    if built.funnel.spent:
        print(built.funnel.spent)
    print(f"To see how the pairs were selected: countersight describe {quote(str(chosen.output))} --all")
    flow = "cvqa" if chosen.suite == "cvqa" else "verify"
    print(
        f"To have each pair checked by two people: countersight collect new CAMPAIGN --flow {flow} --from "
        f"{quote(str(chosen.output))}"
    )
    return 0


def _mine(chosen: argparse.Namespace) -> int:
    from rich.console import Console

    from countersight.causal import GRAPHS, MalformedPart, files_of, mine_folder, statistics_tables
    from countersight.html import print_grids

    size = sum(path.stat().st_size for path, _ in files_of(chosen.graphs))
    shown = iter(range(BAD_ROWS_SHOWN))

    def malformed(what: MalformedPart) -> None:
        if next(shown, None) is not None:
            print_bad(what)

    with bar("Mining", size // _MEGABYTE + 1, "MB") as progress:
        mined = mine_folder(
            chosen.graphs,
            chosen.output,
            pictures=chosen.pictures,
            on_malformed=malformed,
            on_read=lambda done: progress(done // _MEGABYTE),
        )
    statistics = mined.statistics
    print_grids(statistics_tables(statistics), Console())
    found = several(sum(statistics.graphs.values()), "causal graph")
    print(f"{found} in {chosen.output / GRAPHS}, {several(statistics.malformed, 'malformed part')} skipped")
    if chosen.pictures:
        print(f"{mined.pictures:,} of {several(mined.images, 'picture')} found in {chosen.pictures}")
    print(f"Next: countersight make cello --from {quote(str(chosen.output))} -o DIR")
    return 0
