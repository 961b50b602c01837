"""The actors of a run: one at every place of the cluster, and which of them to ask next."""

from collections import Counter
from time import monotonic
from typing import Any

import msgspec

from countersight.errors import ModelError, Unreachable
from countersight.models.protocol import ModelSettings
from countersight.models.spread.actor import About, Failure, Seat
from countersight.models.spread.cluster import Place, join, places

STARTS = 3
"""Times that an actor is started at one place; what ends it so often would end it again."""
LOOK_AROUND = 5.0
"""Seconds between two looks at which machines the cluster has."""
FIRST_WORD = 600.0
"""Seconds for the first actor to start: the cluster may have to bring a machine up for it."""
LAST_WORD = 5.0
"""Seconds for an actor to say something when it is ended."""


class Seated:
    """An actor, and how it is doing."""

    def __init__(self, place: Place, actor: Any) -> None:
        self.place = place
        self.actor = actor
        self.hello = actor.about.remote()
        self.ready = False
        self.under_way = 0


class Crew:
    """All actors that hold one model; they end with it."""

    def __init__(self, name: str, settings: ModelSettings) -> None:
        self.ray = join(settings.ray)
        self._order = (name, msgspec.structs.replace(settings, ray=""))
        self._seats: list[Seated] = []
        self._starts: Counter[Place] = Counter()
        self._looked = float("-inf")
        self.about = self._first_word()

    def __len__(self) -> int:
        """Actors there are now."""
        return len(self._seats)

    def least_busy(self) -> Seated:
        """The actor to ask next; Unreachable while there is none."""
        self._look_around()
        ready = [seat for seat in list(self._seats) if seat.ready or self._welcomed(seat)]
        if not ready:
            raise Unreachable("no machine of the Ray cluster is left that answers")
        return min(ready, key=lambda seat: seat.under_way)

    def lose(self, seat: Seated) -> None:
        """Forget an actor whose process or machine is gone."""
        if seat in self._seats:
            self._seats.remove(seat)
            self._looked = float("-inf")

    def end(self) -> tuple[str, ...]:
        """End all actors and leave the cluster; what they had to remark."""
        asked = [seat.actor.remarks.remote() for seat in self._seats if seat.ready]
        said = self.ray.wait(asked, num_returns=len(asked), timeout=LAST_WORD)[0] if asked else []
        remarks = [remark for one in said for remark in self._got(one) or ()]
        for seat in self._seats:
            self.ray.kill(seat.actor)
        self._seats = []
        self.ray.shutdown()
        return tuple(dict.fromkeys(remarks))

    def _look_around(self) -> None:
        """Seat an actor at every place that has none: at first, when one was lost, and when the cluster has grown."""
        if monotonic() - self._looked < LOOK_AROUND:
            return
        self._looked = monotonic()
        taken = {seat.place for seat in self._seats}
        for place in places(self.ray):
            if place not in taken and self._starts[place] < STARTS:
                self._starts[place] += 1
                self._seats.append(self._seated(place))

    def _seated(self, place: Place) -> Seated:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        there = NodeAffinitySchedulingStrategy(node_id=place.node, soft=False)
        actor = self.ray.remote(Seat).options(
            num_gpus=place.gpus, num_cpus=place.cpus, scheduling_strategy=there, max_restarts=0
        )
        return Seated(place, actor.remote(*self._order))

    def _welcomed(self, seat: Seated) -> bool:
        """Whether an actor has started by now, with the same model in it as the others."""
        if not self.ray.wait([seat.hello], timeout=0)[0]:
            return False
        about = self._got(seat.hello)
        if about is None:
            self.lose(seat)
            return False
        if isinstance(about, Failure):
            raise ModelError(f"{seat.place.address}: {about.reason}")
        self._refuse_another_model(seat.place, about.settings)
        seat.ready = True
        return True

    def _refuse_another_model(self, place: Place, there: dict[str, Any]) -> None:
        here = self.about.settings
        if odd := next((key for key in here if there.get(key) != here[key]), None):
            raise ModelError(
                f"{place.address} would compute another model: {odd} is {there.get(odd)} there and {here[odd]} "
                "elsewhere; put the same files and packages on all machines, or name a `dtype`"
            )

    def _first_word(self) -> About:
        """What the first actor that starts says of the model; one on a machine that has just gone says nothing."""
        self._look_around()
        while self._seats:
            said, _ = self.ray.wait([seat.hello for seat in self._seats], num_returns=1, timeout=FIRST_WORD)
            about = self._got(said[0]) if said else Failure("no actor starts; are all its machines busy?")
            if isinstance(about, About):
                return about
            if isinstance(about, Failure):
                self.end()
                raise ModelError(f"on the Ray cluster: {about.reason}")
            self._seats = [seat for seat in self._seats if seat.hello != said[0]]
        self.end()
        raise ModelError("no actor starts on the Ray cluster; is countersight installed on its machines?")

    def _got(self, ref: Any) -> Any:
        """What an actor said, or nothing where it is gone."""
        try:
            return self.ray.get(ref, timeout=LAST_WORD)
        except self.ray.exceptions.RayError:
            return None
