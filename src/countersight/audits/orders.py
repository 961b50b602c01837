"""orders.jsonl: the orders of paid edits, so that none is paid for twice."""

from pathlib import Path
from typing import Final

import msgspec

from countersight.audits.records import decode_record
from countersight.editing import EditOrder
from countersight.engine import Journal
from countersight.files import bounded_lines

ORDERS: Final = "orders.jsonl"
_LONGEST = 1 << 16


class FileOrders:
    """The orders of paid edits in orders.jsonl, which is created with the first order."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / ORDERS
        self._journal: Journal | None = None
        self._last = {order.key: order for order in _read(self._path)}

    def find(self, key: str) -> EditOrder | None:
        """Return the last recorded state of an order."""
        return self._last.get(key)

    def note(self, order: EditOrder) -> None:
        """Record an order and sync it to disk, so that not even a power loss leads to paying twice."""
        if self._journal is None:
            self._journal = Journal(self._path).__enter__()
        self._journal.write(msgspec.json.encode(order) + b"\n")
        self._journal.sync()
        self._last[order.key] = order

    def close(self) -> None:
        """Close the file."""
        if self._journal is not None:
            self._journal.__exit__(None, None, None)


def _read(path: Path) -> list[EditOrder]:
    if not path.is_file():
        return []
    found = []
    with open(path, "rb") as file:
        for number, line in enumerate(bounded_lines(file, _LONGEST), 1):
            if not line.endswith(b"\n"):
                break  # the process was killed before it placed the order
            found.append(decode_record(line, EditOrder, f"{path} line {number}"))
    return found
