"""A report in a few lines of Markdown, for a pull request or a model card."""

from typing import Final

import msgspec

from countersight.pages import markdown_grid, markdown_text, name, percent
from countersight.reports.data import ReportData
from countersight.reports.finding import sentences
from countersight.reports.tables import by_group, overview
from countersight.text import several

_MOST_LINES: Final = 12
_MOST_CAUTIONS: Final = 4


def summary(report: ReportData) -> str:
    """The finding, what speaks against it, one table, and where the figures come from; under 40 lines."""
    told = sentences(report)
    lede = [each.words for each in told if each.kind == "lede"]
    cautions = [each.words for each in told if each.kind != "lede"][:_MOST_CAUTIONS]
    grid = overview(report) if len(report.runs) > 1 else by_group(report.runs[0], report.terms, report.blind)
    if left := max(0, len(grid.lines) - _MOST_LINES):
        kept = (*grid.lines[: _MOST_LINES - 1], grid.lines[-1])
        note = f"{several(left, 'line')} not shown. {grid.note}".strip()
        grid = msgspec.structs.replace(grid, lines=kept, note=note)
    parts = [f"## {markdown_text(name(report.dataset))}", *map(markdown_text, lede)]
    parts += ["\n".join(f"- {markdown_text(words)}" for words in cautions)] if cautions else []
    parts += markdown_grid(grid)
    level = percent(report.confidence, 0)
    parts.append(
        f"Shares in per cent, differences in points, each with its {level}% interval. Dataset fingerprint "
        f"`{name(report.fingerprint)[:12]}`, seed {report.seed}, Countersight {markdown_text(report.version)}."
    )
    return "\n\n".join(parts) + "\n"
