"""Export datasets in the published file formats of C-VQA and CELLO."""

from countersight.exchange.formats import Export, Exported
from countersight.exchange.question_names import dataset_at
from countersight.suites.cello import NAME as CELLO
from countersight.suites.cello import export_jsonl
from countersight.suites.cvqa import export_csv
from countersight.text import several


def export_cvqa(order: Export) -> Exported:
    """Write C-VQA's CSV, which cannot represent controls."""
    cases = [case for _, case in dataset_at(order.source, "cvqa").cases(order.on_bad)]
    kept = [case for case in cases if not case.control_of]
    controls, note = len(cases) - len(kept), ""
    if controls:
        are = "is" if controls == 1 else "are"
        note = f"{several(controls, 'control')} {are} left out, because the published layout cannot represent controls"
    return Exported(export_csv(kept, order.out), "case", note)


def export_cello(order: Export) -> Exported:
    """Write CELLO's JSONL."""
    cases = dataset_at(order.source, CELLO).cases(order.on_bad)
    return Exported(export_jsonl((case for _, case in cases), order.out), "case")
