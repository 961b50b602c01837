"""Runs in this process and as commands, models for tests, and the replies of a run."""

import asyncio
import random
import subprocess
import sys
import time
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

from countersight.cli import main
from countersight.dataset.folder import Dataset
from countersight.engine import Prompt, RetryPolicy, RunFolder, RunOptions, Tally, ask_dataset, find_prompt
from countersight.models import open_model
from countersight.models.protocol import ModelSettings

QUICK = RetryPolicy(concurrency=8, attempts=3, backoff=0.01)


class Scripted:
    """A model that replies to a request as a function says, and keeps the requests."""

    settings = {}

    def __init__(self, say, name="scripted", *, needs_picture=False):
        self.say, self.name, self.needs_picture = say, name, needs_picture
        self.requests = []

    async def reply(self, request):
        self.requests.append(request)
        return self.say(request)

    async def close(self):
        pass


class Ranking(Scripted):
    """A scripted model that also ranks: `lose` gives the loss of each option."""

    def __init__(self, say, lose):
        super().__init__(say)
        self.lose = lose

    async def losses(self, request):
        self.requests.append(request)
        return tuple(map(self.lose, request.options))


def ask(
    folder,
    output,
    model,
    *,
    prompt="0-shot",
    shown=False,
    answering="generate",
    again="",
    retry=QUICK,
    stop_when=None,
    pool=None,
    budget=None,
    **settings,
):
    """One run in this process, of a model or the name of one; what it tallied."""
    opened = Dataset.open(folder)
    examples = Dataset.open(pool) if pool else None
    tally = Tally()

    async def run():
        asked = open_model(model, ModelSettings(**settings)) if isinstance(model, str) else model
        options = RunOptions(
            prompt=prompt if isinstance(prompt, Prompt) else find_prompt(str(prompt)),
            shown=shown,
            answering=answering,
            seed=settings.get("seed", 0),
            again=again,
        )
        stop = asyncio.Event()
        stopping = asyncio.create_task(_stop(stop, stop_when)) if stop_when else None
        try:
            await ask_dataset(
                opened, output, asked, options, retry=retry, pool=examples, tally=tally, stop=stop, budget=budget
            )
        finally:
            if stopping:
                stopping.cancel()

    asyncio.run(run())
    return tally


async def _stop(stop, come):
    """As somebody does who presses Ctrl-C once they see something."""
    while not come():
        await asyncio.sleep(0.002)
    stop.set()


def replies(output):
    return list(RunFolder.open(output).replies())


def answers(output):
    """What was answered to each question; fails if any was answered twice."""
    said = [(r.row, r.world, r.telling, r.text, r.orders) for r in replies(output) if r.state == "answered"]
    assert max(Counter(key[:3] for key in said).values(), default=1) == 1
    return sorted(said)


def journal_size(output):
    try:
        return (output / "replies.jsonl").stat().st_size
    except FileNotFoundError:
        return 0


def command_here(*arguments):
    """A command in this process: as much as can be seen of it, in a tenth of the time of a new one."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = main([*map(str, arguments)])
        except SystemExit as end:
            status = end.code
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


def command(*words, **options):
    """A command in a process of its own."""
    line = [sys.executable, "-m", "countersight", *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, timeout=280, check=False, **options)


def run_command(folder, output, model, *more, here=True):
    """The command `run`, in this process unless the run needs one of its own."""
    return (command_here if here else command)("run", folder, "--model", model, "-o", output, *more)


def start_command(folder, output, model, *more, group=False):
    """A run that goes on by itself, where wanted in a group of processes of its own, as in a terminal."""
    line = [sys.executable, "-m", "countersight", "run", folder, "--model", model, "-o", output, *more]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=group)


def run_killed(folder, output, model, *more, kills):
    """A run that is killed so many times before it is left to end; nothing it had written may be lost."""
    chance = random.Random(4)
    for _ in range(kills):
        before = journal_size(output)
        process = start_command(folder, output, model, *more)
        while journal_size(output) == before and process.poll() is None:
            time.sleep(0.005)
        time.sleep(chance.uniform(0, 0.08))
        acknowledged = answers(output)
        process.kill()
        process.communicate()
        assert {said[:4] for said in acknowledged} <= {said[:4] for said in answers(output)}
        with open(output / "replies.jsonl", "ab") as file:  # a line that the kill cut off
            file.write(b'{"case":"case-9","row":9,"wor')
    done = run_command(folder, output, model, *more)
    assert done.returncode == 0, done.stderr
