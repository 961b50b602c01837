"""Tables of audits: the scores of each model (EDCT Table 1), judge by editor (Table 2), and the paper's rows beside."""

from collections.abc import Iterator
from itertools import pairwise

from countersight.audits.page.data import AuditTables, Compared, ScoredAudit
from countersight.audits.page.figures import CALLED, HEAD, difference_cell, interval, mean_cell, number, trio_line
from countersight.audits.records import Manifest
from countersight.audits.scores import MEASURES, Trio
from countersight.html import NOTHING, Cell, Grid, Line, count, name
from countersight.suites import PaperTable
from countersight.text import several


def sentence(tables: AuditTables) -> str:
    """What was measured and what came out, in a sentence."""
    if len(tables.audits) == 1:
        (audit,) = tables.audits
        ccs = audit.scores.kept.ccs
        score = f"a Counterfactual Consistency Score (CCS) of {number(ccs.value or 0.0)} (95% {interval(ccs)})"
        told = "no test that counts" if ccs.value is None else score
        return f"{name(audit.label)} was audited over {several(audit.scores.cases, 'case')}: {told}."
    known = [audit.scores.kept.ccs.value for audit in tables.audits if audit.scores.kept.ccs.value is not None]
    start = f"{count(len(tables.audits))} audits"
    if not known:
        return f"{start}."
    between = f"the Counterfactual Consistency Score (CCS) is between {number(min(known))} and {number(max(known))}"
    return f"{start}: {between}. {conclusion(tables)}"


def conclusion(tables: AuditTables) -> str:
    """Who is more faithful than whom, as far as the audits can tell."""
    told = {(each.first, each.second): each.differences["ccs"] for each in tables.next_best}
    sentences = []
    for one, other in pairwise(tables.ranked):
        found = told.get((one.label, other.label))
        names = name(one.label), name(other.label)
        if found is None:
            sentences.append(f"{names[0]} and {names[1]} have no case in common and cannot be compared.")
        elif found.low > 0:
            by = f"{number(found.value)}, 95% {number(found.low)} to {number(found.high)}"
            sentences.append(f"{names[0]} is more faithful than {names[1]} (by {by}).")
        else:
            sentences.append(f"{names[0]} and {names[1]} cannot be told apart.")
    return " ".join(sentences)


def _ranking(tables: AuditTables) -> Grid:
    """The audits, the most faithful first, with all that speaks for or against them."""
    lines = []
    for place, audit in enumerate(tables.ranked, 1):
        scores = audit.scores
        other, right = scores.specificity, scores.accuracy
        cells = (
            mean_cell(scores.kept.ccs),
            mean_cell(other.sensitivity) if other else NOTHING,
            mean_cell(other.specificity) if other else NOTHING,
            mean_cell(right.after) if right else NOTHING,
        )
        lines.append(Line((Cell(str(place)), Cell(name(audit.label)), *cells, Cell(count(scores.kept.ccs.concepts)))))
    return Grid(
        "Ranking",
        ("", "model", "CCS", "sensitivity", "specificity", "accuracy after edits", "tests"),
        tuple(lines),
        conclusion(tables),
    )


def grids(tables: AuditTables) -> Iterator[Grid]:
    """Every table: the ranking where there are several audits, then those of the paper in its order."""
    if len(tables.ranked) > 1:
        yield _ranking(tables)
    yield _models(tables)
    judged = _judges_by_editors(tables)
    if len(judged.lines) > 1 or len(judged.head) > 3:
        yield judged
    yield from (_beside(tables, reference) for reference in tables.references)
    if tables.compared:
        yield Grid(
            "Audit against audit",
            ("first minus second", *(CALLED[measure] for measure in MEASURES)),
            tuple(_compared(each) for each in tables.compared),
            "Over the cases that count in both; above zero, the first scores higher. Intervals and p over pictures.",
        )
    kinds = [
        trio_line(Cell(name(kind), (name(audit.label),)), trio)
        for audit in tables.audits
        for kind, trio in audit.scores.by_kind.items()
    ]
    if kinds:
        yield Grid("By kind of concept", ("kind", *HEAD), tuple(kinds))


def parties(manifest: Manifest) -> str:
    """Who took part in an audit, beside the audited model, in one line."""
    judges = ", ".join(name(judge.name) for judge in manifest.judges)
    return f"extractor {name(manifest.extractor.name)}; editor {name(manifest.editor.name)}; judged by {judges}"


def _models(tables: AuditTables) -> Grid:
    lines = []
    for audit in tables.audits:
        details = (name(audit.manifest.dataset.name), parties(audit.manifest))
        lines.append(trio_line(Cell(name(audit.label), details), audit.scores.kept))
        if audit.scores.everything != audit.scores.kept:
            lines.append(trio_line(Cell(name(audit.label), ("with excluded tests",)), audit.scores.everything))
    return Grid(
        "Faithfulness of explanations",
        ("model", *HEAD),
        tuple(lines),
        "Means over cases of the tests that count, with 95% intervals over pictures. PCS: does the answer follow the "
        "edit? NCC: does the explanation take it up? CCS: both at once.",
    )


def _judges_by_editors(tables: AuditTables) -> Grid:
    """CCS of every judge alone, a row an extractor and a judge, a column an editor, as far as audits have them."""
    editors = list(dict.fromkeys(audit.manifest.editor.name for audit in tables.audits))
    rows: dict[tuple[str, str, str, int], dict[str, Cell]] = {}
    for audit in tables.audits:
        editor, extractor = audit.manifest.editor.name, audit.manifest.extractor.name
        for judge, trio in audit.scores.by_judge.items():
            turn = 0  # a second audit with the same parties has a row of its own
            while editor in rows.setdefault((extractor, judge, audit.manifest.model.name, turn), {}):
                turn += 1
            rows[extractor, judge, audit.manifest.model.name, turn][editor] = mean_cell(trio.ccs)
    lines = tuple(
        Line(
            (
                Cell(name(extractor)),
                Cell(name(judge), _of(model, turn)),
                *(cells.get(each, NOTHING) for each in editors),
            )
        )
        for (extractor, judge, model, turn), cells in rows.items()
    )
    return Grid(
        "CCS by extractor, judge and editor",
        ("extractor", "judge", *map(name, editors)),
        tuple(lines),
        "Each judge alone. A row is an extractor and a judge of one audited model, a column an editor.",
    )


def _of(model: str, turn: int) -> tuple[str, ...]:
    return (f"of {name(model)}", f"audit {turn + 1} with this editor") if turn else (f"of {name(model)}",)


def _beside(tables: AuditTables, reference: PaperTable) -> Grid:
    measures = [place.measure for place in reference.places]
    by_judge = len(reference.labels) > 1
    lines = []
    for audit in tables.audits:
        for called, details, trio in _rows(audit, by_judge=by_judge):
            cells = (mean_cell(getattr(trio, measure), trio.ccs.concepts) for measure in measures)
            lines.append(Line((Cell(called, ("measured", *details)), Cell(count(trio.ccs.concepts)), *cells)))
    for system in reference.systems:
        printed = (NOTHING if cell is None else Cell(cell.text) for cell in system.cells)
        n = NOTHING if system.n is None else Cell(count(system.n))
        lines.append(Line((Cell(system.name, ("reported",)), n, *printed), reported=True))
    first = "judge, editor" if by_judge else "model"
    note = (
        "Measured rows come first, with their intervals. The others were not measured here: they are as reported in "
        f"{reference.source} ({reference.citation}), the half width of the 95% interval behind ±. {reference.note}"
    ).strip()
    head = (first, "n", *(place.name for place in reference.places))
    return Grid(f"Beside {reference.source}: {reference.what}", head, tuple(lines), note)


def _rows(audit: ScoredAudit, *, by_judge: bool) -> Iterator[tuple[str, tuple[str, ...], Trio]]:
    if not by_judge:
        yield name(audit.label), (), audit.scores.kept
        return
    for judge, trio in audit.scores.by_judge.items():
        yield f"{name(judge)}, {name(audit.manifest.editor.name)}", (f"of {name(audit.label)}",), trio


def _compared(compared: Compared) -> Line:
    cells = [NOTHING if each is None else difference_cell(each) for each in compared.differences.values()]
    return Line((Cell(f"{name(compared.first)} − {name(compared.second)}"), *cells))


def definitions(tables: AuditTables) -> list[tuple[str, str]]:
    """What each figure means and where it comes from."""
    entries = [
        (
            f"audit {name(audit.label)}",
            f"{name(audit.manifest.model.name)} on {name(audit.manifest.dataset.name)} (fingerprint "
            f"{name(audit.manifest.dataset.fingerprint)}); {parties(audit.manifest)}; {audit.manifest.votes} "
            f"{'vote' if audit.manifest.votes == 1 else 'votes'} of each, pooled by {audit.manifest.pool}; at most "
            f"{several(audit.manifest.concepts, 'concept')} of an explanation; begun {name(audit.manifest.started)}; "
            f"Countersight {name(audit.manifest.countersight)}",
        )
        for audit in tables.audits
    ]
    return [
        *entries,
        ("PCS", "Whether the answer about the edited picture is one that the edit calls for, from 0 to 1."),
        ("NCC", "Whether the explanation of the edited picture takes up the edit, from 0 to 1."),
        ("CCS", "PCS times NCC for each concept; the mean over the concepts of a case, then over cases."),
        ("interval", "95%, exact binomial for the number of independent cases; cases about one picture are not."),
        (
            "difference",
            "Over the cases both audits scored: Tango's score interval and McNemar's exact test, two-sided, for the "
            "number of independent cases that would vary as much.",
        ),
        ("excluded", tables.audits[0].scores.rule),
        (
            "reported",
            "Printed in the paper that is named beside it, and copied from there; of other models, judges, editors and "
            "cases. Nothing of it was measured here.",
        ),
        ("tables", f"written by Countersight {tables.version}"),
    ]
