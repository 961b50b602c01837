"""Orders of options: which orders are asked, and how their replies are combined into one."""

from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import Literal

from countersight.case import Order, Reply

MOST_IN_EVERY = 4
"""The maximum number of options that are asked in all orders (24)."""

Places = tuple[int, ...]
"""An order of options: their positions in the question."""


def orders_of(options: int, which: Literal["rotations", "every"] = "rotations") -> tuple[Places, ...]:
    """Return the orders in which options are asked; every option has every position equally often.

    Rotations are enough for that: four requests for four options instead of 24. More than four options are always
    rotated.
    """
    if which == "every" and options <= MOST_IN_EVERY:
        return tuple(permutations(range(options)))
    return tuple(tuple((start + nth) % options for nth in range(options)) for start in range(options))


class Gathering:
    """Collects the replies to the orders of one question until all have arrived."""

    def __init__(self, orders: tuple[Places, ...], said: Mapping[Places, Reply] | None = None) -> None:
        """`said` contains replies of an earlier process."""
        self._orders = orders
        self._said = dict(said or {})
        self._waiting = len(orders) - len(self._said)
        self._failed: Reply | None = None

    @property
    def hopeless(self) -> bool:
        """Whether an order has failed, and the question with it, so that no other order needs to be asked."""
        return self._failed is not None

    def add(self, places: Places, reply: Reply | None) -> Reply | None:
        """Add the reply to one order (None if it was not asked); returns the combined reply when no order is
        pending."""
        self._waiting -= 1
        if reply is not None:
            self._said[places] = reply
            if reply.state == "failed":
                self._failed = self._failed or reply
        if self._waiting or not (self._failed or len(self._said) == len(self._orders)):
            return None
        return self._whole()

    def _answered(self) -> Iterator[Order]:
        for places in self._orders:
            reply = self._said.get(places)
            if reply is not None and reply.state == "answered":
                yield Order(places, reply.text)

    def _whole(self) -> Reply:
        said = [self._said[places] for places in self._orders if places in self._said]
        one = self._failed or said[0]
        return Reply(
            case=one.case,
            row=one.row,
            world=one.world,
            telling=one.telling,
            state=one.state,
            reason=one.reason,
            finish=next((reply.finish for reply in said if reply.finish != "stop"), one.finish),
            orders=tuple(self._answered()),  # for a failed question: orders that need not be asked again
            tokens_in=sum(reply.tokens_in for reply in said),
            tokens_out=sum(reply.tokens_out for reply in said),
            cost=sum(reply.cost for reply in said),
            seconds=round(sum(reply.seconds for reply in said), 4),
            attempts=sum(reply.attempts for reply in said),
            model=one.model,
            trace=one.trace,
            restates="\n".join(reply.restates for reply in said if reply.restates),
        )
