"""Concurrent programs: none delays the others, and waiting does not count against a time limit."""

import asyncio
import threading

import pytest
from programs.seeing import DOGS, Eyes, programs, request

from countersight.errors import AskingFailed
from countersight.programs.limits import Limits
from countersight.programs.steps.interpreter import OPERATIONS
from countersight.programs.viper.sandbox import MOST_COMPUTING
from countersight.system import cores

LOOP = "def execute_command(image):\n    while True:\n        pass"
GOOD = "def execute_command(image):\n    return len(image.find('dog')) == 3"


async def outcomes(style, texts, limits, eyes=None):
    """Return the outcomes of concurrent programs."""

    async def one(model, key):
        try:
            return await model.reply(request(key=key))
        except AskingFailed as failure:
            return failure

    waiting = iter(texts)
    model = programs(style, lambda asked: next(waiting), eyes, limits)
    try:
        return await asyncio.gather(*(one(model, f"case-{n}") for n in range(len(texts))))
    finally:
        await model.close()


@pytest.mark.slow
def test_waiting_in_a_queue_does_not_count_as_running() -> None:
    """The endless programs together compute longer than one may, and the others wait for them; their tools are slow."""
    pytest.importorskip("pydantic_monty")
    limits = Limits(seconds=2.0, waiting=60.0)
    endless = 2 * min(max(2, cores()), MOST_COMPUTING)

    class Slow(Eyes):
        async def find(self, picture, what, within):
            await asyncio.sleep(0.2)
            return await super().find(picture, what, within)

    came = asyncio.run(outcomes("viper", [LOOP] * endless + [GOOD] * 66, limits, Slow()))
    assert {str(one)[:8] for one in came[:endless]} == {"timeout:"}
    assert [one.text for one in came[endless:]] == ["yes"] * 66


class Crowd(Eyes):
    """Finds as many things as a program may get."""

    async def find(self, picture, what, within):
        return (DOGS * 170)[:500]


COMPARING = "A=LOC(image=IMAGE, object='dog')\n" + "".join(f"B{n}=FULLEST(box=A, of=A)\n" for n in range(60))
WAITING = "A=LOC(image=IMAGE, object='dog')\nB=FULLEST(box=A, of=A)\nN=COUNT(box=B)\nR=EVAL(expr='{N} == 3')"


def test_step_programs_have_a_time_limit() -> None:
    (failed,) = asyncio.run(outcomes("visprog", [COMPARING], Limits(step_seconds=0.3), Crowd()))
    assert str(failed) == "timeout: it did not finish within 0.3 s"


def test_step_programs_do_not_block_the_event_loop(monkeypatch) -> None:
    begun, turn = threading.Event(), threading.Event()

    def waiting(box, of):
        begun.set()
        return box if turn.wait(60) else []  # nothing, if the event loop has no turn meanwhile

    async def watched():
        asking = asyncio.create_task(outcomes("visprog", [WAITING], Limits(step_seconds=300.0)))
        while not begun.is_set():
            await asyncio.sleep(0.005)
        turn.set()
        return await asking

    monkeypatch.setitem(OPERATIONS, "FULLEST", waiting)
    (answer,) = asyncio.run(watched())
    assert answer.text == "yes"


class Panicked(BaseException):
    """An error that is not an Exception, like a panic of code written in Rust."""


@pytest.mark.parametrize("fault", [ZeroDivisionError, MemoryError, RecursionError, Panicked])
@pytest.mark.parametrize("style", ["viper", "visprog"])
def test_any_exception_of_a_vision_tool_fails_the_program(style, fault) -> None:
    if style == "viper":
        pytest.importorskip("pydantic_monty")

    class Broken(Eyes):
        async def find(self, picture, what, within):
            raise fault("the eyes have a fault")

    text = GOOD if style == "viper" else "A=LOC(image=IMAGE, object='dog')"
    (failed,) = asyncio.run(outcomes(style, [text], Limits(), Broken()))
    assert isinstance(failed, AskingFailed)
    assert failed.so_far.trace.failure == "error"
    assert fault.__name__ in str(failed)
