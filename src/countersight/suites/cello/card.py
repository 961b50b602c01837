"""What the card of a made CELLO tells beside the rest: how it divides, how to check it, whose scene graphs it is of."""

from collections import Counter
from pathlib import Path

import msgspec

from countersight.blindness import FEWEST
from countersight.causal import ACTING_KINDS, STATISTICS
from countersight.dataset import Dataset
from countersight.suites.cello.terms import SHORT
from countersight.suites.dividing import division_table

_VISUAL_GENOME = "Visual Genome (Krishna et al., 2017, CC BY 4.0)"
_SOURCES = {
    "Visual Genome": f"{_VISUAL_GENOME}.",
    "GQA": f"{_VISUAL_GENOME}, as mended for GQA (Hudson and Manning, 2019).",
    "regions": f"{_VISUAL_GENOME}, its regions as parsed for FACTUAL (Li et al., 2023).",
}
"""Whose scene graphs come in a layout, and under which licence."""
_LICENSED = frozenset({"Visual Genome", "GQA", "regions"})
"""Layouts of graphs that may be passed on under CC BY 4.0."""
_NOBODY_KNOWS = "graphs whose files do not say whose they are. Name their source and its licence here."
_ATTRIBUTION = """## Licence and attribution

Questions and options are made by Countersight from scene graphs of:

{sources}

Tasks and graphs follow CELLO (Chen et al., 2024). The pictures are not ours, each is under its own licence; those of
Visual Genome and GQA are Flickr's.
"""


class _Mining(msgspec.Struct):
    layouts: tuple[str, ...] = ()


class GraphSource(msgspec.Struct, frozen=True):
    """Whose scene graphs a mined folder is of: the licence of what is made of them, and a part of the card."""

    license: str
    card: str


def source_of(mined: Path) -> GraphSource:
    """Whose scene graphs a mined folder is of, by the layouts they were read in."""
    try:
        layouts = msgspec.json.decode((mined / STATISTICS).read_bytes(), type=_Mining).layouts
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        layouts = ()  # mined by hand: the graphs are all there is
    sources = "\n".join(f"- {_SOURCES.get(layout, _NOBODY_KNOWS)}" for layout in layouts or ("",))
    license = "CC-BY-4.0" if layouts and _LICENSED.issuperset(layouts) else "unknown"
    return GraphSource(license, _ATTRIBUTION.format(sources=sources))


def _acting(folder: Path) -> str:
    """A sentence on the questions about force and source: how many each task has, and why the others have none."""
    found = Counter(
        str(case.provenance["task"])
        for _, case in Dataset.open(folder).cases()
        if case.graph and any(edge["kind"] in ACTING_KINDS for edge in case.graph["edges"])
    )
    counted = ", ".join(f"{short} {found[short]}" for short in SHORT if found[short]) or "none"
    return (
        f"Questions about force and source: {counted}. The other tasks ask whether a thing stays where it is, which "
        "force and source do not decide."
    )


def divisions(folder: Path) -> str:
    """How many cases each split and each difficulty has, task by task, and how people check them."""
    table = division_table(folder, "task", lambda case: str(case.provenance.get("task", "")))
    counts = Counter(str(case.provenance["task"]) for _, case in Dataset.open(folder).cases())
    none = [short for short in SHORT if not counts[short]]
    few = [f"{short} {counts[short]}" for short in SHORT if 0 < counts[short] < FEWEST]
    absent = f"\nNo question of {', '.join(none)}: no mined graph gave one that passes the checks.\n" if none else ""
    if few:
        absent += f"\nToo few questions to measure what is answered without the picture: {', '.join(few)}.\n"
    return f"""## Splits and difficulty

{table}
{absent}
{_acting(folder)}

Splits are by picture: no picture is in two. Difficulty 1 asks of two things, 2 of three, 3 of three of which one is
held. Both are in `provenance`. The same questions in other words, options in another order: `--wording
second`. To have people check them: `countersight collect new NAME --flow verify --from THIS_FOLDER`.
"""
