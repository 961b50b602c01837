"""The results of `blind` as text for cards and the terminal."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from countersight.blindness.features import PROBES
from countersight.blindness.probing import ALL_GROUPS, KNOWLEDGE, Blind, Cue, Share
from countersight.case import TWO_WORLDS
from countersight.html import Grid, Line, TableCell, clean, markdown_grid, markdown_text, print_grids

if TYPE_CHECKING:
    from rich.console import Console

_HEAD = ("n", "chance", "text", "common knowledge", "best text probe")
_MUCH = 0.1
"""The card names groups where common knowledge exceeds chance by more than this."""
_USES = {
    **{name: uses for name, (uses, _) in PROBES.items()},
    KNOWLEDGE: "what usually supports what: how often each pair occurs in the causal graphs of other pictures",
}


def _table(found: Blind) -> Grid:
    """Return a table of the accuracy per group and world: chance, words, common knowledge and each probe, in per
    cent."""
    lines = []
    for group in found.groups:
        cells = (
            f"{group.group or '(none)'}, {group.world}",
            f"{group.questions:,}",
            f"{100 * group.chance:.1f}" if group.chance is not None else "–",
            format_share(group.blind),
            format_share(group.knowledge) if group.knowledge else "–",
            group.best,
            *(f"{100 * share.right:.1f}" for share in group.probes.values()),
        )
        lines.append(Line(tuple(TableCell(clean(cell)) for cell in cells), total=group.gives_away))
    head = ("group, world", *_HEAD, *found.groups[0].probes)
    return Grid("Accuracy without the pictures, in %", head, tuple(lines))


def _probes(found: Blind) -> list[str]:
    """Describe what each probe uses."""
    return [
        f"{name}: {_USES.get(name, 'what this model answered without the pictures')}" for name in found.groups[0].probes
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
    yield (
        "Each probe was trained on 80 % of the pictures and tested on the others; 95% intervals. *Text* is the text "
        "probe that does best on the other folds."
    )
    known = [
        group for group in found.groups if group.knowledge and group.chance is not None and group.group != ALL_GROUPS
    ]
    much = [group for group in known if group.knowledge and group.knowledge.right > (group.chance or 0) + _MUCH]
    if much:
        named = ", ".join(f"{group.group} ({format_share(group.knowledge)}%)" for group in much if group.knowledge)
        yield (
            "Guessing from common knowledge (what usually supports what) is right much more often than chance in "
            f"{named}, because too few graphs contradict it."
        )
    elif known:
        yield (
            "Guessing from common knowledge (what usually supports what) is at most ten points better than chance in "
            "every group."
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
    note = "  in bold: better than guessing; text: the text probe that does best on the other folds; 95% intervals\n"
    console.print(
        "\n".join((*(f"  {clean(words)}" for words in _probes(found)), note)),
        style="dim",
        markup=False,
        highlight=False,
    )
    if found.cues:
        cues = "\n".join(f"  {_format_cue(cue)}" for cue in found.cues)
        console.print(f"Cues that give the answer away\n{cues}", markup=False, highlight=False)
