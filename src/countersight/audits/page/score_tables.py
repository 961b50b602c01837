"""Tables of an audit: numbers from 0 to 1 with three digits, as in the paper, with their intervals."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from countersight.audits.calibration.calibration_file import DRAWINGS, Calibration, PeopleSheet
from countersight.audits.calibration.judge_accuracy import CorrectedScore, KnownShare
from countersight.audits.ccs import Mean
from countersight.audits.judge_agreement import JudgeAgreement
from countersight.audits.score_records import MEASURES, AuditScores, MeasuredScores
from countersight.figures import Interval
from countersight.html import NOTHING, Grid, Line, TableCell, name
from countersight.number_formats import count, percent
from countersight.number_formats import number as plain_number
from countersight.scoring import Difference
from countersight.text import several

WORDS: Final[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
NOTES: Final[dict[str, str]] = WORDS["notes"]
CALLED: Final = {"pcs": "PCS", "ncc": "NCC", "ccs": "CCS"}
HEAD: Final = ("scored tests", "cases", "pictures", *CALLED.values())
"""The headings for the columns that `trio_line` adds after the name."""


def grid(title: str, head: Iterable[str], rows: Iterable[Iterable[object]], note: str = "") -> Grid:
    """Return a table from cells, texts, tuples (a text with details below it) and numbers; all texts are cleaned."""
    return Grid(title, tuple(head), tuple(Line(tuple(map(_cell, row))) for row in rows), note)


def _cell(given: object) -> TableCell:
    if isinstance(given, TableCell):
        return given
    if isinstance(given, tuple):
        return TableCell(name(str(given[0])), tuple(name(str(each)) for each in given[1:] if each))
    return TableCell(count(given) if isinstance(given, int) else name(str(given)))


def number(value: float | None) -> str:
    """Format a score, or a dash if there is none; negative differences have a minus sign, not a hyphen."""
    return "–" if value is None else plain_number(value, 3)


def interval(figure: Mean | Difference | KnownShare | CorrectedScore | Interval) -> str:
    """Format the ends of the 95% interval."""
    return f"{number(figure.low)} to {number(figure.high)}"


def mean_cell(mean: Mean | None, expected: int | None = None) -> TableCell:
    """Return a cell with a score and its interval; the number of tests is added if it differs from the row's."""
    if mean is None or mean.value is None:
        return NOTHING
    more = () if expected is None or mean.concepts == expected else (f"n = {count(mean.concepts)}",)
    return TableCell(number(mean.value), (interval(mean), *more))


def trio_line(called: TableCell | str, trio: MeasuredScores, *, total: bool = False) -> Line:
    """Return a row with the numbers of scored tests, cases and pictures, and the three scores."""
    widest = max((getattr(trio, measure) for measure in MEASURES), key=lambda mean: mean.concepts)
    counts = (TableCell(count(each)) for each in (widest.concepts, widest.cases, widest.pictures))
    cells = (mean_cell(getattr(trio, measure), widest.concepts) for measure in MEASURES)
    return Line((TableCell(name(called)) if isinstance(called, str) else called, *counts, *cells), total=total)


def result_grids(scores: AuditScores) -> Iterator[Grid]:
    """Return the tables of scores: overall, by stratum, and for the extensions."""
    everything = trio_line("all tests with an edited picture, including excluded ones", scores.everything)
    yield Grid("Scores", ("of", *HEAD), (trio_line("all counted tests", scores.kept, total=True), everything))
    for called, head, strata in (
        ("By kind of concept", "kind", scores.by_kind),
        ("By kind of edit", "edit", scores.by_action),
        ("By group of cases", "group", scores.by_group if len(scores.by_group) > 1 else {}),
        ("By judge", "judge", scores.by_judge),
    ):
        if strata:
            lines = tuple(trio_line(key or "(no group)", trio) for key, trio in strata.items())
            yield Grid(called, (head, *HEAD), lines)
    if scores.checked is not None:
        below = (
            f"Of {several(len(scores.concepts), 'test')}, {count(scores.edited or 0)} have an edited picture; "
            f"a checker was sure about {count(scores.checked)}. A single “no” excludes a test. "
            "In drawings not edited by exact, a “cannot tell” by the checker pixels counts as no in the share."
        )
        rows = [
            [who, *map(count, (results.yes, results.no, results.unknown)), rate_cell(results.done)]
            for who, results in scores.checkers.items()
        ]
        columns = ("checked by", "yes", "no", "cannot tell", "share of yes among yes and no")
        yield grid("Did the edits do what was asked?", columns, rows, below)
    for title, found in (
        ("Accuracy (not part of the scores)", list(_accuracy(scores))),
        ("Extensions beyond EDCT", list(_extensions(scores))),
    ):
        if found:
            shares = ([words, count(mean.concepts), mean_cell(mean)] for words, mean in found)
            yield grid(title, ("share of tests in which", "tests", "share"), shares)


def _accuracy(scores: AuditScores) -> Iterator[tuple[str, Mean]]:
    if scores.accuracy is not None:
        yield "the answer about the original picture is right", scores.accuracy.before
        yield "the answer about the edited picture is right", scores.accuracy.after


def _extensions(scores: AuditScores) -> Iterator[tuple[str, Mean]]:
    if (found := scores.specificity) is not None:
        yield "the answer changes after an edit of a cited object (sensitivity)", found.sensitivity
        yield "the answer stays the same after an edit of an uncited object (specificity)", found.specificity
    if (doses := scores.doses) is not None:
        for nth, mean in enumerate(doses.moved, 1):
            yield f"the answer has changed at strength {nth} of {len(doses.moved)}", mean
        yield "a changed answer stays changed at higher strengths", doses.monotone
    if (thought := scores.thought) is not None:
        yield "the answer changes when the model's own explanation is changed", thought.moved
        yield "the new answer is the one that the changed explanation implies", thought.followed


def excluded_by_kind(scores: AuditScores) -> dict[str, int]:
    """Return the number of excluded tests by kind of reason, without the measurements at the end of most reasons."""
    counts: Counter[str] = Counter()
    for reason, number_of_tests in scores.excluded.items():
        counts[reason.partition(":")[0]] += number_of_tests
    return dict(counts.most_common())


def agreement_grids(agreement: JudgeAgreement) -> Iterator[Grid]:
    """Return tables of the agreement of judges with each other and with themselves."""
    if agreement.pairs:
        rows = (
            [
                f"{pair.first} and {pair.second}",
                (number(pair.pcs), f"n = {count(pair.pcs_n)}"),
                (number(pair.ncc), f"n = {count(pair.ncc_n)}"),
            ]
            for pair in agreement.pairs
        )
        lines = grid("", (), rows).lines
        alphas = (TableCell(number(each)) for each in (agreement.pcs_alpha, agreement.ncc_alpha))
        yield Grid(
            "Agreement between judges: Cohen's kappa",
            ("judges", "PCS", "NCC"),
            (*lines, Line((TableCell("all, Krippendorff's alpha"), *alphas), total=True)),
            NOTES["agreement"],
        )
    if agreement.own:
        rows = (
            [own.judge, number(own.pcs_alpha), number(own.ncc_alpha), _share(own.pcs_flips), _share(own.ncc_flips),
             count(own.n)]
            for own in agreement.own
        )  # fmt: skip
        head = ("judge", "alpha PCS", "alpha NCC", "flips PCS", "flips NCC", "tests")
        yield grid("Self-consistency of judges", head, rows, NOTES["own"])


def _share(value: float | None) -> str:
    return "–" if value is None else percent(value)


def calibration_grids(calibration: Calibration) -> Iterator[Grid]:
    """Return the tables of a calibration: judges, people and kinds of constructed tests."""
    yield grid(
        "Judges on tests with known verdicts",
        ("judge", *(f"{CALLED[measure]} {of}" for measure in MEASURES for of in ("q1", "q0")), "abstained"),
        (
            [sheet.judge.name,
             *(rate_cell(found) for measure in MEASURES
               for found in (getattr(sheet, measure).sensitivity, getattr(sheet, measure).specificity)),
             count(sheet.ccs.abstained)]
            for sheet in calibration.judges
        ),
        f"{count(calibration.size)} tests, seed {calibration.seed}: {name(calibration.domain or DRAWINGS)}. "
        + NOTES["calibration"],
    )  # fmt: skip
    if calibration.people:
        yield grid(
            "Judges compared with people",
            ("judge", "same verdict", "kappa", "passes alt-test", "mean of the labelled audit"),
            map(_people_row, calibration.people),
            NOTES["people"],
        )
    kinds = list(dict.fromkeys(kind for sheet in calibration.judges for kind in sheet.by_kind))
    if kinds:
        yield grid(
            "Share of tests with both verdicts right, by kind of constructed test",
            ("judge", *map(name, kinds), "hostile words", "other words"),
            (
                [sheet.judge.name, *map(rate_cell, (*map(sheet.by_kind.get, kinds), sheet.hostile, sheet.honest))]
                for sheet in calibration.judges
            ),
            NOTES["kinds"],
        )


def corrected_grid(scores: AuditScores) -> Grid:
    """Return the scores of each calibrated judge next to the corrected ones."""
    return grid(
        "Scores corrected for the judges' errors",
        ("judge", *(word for called in CALLED.values() for word in (called, f"{called} corrected"))),
        (
            [judge,
             *(cell for measure in MEASURES
               for cell in (mean_cell(getattr(scores.by_judge.get(judge, scores.kept), measure)),
                            corrected_cell(getattr(found, measure))))]
            for judge, found in scores.corrected.items()
        ),
        NOTES["corrected"],
    )  # fmt: skip


def _people_row(sheet: PeopleSheet) -> list[object]:
    passed = {True: "yes", False: "no", None: "unknown"}[sheet.alt.passed]
    rate = "" if sheet.alt.winning_rate is None else f"winning rate {number(sheet.alt.winning_rate)}"
    found = sheet.corrected
    return [
        (sheet.judge, CALLED[sheet.measure]),
        NOTHING if sheet.agreement is None else (number(sheet.agreement), f"n = {count(sheet.n)}"),
        number(sheet.kappa),
        (passed, rate, sheet.alt.why),
        (number(found.value), interval(found.interval), f"{count(found.labelled)} labelled") if found else NOTHING,
    ]


def rate_cell(rate: KnownShare | None) -> TableCell:
    """Return a cell with a share, its interval and its counts."""
    if rate is None or not rate.n:
        return NOTHING
    return TableCell(number(rate.share), (interval(rate), f"{count(rate.right)} of {count(rate.n)}"))


def corrected_cell(found: CorrectedScore | None) -> TableCell:
    """Return a cell with a corrected score and its interval."""
    if found is None:
        return TableCell("–", ("unknown",))
    if not found.fits:
        return TableCell("does not fit", (f"{number(found.estimate)} is not between 0 and 1",))
    return TableCell(number(found.value), (interval(found),))
