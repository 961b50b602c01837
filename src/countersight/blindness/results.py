"""Results of `blind`: stored in a dataset folder, shown on its card and in the terminal."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from countersight.blindness.features import Answered
from countersight.blindness.probing import ALL_GROUPS, KNOWLEDGE, TEXT, VERSION, Blind, Cue, Share, measure
from countersight.case import TWO_WORLDS, World
from countersight.causal import GRAPHS, Knowledge, read_graphs
from countersight.dataset import BadRow, Dataset, hidden_in
from countersight.engine import RunFolder
from countersight.errors import DatasetError, RunError
from countersight.files import write_whole
from countersight.html import Grid, Line, TableCell, clean, markdown_grid, markdown_text, print_grids
from countersight.scoring import judge_run

if TYPE_CHECKING:
    from rich.console import Console

RESULTS_FILE = "blind.json"
_MUCH = 0.1
"""The card names groups where common knowledge exceeds chance by more than this."""
_SAME_PICTURES = (
    "The counts of the knowledge probe come from the pictures that were also used to choose the questions, so its "
    "figures are low by construction. To measure on held-out pictures, mine two halves of the scene graphs separately, "
    "make the questions from one half, and pass the other: `countersight blind DATASET --graphs OTHER_HALF`."
)
_USES = {
    TEXT: "positions, lengths and words of the answers, words of the questions, and the answers to other questions",
    KNOWLEDGE: "which things usually support others: how often each pair occurs in the causal graphs of other pictures",
}


class StoredResults(msgspec.Struct, frozen=True):
    """The results, a digest of the rows that were measured, and the version of the probes."""

    fingerprint: str
    blind: Blind
    probes: str = ""
    """The version of the probes; empty in folders that were written before versions were stored."""


def load_or_measure(dataset: Dataset) -> Blind:
    """Return the results for a dataset: from its folder if they are current, otherwise measured."""
    return load_stored(dataset) or measure(case for _, case in dataset.cases())


def measure_dataset(
    dataset: Dataset,
    on_bad: Callable[[BadRow], None] | None = None,
    runs: Iterable[RunFolder] = (),
    graphs: Path | None = None,
) -> Blind:
    """Measure what the questions of a dataset reveal; raises DatasetError if its answers are hidden.

    `runs` are runs of the same questions without the pictures; each is one more probe. `graphs` is the mined
    folder in which common knowledge is counted; by default the folder that contains the dataset, or else the graphs of
    its cases.
    """
    if hidden_in(dataset):
        raise DatasetError(
            f"the answers of {dataset.path} are hidden, so the probes cannot be scored; see the results in its "
            "README.md"
        )
    if graphs is None and (dataset.path.parent / GRAPHS).is_file():
        graphs = dataset.path.parent
    told = Knowledge.of(read_graphs(graphs, lambda *_: None)) if graphs else None
    return measure((case for _, case in dataset.cases(on_bad)), _answered_blind(runs, dataset), told)


def load_stored(dataset: Dataset) -> Blind | None:
    """Return the results stored for these rows, or None; results of other versions are measured again."""
    try:
        kept = msgspec.json.decode((dataset.path / RESULTS_FILE).read_bytes(), type=StoredResults)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    if kept.fingerprint != dataset.fingerprint:
        return None
    return kept.blind if kept.probes == VERSION else measure(case for _, case in dataset.cases())


def card_section(folder: Path, knowledge: Knowledge | None = None) -> str:
    """Measure a complete folder, store the results in it, and return the section for its card."""
    dataset = Dataset.open(folder)
    found = measure((case for _, case in dataset.cases()), knowledge=knowledge)
    if found.groups:  # too few questions have no results
        kept = msgspec.json.format(msgspec.json.encode(StoredResults(dataset.fingerprint, found, VERSION)), indent=1)
        write_whole(folder / RESULTS_FILE, kept + b"\n")
    parts = ["## Accuracy without the pictures", *section(found)]
    if knowledge and any(group.knowledge for group in found.groups):
        parts.append(_SAME_PICTURES)
    return "\n\n".join(parts) + "\n"


def _answered_blind(runs: Iterable[RunFolder], dataset: Dataset) -> dict[str, Answered]:
    """Return which questions each run answered correctly, by model; raises RunError for runs with the pictures."""
    found: dict[str, Answered] = {}
    for run in runs:
        asked = run.manifest
        if asked.prompt.picture:
            raise RunError(f"{run.path} was made with the pictures; run the model with the prompt text-only")
        if asked.dataset.fingerprint != dataset.fingerprint:
            raise RunError(f"{run.path} is a run of another dataset than {dataset.path}")
        right: dict[tuple[str, World], bool] = {}
        unasked = 0
        for each in judge_run(run, dataset=dataset.path).answers():
            world, telling = each.place
            if telling == "told":
                right[each.case.id, world] = each.outcome == "right"
                unasked += each.outcome in ("missing", "failed")
        if unasked:
            raise RunError(f"{run.path} has no answer to {unasked:,} of {len(right):,} questions; finish the run first")
        found[asked.model if asked.model not in found else f"{asked.model} ({run.path.name})"] = right
    return found


def _table(found: Blind) -> Grid:
    """Return a table of the accuracy per group and world: chance and each probe, in per cent."""
    names = list(found.groups[0].probes)
    lines = []
    for group in found.groups:
        cells = (
            f"{group.group or '(none)'}, {group.world}",
            f"{group.questions:,}",
            f"{100 * group.chance:.1f}" if group.chance is not None else "–",
            *(format_share(group.probes[name]) if name in group.probes else "–" for name in names),
        )
        lines.append(Line(tuple(TableCell(clean(cell)) for cell in cells), total=group.gives_away))
    return Grid("Accuracy without the pictures, in %", ("group, world", "n", "chance", *names), tuple(lines))


def _probes(found: Blind) -> list[str]:
    """Describe what each probe uses."""
    return [
        f"{name}: {_USES.get(name, 'answers of this model without the pictures')}" for name in found.groups[0].probes
    ]


def format_share(share: Share) -> str:
    """Format a share with its interval."""
    return f"{100 * share.right:.1f} ({100 * share.low:.1f}–{100 * share.high:.1f})"


def _format_cue(cue: Cue) -> str:
    """Format a cue in a few words."""
    where = f" in {cue.group}" if cue.group else ""
    return clean(
        f"{cue.what}{where}, {cue.world}: right {cue.right:,} of {cue.seen:,} times; chance: {cue.expected:,.0f}"
    )


def summary(found: Blind) -> str:
    """Return one or two sentences for a dataset card."""
    parts = []
    for world in TWO_WORLDS:
        total = found.total(world)
        if total:
            chance = f", chance is {100 * total.chance:.1f}%" if total.chance is not None else ""
            known = f", by common knowledge {format_share(total.knowledge)}%" if total.knowledge else ""
            parts.append(f"{world} {format_share(total.blind)}%{known}{chance}")
    if not parts:
        return f"{found.questions:,} questions are too few to measure the accuracy without the pictures."
    return f"Accuracy without the pictures: {'; '.join(parts)}."


def section(found: Blind) -> Iterator[str]:
    """Return the lines of a dataset card, in Markdown."""
    yield summary(found)
    if not found.groups:
        return
    yield "Each probe was trained on 80% of the pictures and tested on the others, five times; 95% intervals."
    much = [
        f"{group.group} ({format_share(known)}%)"
        for group in found.groups
        if (known := group.knowledge) and group.chance and group.group != ALL_GROUPS
        if known.right > group.chance + _MUCH
    ]
    if much:
        yield (
            "Guessing from common knowledge (which things usually support others) is far more accurate than chance in "
            f"{', '.join(much)}, because too few graphs contradict it."
        )
    yield from markdown_grid(_table(found))
    yield "\n".join(f"- {markdown_text(words)}" for words in _probes(found))
    if found.cues:
        yield "Cues that give the answer away:\n\n" + "\n".join(
            f"- {markdown_text(_format_cue(cue))}" for cue in found.cues
        )
    else:
        yield "No single cue is significantly better than chance."


def render(found: Blind, console: "Console") -> None:
    """Print the results: a table of groups, what the probes use, and the cues."""
    if not found.groups:
        console.print(summary(found), markup=False)
        return
    print_grids([_table(found)], console)
    note = "  in bold: better than guessing; 95% intervals\n"
    console.print(
        "\n".join((*(f"  {clean(words)}" for words in _probes(found)), note)),
        style="dim",
        markup=False,
        highlight=False,
    )
    if found.cues:
        cues = "\n".join(f"  {_format_cue(cue)}" for cue in found.cues)
        console.print(f"Cues that give the answer away\n{cues}", markup=False, highlight=False)
