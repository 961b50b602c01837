"""The layouts in which the papers published their questions."""

from countersight.exchange.formats import Export, Exported
from countersight.exchange.source import dataset_at
from countersight.suites.cello import export_jsonl
from countersight.suites.cvqa import export_csv


def export_cvqa(order: Export) -> Exported:
    """C-VQA's CSV."""
    cases = dataset_at(order.source, "cvqa").cases(order.on_bad)
    return Exported(export_csv((case for _, case in cases), order.out), "case")


def export_cello(order: Export) -> Exported:
    """CELLO's JSONL."""
    cases = dataset_at(order.source, "cello").cases(order.on_bad)
    return Exported(export_jsonl((case for _, case in cases), order.out), "case")
