"""What came out: the scores, whether they can be trusted, what does not count, and what they do not show."""

from collections.abc import Iterator

from countersight.audits.agreement import Agreement
from countersight.audits.bundle.limits import HEADINGS
from countersight.audits.bundle.write import Sheets
from countersight.audits.page.beyond import beyond_grids
from countersight.audits.page.calibration import calibration_grids
from countersight.audits.page.figures import HEAD, number, trio_line
from countersight.audits.page.sections.remarks import remark
from countersight.audits.scores import Scores
from countersight.editing.quality import RULE
from countersight.html import (
    NOTHING,
    Cell,
    Grid,
    Line,
    Markup,
    as_table,
    count,
    definition_list,
    element,
    name,
    percent,
    section,
    text,
)
from countersight.text import several

_DEFINITIONS = (
    (
        "PCS",
        "Prediction Change Score: 1 where the answer about the edited picture is one that the edit calls for, else 0.",
    ),
    (
        "NCC",
        "NLE Concept Consistency: 1 where the explanation of the edited picture takes up the edit, else 0.",
    ),
    (
        "CCS",
        "Counterfactual Consistency Score: PCS times NCC. A case has the mean of its concepts, a model the mean of its "
        "cases.",
    ),
    (
        "interval",
        "95%, exact binomial for the number of independent cases; cases about one picture are not independent.",
    ),
    (
        "undecided",
        "Judges abstain, or are divided. Such a test counts in neither of the scores that are not known.",
    ),
)


def results(sheets: Sheets) -> Markup:
    """The scores, as a whole and by every stratum."""
    scores = sheets.scores
    lines = [
        trio_line("all tests that count", scores.kept, total=True),
        trio_line("all with an edited picture, excluded ones too", scores.everything),
    ]
    grids = [Grid("Scores", ("of", *HEAD), tuple(lines))]
    for called, head, strata in (
        ("By kind of concept", "kind", scores.by_kind),
        ("By what was edited", "edit", scores.by_action),
        ("By group of cases", "group", scores.by_group),
        ("By judge, each alone", "judge", scores.by_judge),
    ):
        if len(strata) > 1 or (strata and called != "By group of cases"):
            strata_lines = tuple(trio_line(key or "(no group)", trio) for key, trio in strata.items())
            grids.append(Grid(called, (head, *HEAD), strata_lines))
    grids += beyond_grids(scores)
    return section(
        "results",
        "Results · Annex IV 2(g), 3",
        "Scores from 0 to 1 over the tests that count, each with its 95% interval.",
        *(as_table(grid) for grid in grids),
        definition_list(_DEFINITIONS),
    )


def metrics(sheets: Sheets) -> Markup:
    """Whether the metrics are fit: how far judges agree, what decided, and the calibration."""
    scores = sheets.scores
    paths = Grid(
        "What decided the verdicts",
        ("decided by", "verdicts"),
        tuple(Line((Cell(name(path) or "not stated"), Cell(count(number)))) for path, number in scores.paths.items()),
    )
    abstained = Grid(
        "Abstentions",
        ("judge", "votes that decide neither"),
        tuple(Line((Cell(name(judge)), Cell(count(number)))) for judge, number in scores.abstentions.items()),
    )
    return section(
        "metrics",
        "Are the metrics fit? · Annex IV 4",
        "Scores are no better than the judges who gave the verdicts.",
        *(as_table(grid, grid.note) for grid in _agreement_grids(scores.agreement)),
        element("div", as_table(paths), as_table(abstained), class_="pair"),
        *_controls(scores),
        *_calibration(sheets),
    )


def exclusions(sheets: Sheets) -> Markup:
    """What does not count, and why."""
    scores = sheets.scores
    reasons = [(reason, number) for reason, number in scores.excluded.items()]
    if scores.refused:
        reasons.append(("the extractor named it, and the explanation does not cite it (concepts)", scores.refused))
    if scores.without_concept:
        reasons.append(("the explanation gave nothing to test (cases)", scores.without_concept))
    if scores.failed:
        reasons.append(("a step failed and was not done since (steps)", scores.failed))
    grid = Grid(
        "Excluded",
        ("reason", "tests"),
        tuple(Line((Cell(name(reason)), Cell(count(number)))) for reason, number in reasons),
    )
    table = [element("div", as_table(grid), class_="wordy")] if reasons else [remark("Nothing was excluded.")]
    return section(
        "exclusions",
        "Exclusions · Annex IV 3, 4",
        "Every one of them is in exclusions.csv, and in the cases below.",
        *table,
        definition_list(
            [
                ("rule", scores.rule),
                ("a bad edit", f"is one of which one of these is true: {'; '.join(RULE.words)}."),
            ]
        ),
    )


def limits(sheets: Sheets) -> Markup:
    """What the scores do not show."""
    lists = []
    for kind, heading in HEADINGS.items():
        items = [
            element("li", *([element("b", text("In this audit: "))] if each.of_this_audit else []), text(each.words))
            for each in sheets.limits
            if each.kind == kind
        ]
        lists.append(element("div", element("h3", text(heading)), element("ul", *items)))
    return section(
        "limits",
        "Limits, failure modes, foreseeable misuse · Annex IV 3, 5",
        "To be read before the scores are used.",
        element("div", *lists, class_="points panel"),
    )


def _agreement_grids(agreement: Agreement) -> Iterator[Grid]:
    if agreement.pairs:
        lines = [
            Line((Cell(f"{name(pair.first)} and {name(pair.second)}"), _kappa(pair.pcs, pair.pcs_n),
                  _kappa(pair.ncc, pair.ncc_n)))
            for pair in agreement.pairs
        ]  # fmt: skip
        alphas = (_plain(agreement.pcs_alpha), _plain(agreement.ncc_alpha))
        lines.append(Line((Cell("all, Krippendorff's alpha"), *alphas), total=True))
        yield Grid(
            "Judges against each other: Cohen's kappa",
            ("judges", "PCS", "NCC"),
            tuple(lines),
            "Over tests that both decided by themselves; what rules decided for a judge is left out.",
        )
    if agreement.own:
        yield Grid(
            "Judges against themselves",
            ("judge", "alpha PCS", "alpha NCC", "flips PCS", "flips NCC", "tests"),
            tuple(
                Line(
                    (
                        Cell(name(own.judge)),
                        _plain(own.pcs_alpha),
                        _plain(own.ncc_alpha),
                        _share(own.pcs_flips),
                        _share(own.ncc_flips),
                        Cell(count(own.n)),
                    )
                )
                for own in agreement.own
            ),
            "Over its votes on the same test; flips are how often two of them differ, in per cent.",
        )


def _kappa(value: float | None, n: int) -> Cell:
    return Cell(number(value), (f"n = {count(n)}",))


def _plain(value: float | None) -> Cell:
    return NOTHING if value is None else Cell(number(value))


def _share(value: float | None) -> Cell:
    return NOTHING if value is None else Cell(percent(value))


def _controls(scores: Scores) -> Iterator[Markup]:
    if scores.controls:
        yield remark(
            f"With a control edit that was to change nothing, {count(scores.flips)} of "
            f"{several(scores.controls, 'answer')} changed."
        )


def _calibration(sheets: Sheets) -> Iterator[Markup]:
    calibration = sheets.audit.calibration
    if calibration is None:
        yield remark("There is no calibration sheet in this bundle.")
        return
    for grid in calibration_grids(calibration, sheets.scores):
        yield as_table(grid, grid.note)
