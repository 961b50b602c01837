"""Tables that compare audits with each other and with the paper, as a page, Markdown, LaTeX and CSV.

There is a ranking, a table per model (EDCT Table 1), and one per judge and editor (Table 2).
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec
from markupsafe import Markup
from rich.console import Console
from rich.text import Text

from countersight import __version__
from countersight.audits.ccs import Mean
from countersight.audits.manifest import Manifest
from countersight.audits.page.compared_audits import (
    ComparedAudits,
    ScoredAudit,
    compared_with_above,
    load_audits,
    place_in_ranking,
)
from countersight.audits.page.conclusions import conclusions, lead
from countersight.audits.page.page import templates
from countersight.audits.page.score_tables import (
    HEAD,
    NOTES,
    WORDS,
    grid,
    interval,
    mean_cell,
    number,
    trio_line,
)
from countersight.audits.score_records import MEASURES
from countersight.files import write_text
from countersight.html import (
    NOTHING,
    Grid,
    Line,
    TableCell,
    csv_text,
    document,
    latex_tables,
    markdown_tables,
    name,
    print_grids,
)
from countersight.number_formats import count
from countersight.suites import PaperTable
from countersight.text import several

_COLUMNS: Final = (
    *("table", "audit", "line", "measure", "value", "low", "high", "tests", "cases", "pictures", "verified"),
    *("model", "extractor", "editor", "judges", "dataset"),
)
Value = str | float | int | None


class AuditTableFiles(msgspec.Struct, frozen=True):
    """The paths of the written tables, and their content."""

    html: Path
    markdown: Path
    latex: Path
    csv: Path
    data: ComparedAudits

    def __repr__(self) -> str:
        return f"AuditTableFiles({str(self.html)!r})"


def grids(found: ComparedAudits) -> Iterator[Grid]:
    """Return every table: the ranking if several audits are sound, then the paper's tables with its rows."""
    if len(found.ranked) > 1:
        yield _ranking(found)
    models, judges = [], []
    for audit in found.audits:
        of, scores = audit.manifest, audit.scores
        details = (f"{name(of.dataset.name)}, fingerprint {name(of.dataset.fingerprint)}", describe_participants(of))
        models.append(trio_line(TableCell(name(audit.title), details), scores.kept))
        if scores.everything != scores.kept:
            models.append(trio_line(TableCell(name(audit.title), ("with excluded tests",)), scores.everything))
        for judge, trio in scores.by_judge.items():
            called = f"{name(judge)}, {name(of.editor.name)}"
            judges.append(trio_line(TableCell(called, (f"of {name(audit.title)}",)), trio))
    of_judges = [reference for reference in found.references if len(reference.labels) > 1]
    of_models = [reference for reference in found.references if reference not in of_judges]
    yield _with_reported("Faithfulness of explanations", "model", models, of_models, NOTES["models"])
    yield _with_reported("By judge and editor", "judge, editor", judges, of_judges)
    kinds = tuple(
        trio_line(TableCell(name(kind), (name(audit.title),)), trio)
        for audit in found.audits
        for kind, trio in audit.scores.by_kind.items()
    )
    if kinds:
        yield Grid("By kind of concept", ("kind", *HEAD), kinds)


def _ranking(found: ComparedAudits) -> Grid:
    """Return the table of the ranked audits, by score."""
    rows = []
    for rank, audit in enumerate(found.ranked):
        scores, above = audit.scores, found.ranked[:rank]
        other, right = scores.specificity, scores.accuracy
        means = (
            scores.kept.ccs,
            other.sensitivity if other else None,
            other.specificity if other else None,
            right.after if right else None,
        )
        rows.append(
            [
                (f"{place_in_ranking(audit, above)}. {audit.title}", *_comparison(audit, above)),
                *map(mean_cell, means),
                count(scores.kept.ccs.concepts),
            ]
        )
    head = ("model", "CCS", "sensitivity", "specificity", "accuracy after edits", "tests")
    return grid("Ranking", head, rows, NOTES["ranking"])


def _comparison(audit: ScoredAudit, above: Sequence[ScoredAudit]) -> tuple[str, ...]:
    """Return the number of cases shared with a higher-ranked audit and the difference of the two; () for the first."""
    if not above:
        return ()
    other, apart = compared_with_above(audit, above)
    if isinstance(apart, str):
        return (f"cannot be compared with {other.label}: the two {apart}",)
    figures = f"difference {number(apart.value)} ({interval(apart)})"
    separated = "" if apart.low > 0 else "not significant"
    return f"{several(apart.n, 'case')} shared with {other.label}", figures, separated


def describe_participants(manifest: Manifest) -> str:
    """Return the participants of an audit except the audited model, in one line."""
    judges = ", ".join(name(judge.name) for judge in manifest.judges)
    return f"extractor {name(manifest.extractor.name)}; editor {name(manifest.editor.name)}; judged by {judges}"


def _with_reported(
    title: str, head: str, measured: Iterable[Line], references: Iterable[PaperTable], note: str = ""
) -> Grid:
    """Return the table of measured rows, followed by the rows that the paper reports."""
    lines, notes = list(measured), [note]
    for reference in references:
        title += f", beside {reference.source}"
        source = f"{reference.source} ({reference.citation}; {reference.what})"
        notes += [NOTES["reported"].replace("SOURCE", source), reference.note]
        for system in reference.systems:
            printed = {place.measure: cell for place, cell in zip(reference.places, system.cells, strict=True) if cell}
            n = NOTHING if system.n is None else TableCell(count(system.n))
            cells = (TableCell(printed[each].text) if each in printed else NOTHING for each in MEASURES)
            called = TableCell(system.name, ("reported",))
            lines.append(Line((called, n, NOTHING, NOTHING, *cells), reported=True))
    return Grid(title, (head, *HEAD), tuple(lines), " ".join(filter(None, notes)))


def definitions(found: ComparedAudits) -> list[tuple[str, str]]:
    """Return the meaning and the source of each figure."""
    rule = found.audits[0].scores.rule
    terms = WORDS["compared"].items()
    return [(term, words.replace("RULE", rule).replace("VERSION", __version__)) for term, words in terms]


def write_audit_tables(paths: Sequence[Path], out: Path, *, reference: Sequence[str] | None = None) -> AuditTableFiles:
    """Write tables that compare several audits with each other and with the paper to the folder `out`."""
    found = load_audits(paths, reference=reference)
    out.mkdir(parents=True, exist_ok=True)
    first, further, tables_shown, how = lead(found), conclusions(found), list(grids(found)), definitions(found)
    body = templates().get_template("tables.html").render(lead=first, list=further, grids=tables_shown, how=how)
    bullets = "\n".join((first, "", *(f"- {each}" for each in further)))
    sections = [("", "", tables_shown)]
    page = document(__package__, "page.html", title="Audits – Countersight", style="page.css", body=Markup(body))  # noqa: S704 - escaped by the template
    return AuditTableFiles(
        html=write_text(out / "report.html", page),
        markdown=write_text(out / "tables.md", markdown_tables("Audits", bullets.strip(), sections, how)),
        latex=write_text(out / "tables.tex", latex_tables(" ".join((first, *further)), sections, how)),
        csv=write_text(out / "tables.csv", comma_separated(found)),
        data=found,
    )


def print_audit_tables(found: ComparedAudits, console: Console) -> None:
    """Print every table, and the source of the figures."""
    console.print(Text("\n".join((lead(found), *(f"- {each}" for each in conclusions(found))))))
    print_grids(grids(found), console)
    console.print()
    for term, words in definitions(found):
        console.print(Text.assemble((f"{term}: ", "bold"), words))


def comma_separated(found: ComparedAudits) -> str:
    """Return CSV with one row per measured score; scores are from 0 to 1."""
    return csv_text(_COLUMNS, _rows_of_scores(found))


def _rows_of_scores(found: ComparedAudits) -> Iterator[list[Value]]:
    for audit in found.audits:
        manifest, scores = audit.manifest, audit.scores
        strata = {
            "scores": {"counted": scores.kept, "with excluded": scores.everything},
            "by kind": scores.by_kind,
            "by edit": scores.by_action,
            "by group": scores.by_group,
            "by judge": scores.by_judge,
        }
        lines = [(table, line, trio) for table, trios in strata.items() for line, trio in trios.items()]
        for table, line, trio in lines:
            for measure in MEASURES:
                mean: Mean = getattr(trio, measure)
                if mean.value is not None:
                    ends = [round(each, 6) for each in (mean.value, mean.low, mean.high)]
                    counts = [mean.concepts, mean.cases, mean.pictures]
                    yield [
                        *(table, audit.label, line, measure, *ends, *counts, "no" if audit.doubt else "yes"),
                        *(manifest.model.name, manifest.extractor.name, manifest.editor.name),
                        *(", ".join(judge.name for judge in manifest.judges), manifest.dataset.name),
                    ]
