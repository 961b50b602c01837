"""Ray clusters: connect and disconnect, list the places where models can run, and run work on all cores."""

import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from countersight.errors import CountersightError, ModelError

Order = TypeVar("Order")
Done = TypeVar("Done")

INSTALL = "pip install 'countersight[ray]'"
CONNECT_TIMEOUT = 5.0
"""Timeout in seconds for connecting to the head of a cluster."""
AHEAD = 3
"""Number of orders submitted per core before a result is awaited: no core idles, and memory stays bounded."""
AGAIN = 10
"""How often an order is retried if its machine fails."""


_joined = 0
"""The number of users of the connection; it is closed when the last one leaves."""


class ActorPlace(NamedTuple):
    """The place where one actor runs: a GPU of a machine, or a whole machine if the cluster has no GPU."""

    node: str
    address: str
    number: int
    gpus: int
    cpus: int


def join(address: str) -> Any:
    """Connect to a cluster until `leave`, and return the `ray` package; an existing connection is reused."""
    global _joined
    try:
        import ray
    except ImportError:
        raise ModelError(f"`ray` needs Ray, which is not installed: {INSTALL}") from None
    if ray.is_initialized():
        _joined += bool(_joined)
        return ray
    try:
        _check_address(address)
        ray.init(address=address, logging_level="ERROR", log_to_driver=False)
    except Exception as error:  # Ray raises many types of errors
        first = str(error).partition("\n")[0]
        raise ModelError(
            f"cannot connect to a Ray cluster at {address!r} ({first[:200]}); start one with `ray start --head`, or "
            "name the address that it printed"
        ) from None
    _joined = 1
    return ray


def leave(ray: Any) -> None:
    """Release a connection; it is closed when the last user has released it."""
    global _joined
    if _joined:
        _joined -= 1
        if not _joined:
            ray.shutdown()


def _check_address(address: str) -> None:
    """Raise an error at once if nothing listens at the address; Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if address != "auto":
        socket.create_connection((host, int(port)), CONNECT_TIMEOUT).close()


def places(ray: Any) -> list[ActorPlace]:
    """Return every GPU of the cluster, or every machine if there is no GPU."""
    nodes = [node for node in ray.nodes() if node["Alive"]]
    with_gpu = [node for node in nodes if node["Resources"].get("GPU", 0) >= 1]
    return [
        ActorPlace(node["NodeID"], node["NodeManagerAddress"], number, 1 if with_gpu else 0, 0 if with_gpu else cpus)
        for node in with_gpu or nodes
        if (cpus := int(node["Resources"].get("CPU", 0))) or with_gpu
        for number in range(int(node["Resources"]["GPU"]) if with_gpu else 1)
    ]


def on_cluster(work: Callable[[Order], Done], orders: Iterable[Order], address: str) -> Iterator[Done]:
    """Run `work` on every order on a cluster, and yield the results in order. The connection is always released."""
    ray = join(address)
    out: deque[Any] = deque()
    try:
        doing, given = ray.remote(_run_order).options(max_retries=AGAIN, scheduling_strategy="SPREAD"), ray.put(work)
        for order in orders:
            out.append(doing.remote(given, order))
            if len(out) > AHEAD * _cores(ray, address):
                yield _get_result(ray, out.popleft())
        while out:
            yield _get_result(ray, out.popleft())
    finally:
        for one in out:  # the caller stopped: cancel what is still running
            ray.cancel(one, force=True)
        leave(ray)


def _run_order(work: Callable[[Order], Done], order: Order) -> Done:
    return work(order)


def _cores(ray: Any, address: str) -> int:
    """Return the number of cores that the cluster has now; machines may come and go."""
    cores = int(ray.cluster_resources().get("CPU", 0))
    if not cores:
        raise CountersightError(f"the Ray cluster at {address!r} has no CPU cores; add a machine")
    return cores


def _get_result(ray: Any, one: Any) -> Any:
    try:
        return ray.get(one)
    except ray.exceptions.RayTaskError as error:  # Ray wraps our own errors
        if isinstance(error.cause, CountersightError):
            raise error.cause from None
        raise
    except ray.exceptions.RayError as error:
        said = str(error).strip().partition("\n")[0]
        raise CountersightError(
            f"the Ray cluster lost part of the work ({said[:200]}); run the same command again"
        ) from None
