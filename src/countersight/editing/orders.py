"""Edits that are ordered and paid for: noted before they are placed, so that a kill does not pay for one twice."""

from typing import Literal, Protocol

import msgspec

from countersight.errors import OrderInDoubt


class Order(msgspec.Struct, frozen=True, omit_defaults=True):
    """One order of an edit, as far as it is known."""

    key: str
    """What is ordered: the digest of the request."""
    state: Literal["placing", "placed", "over"]
    id: str = ""
    address: str = ""
    """Where to look for the result."""
    cost: float = 0.0


class OrderBook(Protocol):
    """Where orders are noted; what is noted outlives the process."""

    def find(self, key: str) -> Order | None:
        """What was last noted of an order."""
        ...

    def note(self, order: Order) -> None:
        """Write it down; when this returns, a kill of the process cannot undo it."""
        ...


class NoBook:
    """Orders of somebody who keeps no book: each is a new one."""

    def find(self, key: str) -> Order | None:
        """Nothing is known."""
        return None

    def note(self, order: Order) -> None:
        """Nothing is written."""


def refuse_doubtful(order: Order) -> None:
    """Raise where an order may have been paid for, and nobody knows under which name."""
    if order.state == "placing":
        raise OrderInDoubt(
            "an order of this edit was being placed when the work was killed or the line broke, and may be paid for "
            f"already: look at your account, then take the line with {order.key[:16]} out of orders.jsonl and give the "
            "same command to order it anew"
        )
