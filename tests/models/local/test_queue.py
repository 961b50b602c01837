"""The queue of a local model: batches are halved if memory runs out, and no request is lost."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import torch
from models.local.talks import picture, request

from countersight.errors import AskingFailed, ModelError
from countersight.models.local.model import ask_queue
from countersight.models.protocol import Request
from countersight.models.request_queue import Feed, Queue, Work
from countersight.picture.checking import Picture


class Worker:
    """Answers every request with its key and records the batches; calls `before` first."""

    def __init__(self, before: Callable[[list[Request]], None] = lambda batch: None) -> None:
        self.batches: list[list[str]] = []
        self._before = before

    def __call__(self, feed: Feed) -> list[tuple[int, str]]:
        batch = list(feed.values())
        self.batches.append([one.key for one in batch])
        self._before(batch)
        return [(number, one.key) for number, one in feed.items()]


def ask_all(
    work: Work, requests: Sequence[Request], *, most: int = 64, room: float = float("inf")
) -> tuple[list[Any], Queue]:
    """Return the results of requests that are asked at once, and the queue."""
    queue = Queue(most, room)
    return asyncio.run(asked_at_once(queue, work, requests)), queue


async def asked_at_once(queue: Queue, work: Work, requests: Sequence[Request], *, closing: bool = True) -> list[Any]:
    """Ask while the queue is busy with other work, so that all requests are waiting when it is done."""
    begun, all_there = threading.Event(), threading.Event()

    def other(_: Feed) -> list[tuple[int, bool]]:
        begun.set()
        return [(0, all_there.wait(60))]

    under_way = asyncio.create_task(ask_queue(queue, other, request("", picture(), key="other")))
    await asyncio.to_thread(begun.wait, 60)
    tasks = [asyncio.create_task(ask_queue(queue, work, one)) for one in requests]
    await asyncio.sleep(0)
    all_there.set()
    try:
        await under_way
        return await asyncio.gather(*tasks, return_exceptions=True)
    finally:
        if closing:
            await queue.close()


def numbered(number: int, text: str = "How many?", shown: Picture | None = None) -> list[Request]:
    return [request(text, shown, key=str(n)) for n in range(number)]


def keys(number: int) -> list[str]:
    return [str(n) for n in range(number)]


def too_many(most: int, error: Exception) -> Callable[[list[Request]], None]:
    def before(batch: list[Request]) -> None:
        if len(batch) > most:
            raise error

    return before


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"),
        RuntimeError("[enforce fail at alloc_cpu.cpp:75] DefaultCPUAllocator: can't allocate memory: you tried …"),
        MemoryError(),
    ],
)
def test_a_batch_that_does_not_fit_is_halved_and_no_request_is_lost(error: Exception) -> None:
    worker = Worker(too_many(3, error))
    answers, _ = ask_all(worker, numbered(40))
    assert answers == keys(40)


def test_memory_is_released_before_the_next_attempt() -> None:
    """The traceback of the error would keep references to the tensors."""
    alive: list[Any] = []

    class Large:
        def __init__(self) -> None:
            alive.append(1)

        def __del__(self) -> None:
            alive.pop()

    def before(batch: list[Request]) -> None:
        large = Large()
        assert len(alive) == 1
        if len(batch) > 1:
            raise torch.OutOfMemoryError(str(large))

    answers, _ = ask_all(Worker(before), numbered(8))
    assert answers == keys(8)


def test_a_question_that_never_fits_does_not_shrink_other_batches() -> None:
    def before(batch: list[Request]) -> None:
        if any(one.key == "giant" for one in batch):
            raise torch.OutOfMemoryError()

    worker = Worker(before)
    giant = request("a" * 9000, key="giant")
    answers, _ = ask_all(worker, [*numbered(15), giant])
    assert answers[:15] == keys(15)
    assert isinstance(answers[15], AskingFailed)
    assert str(answers[15]) == "this question does not fit into memory, even in a batch of one"
    assert not answers[15].again
    assert [len(batch) for batch in worker.batches] == [16, 8, 4, 2, 1, 15]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (AskingFailed("the picture is torn", again=False), "the picture is torn"),
        (ValueError("no\x1b[31m\nsuch shape"), "the model failed (ValueError: no\ufffd[31m such shape)"),
    ],
)
def test_a_question_that_cannot_be_computed_fails_alone(error: Exception, reason: str) -> None:
    def before(batch: list[Request]) -> None:
        if any(one.key == "3" for one in batch):
            raise error

    answers, _ = ask_all(Worker(before), numbered(10))
    assert str(answers[3]) == reason
    assert isinstance(answers[3], AskingFailed)
    assert [answer for answer in answers if isinstance(answer, str)] == [key for key in keys(10) if key != "3"]


@pytest.mark.parametrize(
    "error", [ModelError("the folder is torn"), RuntimeError("CUDA error: device-side assert triggered")]
)
def test_a_broken_model_fails_all_questions(error: Exception) -> None:
    worker = Worker(too_many(0, error))
    answers, queue = ask_all(worker, numbered(12), most=5)
    assert all(isinstance(answer, ModelError) for answer in answers)
    assert len(worker.batches) == 1
    assert queue.closed


def test_the_longest_questions_come_first_and_pictures_count_as_length() -> None:
    worker = Worker()
    texts = {"short": "a", "long": "a" * 4000, "middle": "a" * 400}
    ask_all(worker, [request(text, picture(), key=key) for key, text in texts.items()])
    assert [key for batch in worker.batches for key in batch] == ["long", "middle", "short"]
    worker = Worker()
    ask_all(worker, [request("a", picture(side, side), key=str(side)) for side in (32, 300, 100)])
    assert [key for batch in worker.batches for key in batch] == ["300", "100", "32"]


def test_a_batch_is_limited_by_its_padded_length() -> None:
    worker = Worker()
    requests = [*numbered(8, "a" * 4000), *[request("a", key=f"short {n}") for n in range(60)]]
    answers, _ = ask_all(worker, requests, room=2200)
    assert len(answers) == 68
    assert all(len(batch) <= 2 for batch in worker.batches if batch[0].isdigit())
    assert max(map(len, worker.batches)) > 20


def test_questions_about_the_same_picture_stay_together_within_the_limit() -> None:
    shown = [picture(seed=seed) for seed in range(6)]
    requests = [request("How many?" * n, each, key=f"{place}") for n in (1, 9) for place, each in enumerate(shown)]
    worker = Worker()
    ask_all(worker, requests, most=4)
    assert max(map(len, worker.batches)) == 4
    for batch in worker.batches:
        assert all(batch.count(key) == 2 for key in batch)


def test_conversations_with_different_numbers_of_pictures_are_in_different_batches() -> None:
    worker = Worker()
    with_picture = [request("a", picture(), key="1") for _ in range(3)]
    answers, _ = ask_all(worker, [*with_picture, *numbered(1)[:1] * 3])
    assert answers == ["1"] * 3 + ["0"] * 3
    assert all(len(set(batch)) == 1 for batch in worker.batches)


def test_cancelled_requests_are_not_computed() -> None:
    begun, release = threading.Event(), threading.Event()

    def wait(_: list[Request]) -> None:
        begun.set()
        release.wait(60)

    worker = Worker(wait)
    queue = Queue(1, float("inf"))

    async def ask() -> None:
        tasks = [asyncio.create_task(ask_queue(queue, worker, one)) for one in numbered(4)]
        await asyncio.to_thread(begun.wait, 60)
        for task in tasks[1:]:
            task.cancel()
        await asyncio.sleep(0)
        release.set()
        assert await tasks[0] == "0"
        assert await ask_queue(queue, worker, request("", picture(), key="last")) == "last"
        await queue.close()

    asyncio.run(ask())
    assert worker.batches == [["0"], ["last"]]


@pytest.mark.parametrize("full", [False, True])
def test_closing_cancels_waiting_requests_and_stops_the_work(full: bool) -> None:
    queue, begun = Queue(1, float("inf")), threading.Event()

    def work(_: Feed) -> list[tuple[int, str]]:
        begun.set()
        while not queue.closed:
            time.sleep(0.005)
        if full:
            raise torch.OutOfMemoryError
        return [(0, "cut short")]

    async def ask() -> list[Any]:
        tasks = [asyncio.create_task(ask_queue(queue, work, one)) for one in numbered(3)]
        await asyncio.to_thread(begun.wait, 60)
        await queue.close()
        return await asyncio.gather(*tasks, return_exceptions=True)

    assert all(isinstance(answer, asyncio.CancelledError) for answer in asyncio.run(ask()))


class Streaming:
    """Answers one question at a time and accepts further ones as long as any arrive."""

    def __init__(self, fails: Callable[[Feed, str], Exception | None] = lambda feed, key: None) -> None:
        self.calls, self.most_at_once = 0, 0
        self._fails = fails

    def __call__(self, feed: Feed) -> Iterator[tuple[int, str]]:
        self.calls += 1
        numbers = list(feed)
        while numbers:
            for number in numbers:
                self.most_at_once = max(self.most_at_once, len(feed))
                if error := self._fails(feed, feed[number].key):
                    raise error
                yield number, feed[number].key
            numbers = feed.more()


def test_further_questions_can_join_a_running_batch() -> None:
    work = Streaming()
    answers, _ = ask_all(work, numbered(40), most=4)
    assert answers == keys(40)
    assert work.calls == 1
    assert work.most_at_once == 8, "one batch under way, and one beside it"


def test_only_unanswered_questions_are_repeated_if_memory_runs_out_later() -> None:
    answered: list[str] = []

    def fails(feed: Feed, key: str) -> Exception | None:
        if len(feed) > 3 and len(answered) >= 5:
            return torch.OutOfMemoryError()
        answered.append(key)
        return None

    answers, _ = ask_all(Streaming(fails), numbered(40), most=4)
    assert answers == keys(40)
    assert len(answered) == len(set(answered)) == 40


def test_a_question_without_a_result_fails() -> None:
    answers, _ = ask_all(lambda feed: [(number, "yes") for number in feed if len(feed) > 1][:-1], numbered(3))
    assert "yes" in answers
    assert any(isinstance(answer, AskingFailed) for answer in answers)


def test_only_questions_of_the_same_kind_join_a_batch() -> None:
    first, second = Streaming(), Streaming()
    queue = Queue(2, float("inf"))

    async def ask() -> list[str]:
        both = [ask_queue(queue, work, one) for one in numbered(6) for work in (first, second)]
        try:
            return await asyncio.gather(*both)
        finally:
            await queue.close()

    assert asyncio.run(ask()) == [key for key in keys(6) for _ in range(2)]
