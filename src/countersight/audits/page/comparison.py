"""Compare several audits: each audit is verified, and the sound ones are ranked.

Tables of scores per model (EDCT Table 1) and per judge and editor (Table 2) include the paper's rows. They are written
as a page, Markdown, LaTeX and CSV.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from markupsafe import Markup
from rich.console import Console
from rich.text import Text

from countersight import __version__
from countersight.audits.calibration.calibrating import NAME
from countersight.audits.folder import AuditFolder
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
from countersight.audits.pooling import Mean
from countersight.audits.records import Manifest
from countersight.audits.score_records import MEASURES, AuditScores
from countersight.audits.scores import ScoreDifference, difference, score
from countersight.audits.trail import read_audit
from countersight.audits.verifying.verify import verify_bundle
from countersight.english import listed
from countersight.errors import AuditError, ReferenceTableError
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
from countersight.suites import PaperTable, tables
from countersight.text import printable, several, unknown

PAPER: Final = "edct"


class ScoredAudit(msgspec.Struct, frozen=True):
    """One audit: its unique label, participants and scores, and what readers must know before they trust it."""

    label: str
    manifest: Manifest
    scores: AuditScores
    doubt: str
    """The first finding of its verification; "" if the audit is sound."""
    deviates: bool = False
    """Whether the audit deviates from its plan."""

    @property
    def title(self) -> str:
        """The label, marked if the audit is not sound, has failed steps or deviates from its plan."""
        failed = self.scores.failed
        marks = (
            "not verified" if self.doubt else "",
            several(failed, "failed step") if failed else "",
            "deviates from its plan" if self.deviates else "",
        )
        return " – ".join(filter(None, (self.label, ", ".join(filter(None, marks)))))


class AuditTables(msgspec.Struct, frozen=True):
    """The audits to compare, and the tables of the paper to show with them."""

    audits: tuple[ScoredAudit, ...]
    references: tuple[PaperTable, ...]
    """Tables of the paper to show with them."""

    @property
    def ranked(self) -> list[ScoredAudit]:
        """The sound audits with a score, the most faithful first."""
        sound = [audit for audit in self.audits if not audit.doubt and audit.scores.kept.ccs.value is not None]
        return sorted(sound, key=lambda each: -(each.scores.kept.ccs.value or 0.0))


def load_audits(paths: Sequence[Path], *, reference: Sequence[str] | None = None, seed: int = 0) -> AuditTables:
    """Read and verify audits, and compute their scores; `reference` names tables of the paper."""
    known, names = {table.key: table for table in tables(PAPER)}, reference or (PAPER,)
    for called in names:
        if called != PAPER and called not in known:
            raise ReferenceTableError(unknown("reference table", called, [PAPER, *known]))
    chosen = tuple(table for key, table in known.items() if PAPER in names or key in names)
    audits = tuple(_load(path, label, seed) for path, label in zip(paths, _labels(paths), strict=True))
    return AuditTables(audits, chosen)


def _load(path: Path, label: str, seed: int) -> ScoredAudit:
    audit = read_audit(path)
    if not audit.cases:
        raise AuditError(f"{path} has nothing to report yet")
    verified = verify_bundle(path)
    doubt = printable(str(verified.findings[0])) if verified.findings else ""
    return ScoredAudit(label, audit.manifest, score(audit, seed=seed), doubt, deviates=bool(verified.deviations))


def _labels(paths: Sequence[Path]) -> list[str]:
    """Return a unique name for each audit: its model, with its folder if the model is not enough."""
    manifests = [AuditFolder.open(path).manifest for path in paths]
    for path, manifest in zip(paths, manifests, strict=True):
        if manifest.model.name == NAME:
            raise AuditError(f"{path} is a calibration, not an audit; pass it to an audit as `calibration`")
    times = Counter(manifest.model.name for manifest in manifests)
    named = [
        model if times[model := manifest.model.name] == 1 else f"{model} ({path.resolve().name})"
        for manifest, path in zip(manifests, paths, strict=True)
    ]
    times = Counter(named)
    return [called if times[called] == 1 else f"{called} #{place}" for place, called in enumerate(named, 1)]


def lead(found: AuditTables) -> str:
    """Return a sentence about what was measured, and the result."""
    if len(found.audits) == 1:
        (audit,) = found.audits
        ccs = audit.scores.kept.ccs
        result = "no counted test has a Counterfactual Consistency Score (CCS)"
        if ccs.value is not None:
            result = f"a Counterfactual Consistency Score (CCS) of {number(ccs.value)} (95% interval {interval(ccs)})"
        return f"“{name(audit.title)}” was audited on {several(audit.scores.cases, 'case')}: {result}."
    start = f"{count(len(found.audits))} audits"
    if not found.ranked:
        return f"{start}."
    best, worst = (number(each.scores.kept.ccs.value) for each in (found.ranked[0], found.ranked[-1]))
    range_of = f"{best} in the only audit that can be ranked" if len(found.ranked) == 1 else f"{worst} to {best}"
    return f"{start}: the Counterfactual Consistency Score (CCS) is {range_of}."


class ComparedAudits(NamedTuple):
    """Two ranked audits, the one with the higher score first, and their difference or why they cannot be compared."""

    one: ScoredAudit
    other: ScoredAudit
    apart: ScoreDifference | str

    def __str__(self) -> str:
        return f"“{name(self.one.label)}” and “{name(self.other.label)}”"


def conclusions(found: AuditTables) -> list[str]:
    """Return sentences about which models are more faithful than others, and about audits that are not ranked."""
    pairs = [ComparedAudits(*two, apart_or_why(*two)) for two in combinations(found.ranked, 2)]
    better, unclear, incomparable = defaultdict(list), [], defaultdict(list)
    for pair in pairs:
        if isinstance(pair.apart, str):
            incomparable[pair.apart].append(pair)
        elif pair.apart.low > 0:
            better[pair.one.label].append(pair)
        else:
            unclear.append(pair)
    words = []
    for label, clear in better.items():
        others = listed(f"“{name(pair.other.label)}”" for pair in clear)
        words.append(f"“{name(label)}” is more faithful than {others}{_difference(clear, 'by')}.")
    if unclear:
        words.append(f"{_named(unclear)} do not differ significantly{_difference(unclear, 'difference')}.")
    words += [f"{_named(which)} {why} and cannot be compared." for why, which in incomparable.items()]
    doubtful = [audit for audit in found.audits if audit.doubt]
    return words + [
        f"“{name(audit.label)}” is not ranked, because it could not be verified: {name(audit.doubt)}."
        for audit in doubtful
    ]


def _named(pairs: Sequence[ComparedAudits]) -> str:
    return str(pairs[0]) if len(pairs) == 1 else f"{count(len(pairs))} pairs of audits"


def _difference(pairs: Sequence[ComparedAudits], word: str) -> str:
    """Return the difference of a pair in parentheses; empty if there are several pairs."""
    [(_, _, apart), *others] = pairs
    if others or isinstance(apart, str):
        return ""
    on = several(apart.cases, "shared case")
    return f" ({word} {number(apart.value)} on {on}, 95% interval {interval(apart)})"


def apart_or_why(one: ScoredAudit, other: ScoredAudit) -> ScoreDifference | str:
    """Return the difference of two audits, or why they cannot be compared."""
    first, second = one.manifest, other.manifest
    if {judge.name for judge in first.judges} != {judge.name for judge in second.judges}:
        return "had different judges"
    same = first.dataset.fingerprint == second.dataset.fingerprint
    return (difference(one.scores, other.scores, "ccs") if same else None) or "have no case in common"


def _compared_with_above(audit: ScoredAudit, above: Sequence[ScoredAudit]) -> tuple[ScoredAudit, ScoreDifference | str]:
    """Return the nearest audit above that can be compared, and the difference; if none can, the one just above."""
    pairs = [(each, apart_or_why(each, audit)) for each in reversed(above)]
    return next((pair for pair in pairs if not isinstance(pair[1], str)), pairs[0])


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


def _ranking(found: AuditTables) -> Grid:
    """Return the table of audits, by score; the place of an audit depends on how many are clearly more faithful."""
    rows = []
    for rank, audit in enumerate(found.ranked):
        scores, above = audit.scores, found.ranked[:rank]
        differences = (apart_or_why(each, audit) for each in above)
        place = 1 + sum(not isinstance(apart, str) and apart.low > 0 for apart in differences)
        other, right = scores.specificity, scores.accuracy
        means = (
            scores.kept.ccs,
            other.sensitivity if other else None,
            other.specificity if other else None,
            right.after if right else None,
        )
        rows.append(
            [
                (f"{place}. {audit.title}", *_comparison(audit, above)),
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
    other, apart = _compared_with_above(audit, above)
    if isinstance(apart, str):
        return (f"cannot be compared with {other.label}: the two {apart}",)
    figures = f"difference {number(apart.value)} ({interval(apart)})"
    separated = "" if apart.low > 0 else "not significant"
    return f"{several(apart.cases, 'case')} shared with {other.label}", figures, separated


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


def definitions(found: AuditTables) -> list[tuple[str, str]]:
    """Return the meaning and the source of each figure."""
    rule = found.audits[0].scores.rule
    terms = WORDS["compared"].items()
    return [(term, words.replace("RULE", rule).replace("VERSION", __version__)) for term, words in terms]


def write_audit_tables(
    paths: Sequence[Path], out: Path, *, reference: Sequence[str] | None = None, seed: int = 0
) -> AuditTableFiles:
    """Write tables that compare several audits with each other and with the paper to the folder `out`."""
    found = load_audits(paths, reference=reference, seed=seed)
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


def print_audit_tables(found: AuditTables, console: Console) -> None:
    """Print every table, and the source of the figures."""
    console.print(Text("\n".join((lead(found), *(f"- {each}" for each in conclusions(found))))))
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
