"""More questions under way while the server keeps up, fewer when it asks for patience."""

import asyncio

import pytest

from countersight.engine import FIRST_LIMIT, AdaptiveLimit


async def hold(gate, over):
    async with gate:
        await over.wait()


async def filled(gate, count):
    over = asyncio.Event()
    tasks = [asyncio.create_task(hold(gate, over)) for _ in range(count)]
    await asyncio.sleep(0)  # each has entered, or waits
    return over, tasks


@pytest.mark.parametrize("most", [1, 5, 64])
def test_no_more_than_the_limit_are_let_through(most):
    async def run():
        gate = AdaptiveLimit(most)
        over, tasks = await filled(gate, 100)
        active = gate._active
        over.set()
        await asyncio.gather(*tasks)
        return active, gate._active

    assert asyncio.run(run()) == (min(most, FIRST_LIMIT), 0)


def test_the_limit_grows_to_the_most_while_answers_come_and_is_used():
    async def run():
        gate = AdaptiveLimit(64)
        over, tasks = await filled(gate, 200)
        for _ in range(100):
            gate.kept_up()
            await asyncio.sleep(0)
        limit = gate.limit
        over.set()
        await asyncio.gather(*tasks)
        return limit

    assert asyncio.run(run()) == 64


def test_an_overload_halves_the_limit_once_for_all_questions_sent_before_it():
    async def run():
        gate = AdaptiveLimit(FIRST_LIMIT)
        sent = asyncio.get_running_loop().time()
        for _ in range(10):
            gate.overloaded(sent, 500)
        return gate.limit, gate.pause()

    limit, pause = asyncio.run(run())
    assert limit == FIRST_LIMIT / 2
    assert 300 < pause <= 500


def test_the_limit_never_falls_below_one():
    async def run():
        gate = AdaptiveLimit(8)
        for _ in range(20):
            gate.overloaded(asyncio.get_running_loop().time() + 1, 0)
            await asyncio.sleep(0)
        return gate.limit

    assert asyncio.run(run()) == 1.0
