"""One model computed on many machines, by actors of Ray's: one a GPU, the model in each as on a single machine.

Whoever asks sees one model. What is asked, the journal and the order stay with the process that asks; an actor gets a
question and gives an answer back. So a run on a cluster is the run of one machine, and the same folder goes on without.
"""

import asyncio
from collections import Counter, deque
from typing import Any

from msgspec.structs import replace

from countersight.errors import AskingFailed, ModelError
from countersight.models.protocol import Answer, Displayed, ModelSettings, Request, Turn
from countersight.models.spread.actor import About, Asked, Failure, Wanted
from countersight.models.spread.crew import Crew, crew_at

KEPT = 8
"""Pictures held in the object store: the questions of a case share theirs, and an example may come with each."""


class Spread(Displayed):
    """Asks the actors of a cluster as one model: the least busy first, and what a lost one had, another."""

    def __init__(self, wanted: Wanted, about: About, crew: Crew) -> None:
        self.name = wanted.name
        self.settings, self.needs_picture = about.settings, about.needs_picture
        if about.picture_limits:
            self.picture_limits = about.picture_limits
        self.remarks: tuple[str, ...] = ()
        self._wanted, self._about = wanted, about
        self._crew = crew
        self._answers: Counter[str] = Counter()
        self._stored: deque[tuple[bytes, Any]] = deque(maxlen=KEPT)

    @property
    def places(self) -> int:
        """So many times as many questions can be under way as with one."""
        return max(1, len(self._crew)) * self._about.places

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
        self.remarks = await asyncio.to_thread(self._crew.let_go, self._wanted)

    async def _anywhere(self, how: Asked, request: Request) -> Any:
        """Ask the least busy; where its machine goes down, another."""
        errors = self._crew.ray.exceptions
        bare = replace(request, turns=tuple(replace(turn, picture=None) for turn in request.turns))
        pictures = [self._in_store(turn) for turn in request.turns]
        while True:
            seat = self._crew.least_busy(self._wanted)
            seat.under_way += 1
            try:
                got = await seat.actor.ask.remote(self._wanted, how, bare, *pictures)
            except errors.RayActorError:
                self._crew.lose(seat)
                continue
            except errors.RayError as error:
                raise AskingFailed(f"{seat.place.address}: {str(error).strip()[-300:]}", again=True) from None
            finally:
                seat.under_way -= 1
            if isinstance(got, Failure):
                raise ModelError(got.reason) if got.for_good else AskingFailed(got.reason, again=got.again)
            self._answers[seat.place.address] += 1
            return got

    def _in_store(self, turn: Turn) -> Any:
        """The picture of a turn in the object store, put there once for all questions that follow each other."""
        if turn.picture is None:
            return None
        kept = next((ref for data, ref in self._stored if data is turn.picture.data), None)
        if kept is None:
            kept = self._crew.ray.put(turn.picture)
            self._stored.append((turn.picture.data, kept))
        return kept


class RankingSpread(Spread):
    """The same for a model whose options can be ranked."""

    async def losses(self, request: Request) -> tuple[float, ...]:
        """How little the model expected each option; all of them are ranked in one place."""
        losses: tuple[float, ...] = await self._anywhere("losses", request)
        return losses


def open_spread(name: str, settings: ModelSettings, *, for_words: bool = False) -> Spread:
    """A model on the cluster that `settings.ray` names; `for_words` where it may be one without eyes."""
    wanted = Wanted(name, replace(settings, ray=""), for_words)
    crew = crew_at(settings.ray)
    about = crew.hold(wanted)
    return (RankingSpread if about.ranks else Spread)(wanted, about, crew)
