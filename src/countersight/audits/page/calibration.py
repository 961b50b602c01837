"""The calibration sheet on an audit's page: what its judges and its editor are worth where the truth is known."""

from collections.abc import Iterator

from countersight.audits.calibration.correcting import Corrected
from countersight.audits.calibration.sheet import DRAWINGS, Calibration, EditorSheet, Rate
from countersight.audits.page.figures import CALLED, mean_cell, number
from countersight.audits.scores import MEASURES, Scores
from countersight.html import NOTHING, Cell, Grid, Line, count, name


def calibration_grids(calibration: Calibration, scores: Scores) -> Iterator[Grid]:
    """Tables of a calibration: judges, what was made on purpose, the corrected scores, the editor and its rule."""
    yield Grid(
        "Judges where the right verdict is known",
        ("judge", *(f"{CALLED[measure]} {of}" for measure in MEASURES for of in ("q1", "q0")), "abstained"),
        tuple(
            Line(
                (
                    Cell(name(sheet.judge.name)),
                    *(
                        rate_cell(found)
                        for measure in MEASURES
                        for found in (getattr(sheet, measure).sensitivity, getattr(sheet, measure).specificity)
                    ),
                    Cell(count(sheet.ccs.abstained)),
                )
            )
            for sheet in calibration.judges
        ),
        f"{count(calibration.size)} tests, seed {calibration.seed}: {name(calibration.domain or DRAWINGS)}. What "
        "judges are worth elsewhere it does not say. q1 is sensitivity (yes where yes is right), q0 specificity (no "
        "where no is right), each with its 95% exact binomial interval and what it rests on.",
    )
    if calibration.people:
        yield _people(calibration)
    kinds = list(dict.fromkeys(kind for sheet in calibration.judges for kind in sheet.by_kind))
    yield Grid(
        "Both verdicts right, by what was made on purpose",
        ("judge", *map(name, kinds), "hostile words", "other words"),
        tuple(
            Line(
                (
                    Cell(name(sheet.judge.name)),
                    *(rate_cell(sheet.by_kind.get(kind)) for kind in kinds),
                    rate_cell(sheet.hostile),
                    rate_cell(sheet.honest),
                )
            )
            for sheet in calibration.judges
        ),
        "Hostile words are explanations that try to give themselves a score.",
    )
    yield Grid(
        "Scores corrected for the judges' mistakes",
        ("judge", *(word for measure in MEASURES for word in (CALLED[measure], f"{CALLED[measure]} corrected"))),
        tuple(
            Line(
                (
                    Cell(name(judge)),
                    *(
                        cell
                        for measure in MEASURES
                        for cell in (
                            mean_cell(getattr(scores.by_judge.get(judge, scores.kept), measure)),
                            corrected_cell(getattr(found, measure)),
                        )
                    ),
                )
            )
            for judge, found in scores.corrected.items()
        ),
        "(p + q0 − 1) / (q0 + q1 − 1); the interval carries the doubt about the score and about the judge.",
    )
    if calibration.editor:
        yield _editor(calibration.editor)


def _people(calibration: Calibration) -> Grid:
    lines = []
    for sheet in calibration.people:
        stands = {True: "yes", False: "no", None: "cannot be told"}[sheet.alt.passed]
        rate = "" if sheet.alt.winning_rate is None else f"winning rate {number(sheet.alt.winning_rate)}"
        found = sheet.corrected
        mean = NOTHING if found is None else Cell(
            number(found.value), (f"{number(found.interval.low)} to {number(found.interval.high)}",
                                  f"{count(found.labelled)} labelled"))  # fmt: skip
        share = NOTHING if sheet.agreement is None else Cell(number(sheet.agreement), (f"n = {count(sheet.n)}",))
        kappa = NOTHING if sheet.kappa is None else Cell(number(sheet.kappa))
        alt = Cell(stands, tuple(filter(None, (rate, name(sheet.alt.why)))))
        lines.append(Line((Cell(name(sheet.judge), (CALLED[sheet.measure],)), share, kappa, alt, mean)))
    return Grid(
        "Judges against people",
        ("judge", "same verdict", "kappa", "may stand in", "mean of the labelled audit"),
        tuple(lines),
        "People's verdict is what most of them say. May stand in: the alt-test (arXiv 2501.10970), each person left "
        "out in turn. The mean is prediction-powered: the judge's over all tests, corrected by people's of some.",
    )


def _editor(sheet: EditorSheet) -> Grid:
    lines = [
        Line((Cell("pictures of edits asked for"), Cell(f"{count(sheet.pictures)} of {count(sheet.n)}"))),
        Line((Cell("good by the rule"), Cell(f"{count(sheet.good)} of {count(sheet.pictures)}"))),
        Line((Cell("as asked, as far as the pixels tell"), rate_cell(sheet.done))),
        Line((Cell("the rule lets right edits pass (q1)"), rate_cell(sheet.gate.sensitivity))),
        Line((Cell("the rule stops failed edits (q0)"), rate_cell(sheet.gate.specificity))),
    ]
    lines += [
        Line((Cell(f"the rule on: {name(kind)}"), rate_cell(found))) for kind, found in sheet.gate_by_kind.items()
    ]
    lines += [
        Line((Cell(f"not counted: {name(reason)}"), Cell(count(times)))) for reason, times in sheet.reasons.items()
    ]
    return Grid(f"The editor: {name(sheet.editor.name)}", ("what", "share"), tuple(lines))


def rate_cell(rate: Rate | None) -> Cell:
    """A share with its interval and what it rests on."""
    if rate is None or not rate.n:
        return NOTHING
    ends = f"{number(rate.low)} to {number(rate.high)}"
    return Cell(number(rate.share), (ends, f"{count(rate.right)} of {count(rate.n)}"))


def corrected_cell(found: Corrected | None) -> Cell:
    """A corrected score with its interval."""
    if found is None:
        return Cell("–", ("cannot be told",))
    if not found.fits:
        ends = f"{number(found.estimate_low)} to {number(found.estimate_high)}"
        return Cell("does not fit", (f"{number(found.estimate)} is no share", ends))
    return Cell(number(found.value), (f"{number(found.low)} to {number(found.high)}",))
