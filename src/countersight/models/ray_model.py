"""One model computed on many machines, by actors of Ray's: one a GPU, the model in each as on a single machine.

Whoever asks sees one model. What is asked, the journal and the order stay with the process that asks; an actor gets a
question and gives an answer back. So a run on a cluster is the run of one machine, and the same folder goes on without.
"""

import asyncio
from collections import Counter, deque
from time import monotonic
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from countersight.errors import AskingFailed, CountersightError, ModelError, Unreachable
from countersight.models.protocol import Answer, Displayed, Model, ModelSettings, Request, Turn, Viewer
from countersight.models.registry import open_here
from countersight.parallel import ActorPlace, join, leave, places
from countersight.picture import Picture

Call = Literal["reply", "losses"]


class WantedModel(msgspec.Struct, frozen=True):
    """A model that the actors are to hold."""

    name: str
    settings: ModelSettings


class ModelInfo(msgspec.Struct, frozen=True):
    """What a model is on the machine that computes it."""

    settings: dict[str, Any]
    needs_picture: bool
    ranks: bool
    picture_limits: tuple[int, int] | None = None
    places: int = 1
    """So many times as many questions can be under way there as with a server."""


class Failure(msgspec.Struct, frozen=True):
    """Why there is no answer. Exceptions of ours do not travel: what they say does."""

    reason: str
    again: bool = False
    for_good: bool = False
    """Every further question would fail too."""


class Worker:
    """The models of a command in a process of its own, on one GPU or one machine of the cluster."""

    def __init__(self) -> None:
        self._models: dict[WantedModel, Model] = {}

    async def about(self, wanted: WantedModel) -> ModelInfo | Failure:
        """Open a model; nothing is loaded before the first question."""
        try:
            self._models[wanted] = model = open_here(wanted.name, wanted.settings)
        except CountersightError as error:
            return Failure(str(error), for_good=True)
        limits = model.picture_limits if isinstance(model, Viewer) else None
        places = getattr(model, "places", 1)
        return ModelInfo(model.settings, model.needs_picture, hasattr(model, "losses"), limits, places)

    async def ask(self, wanted: WantedModel, how: Call, request: Request, *pictures: Picture | None) -> Any:
        """Put a question to a model; its pictures come from the object store, apart from the words."""
        turns = [msgspec.structs.replace(turn, picture=one) for turn, one in zip(request.turns, pictures, strict=True)]
        try:
            return await getattr(self._models[wanted], how)(msgspec.structs.replace(request, turns=tuple(turns)))
        except AskingFailed as failure:
            return Failure(str(failure), again=failure.again)
        except CountersightError as error:
            return Failure(str(error), for_good=True)

    async def remarks(self, wanted: WantedModel) -> list[str]:
        """What turned out about a model while it was asked."""
        return list(getattr(self._models.get(wanted), "remarks", ()))


STARTS = 3
"""Times that an actor is started at one place; what ends it so often would end it again."""
LOOK_AROUND = 5.0
"""Seconds between two looks at which machines the cluster has."""
FIRST_WORD = 600.0
"""Seconds for the first actor to start: the cluster may have to bring a machine up for it."""
LAST_WORD = 5.0
"""Seconds for an actor to say something when it is ended."""


class PlacedWorker:
    """An actor, and how it is doing."""

    def __init__(self, place: ActorPlace, actor: Any) -> None:
        self.place = place
        self.actor = actor
        self.ready: set[WantedModel] = set()
        """The models that it was found to hold."""
        self.under_way = 0
        self._hellos: dict[WantedModel, Any] = {}

    def hello(self, wanted: WantedModel) -> Any:
        """What it will have said of a model, which it opens when it is first asked for."""
        if wanted not in self._hellos:
            self._hellos[wanted] = self.actor.about.remote(wanted)
        return self._hellos[wanted]


class WorkerPool:
    """All actors at one cluster. Models of one command share them, as they share a GPU on one machine."""

    def __init__(self, address: str) -> None:
        self.ray = join(address)
        self._address = address
        self._workers: list[PlacedWorker] = []
        self._held: dict[WantedModel, ModelInfo] = {}
        self._users: Counter[WantedModel] = Counter()
        self._starts: Counter[ActorPlace] = Counter()
        self._looked = float("-inf")

    def __len__(self) -> int:
        """Actors there are now."""
        return len(self._workers)

    def hold(self, wanted: WantedModel) -> ModelInfo:
        """Have the actors open a model; what the first of them says of it. `let_go` ends that."""
        self._users[wanted] += 1
        try:
            self._held[wanted] = about = self._held.get(wanted) or self._first_word(wanted)
        except ModelError:
            self.let_go(wanted)
            raise
        return about

    def least_busy(self, wanted: WantedModel) -> PlacedWorker:
        """The actor to ask next; Unreachable while there is none."""
        self._look_around()
        ready = [worker for worker in list(self._workers) if wanted in worker.ready or self._welcomed(worker, wanted)]
        if not ready:
            raise Unreachable("no machine of the Ray cluster answers any more")
        return min(ready, key=lambda worker: worker.under_way)

    def lose(self, worker: PlacedWorker) -> None:
        """Forget an actor whose process or machine is gone."""
        if worker in self._workers:
            self._workers.remove(worker)
            self._looked = float("-inf")

    def let_go(self, wanted: WantedModel) -> tuple[str, ...]:
        """No longer ask a model; what the actors had to remark about it. With the last model they end."""
        if not self._users[wanted]:
            return ()
        asked = [worker.actor.remarks.remote(wanted) for worker in self._workers if wanted in worker.ready]
        said = self.ray.wait(asked, num_returns=len(asked), timeout=LAST_WORD)[0] if asked else []
        remarks = [remark for one in said for remark in self._got(one) or ()]
        self._users -= Counter([wanted])
        if not self._users:
            self._end()
        return tuple(dict.fromkeys(remarks))

    def _end(self) -> None:
        """End all actors and leave the cluster."""
        del _POOLS[self._address]
        for worker in self._workers:
            self.ray.kill(worker.actor)
        self._workers = []
        leave(self.ray)

    def _look_around(self) -> None:
        """Worker an actor at every place that has none: at first, when one was lost, and when the cluster has grown."""
        if monotonic() - self._looked < LOOK_AROUND:
            return
        self._looked = monotonic()
        taken = {worker.place for worker in self._workers}
        for place in places(self.ray):
            if place not in taken and self._starts[place] < STARTS:
                self._starts[place] += 1
                self._workers.append(self._placed(place))

    def _placed(self, place: ActorPlace) -> PlacedWorker:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        there = NodeAffinitySchedulingStrategy(node_id=place.node, soft=False)
        actor = self.ray.remote(Worker).options(
            num_gpus=place.gpus, num_cpus=place.cpus, scheduling_strategy=there, max_restarts=0
        )
        return PlacedWorker(place, actor.remote())

    def _welcomed(self, worker: PlacedWorker, wanted: WantedModel) -> bool:
        """Whether an actor has started by now, with the same model in it as the others."""
        if not self.ray.wait([worker.hello(wanted)], timeout=0)[0]:
            return False
        about = self._got(worker.hello(wanted))
        if about is None:
            self.lose(worker)
            return False
        if isinstance(about, Failure):
            raise ModelError(f"{worker.place.address}: {about.reason}")
        _refuse_another_model(worker.place, about.settings, self._held[wanted].settings)
        worker.ready.add(wanted)
        return True

    def _first_word(self, wanted: WantedModel) -> ModelInfo:
        """What the first actor that starts says of a model; one on a machine that has just gone says nothing."""
        self._look_around()
        while self._workers:
            hellos = {worker.hello(wanted): worker for worker in self._workers}
            said, _ = self.ray.wait(list(hellos), num_returns=1, timeout=FIRST_WORD)
            about = (
                self._got(said[0])
                if said
                else Failure("no actor could be started; check whether all machines of the cluster are busy")
            )
            if isinstance(about, ModelInfo):
                return about
            if isinstance(about, Failure):
                raise ModelError(f"on the Ray cluster: {about.reason}")
            self._workers.remove(hellos[said[0]])
        raise ModelError(
            "no actor could be started on the Ray cluster; check that countersight is installed on its machines"
        )

    def _got(self, ref: Any) -> Any:
        """What an actor said, or nothing where it is gone."""
        try:
            return self.ray.get(ref, timeout=LAST_WORD)
        except self.ray.exceptions.RayError:
            return None


def _refuse_another_model(place: ActorPlace, there: dict[str, Any], here: dict[str, Any]) -> None:
    if odd := next((key for key in here if there.get(key) != here[key]), None):
        raise ModelError(
            f"{place.address} has a different model: {odd} is {there.get(odd)} there and {here[odd]} elsewhere; "
            "install the same files and packages on all machines, or set `dtype`"
        )


_POOLS: dict[str, WorkerPool] = {}


def pool_at(address: str) -> WorkerPool:
    """The actors of this process at a cluster; they are started when a model is first held."""
    if address not in _POOLS:
        _POOLS[address] = WorkerPool(address)
    return _POOLS[address]


KEPT = 8
"""Pictures held in the object store: the questions of a case share theirs, and an example may come with each."""


class RayModel(Displayed):
    """Asks the actors of a cluster as one model: the least busy first, and what a lost one had, another."""

    def __init__(self, wanted: WantedModel, about: ModelInfo, pool: WorkerPool) -> None:
        self.name = wanted.name
        self.settings, self.needs_picture = about.settings, about.needs_picture
        if about.picture_limits:
            self.picture_limits = about.picture_limits
        self.remarks: tuple[str, ...] = ()
        self._wanted, self._about = wanted, about
        self._pool = pool
        self._answers: Counter[str] = Counter()
        self._stored: deque[tuple[bytes, Any]] = deque(maxlen=KEPT)

    @property
    def places(self) -> int:
        """So many times as many questions can be under way as with one."""
        return max(1, len(self._pool)) * self._about.places

    @property
    def observed(self) -> dict[str, Any]:
        """How many answers came from each machine."""
        return {"ray": {"answers": dict(sorted(self._answers.items()))}}

    async def reply(self, request: Request) -> Answer:
        """What the model says next, wherever it is computed."""
        answer: Answer = await self._anywhere("reply", request)
        return answer

    async def close(self) -> None:
        """Let go of the actors; with the last model they end, and the cluster is left."""
        self.remarks = await asyncio.to_thread(self._pool.let_go, self._wanted)

    async def _anywhere(self, how: Call, request: Request) -> Any:
        """Ask the least busy; where its machine goes down, another."""
        errors = self._pool.ray.exceptions
        bare = replace(request, turns=tuple(replace(turn, picture=None) for turn in request.turns))
        pictures = [self._in_store(turn) for turn in request.turns]
        while True:
            worker = self._pool.least_busy(self._wanted)
            worker.under_way += 1
            try:
                got = await worker.actor.ask.remote(self._wanted, how, bare, *pictures)
            except errors.RayActorError:
                self._pool.lose(worker)
                continue
            except errors.RayError as error:
                raise AskingFailed(f"{worker.place.address}: {str(error).strip()[-300:]}", again=True) from None
            finally:
                worker.under_way -= 1
            if isinstance(got, Failure):
                raise ModelError(got.reason) if got.for_good else AskingFailed(got.reason, again=got.again)
            self._answers[worker.place.address] += 1
            return got

    def _in_store(self, turn: Turn) -> Any:
        """The picture of a turn in the object store, put there once for all questions that follow each other."""
        if turn.picture is None:
            return None
        kept = next((ref for data, ref in self._stored if data is turn.picture.data), None)
        if kept is None:
            kept = self._pool.ray.put(turn.picture)
            self._stored.append((turn.picture.data, kept))
        return kept


class RankingRayModel(RayModel):
    """The same for a model whose options can be ranked."""

    async def losses(self, request: Request) -> tuple[float, ...]:
        """How little the model expected each option; all of them are ranked in one place."""
        losses: tuple[float, ...] = await self._anywhere("losses", request)
        return losses


def open_ray_model(name: str, settings: ModelSettings) -> RayModel:
    """A model on the cluster that `settings.ray` names."""
    wanted = WantedModel(name, replace(settings, ray=""))
    pool = pool_at(settings.ray)
    about = pool.hold(wanted)
    return (RankingRayModel if about.ranks else RayModel)(wanted, about, pool)
