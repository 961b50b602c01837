"""orders.jsonl: every edit that was ordered from a service, noted before the order is placed."""

from pathlib import Path
from typing import Final

import msgspec

from countersight.editing import Order
from countersight.engine import Journal
from countersight.errors import AuditError
from countersight.files import bounded_lines

ORDERS: Final = "orders.jsonl"
_LONGEST = 1 << 16


class FileOrders:
    """The orders of an audit; its file is there from the first order on."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / ORDERS
        self._journal: Journal | None = None
        self._last = {order.key: order for order in _read(self._path)}

    def find(self, key: str) -> Order | None:
        """What was last noted of an order."""
        return self._last.get(key)

    def note(self, order: Order) -> None:
        """Write it down, to the disk itself: a loss of power must not pay twice either."""
        if self._journal is None:
            self._journal = Journal(self._path).__enter__()
        self._journal.write(msgspec.json.encode(order) + b"\n")
        self._journal.sync()
        self._last[order.key] = order

    def close(self) -> None:
        """Let go of the file."""
        if self._journal is not None:
            self._journal.__exit__(None, None, None)


def _read(path: Path) -> list[Order]:
    if not path.is_file():
        return []
    found = []
    with open(path, "rb") as file:
        for number, line in enumerate(bounded_lines(file, _LONGEST), 1):
            if not line.endswith(b"\n"):
                break  # a kill cut it off: nothing was ordered yet
            try:
                found.append(msgspec.json.decode(line, type=Order))
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise AuditError(f"{path} line {number} is damaged ({error}); take it out, or order anew") from None
    return found
