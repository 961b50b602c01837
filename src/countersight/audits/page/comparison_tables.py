"""Tables of several audits: scores per model (EDCT Table 1), per judge and editor (Table 2), with the paper's rows.

They are written as a page, Markdown, LaTeX and CSV; a file is never left incomplete.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec
from markupsafe import Markup
from rich.console import Console
from rich.text import Text

from countersight import __version__
from countersight.audits.page.comparison import AuditTables, ScoredAudit, apart_or_why, load_audits, sentence
from countersight.audits.page.page import templates
from countersight.audits.page.score_tables import (
    CALLED,
    HEAD,
    NOTES,
    WORDS,
    difference_cell,
    grid,
    interval,
    mean_cell,
    number,
    trio_line,
)
from countersight.audits.pooling import Mean
from countersight.audits.records import Manifest
from countersight.audits.score_records import MEASURES, MeasuredScores
from countersight.audits.scores import ScoreDifference, difference
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
    data: AuditTables

    def __repr__(self) -> str:
        return f"AuditTableFiles({str(self.html)!r})"


def grids(found: AuditTables) -> Iterator[Grid]:
    """Return every table: the ranking if several audits are sound, then those of the paper in its order."""
    if len(found.ranked) > 1:
        yield _ranking(found)
    yield _models(found)
    yield from (_with_reference(found, reference) for reference in found.references)
    if found.compared:
        yield grid(
            "Differences between audits",
            ("first minus second", *CALLED.values()),
            (
                [
                    f"{first.title} − {second.title}",
                    *(difference_cell(difference(first.scores, second.scores, measure)) for measure in MEASURES),
                ]
                for first, second in found.compared
            ),
            NOTES["differences"],
        )
    for title, head, strata in (("By judge", "judge", "by_judge"), ("By kind of concept", "kind", "by_kind")):
        lines = tuple(
            trio_line(TableCell(name(key), (name(audit.title), f"editor {name(audit.manifest.editor.name)}")), trio)
            for audit in found.audits
            for key, trio in getattr(audit.scores, strata).items()
        )
        if lines:
            yield Grid(title, (head, *HEAD), lines)


def _ranking(found: AuditTables) -> Grid:
    """Return the table of audits, the most faithful first; those that cannot be separated share a place."""
    rows, place = [], 1
    for before, audit in zip((None, *found.ranked), found.ranked, strict=False):
        scores = audit.scores
        apart = apart_or_why(before, audit) if before else ""
        place += not isinstance(apart, str) and apart.low > 0
        other, right = scores.specificity, scores.accuracy
        means = (
            scores.kept.ccs,
            other.sensitivity if other else None,
            other.specificity if other else None,
            right.after if right else None,
        )
        rows.append(
            [
                (f"{place}. {audit.title}", *_compared_with_above(apart)),
                *map(mean_cell, means),
                count(scores.kept.ccs.concepts),
            ]
        )
    head = ("model", "CCS", "sensitivity", "specificity", "accuracy after edits", "tests")
    return grid("Ranking", head, rows, NOTES["ranking"])


def _compared_with_above(apart: ScoreDifference | str) -> tuple[str, ...]:
    """Return the number of cases shared with the audit above and whether they separate the two; () for the first."""
    if isinstance(apart, str):
        return (f"cannot be compared with the audit above: the two {apart}",) if apart else ()
    figures = f"difference {number(apart.value)} ({interval(apart)})"
    separated = "" if apart.low > 0 else "these cases cannot separate the two"
    return f"{several(apart.cases, 'case')} shared with the audit above", figures, separated


def describe_participants(manifest: Manifest) -> str:
    """Return the participants of an audit except the audited model, in one line."""
    judges = ", ".join(name(judge.name) for judge in manifest.judges)
    return f"extractor {name(manifest.extractor.name)}; editor {name(manifest.editor.name)}; judged by {judges}"


def _models(found: AuditTables) -> Grid:
    lines = []
    for audit in found.audits:
        details = (name(audit.manifest.dataset.name), describe_participants(audit.manifest))
        lines.append(trio_line(TableCell(name(audit.title), details), audit.scores.kept))
        if audit.scores.everything != audit.scores.kept:
            lines.append(trio_line(TableCell(name(audit.title), ("with excluded tests",)), audit.scores.everything))
    return Grid(
        "Faithfulness of explanations",
        ("model", *HEAD),
        tuple(lines),
        NOTES["models"],
    )


def _with_reference(found: AuditTables, reference: PaperTable) -> Grid:
    by_judge = len(reference.labels) > 1
    lines = []
    for audit in found.audits:
        for called, details, trio in _rows(audit, by_judge=by_judge):
            cells = (mean_cell(getattr(trio, place.measure), trio.ccs.concepts) for place in reference.places)
            lines.append(Line((TableCell(called, ("measured", *details)), TableCell(count(trio.ccs.concepts)), *cells)))
    for system in reference.systems:
        printed = (NOTHING if cell is None else TableCell(cell.text) for cell in system.cells)
        n = NOTHING if system.n is None else TableCell(count(system.n))
        lines.append(Line((TableCell(system.name, ("reported",)), n, *printed), reported=True))
    source = f"{reference.source} ({reference.citation})"
    note = f"{NOTES['reported'].replace('SOURCE', source)} {reference.note}".strip()
    head = ("judge, editor" if by_judge else "model", "n", *(place.name for place in reference.places))
    return Grid(f"Beside {reference.source}: {reference.what}", head, tuple(lines), note)


def _rows(audit: ScoredAudit, *, by_judge: bool) -> Iterator[tuple[str, tuple[str, ...], MeasuredScores]]:
    if not by_judge:
        yield name(audit.title), (), audit.scores.kept
        return
    for judge, trio in audit.scores.by_judge.items():
        yield f"{name(judge)}, {name(audit.manifest.editor.name)}", (f"of {name(audit.title)}",), trio


def definitions(found: AuditTables) -> list[tuple[str, str]]:
    """Return the meaning and the origin of each figure."""
    rule, audits = found.audits[0].scores.rule, found.audits
    return [
        *((f"audit {name(each.title)}", _described(each.manifest)) for each in audits),
        *(
            (term, words.replace("RULE", rule).replace("VERSION", __version__))
            for term, words in WORDS["compared"].items()
        ),
    ]


def _described(manifest: Manifest) -> str:
    return (
        f"{name(manifest.model.name)} on {name(manifest.dataset.name)} (fingerprint "
        f"{name(manifest.dataset.fingerprint)}); {describe_participants(manifest)}; "
        f"{several(manifest.votes, 'vote')} per judge, pooled by majority; "
        f"at most {several(manifest.concepts, 'concept')} per explanation; started "
        f"{name(manifest.started)}; Countersight {name(manifest.countersight)}"
    )


def write_audit_tables(
    paths: Sequence[Path], out: Path, *, reference: Sequence[str] | None = None, seed: int = 0
) -> AuditTableFiles:
    """Write tables that compare several audits with each other and with the paper to the folder `out`."""
    found = load_audits(paths, reference=reference, seed=seed)
    out.mkdir(parents=True, exist_ok=True)
    summary, tables_shown, how = sentence(found), list(grids(found)), definitions(found)
    body = templates().get_template("tables.html").render(sentence=summary, grids=tables_shown, how=how)
    sections = [("", "", tables_shown)]
    page = document(__package__, "page.html", title="Audits – Countersight", style="page.css", body=Markup(body))  # noqa: S704 - escaped by the template
    return AuditTableFiles(
        html=write_text(out / "report.html", page),
        markdown=write_text(out / "tables.md", markdown_tables("Audits", summary, sections, how)),
        latex=write_text(out / "tables.tex", latex_tables(summary, sections, how)),
        csv=write_text(out / "tables.csv", comma_separated(found)),
        data=found,
    )


def print_audit_tables(found: AuditTables, console: Console) -> None:
    """Print every table, and the origin of the figures."""
    console.print(Text(sentence(found)))
    print_grids(grids(found), console)
    console.print()
    for term, words in definitions(found):
        console.print(Text.assemble((f"{term}: ", "bold"), words))


def comma_separated(found: AuditTables) -> str:
    """Return CSV with one row per measured score; scores are from 0 to 1."""
    return csv_text(_COLUMNS, _rows_of_scores(found))


def _rows_of_scores(found: AuditTables) -> Iterator[list[Value]]:
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
