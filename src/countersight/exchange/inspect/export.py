"""`export --to inspect`: a run or an audit as a log that `inspect view` opens."""

from countersight.audits import AuditFolder
from countersight.engine import RunFolder
from countersight.errors import ExchangeError
from countersight.exchange.asked import opened
from countersight.exchange.formats import Export, Exported
from countersight.exchange.inspect.audit_log import write_audit_log
from countersight.exchange.inspect.run_log import write_run_log


def export_log(order: Export) -> Exported:
    """Write the log; a dataset needs none, since Inspect takes its folder as it is."""
    if order.out.suffix != ".eval":
        raise ExchangeError(f"Inspect opens logs by their ending: call it {order.out.name}.eval")
    source = opened(order.source)
    if isinstance(source, RunFolder):
        count = write_run_log(source, order.out, order.dataset)
    elif isinstance(source, AuditFolder):
        count = write_audit_log(source, order.out)
    else:
        raise ExchangeError(
            f"{order.source} is a dataset, which Inspect takes as it is: "
            f"inspect eval countersight/dataset -T folder={order.source} --model MODEL"
        )
    return Exported(count, "sample", f"look at it with: inspect view --log-dir {order.out.parent}")
