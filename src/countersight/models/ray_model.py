"""A model that runs on many machines in Ray actors: one actor per GPU, each with a copy of the model.

Callers see one model. The questions, the journal and the order stay in the calling process; an actor receives a
question and returns an answer. The result is identical to a single-machine run, and the run can be continued without
Ray.
"""

import asyncio
import socket
from collections import Counter
from time import monotonic
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from countersight.errors import AskingFailed, CountersightError, ModelError, Unreachable
from countersight.models.protocol import Answer, Displayed, Model, ModelSettings, Request, Viewer
from countersight.models.registry import open_here

INSTALL = "pip install 'countersight[ray]'"
CONNECT_TIMEOUT = 5.0
"""The timeout in seconds for connecting to the head of a cluster."""
Call = Literal["reply", "losses"]


class WantedModel(msgspec.Struct, frozen=True):
    """The name and settings of a model that the actors open."""

    name: str
    settings: ModelSettings


class ModelInfo(msgspec.Struct, frozen=True):
    """Properties of a model, as reported by the machine that runs it."""

    settings: dict[str, Any]
    needs_picture: bool
    ranks: bool
    picture_limits: tuple[int, int] | None = None
    places: int = 1
    """The number of concurrent questions, as a multiple of the default for servers."""


class Failure(msgspec.Struct, frozen=True):
    """The reason for a missing answer. It is returned as a value, since Ray does not transfer our exceptions."""

    reason: str
    again: bool = False
    for_good: bool = False
    """Whether all further questions would fail too."""


class Worker:
    """The actor process, which holds the models of a command on one GPU or one machine."""

    def __init__(self) -> None:
        self._models: dict[WantedModel, Model] = {}

    async def about(self, wanted: WantedModel) -> ModelInfo | Failure:
        """Open a model and return its properties; weights are loaded at the first question."""
        try:
            self._models[wanted] = model = open_here(wanted.name, wanted.settings)
        except CountersightError as error:
            return Failure(str(error), for_good=True)
        limits = model.picture_limits if isinstance(model, Viewer) else None
        places = getattr(model, "places", 1)
        return ModelInfo(model.settings, model.needs_picture, hasattr(model, "losses"), limits, places)

    async def ask(self, wanted: WantedModel, how: Call, request: Request) -> Any:
        """Ask a model a question."""
        try:
            return await getattr(self._models[wanted], how)(request)
        except AskingFailed as failure:
            return Failure(str(failure), again=failure.again)
        except CountersightError as error:
            return Failure(str(error), for_good=True)


STARTS = 3
"""How often an actor is started at one place before giving up."""
CHECK_INTERVAL = 5.0
"""The number of seconds between two checks of the cluster's machines."""
START_TIMEOUT = 600.0
"""The number of seconds to wait for the first actor; the cluster may have to start a machine first."""
RESULT_TIMEOUT = 5.0
"""The number of seconds to wait for the result of a call to an actor."""


class ActorPlace(NamedTuple):
    """The place where one actor runs: a GPU of a machine, or a whole machine if the cluster has no GPU."""

    node: str
    address: str
    number: int
    gpus: int
    cpus: int


class PlacedWorker:
    """An actor, its place in the cluster and its state."""

    def __init__(self, place: ActorPlace, actor: Any) -> None:
        self.place = place
        self.actor = actor
        self.ready: set[WantedModel] = set()
        """The models that it has opened."""
        self.under_way = 0
        self._info_refs: dict[WantedModel, Any] = {}

    def info_ref(self, wanted: WantedModel) -> Any:
        """Return the Ray reference to a model's properties; the first call makes the actor open the model."""
        if wanted not in self._info_refs:
            self._info_refs[wanted] = self.actor.about.remote(wanted)
        return self._info_refs[wanted]


class WorkerPool:
    """All actors of one cluster, shared by the models of a command."""

    def __init__(self, address: str) -> None:
        self.ray, self._connected = _connect(address)
        self._address = address
        self._workers: list[PlacedWorker] = []
        self._held: dict[WantedModel, ModelInfo] = {}
        self._users: Counter[WantedModel] = Counter()
        self._starts: Counter[ActorPlace] = Counter()
        self._checked_at = float("-inf")

    def __len__(self) -> int:
        """The number of actors."""
        return len(self._workers)

    def acquire(self, wanted: WantedModel) -> ModelInfo:
        """Open a model on the actors and return the properties that the first one reports; `release` undoes this."""
        self._users[wanted] += 1
        try:
            self._held[wanted] = about = self._held.get(wanted) or self._wait_for_first_actor(wanted)
        except ModelError:
            self.release(wanted)
            raise
        return about

    def least_busy(self, wanted: WantedModel) -> PlacedWorker:
        """Return the actor to ask next; raises Unreachable if there is none."""
        self._start_missing_actors()
        ready = [worker for worker in list(self._workers) if wanted in worker.ready or self._is_ready(worker, wanted)]
        if not ready:
            raise Unreachable("no machine of the Ray cluster answers any more")
        return min(ready, key=lambda worker: worker.under_way)

    def remove(self, worker: PlacedWorker) -> None:
        """Remove an actor whose process or machine is gone."""
        if worker in self._workers:
            self._workers.remove(worker)
            self._checked_at = float("-inf")

    def release(self, wanted: WantedModel) -> None:
        """Release a model; after the last one, stop the actors and disconnect from the cluster."""
        if not self._users[wanted]:
            return
        self._users -= Counter([wanted])
        if not self._users:
            del _POOLS[self._address]
            for worker in self._workers:
                self.ray.kill(worker.actor)
            self._workers = []
            if self._connected:
                self.ray.shutdown()

    def _start_missing_actors(self) -> None:
        """Start an actor at every place without one: initially, after a loss, and when the cluster has grown."""
        if monotonic() - self._checked_at < CHECK_INTERVAL:
            return
        self._checked_at = monotonic()
        taken = {worker.place for worker in self._workers}
        for place in _places(self.ray):
            if place not in taken and self._starts[place] < STARTS:
                self._starts[place] += 1
                self._workers.append(self._start_actor(place))

    def _start_actor(self, place: ActorPlace) -> PlacedWorker:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        there = NodeAffinitySchedulingStrategy(node_id=place.node, soft=False)
        actor = self.ray.remote(Worker).options(
            num_gpus=place.gpus, num_cpus=place.cpus, scheduling_strategy=there, max_restarts=0
        )
        return PlacedWorker(place, actor.remote())

    def _is_ready(self, worker: PlacedWorker, wanted: WantedModel) -> bool:
        """Whether an actor has started with the same model as the others."""
        if not self.ray.wait([worker.info_ref(wanted)], timeout=0)[0]:
            return False
        about = self._info(worker, wanted)
        if about is None:
            return False
        there, here = about.settings, self._held[wanted].settings
        if odd := next((key for key in here if there.get(key) != here[key]), None):
            raise ModelError(
                f"{worker.place.address} has a different model: {odd} is {there.get(odd)} there and {here[odd]} "
                "elsewhere; install the same files and packages on all machines, or set `dtype`"
            )
        worker.ready.add(wanted)
        return True

    def _wait_for_first_actor(self, wanted: WantedModel) -> ModelInfo:
        """Return the model's properties from the first actor that starts; actors on lost machines are skipped."""
        self._start_missing_actors()
        while self._workers:
            refs = {worker.info_ref(wanted): worker for worker in self._workers}
            reported, _ = self.ray.wait(list(refs), num_returns=1, timeout=START_TIMEOUT)
            if not reported:
                raise ModelError(
                    "no actor could be started on the Ray cluster; check whether all of its machines are busy"
                )
            if about := self._info(refs[reported[0]], wanted):
                return about
        raise ModelError(
            "no actor could be started on the Ray cluster; check that countersight is installed on its machines"
        )

    def _info(self, worker: PlacedWorker, wanted: WantedModel) -> ModelInfo | None:
        """Return what an actor reports about a model; None if the actor is gone."""
        try:
            about = self.ray.get(worker.info_ref(wanted), timeout=RESULT_TIMEOUT)
        except self.ray.exceptions.RayError:
            self.remove(worker)
            return None
        if isinstance(about, Failure):
            raise ModelError(f"{worker.place.address}: {about.reason}")
        model: ModelInfo = about
        return model


def _connect(address: str) -> tuple[Any, bool]:
    """Return the `ray` package, connected to a cluster, and whether this call made the connection."""
    try:
        import ray
    except ImportError:
        raise ModelError(f"`ray` needs Ray, which is not installed: {INSTALL}") from None
    if ray.is_initialized():
        return ray, False
    try:
        _check_address(address)
        ray.init(address=address, logging_level="ERROR", log_to_driver=False)
    except Exception as error:  # Ray raises many types of errors
        first = str(error).partition("\n")[0]
        raise ModelError(
            f"cannot connect to a Ray cluster at {address!r} ({first[:200]}); start one with `ray start --head`, or "
            "use the address that it printed"
        ) from None
    return ray, True


def _check_address(address: str) -> None:
    """Raise an error at once if nothing listens at the address; Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if address != "auto":
        socket.create_connection((host, int(port)), CONNECT_TIMEOUT).close()


def _places(ray: Any) -> list[ActorPlace]:
    """Return every GPU of the cluster, or every machine if there is no GPU."""
    nodes = [node for node in ray.nodes() if node["Alive"]]
    with_gpu = [node for node in nodes if node["Resources"].get("GPU", 0) >= 1]
    return [
        ActorPlace(node["NodeID"], node["NodeManagerAddress"], number, 1 if with_gpu else 0, 0 if with_gpu else cpus)
        for node in with_gpu or nodes
        if (cpus := int(node["Resources"].get("CPU", 0))) or with_gpu
        for number in range(int(node["Resources"]["GPU"]) if with_gpu else 1)
    ]


_POOLS: dict[str, WorkerPool] = {}
"""The pool of each cluster, by address; its actors are started when a model is first acquired."""


class RayModel(Displayed):
    """A model that distributes requests over the actors of a cluster; the requests of a lost actor go to another."""

    def __init__(self, wanted: WantedModel, about: ModelInfo, pool: WorkerPool) -> None:
        self.name = wanted.name
        self.settings, self.needs_picture = about.settings, about.needs_picture
        if about.picture_limits:
            self.picture_limits = about.picture_limits
        self._wanted, self._about = wanted, about
        self._pool = pool
        self._answers: Counter[str] = Counter()

    @property
    def places(self) -> int:
        """The number of concurrent questions, as a multiple of the default for servers."""
        return max(1, len(self._pool)) * self._about.places

    @property
    def observed(self) -> dict[str, Any]:
        """The number of answers from each machine."""
        return {"ray": {"answers": dict(sorted(self._answers.items()))}}

    async def reply(self, request: Request) -> Answer:
        """Return the next turn from one of the actors."""
        answer: Answer = await self._ask_least_busy("reply", request)
        return answer

    async def close(self) -> None:
        """Release the actors; after the last model, stop them and disconnect from the cluster."""
        await asyncio.to_thread(self._pool.release, self._wanted)

    async def _ask_least_busy(self, how: Call, request: Request) -> Any:
        """Ask the least busy actor; if its machine fails, ask another."""
        errors = self._pool.ray.exceptions
        while True:
            worker = self._pool.least_busy(self._wanted)
            worker.under_way += 1
            try:
                got = await worker.actor.ask.remote(self._wanted, how, request)
            except errors.RayActorError:
                self._pool.remove(worker)
                continue
            except errors.RayError as error:
                raise AskingFailed(f"{worker.place.address}: {str(error).strip()[-300:]}", again=True) from None
            finally:
                worker.under_way -= 1
            if isinstance(got, Failure):
                raise ModelError(got.reason) if got.for_good else AskingFailed(got.reason, again=got.again)
            self._answers[worker.place.address] += 1
            return got


class RankingRayModel(RayModel):
    """A RayModel that can rank options."""

    async def losses(self, request: Request) -> tuple[float, ...]:
        """Return the loss of each option; one actor ranks all options of a request."""
        losses: tuple[float, ...] = await self._ask_least_busy("losses", request)
        return losses


def open_ray_model(name: str, settings: ModelSettings) -> RayModel:
    """Open a model on the cluster in `settings.ray`."""
    wanted = WantedModel(name, replace(settings, ray=""))
    if settings.ray not in _POOLS:
        _POOLS[settings.ray] = WorkerPool(settings.ray)
    pool = _POOLS[settings.ray]
    about = pool.acquire(wanted)
    return (RankingRayModel if about.ranks else RayModel)(wanted, about, pool)
