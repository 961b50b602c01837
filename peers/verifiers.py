"""verifiers loads our environment and rolls it out with the parrot as its server: `python -m peers.verifiers`."""

import asyncio
import shutil
import sys
from statistics import mean
from typing import Any

import verifiers.v1 as vf
from aiohttp import web

import countersight as cs
from countersight.errors import ExchangeError
from countersight.exchange import run_figures
from peers.parrot import WORK, flowers, hand_over, hold, our_run, say

PACKAGE = "flowers_rl"
SEED, SIZE = 8, 60


async def _completion(request: web.Request) -> web.Response:
    """Answer a request as an OpenAI-compatible server."""
    *pictures, last = (await request.json())["messages"][-1]["content"]
    assert pictures[0]["image_url"]["url"].startswith("data:image/png;base64,")
    text, finish = say(last["text"])
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    known = {"id": "1", "object": "chat.completion", "created": 0, "model": "parrot"}
    return web.json_response(known | {"choices": [choice], "usage": usage})


async def _rolled_out(env: vf.Env) -> list[vf.Trace]:
    """Ask the server every task once, and return the traces."""
    app = web.Application(client_max_size=2**24)
    app.router.add_post("/v1/chat/completions", _completion)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    client = vf.EvalClientConfig(base_url=f"http://127.0.0.1:{port}/v1", api_key_var="NO_KEY")
    context = vf.ModelContext(model="parrot", client=client)
    gate = asyncio.Semaphore(16)
    async with env.serving():
        slots = [slot for task in env.taskset for slot in env.slots(task)]
        episodes = await asyncio.gather(*(env.run_slot(slot, context, gate) for slot in slots))
    await runner.cleanup()
    assert all(episode.ok for episode in episodes), [episode.errors for episode in episodes if not episode.ok][:1]
    return [trace for episode in episodes for trace in episode.traces]


def _means(traces: list[vf.Trace]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for trace in traces:
        for name, value in trace.metrics.items():
            found.setdefault(name, []).append(value)
    return {name: mean(values) for name, values in found.items()}


def main() -> None:
    """Export and load the environment, roll it out, and compare it with our own run of the same cases."""
    hand_over("verifiers", flowers(), WORK / PACKAGE)
    sys.path.insert(0, str(WORK / PACKAGE))
    import flowers_rl as package

    for folder in (WORK / "fresh", WORK / "run-fresh-generate"):
        shutil.rmtree(folder, ignore_errors=True)
    fresh = cs.make("cvqa-synthetic", WORK / "fresh", size=SIZE, seed=SEED, controls=True)
    run = our_run(fresh.path)
    ours = run_figures(run.scores().overall)
    paired = asyncio.run(_rolled_out(package.load_environment(seed=SEED, size=SIZE, controls=True, paired=True)))
    assert len(paired) == 4 * SIZE, len(paired)
    theirs = _means(paired)
    hold("paired", {name: ours[name] for name in ("factual", "counterfactual", "drop", "both_right")}, theirs)
    rewards: list[Any] = [trace.reward for trace in paired if not trace.task.data.control]
    complete = [trace for trace in paired if "both_right" in trace.metrics]
    assert sum(rewards) == sum(trace.metrics["both_right"] for trace in complete)
    alone = asyncio.run(_rolled_out(package.load_environment(seed=SEED, size=SIZE)))
    assert len(alone) == 2 * SIZE, len(alone)
    right = [trace.reward for trace in alone]
    whole = run.scores().overall
    hold("alone", {"paid": (whole.factual.right + whole.counterfactual.right) / len(right)}, {"paid": mean(right)})
    try:
        package.load_environment(seed=7)
    except ExchangeError as error:
        print(f"the seed to test with is refused: {error}")
    else:
        raise AssertionError("the seed to test with was made again")


if __name__ == "__main__":
    main()
