"""What changed since an earlier audit, and what people made of the verdicts."""

from countersight.audits.bundle.write import Sheets
from countersight.audits.page.figures import CALLED, difference_cell, mean_cell, number
from countersight.audits.page.sections.remarks import remark
from countersight.audits.paired import Difference
from countersight.html import Cell, Grid, Line, Markup, as_table, count, element, name, section
from countersight.text import several

_CHANGES = "Changes since an earlier audit · Annex IV 2(f), 6"

_REVIEW = "Human review · Art. 14, Annex IV 2(e)"


def changes(sheets: Sheets) -> Markup:
    """What is different from an earlier audit."""
    record = sheets.changes
    if record is None:
        words = "No earlier audit was named to compare with (countersight audit … --against DIR)."
        return section("changes", _CHANGES, "Against an earlier audit of the same system.", remark(words))
    lines = tuple(
        Line((Cell(name(each.what)), Cell(name(each.was) or "–"), Cell(name(each.now) or "–")))
        for each in record.changed
    )
    shifts = tuple(
        Line((Cell(CALLED[measure]), mean_cell(shift.was), mean_cell(shift.now), _shift_cell(shift.difference)))
        for measure, shift in record.scores.items()
    )
    seal = f"sealed as {record.earlier_seal}" if record.earlier_seal else "without a seal"
    about = f"Against {name(record.earlier)}, begun {name(record.earlier_started)}, {seal}."
    cases = (
        f"Cases with another CCS than before: {count(len(record.flips))}; added: {count(record.cases_added)}; removed: "
        f"{count(record.cases_removed)}; with another picture: {count(record.pictures_changed)}."
    )
    return section(
        "changes",
        _CHANGES,
        about,
        *(
            [element("div", as_table(Grid("What changed", ("what", "before", "now"), lines)), class_="wordy")]
            if lines
            else [remark("Nothing of the audited model, the others, the prompts, the data or the program changed.")]
        ),
        as_table(Grid("What that did to the scores", ("score", "before", "now", "now − before, case by case"), shifts)),
        remark(cases),
    )


def reviews(sheets: Sheets) -> Markup:
    """What people made of the verdicts."""
    log = sheets.reviews
    if not log.reviews and not log.faults:
        words = (
            "Nobody's review is in this bundle yet. People judge in a campaign (countersight collect, flow judge), "
            "whose export countersight audit bundle --reviews takes up."
        )
        return section("review", _REVIEW, "Who looked at verdicts, when, and what was overturned.", remark(words))
    lines = tuple(
        Line(
            (
                Cell(name(each.by), tuple(filter(None, (name(each.role), name(each.at))))),
                Cell(name(each.case), (f"concept {each.concept}",)),
                Cell(each.measure),
                Cell(number(each.was)),
                Cell(number(each.now), ("overturned",) if each.overturned else ()),
                Cell(name(each.reason) or "–"),
            )
        )
        for each in log.reviews
    )
    faults = [remark(name(fault)) for fault in log.faults[:20]]
    return section(
        "review",
        _REVIEW,
        f"{several(len(log.reviews), 'verdict')} reviewed, {count(len(log.overturned))} overturned. The scores are as "
        "the judges gave them.",
        element("div", as_table(Grid("Reviews", ("who", "case", "of", "was", "now", "why"), lines)), class_="wordy"),
        *faults,
    )


def _shift_cell(difference: Difference | None) -> Cell:
    if difference is None:
        return Cell("–", ("no case in both",))
    return difference_cell(difference)
