"""Make pairs from questions: written, checked and balanced, in a seeded order, until there are enough."""

import asyncio
import hashlib
import re
import sys
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from countersight.authoring.balance import GroupBalance, evened
from countersight.authoring.checks import CHECKS, NOT_A_QUESTION, faults, supposition_key
from countersight.authoring.drafts import FunnelStep, PairDraft, Rejected, Unwritten, Writer, step
from countersight.authoring.model import FAULTED, TOLD_BLIND, PairChecker
from countersight.authoring.sources import Group, LeftOut, SourceQuestion

LOOKED_AT: Final = 20
"""Of this many first replies at least one must be a question that can be checked."""
LOOKED_BACK: Final = 100
"""The number of recent drafts considered for stopping early."""
_FEWEST: Final = 2
"""Pairs that so many drafts have to give."""
_PAIR: Final = ""
_SHOWN = 80


class DraftRecord:
    """The results of a writer's drafts; a paid writer is stopped if more drafts are not worth their price."""

    def __init__(self, *, is_free: bool, has_begun: bool) -> None:
        self._is_free = is_free
        self._can_write = is_free or has_begun
        """Whether any reply was a question that can be checked."""
        self._unusable: Counter[str] = Counter()
        self._said = ""
        self._last: deque[str] = deque(maxlen=LOOKED_BACK)

    @property
    def is_useless(self) -> bool:
        """Whether all first replies were unusable."""
        return not self._can_write and self._unusable.total() >= LOOKED_AT

    @property
    def is_spent(self) -> bool:
        """Whether too few of the last drafts became pairs."""
        return not self._is_free and len(self._last) == LOOKED_BACK and self._last.count(_PAIR) < _FEWEST

    @property
    def room(self) -> int:
        """The number of requests allowed before the next check."""
        return sys.maxsize if self._can_write else LOOKED_AT - self._unusable.total()

    def begin(self) -> None:
        """Forget the drafts of another group: a writer that fails at numbers may do well at yes and no."""
        self._last.clear()

    def came(self) -> None:
        """Record a question that can be checked: the writer works."""
        self._can_write = True

    def paired(self) -> None:
        """Record a draft that became a pair."""
        self._last.append(_PAIR)

    def failed(self, reason: str, unusable: str | None = None) -> None:
        """Record a rejected draft and the reason; `unusable` is the reply if it is not a question."""
        self._last.append(reason)
        if unusable is not None:
            self._unusable[reason] += 1
            self._said = " ".join(unusable.split())[:_SHOWN]

    def why_useless(self) -> str:
        """Why the writer was stopped, and what to do."""
        counted = ", ".join(f"{number} x {reason}" for reason, number in self._unusable.most_common())
        told = f" (the last: {self._said!r})" if self._said else ""
        return (
            f"none of the first {LOOKED_AT} replies is a question that can be checked: {counted}{told}; choose "
            "another `writer`, or run the same command again to continue anyway"
        )

    def why_spent(self, group: Group) -> str:
        """Why no more drafts were requested."""
        (reason, number), *_ = Counter(filter(None, self._last)).most_common(1)
        pairs = {0: "no pair", 1: "one pair"}[self._last.count(_PAIR)]
        return (
            f"the last {LOOKED_BACK} {group} drafts gave only {pairs}, so the build stopped; most common reason: "
            f"{reason} ({number} times)"
        )


WRITTEN, BALANCED = "written", "balanced"
DOUBLE, REPEATED = "a double", "the writer repeats itself"
_SUPPOSED = 0.02
"""The share of the pairs that may suppose the same, where a model writes; the grammar draws from few wordings."""
_REPEATED = 5
"""The same question may be asked of so many pictures."""


class Pair(msgspec.Struct, frozen=True):
    """A question and the counterfactual question made from it."""

    source: SourceQuestion
    draft: PairDraft


class Pairs(msgspec.Struct, frozen=True):
    """The pairs, and everything that was rejected."""

    pairs: tuple[Pair, ...]
    rejected: tuple[Rejected, ...]
    steps: tuple[FunnelStep, ...]
    stopped: str = ""
    """Why the writer was stopped early, if it was."""


class PairBuilder:
    """Makes pairs from sources with one writer, and records the reasons of rejections."""

    def __init__(
        self,
        writer: Writer,
        *,
        seed: int,
        at_once: int,
        checker: PairChecker | None,
        record: DraftRecord,
        progress: Callable[[int], None],
    ) -> None:
        self._writer = writer
        self._seed = seed
        self._at_once = at_once
        self._checker = checker
        self._record = record
        self._progress = progress
        self._pairs: list[Pair] = []
        self._rejected: list[Rejected] = []
        self._reasons: dict[str, Counter[str]] = {}
        self._seen: set[str] = set()
        self._written_before: Counter[str] = Counter()
        self._suppositions: Counter[frozenset[str]] = Counter()
        self._limits_suppositions = at_once > 1
        self._untried: Counter[str] = Counter()
        self._stopped: list[str] = []

    async def make(self, found: Sequence[SourceQuestion | LeftOut], sizes: dict[Group, int]) -> Pairs:
        """Return the requested number of pairs of each group, or as many as possible."""
        sources = [each for each in found if isinstance(each, SourceQuestion) and each.group in sizes]
        left_out = [each for each in found if isinstance(each, LeftOut)]
        others = sum(isinstance(each, SourceQuestion) and each.group not in sizes for each in found)
        tried = 0
        for group, size in sizes.items():
            inside = sorted((each for each in sources if each.group == group), key=self._place)
            tried_here = await self._make_group(inside, GroupBalance(group, size, self._seed), size)
            self._end_group(group, len(inside) - tried_here)
            tried += tried_here
        reasons = Counter(_short(each.reason) for each in left_out) + Counter({"of another group": others})
        self._rejected += [Rejected(each.id, each.question, "", each.reason) for each in left_out]
        steps = self._steps(len(found), reasons, len(sources), tried)
        stopped = self._record.why_useless() if self._record.is_useless else "; ".join(self._stopped)
        return Pairs(tuple(self._pairs), tuple(self._rejected), tuple(steps), stopped)

    def _place(self, source: SourceQuestion) -> bytes:
        return hashlib.blake2b(f"{self._seed}/{source.id}".encode(), digest_size=8).digest()

    async def _make_group(self, sources: list[SourceQuestion], balance: GroupBalance, size: int) -> int:
        """Take source after source, several at once where a model writes, and return how many were tried."""
        done = len(self._pairs)
        tried = 0
        self._record.begin()
        while tried < len(sources) and balance.kept < size and not self._is_stopped:
            wave = sources[tried : tried + min(self._at_once, max(1, size - balance.kept), self._record.room)]
            wanted = balance.wanted()
            turns = [wanted[place % len(wanted) :] + wanted[: place % len(wanted)] for place in range(len(wave))]
            drafts = await asyncio.gather(*map(self._written, wave, turns))
            tried += len(wave)
            sound = [
                (source, draft)
                for source, draft in zip(wave, drafts, strict=True)
                if draft is not None and self._is_sound(source, draft)
            ]
            found = await asyncio.gather(*(self._fault(source, draft) for source, draft in sound))
            for (source, draft), fault in zip(sound, found, strict=True):
                if self._is_taken(source, draft, fault, balance, size):
                    self._pairs.append(Pair(source, draft))
                    if balance.take(draft):
                        self._record.paired()
                    else:  # it waits for one with the other answer, which may never come
                        self._record.failed(f"enough answers {draft.answer}")
                    self._progress(done + balance.kept)
        self._even_out(done, size)
        return tried

    def _even_out(self, begin: int, size: int) -> None:
        """Leave out what would make yes commoner than no, with a kind of wording or in all."""
        made = self._pairs[begin:]
        if not made or made[0].source.group != "boolean":
            return
        kept = set(evened([pair.draft for pair in made], size))
        self._pairs[begin:] = [pair for place, pair in enumerate(made) if place in kept]
        for place, pair in enumerate(made):
            if place not in kept:
                self._reject(pair.source, BALANCED, f"enough answers {pair.draft.answer}", "", pair.draft.question)

    @property
    def _is_stopped(self) -> bool:
        return self._record.is_useless or self._record.is_spent

    def _end_group(self, group: Group, untried: int) -> None:
        """Note why what is left of a group was not tried."""
        self._untried["the writer was stopped" if self._is_stopped else "there were enough pairs"] += untried
        if untried and self._record.is_spent:
            self._stopped.append(self._record.why_spent(group))

    async def _written(self, source: SourceQuestion, wanted: tuple[str, ...]) -> PairDraft | None:
        try:
            return await self._writer.write(source, wanted)
        except Unwritten as nothing:
            self._reject(source, WRITTEN, nothing.reason, nothing.details, nothing.written)
            return None

    def _is_sound(self, source: SourceQuestion, draft: PairDraft) -> bool:
        """Whether a draft passes every check of its own; the first that fails is its reason."""
        reason, details = next(faults(source, draft), ("", ""))
        if reason != NOT_A_QUESTION:
            self._record.came()
        if reason:
            self._reject(source, reason, reason, details, draft.question)
        return not reason

    async def _fault(self, source: SourceQuestion, draft: PairDraft) -> tuple[str, str]:
        return ("", "") if self._checker is None else await self._checker.fault(source, draft)

    def _is_taken(
        self, source: SourceQuestion, draft: PairDraft, fault: tuple[str, str], balance: GroupBalance, size: int
    ) -> bool:
        """Whether a sound draft becomes a pair beside those that are there."""
        reason, details = self._repeats(source, draft, size)
        if not reason:
            reason, details = fault
        if not reason and (details := balance.too_many(draft)):
            reason = BALANCED
        if reason:
            self._reject(source, reason, reason if reason != BALANCED else details, details, draft.question)
            return False
        self._written_before[_plain(draft.question)] += 1
        self._suppositions[supposition_key(draft.question)] += 1
        self._seen.add(f"{source.image}/{_plain(draft.question)}")
        return True

    def _repeats(self, source: SourceQuestion, draft: PairDraft, size: int) -> tuple[str, str]:
        if f"{source.image}/{_plain(draft.question)}" in self._seen and source.image:
            return DOUBLE, "the same question is already asked about this picture"
        if self._written_before[_plain(draft.question)] >= _REPEATED:
            return REPEATED, f"the writer wrote the same {_REPEATED} times"
        most = max(1, int(size * _SUPPOSED))
        if self._limits_suppositions and self._suppositions[supposition_key(draft.question)] >= most:
            return REPEATED, f"the writer made the same supposition {most} times"
        return "", ""

    def _reject(self, source: SourceQuestion, at: str, reason: str, details: str, written: str) -> None:
        self._record.failed(reason, (details or written) if at in (WRITTEN, NOT_A_QUESTION) else None)
        self._reasons.setdefault(at, Counter())[reason] += 1
        self._rejected.append(Rejected(source.id, source.question, source.answer, reason, details, written))

    def _steps(self, read: int, left_out: Counter[str], sources: int, tried: int) -> list[FunnelStep]:
        """The funnel: every step with what was left after it."""
        steps = [FunnelStep("read", read), step("a number, or yes or no", sources, left_out)]
        steps.append(step("tried", tried, self._untried))
        left = tried
        for name in (WRITTEN, *(reason for reason, _ in CHECKS), DOUBLE, REPEATED, FAULTED, TOLD_BLIND, BALANCED):
            reasons = self._reasons.get(name, Counter())
            left -= sum(reasons.values())
            if reasons or name in (WRITTEN, BALANCED):
                steps.append(step(name if name in (WRITTEN, BALANCED) else f"after “{name}”", left, reasons))
        return steps


def _plain(question: str) -> str:
    return " ".join(re.findall(r"\w+", question.casefold()))


def _short(reason: str) -> str:
    return "a bad row" if reason.startswith("bad row") else reason
