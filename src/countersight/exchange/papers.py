"""Export in the layouts of the papers' published questions."""

from countersight.dataset import Dataset
from countersight.exchange.formats import Export, Exported
from countersight.exchange.named_questions import dataset_at
from countersight.suites.cello import NAME as CELLO
from countersight.suites.cello import export_jsonl
from countersight.suites.cvqa import export_csv
from countersight.text import several


def export_cvqa(order: Export) -> Exported:
    """Write C-VQA's CSV."""
    dataset = dataset_at(order.source, "cvqa")
    cases = (case for _, case in dataset.cases(order.on_bad) if not case.control_of)
    return Exported(export_csv(cases, order.out), "case", _left_out(dataset))


def _left_out(dataset: Dataset) -> str:
    controls = sum(bool(case.control_of) for _, case in dataset.cases())
    if not controls:
        return ""
    are = "is" if controls == 1 else "are"
    return f"{several(controls, 'control')} {are} left out, because the published layout cannot represent controls"


def export_cello(order: Export) -> Exported:
    """Write CELLO's JSONL."""
    cases = dataset_at(order.source, CELLO).cases(order.on_bad)
    return Exported(export_jsonl((case for _, case in cases), order.out), "case")
