"""The actors of a command: one at every place of the cluster, and which of them to ask next."""

from collections import Counter
from time import monotonic
from typing import Any

from countersight.errors import ModelError, Unreachable
from countersight.models.spread.actor import About, Failure, Seat, Wanted
from countersight.parallel import Place, join, leave, places

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
        self.ready: set[Wanted] = set()
        """The models that it was found to hold."""
        self.under_way = 0
        self._hellos: dict[Wanted, Any] = {}

    def hello(self, wanted: Wanted) -> Any:
        """What it will have said of a model, which it opens when it is first asked for."""
        if wanted not in self._hellos:
            self._hellos[wanted] = self.actor.about.remote(wanted)
        return self._hellos[wanted]


class Crew:
    """All actors at one cluster. Models of one command share them, as they share a GPU on one machine."""

    def __init__(self, address: str) -> None:
        self.ray = join(address)
        self._address = address
        self._seats: list[Seated] = []
        self._held: dict[Wanted, About] = {}
        self._users: Counter[Wanted] = Counter()
        self._starts: Counter[Place] = Counter()
        self._looked = float("-inf")

    def __len__(self) -> int:
        """Actors there are now."""
        return len(self._seats)

    def hold(self, wanted: Wanted) -> About:
        """Have the actors open a model; what the first of them says of it. `let_go` ends that."""
        self._users[wanted] += 1
        try:
            self._held[wanted] = about = self._held.get(wanted) or self._first_word(wanted)
        except ModelError:
            self.let_go(wanted)
            raise
        return about

    def least_busy(self, wanted: Wanted) -> Seated:
        """The actor to ask next; Unreachable while there is none."""
        self._look_around()
        ready = [seat for seat in list(self._seats) if wanted in seat.ready or self._welcomed(seat, wanted)]
        if not ready:
            raise Unreachable("no machine of the Ray cluster is left that answers")
        return min(ready, key=lambda seat: seat.under_way)

    def lose(self, seat: Seated) -> None:
        """Forget an actor whose process or machine is gone."""
        if seat in self._seats:
            self._seats.remove(seat)
            self._looked = float("-inf")

    def let_go(self, wanted: Wanted) -> tuple[str, ...]:
        """No longer ask a model; what the actors had to remark about it. With the last model they end."""
        if not self._users[wanted]:
            return ()
        asked = [seat.actor.remarks.remote(wanted) for seat in self._seats if wanted in seat.ready]
        said = self.ray.wait(asked, num_returns=len(asked), timeout=LAST_WORD)[0] if asked else []
        remarks = [remark for one in said for remark in self._got(one) or ()]
        self._users -= Counter([wanted])
        if not self._users:
            self._end()
        return tuple(dict.fromkeys(remarks))

    def _end(self) -> None:
        """End all actors and leave the cluster."""
        del _CREWS[self._address]
        for seat in self._seats:
            self.ray.kill(seat.actor)
        self._seats = []
        leave(self.ray)

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
        return Seated(place, actor.remote())

    def _welcomed(self, seat: Seated, wanted: Wanted) -> bool:
        """Whether an actor has started by now, with the same model in it as the others."""
        if not self.ray.wait([seat.hello(wanted)], timeout=0)[0]:
            return False
        about = self._got(seat.hello(wanted))
        if about is None:
            self.lose(seat)
            return False
        if isinstance(about, Failure):
            raise ModelError(f"{seat.place.address}: {about.reason}")
        _refuse_another_model(seat.place, about.settings, self._held[wanted].settings)
        seat.ready.add(wanted)
        return True

    def _first_word(self, wanted: Wanted) -> About:
        """What the first actor that starts says of a model; one on a machine that has just gone says nothing."""
        self._look_around()
        while self._seats:
            hellos = {seat.hello(wanted): seat for seat in self._seats}
            said, _ = self.ray.wait(list(hellos), num_returns=1, timeout=FIRST_WORD)
            about = self._got(said[0]) if said else Failure("no actor starts; are all its machines busy?")
            if isinstance(about, About):
                return about
            if isinstance(about, Failure):
                raise ModelError(f"on the Ray cluster: {about.reason}")
            self._seats.remove(hellos[said[0]])
        raise ModelError("no actor starts on the Ray cluster; is countersight installed on its machines?")

    def _got(self, ref: Any) -> Any:
        """What an actor said, or nothing where it is gone."""
        try:
            return self.ray.get(ref, timeout=LAST_WORD)
        except self.ray.exceptions.RayError:
            return None


def _refuse_another_model(place: Place, there: dict[str, Any], here: dict[str, Any]) -> None:
    if odd := next((key for key in here if there.get(key) != here[key]), None):
        raise ModelError(
            f"{place.address} would compute another model: {odd} is {there.get(odd)} there and {here[odd]} "
            "elsewhere; put the same files and packages on all machines, or name a `dtype`"
        )


_CREWS: dict[str, Crew] = {}


def crew_at(address: str) -> Crew:
    """The actors of this process at a cluster; they are seated when a model is first held."""
    if address not in _CREWS:
        _CREWS[address] = Crew(address)
    return _CREWS[address]
