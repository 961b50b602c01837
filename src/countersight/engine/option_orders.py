"""The orders in which the options of a question are asked, and its replies to all of them as one."""

from collections.abc import Mapping
from itertools import permutations
from typing import Literal

from countersight.case import Order, Reply

MOST_IN_EVERY = 4
"""The maximum number of options that are asked in all orders (24)."""
OptionOrder = tuple[int, ...]
"""An order of options: their positions in the question."""


def orders_of(options: int, which: Literal["rotations", "every"] = "rotations") -> tuple[OptionOrder, ...]:
    """Return the orders in which options are asked; every option has every position equally often.

    Rotations are enough for that: four requests for four options instead of 24. More than four options are always
    rotated.
    """
    if which == "every" and options <= MOST_IN_EVERY:
        return tuple(permutations(range(options)))
    return tuple(tuple((start + nth) % options for nth in range(options)) for start in range(options))


class ReplyCollector:
    """Collects the replies to one question in each order of its options, until all have arrived."""

    def __init__(self, orders: tuple[OptionOrder, ...], earlier: Mapping[OptionOrder, Reply] | None = None) -> None:
        """`earlier` contains replies of an earlier process."""
        self._orders = orders
        self._replies = dict(earlier or {})
        self._waiting = len(orders) - len(self._replies)
        self.failed: Reply | None = None
        """The reply to the first order that failed; the question has then failed, and no other order is asked."""

    def add(self, places: OptionOrder, reply: Reply | None) -> Reply | None:
        """Add the reply to one order (None if it was not asked).

        Returns the combined reply when no order is pending.
        """
        self._waiting -= 1
        if reply is not None:
            self._replies[places] = reply
            if reply.state == "failed":
                self.failed = self.failed or reply
        if self._waiting or not (self.failed or len(self._replies) == len(self._orders)):
            return None
        return self._combine()

    def _combine(self) -> Reply:
        by_order = {places: self._replies[places] for places in self._orders if places in self._replies}
        replies = list(by_order.values())
        one = self.failed or replies[0]
        return Reply(
            case=one.case,
            row=one.row,
            world=one.world,
            telling=one.telling,
            state=one.state,
            reason=one.reason,
            finish=next((reply.finish for reply in replies if reply.finish != "stop"), one.finish),
            # They are kept for a failed question too, so that answered orders are not asked again.
            orders=tuple(Order(places, reply.text) for places, reply in by_order.items() if reply.state == "answered"),
            tokens_in=sum(reply.tokens_in for reply in replies),
            tokens_out=sum(reply.tokens_out for reply in replies),
            cost=sum(reply.cost for reply in replies),
            seconds=round(sum(reply.seconds for reply in replies), 4),
            attempts=sum(reply.attempts for reply in replies),
            model=one.model,
            trace=one.trace,
            restates="\n".join(reply.restates for reply in replies if reply.restates),
        )
