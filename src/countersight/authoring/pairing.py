"""Make pairs from questions: written, checked and balanced, in a seeded order, until there are enough."""

import asyncio
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, Final, TypeVar

import msgspec

from countersight.authoring.balance import GroupBalance, evened
from countersight.authoring.checks import CHECKS, first_fault, supposition_key
from countersight.authoring.funnel import FunnelStep
from countersight.authoring.model_checker import ANSWERED_BLIND, NOT_DERIVED, PairChecker
from countersight.authoring.sources import Group, PairDraft, Rejected, SourceQuestion, Unwritten, Writer
from countersight.composer import effects_of
from countersight.engine import Stopped
from countersight.text import several

WRITTEN, BALANCED = "written", "balanced"
DOUBLE, REPEATED = "duplicate", "repeated supposition"
STOPPED_AFTER: Final = 40
"""The number of rejected drafts in a row after which a model is stopped."""
_AT_ONCE: Final = 32
"""The number of drafts a model writes at a time."""
BY_MODEL: Final = (NOT_DERIVED, ANSWERED_BLIND)
UNCHECKED: Final = "nothing checks its arithmetic"
_SUPPOSED: Final = 0.02
"""The maximum share of a model's pairs with the same supposition; the grammar has too few wordings for a limit."""
_Result = TypeVar("_Result")


async def _together(asking: Iterable[Coroutine[Any, Any, _Result]]) -> list[_Result]:
    """Return all results; if one fails, the others are cancelled, because the model will be closed.

    If the user stops, requests in flight are waited for, so that their replies are stored.
    """
    tasks = [asyncio.ensure_future(each) for each in asking]
    try:
        return await asyncio.gather(*tasks)
    except Stopped:
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


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
    """Makes pairs from sources with one writer, and records the reasons for rejections."""

    def __init__(
        self,
        writer: Writer,
        checker: PairChecker | None,
        *,
        seed: int,
        is_model: bool,
        progress: Callable[[int], None],
    ) -> None:
        self._writer = writer
        self._checker = checker
        self._seed = seed
        self._is_model = is_model
        self._progress = progress
        self._pairs: list[Pair] = []
        self._rejected: list[Rejected] = []
        self._reasons: dict[str, Counter[str]] = {}
        """How many drafts failed at each step, by reason."""
        self._failed: list[str] = []
        """The reasons of the rejections since the last pair."""
        self._seen: set[str] = set()
        self._suppositions: Counter[frozenset[str]] = Counter()
        self._untried: Counter[str] = Counter()
        self._stopped: list[str] = []

    async def make(self, found: Sequence[SourceQuestion | Rejected], sizes: dict[Group, int]) -> Pairs:
        """Return the requested number of pairs of each group, or as many as possible."""
        sources = [each for each in found if isinstance(each, SourceQuestion) and each.group in sizes]
        left_out = [each for each in found if isinstance(each, Rejected)]
        reasons = Counter(each.reason for each in left_out)
        reasons["of another group"] = len(found) - len(sources) - len(left_out)
        tried = 0
        for group, size in sizes.items():
            inside = sorted((each for each in sources if each.group == group), key=self._place)
            tried_here = await self._make_group(inside, GroupBalance(group, size, self._seed), size)
            self._end_group(group, len(inside) - tried_here)
            tried += tried_here
        self._rejected += left_out
        steps = self._steps(len(found), reasons, len(sources), tried)
        return Pairs(tuple(self._pairs), tuple(self._rejected), tuple(steps), "; ".join(self._stopped))

    def _place(self, source: SourceQuestion) -> bytes:
        return hashlib.blake2b(f"{self._seed}/{source.id}".encode(), digest_size=8).digest()

    async def _make_group(self, sources: list[SourceQuestion], balance: GroupBalance, size: int) -> int:
        """Try the sources in order, several at once if a model writes, and return how many were tried."""
        done = len(self._pairs)
        tried = 0
        self._failed.clear()
        while tried < len(sources) and balance.kept < size and not self._is_stopped:
            at_once = min(_AT_ONCE, size - balance.kept) if self._is_model else 1
            wave = sources[tried : tried + at_once]
            wanted = balance.wanted()
            turns = [wanted[place % len(wanted) :] + wanted[: place % len(wanted)] for place in range(len(wave))]
            drafts = await _together(map(self._write, wave, turns))
            tried += len(wave)
            written = [(source, draft) for source, draft in zip(wave, drafts, strict=True) if draft is not None]
            found = await _together(self._check(source, draft) for source, draft in written)
            for (source, draft), fault in zip(written, found, strict=True):
                if self._is_accepted(source, draft, fault, balance):
                    self._pairs.append(Pair(source, draft))
                    if balance.take(draft):
                        self._failed.clear()
                    else:  # it is kept only if a pair with the other answer follows
                        self._failed.append(f"enough answers {draft.answer}")
                    self._progress(done + balance.kept)
        self._even_out(done, size)
        return tried

    def _even_out(self, begin: int, size: int) -> None:
        """Drop pairs so that yes and no are balanced."""
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
        return self._is_model and len(self._failed) >= STOPPED_AFTER

    def _end_group(self, group: Group, untried: int) -> None:
        """Record why the remaining sources of a group were not tried."""
        self._untried["the writer was stopped" if self._is_stopped else "there were enough pairs"] += untried
        if untried and self._is_stopped:
            (reason, number), *_ = Counter(self._failed).most_common(1)
            self._stopped.append(
                f"the last {len(self._failed)} {group} drafts gave no pair, so the build stopped; most common reason: "
                f"{reason} ({number} times)"
            )

    async def _write(self, source: SourceQuestion, wanted: tuple[str, ...]) -> PairDraft | None:
        try:
            return await self._writer.write(source, wanted)
        except Unwritten as nothing:
            self._reject(source, WRITTEN, nothing.reason, nothing.details, nothing.written)
            return None

    async def _check(self, source: SourceQuestion, draft: PairDraft) -> tuple[str, str]:
        """Return the first check that a draft fails, by rule or by a model, and the details; or two empty strings."""
        fault = first_fault(source, draft)
        if fault is None and self._checker is not None:
            fault = await self._checker.fault(source, draft)
        elif fault is None and source.group == "direct" and effects_of(draft.question, source.question) is None:
            fault = UNCHECKED, "the composer does not understand it, and no model reviews it"
        return fault or ("", "")

    def _is_accepted(
        self, source: SourceQuestion, draft: PairDraft, fault: tuple[str, str], balance: GroupBalance
    ) -> bool:
        """Accept or reject a draft, given the pairs so far, and return whether it was accepted."""
        plain = " ".join(re.findall(r"\w+", draft.question.casefold()))
        supposed = supposition_key(draft.question)
        most = max(1, int((len(self._pairs) + 1) * _SUPPOSED))
        reason, details = fault
        if reason in ("", *BY_MODEL):
            if source.image and f"{source.image}/{plain}" in self._seen:
                reason, details = DOUBLE, "the same question is already asked about this picture"
            elif self._is_model and self._suppositions[supposed] >= most:
                reason, details = REPEATED, f"the writer already made the same supposition {several(most, 'time')}"
        if not reason and (details := balance.too_many(draft)):
            reason = BALANCED
        if reason:
            self._reject(source, reason, details if reason == BALANCED else reason, details, draft.question)
            return False
        self._suppositions[supposed] += 1
        self._seen.add(f"{source.image}/{plain}")
        return True

    def _reject(self, source: SourceQuestion, step: str, reason: str, details: str, written: str) -> None:
        self._failed.append(reason)
        self._reasons.setdefault(step, Counter())[reason] += 1
        self._rejected.append(Rejected(source.id, source.question, source.answer, reason, details, written))

    def _steps(self, read: int, left_out: Counter[str], sources: int, tried: int) -> list[FunnelStep]:
        """Return the funnel: every step with the number of questions left after it."""
        steps = [
            FunnelStep("read", read),
            FunnelStep.of("a number, or yes or no", sources, left_out),
            FunnelStep.of("tried", tried, self._untried),
        ]
        left = tried
        checked = (*(reason for reason, _ in CHECKS), UNCHECKED, DOUBLE, REPEATED, *BY_MODEL)
        for name in (WRITTEN, *checked, BALANCED):
            reasons = self._reasons.get(name, Counter())
            left -= sum(reasons.values())
            if reasons or name in (WRITTEN, BALANCED):
                label = name if name in (WRITTEN, BALANCED) else f"after “{name}”"
                steps.append(FunnelStep.of(label, left, reasons))
        return steps
