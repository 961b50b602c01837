"""One function for parallel work: in this process, in several, or on a cluster, with results in order."""

from collections.abc import Callable, Iterable, Iterator, Sized
from typing import TypeVar

from countersight.system import cores

Order = TypeVar("Order")
Done = TypeVar("Done")


def in_order(
    work: Callable[[Order], Done], orders: Iterable[Order], *, workers: int | None = None, ray: str = ""
) -> Iterator[Done]:
    """Return the results of the orders, in order: on the Ray cluster at an address, or here, one process per core.

    `work` writes nothing and depends on its order alone, so it can be done anywhere, and again where a machine is lost.
    """
    if ray:
        from countersight.parallel.cluster import on_cluster

        yield from on_cluster(work, orders, ray)
        return
    several = min(workers or cores(), len(orders) if isinstance(orders, Sized) else workers or cores())
    if several <= 1:
        yield from map(work, orders)
        return
    from countersight.parallel.processes import in_processes

    yield from in_processes(work, orders, several)
