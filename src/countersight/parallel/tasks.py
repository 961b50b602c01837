"""Work on the machines of a Ray cluster: every core of it does some, and whoever called is handed the results."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from countersight.errors import CountersightError
from countersight.parallel.cluster import join, leave

AHEAD = 3
"""Orders given out for each core before a result is taken: none waits for work, and memory stays bounded."""
AGAIN = 10
"""Times that an order is done anew because its machine went down."""

Order = TypeVar("Order")
Done = TypeVar("Done")


def on_cluster(work: Callable[[Order], Done], orders: Iterable[Order], address: str) -> Iterator[Done]:
    """What comes of each order, in their order. The cluster is left at the end, however that comes."""
    ray = join(address)
    out: deque[Any] = deque()
    try:
        doing, given = ray.remote(_do).options(max_retries=AGAIN, scheduling_strategy="SPREAD"), ray.put(work)
        for order in orders:
            out.append(doing.remote(given, order))
            if len(out) > AHEAD * _cores(ray, address):
                yield _got(ray, out.popleft())
        while out:
            yield _got(ray, out.popleft())
    finally:
        for one in out:  # somebody stopped: nothing goes on for nobody
            ray.cancel(one, force=True)
        leave(ray)


def _do(work: Callable[[Order], Done], order: Order) -> Done:
    return work(order)


def _cores(ray: Any, address: str) -> int:
    """Cores the cluster has now: machines may come and go."""
    cores = int(ray.cluster_resources().get("CPU", 0))
    if not cores:
        raise CountersightError(f"the Ray cluster at {address!r} has no core left for work; start a machine with one")
    return cores


def _got(ray: Any, one: Any) -> Any:
    try:
        return ray.get(one)
    except ray.exceptions.RayTaskError as error:  # our own errors are sentences; Ray wraps them into its trace
        if isinstance(error.cause, CountersightError):
            raise error.cause from None
        raise
    except ray.exceptions.RayError as error:
        said = str(error).strip().partition("\n")[0]
        raise CountersightError(f"the Ray cluster lost a part of the work ({said[:200]}); do it again") from None
