"""Writes the tables of audits: a page, Markdown, LaTeX and CSV, each in full or not at all."""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.text import Text

from countersight.audits.clusters import Mean
from countersight.audits.page.data import AuditTables, ScoredAudit, load_audits
from countersight.audits.page.tables import definitions, grids, sentence
from countersight.audits.scores import MEASURES, Trio
from countersight.files import write_text
from countersight.html import (
    as_table,
    definition_list,
    document,
    guarded,
    joined,
    latex_tables,
    markdown_grid,
    markdown_text,
    print_grids,
    text,
)
from countersight.suites import PaperTable, System


class AuditTableFiles(msgspec.Struct, frozen=True):
    """Where the tables were written, and what they say."""

    html: Path
    markdown: Path
    latex: Path
    csv: Path
    data: AuditTables

    def __repr__(self) -> str:
        return f"AuditTableFiles({str(self.html)!r})"


def write_audit_tables(
    paths: Sequence[Path], out: Path, *, reference: Sequence[str] | None = None, seed: int = 0
) -> AuditTableFiles:
    """Several audits side by side, beside what the paper reports; in `out`."""
    tables = load_audits(paths, reference=reference, seed=seed)
    out.mkdir(parents=True, exist_ok=True)
    return AuditTableFiles(
        html=write_text(out / "report.html", _page(tables)),
        markdown=write_text(out / "tables.md", _markdown(tables)),
        latex=write_text(out / "tables.tex", _latex(tables)),
        csv=write_text(out / "tables.csv", comma_separated(tables)),
        data=tables,
    )


def print_audit_tables(tables: AuditTables, console: Console) -> None:
    """Print every table, and where the figures come from."""
    console.print(Text(sentence(tables)))
    print_grids(grids(tables), console)
    console.print()
    for term, words in definitions(tables):
        console.print(Text.assemble((f"{term}: ", "bold"), words))


def _page(tables: AuditTables) -> str:
    return document(
        __package__,
        "tables.html",
        title="Audits – Countersight",
        style="page.css",
        sentence=text(sentence(tables)),
        tables=joined(as_table(grid, grid.note) for grid in grids(tables)),
        how=definition_list(definitions(tables)),
        version=text(tables.version),
    )


def _markdown(tables: AuditTables) -> str:
    parts = ["# Audits", markdown_text(sentence(tables))]
    for grid in grids(tables):
        parts += [f"## {markdown_text(grid.title)}", *markdown_grid(grid)]
    parts.append("## How these figures were got")
    told = definitions(tables)
    parts.append("\n".join(f"- **{markdown_text(term)}**: {markdown_text(words)}" for term, words in told))
    return "\n\n".join(parts) + "\n"


def _latex(tables: AuditTables) -> str:
    return "\n".join(latex_tables(sentence(tables), definitions(tables), grids(tables))) + "\n"


_COLUMNS = (
    *("table", "audit", "line", "measure", "value", "low", "high", "p", "tests", "cases", "pictures", "method"),
    *("model", "extractor", "editor", "judges", "dataset", "fingerprint", "audited_with", "reported_with"),
)

Value = str | float | int | None


def comma_separated(tables: AuditTables) -> str:
    """Every figure on a row of its own with how it was got: scores from 0 to 1."""
    file = io.StringIO()
    table = csv.writer(file, lineterminator="\n")
    table.writerow(_COLUMNS)
    for cells in _records(tables):
        table.writerow([guarded(cell) if isinstance(cell, str) else cell for cell in cells])
    return file.getvalue()


def _records(tables: AuditTables) -> Iterator[list[Value]]:
    for audit in tables.audits:
        scores = audit.scores
        origin = _origin(audit, tables.version)
        yield from _trio("scores", audit.label, "counted", scores.kept, origin)
        yield from _trio("scores", audit.label, "with excluded", scores.everything, origin)
        for table, strata in (
            ("by kind", scores.by_kind),
            ("by edit", scores.by_action),
            ("by group", scores.by_group),
            ("by judge", scores.by_judge),
        ):
            for line, trio in strata.items():
                yield from _trio(table, audit.label, line, trio, origin)
    labelled = {audit.label: audit for audit in tables.audits}
    for pair in tables.compared:
        origin = _origin(labelled[pair.first], tables.version)
        for measure, found in pair.differences.items():
            if found is not None:
                figures = [round(each, 6) for each in (found.value, found.low, found.high)]
                counts: list[Value] = [None, found.cases, found.pictures]
                how = "Tango score; McNemar exact, for the number of independent cases"
                yield [
                    "comparison",
                    pair.first,
                    f"minus {pair.second}",
                    measure,
                    *figures,
                    found.p,
                    *counts,
                    how,
                    *origin,
                ]
    for reference in tables.references:
        for system in reference.systems:
            yield from _reported(reference, system, tables.version)


def _reported(reference: PaperTable, system: System, version: str) -> Iterator[list[Value]]:
    """A row of the paper: of one model, or of one judge, who also extracted, and one editor."""
    named: list[Value] = [system.names[0], "", "", ""]
    if len(system.names) > 1:
        judge, editor = system.names
        named = ["", judge, editor, judge]
    for place, cell in zip(reference.places, system.cells, strict=True):
        if cell is not None:
            value, half = float(cell.value), float(cell.spread or 0)
            ends: list[Value] = [round(value - half, 6), round(value + half, 6)] if half else [None, None]
            counts: list[Value] = [None, None, system.n, None]
            where: list[Value] = ["reported", system.name, reference.key, place.measure]
            yield [*where, value, *ends, *counts, f"reported in {reference.source}", *named, "", "", "", version]


def _trio(table: str, audit: str, line: str, trio: Trio, origin: list[Value]) -> Iterator[list[Value]]:
    for measure in MEASURES:
        mean: Mean = getattr(trio, measure)
        if mean.value is not None:
            figures = [round(each, 6) for each in (mean.value, mean.low, mean.high)]
            counts = [mean.concepts, mean.cases, mean.pictures]
            yield [
                table,
                audit,
                line,
                measure,
                *figures,
                None,
                *counts,
                "exact binomial over pictures",
                *origin,
            ]


def _origin(audit: ScoredAudit, version: str) -> list[Value]:
    manifest = audit.manifest
    return [
        manifest.model.name,
        manifest.extractor.name,
        manifest.editor.name,
        ", ".join(judge.name for judge in manifest.judges),
        manifest.dataset.name,
        manifest.dataset.fingerprint,
        manifest.countersight,
        version,
    ]
