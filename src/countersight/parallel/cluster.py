"""A Ray cluster: how it is joined and left, and which places it has for a model."""

import socket
from typing import Any, NamedTuple

from countersight.errors import ModelError

INSTALL = "pip install 'countersight[ray]'"
KNOCK = 5.0
"""Seconds for the head of a cluster to take a call."""


_joined = 0
"""How many of ours use the cluster now; the last to leave it closes the door."""


class Place(NamedTuple):
    """Where one actor sits: a GPU of a machine, or, where the cluster has no GPU, a whole machine."""

    node: str
    address: str
    number: int
    gpus: int
    cpus: int


def join(address: str) -> Any:
    """The `ray` package, connected to a cluster until `leave`; where somebody else is connected, that is used."""
    global _joined
    try:
        import ray
    except ImportError:
        raise ModelError(f"`ray` needs Ray, which is not installed: {INSTALL}") from None
    if ray.is_initialized():
        _joined += bool(_joined)
        return ray
    try:
        _knock(address)
        ray.init(address=address, logging_level="ERROR", log_to_driver=False)
    except Exception as error:  # OSError, RuntimeError, ValueError: as many kinds as there are reasons
        first = str(error).partition("\n")[0]
        raise ModelError(
            f"no Ray cluster can be joined at {address!r} ({first[:200]}); start one with `ray start --head`, or name "
            "the address it printed"
        ) from None
    _joined = 1
    return ray


def leave(ray: Any) -> None:
    """Give a connection back; it is closed when the last of ours has."""
    global _joined
    if _joined:
        _joined -= 1
        if not _joined:
            ray.shutdown()


def _knock(address: str) -> None:
    """Fail at once where nobody listens: Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if address != "auto":
        socket.create_connection((host, int(port)), KNOCK).close()


def places(ray: Any) -> list[Place]:
    """Every GPU of the cluster; or every machine, where there is no GPU at all."""
    nodes = [node for node in ray.nodes() if node["Alive"]]
    with_gpu = [node for node in nodes if node["Resources"].get("GPU", 0) >= 1]
    return [
        Place(node["NodeID"], node["NodeManagerAddress"], number, 1 if with_gpu else 0, 0 if with_gpu else cpus)
        for node in with_gpu or nodes
        if (cpus := int(node["Resources"].get("CPU", 0))) or with_gpu
        for number in range(int(node["Resources"]["GPU"]) if with_gpu else 1)
    ]
