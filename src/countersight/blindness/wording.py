"""The results of `blind` as text: the table and the cues, for cards and the terminal."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from countersight.blindness.cues import Cue
from countersight.blindness.probing import ALL, KNOWLEDGE, PROBES, Blind, GroupBlind, Share
from countersight.case import TWO_WORLDS
from countersight.html import Grid, Line, TableCell, clean, markdown_grid, markdown_text, print_grids

if TYPE_CHECKING:
    from rich.console import Console

_HEAD = ("n", "chance", "words", "knowledge", "best by words")
_MUCH = 0.1
"""The card names groups where common knowledge exceeds chance by more than this."""


_GOES_BY = {
    **{name: goes_by for name, (goes_by, _) in PROBES.items()},
    KNOWLEDGE: "common knowledge: what usually supports what, counted in the causal graphs of other pictures",
}


def table(found: Blind) -> Grid:
    """Return the accuracy in every group and world: chance, words, common knowledge, and each probe, in per cent."""
    head = ("group, world", *_HEAD, *found.groups[0].probes)
    return Grid("Accuracy without the pictures, in %", head, tuple(map(_line, found.groups)))


def probes(found: Blind) -> Iterator[str]:
    """Return what each probe uses."""
    for name in found.groups[0].probes:
        yield f"{name}: {_GOES_BY.get(name, 'what this model answered without the pictures')}"


def _line(group: GroupBlind) -> Line:
    chance = f"{100 * group.chance:.1f}" if group.chance is not None else "–"
    cells = (
        f"{group.questions:,}",
        chance,
        shared(group.blind),
        shared(group.knowledge) if group.knowledge else "–",
        group.best,
        *(f"{100 * share.right:.1f}" for share in group.probes.values()),
    )
    called = clean(f"{group.group or '(none)'}, {group.world}")
    return Line((TableCell(called), *(TableCell(clean(cell)) for cell in cells)), total=group.gives_away)


def shared(share: Share) -> str:
    """Format a share with its interval."""
    return f"{100 * share.right:.1f} ({100 * share.low:.1f}–{100 * share.high:.1f})"


def told(cue: Cue) -> str:
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
            known = f", by common knowledge {shared(total.knowledge)}%" if total.knowledge else ""
            parts.append(f"{world} {shared(total.blind)}%{known}{chance}")
    if not parts:
        return f"{found.questions:,} questions are too few to measure the accuracy without the pictures."
    return f"Accuracy without the pictures: {'; '.join(parts)}."


def section(found: Blind) -> Iterator[str]:
    """Return the lines of a dataset card, in Markdown."""
    yield summary(found)
    if not found.groups:
        return
    yield (
        "Each probe was trained on 80 % of the pictures and tested on the others; 95% intervals. *Words* is the text "
        "probe that does best on the other folds."
    )
    yield from _known(found)
    yield from markdown_grid(table(found))
    yield "\n".join(f"- {markdown_text(words)}" for words in probes(found))
    if found.cues:
        yield "Cues that give the answer away:\n\n" + "\n".join(f"- {markdown_text(told(cue))}" for cue in found.cues)
    else:
        yield "No single cue is significantly better than chance."


def _known(found: Blind) -> Iterator[str]:
    """One sentence on the groups that common knowledge answers far more often than chance."""
    told = [group for group in found.groups if group.knowledge and group.chance is not None and group.group != ALL]
    much = [group for group in told if group.knowledge and group.knowledge.right > (group.chance or 0) + _MUCH]
    if much:
        named = ", ".join(f"{group.group} ({shared(group.knowledge)}%)" for group in much if group.knowledge)
        yield f"Common knowledge answers much more than chance in {named}: too few graphs contradict it."
    elif told:
        yield "In no group does common knowledge answer more than ten points above chance."


def render(found: Blind, console: "Console") -> None:
    """Print the results: a table of groups, what the probes use, and the cues."""
    if not found.groups:
        console.print(summary(found), markup=False)
        return
    print_grids([table(found)], console)
    told_by = (f"  {clean(words)}" for words in probes(found))
    note = "  in bold: better than guessing; words: the text probe that does best on the other folds; 95% intervals\n"
    console.print("\n".join((*told_by, note)), style="dim", markup=False, highlight=False)
    if found.cues:
        cues = "\n".join(f"  {told(cue)}" for cue in found.cues)
        console.print(f"Cues that give the answer away\n{cues}", markup=False, highlight=False)
