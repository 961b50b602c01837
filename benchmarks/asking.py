"""Time whole commands, including start-up, against a local server in its own process.

`python -m benchmarks.asking`. The programs take turns and run several times each; the median is reported, so that
short bursts of other load on the machine do not matter.
"""

import importlib.util
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import msgspec

QUESTIONS = 1000
LONG = 20_000
"""Questions of the long runs: so many that the 0.4 s of start-up hardly affect the rate."""
AS_INSTALLED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""An environment in which programs may cache bytecode, as if installed by pip; otherwise start-up would compile."""
LATENCY = 0.05
CONCURRENCY = 64


class Timing(msgspec.Struct, frozen=True):
    """A program's rate in questions per second, and its processor time per question."""

    rate: float
    cpu_ms: float


@contextmanager
def server(latency: float) -> Iterator[str]:
    """Run a chat endpoint in a separate process, and yield its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.chat_server", str(latency)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.kill()
        process.wait()


def small_dataset(folder: Path, cases: int) -> Path:
    """Write cases with small pictures, so that disk access does not matter."""
    import io

    from PIL import Image

    from countersight.case import Case, Option, Question
    from countersight.dataset.writing import DatasetWriter

    options = tuple(Option(str(number)) for number in (3, 5, 7, 9))
    with DatasetWriter(folder, name="small", description="Small.", license="CC0-1.0", provenance={}) as writer:
        for number in range(cases):
            file = io.BytesIO()
            Image.effect_noise((32, 32), 64 + number % 64).convert("RGB").save(file, "PNG")
            (writer.staging / f"images/{number}.png").write_bytes(file.getvalue())
            writer.add(
                Case(
                    id=f"case-{number}",
                    image=f"images/{number}.png",
                    group="small",
                    factual=Question(f"How many dots are there in picture {number}?", "B", "choice", options),
                    counterfactual=Question("How many dots would there be if 2 were removed?", "A", "choice", options),
                )
            )
    return folder


def timed(command: list[str], questions: int) -> Timing:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=AS_INSTALLED)
    seconds = perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f"{command[:4]} failed: {done.stderr[-2000:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Timing(questions / seconds, cpu / questions * 1000)


def steady(long: Timing, short: Timing) -> Timing:
    """Return the timing of the additional questions of the long run, which excludes start-up."""
    more = LONG - QUESTIONS
    cpu_ms = (long.cpu_ms * LONG - short.cpu_ms * QUESTIONS) / more
    return Timing(more / (LONG / long.rate - QUESTIONS / short.rate), cpu_ms)


def median(timings: list[Timing]) -> Timing:
    return Timing(statistics.median(t.rate for t in timings), statistics.median(t.cpu_ms for t in timings))


def measure(rounds: int = 5) -> dict[str, float]:
    """Return all figures by name; ratios are of medians in one run."""
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as where:
        scratch = Path(where)
        small = small_dataset(scratch / "small", QUESTIONS // 2)
        large = small_dataset(scratch / "large", LONG // 2)

        def ours(dataset: Path, url: str) -> list[str]:
            output = scratch / "run"
            shutil.rmtree(output, ignore_errors=True)
            model = f"endpoint:{url}#nothing"
            run = [sys.executable, "-m", "countersight", "run", str(dataset), "--model", model]
            return [*run, "-o", str(output), "--concurrency", str(CONCURRENCY)]

        def bare(dataset: Path, url: str) -> list[str]:
            return [sys.executable, "-m", "benchmarks.bare_loop", str(dataset), url, str(CONCURRENCY)]

        with server(0) as url:
            a = []
            b = []
            timed(ours(small, url), QUESTIONS)  # writes the bytecode
            for _ in range(rounds):
                a.append(timed(ours(small, url), QUESTIONS))
                b.append(timed(bare(small, url), QUESTIONS))
            us, floor = median(a), median(b)
            figures |= {"countersight q/s": us.rate, "bare loop q/s": floor.rate}
            figures |= {"rate / bare loop": us.rate / floor.rate, "cpu ms/q": us.cpu_ms, "bare cpu ms/q": floor.cpu_ms}
            ours_on, bare_on = steady(timed(ours(large, url), LONG), us), steady(timed(bare(large, url), LONG), floor)
            figures |= {"steady: rate / bare loop": ours_on.rate / bare_on.rate}
            figures |= {"steady: cpu ms/q": ours_on.cpu_ms, "steady: bare cpu ms/q": bare_on.cpu_ms}
            if importlib.util.find_spec("inspect_ai"):
                logs = str(scratch / "logs")
                inspect = [sys.executable, "-m", "benchmarks.inspect_task", str(small), url, str(CONCURRENCY), logs]
                peer = timed(inspect, QUESTIONS)
                figures |= {"inspect-ai q/s": peer.rate, "times inspect-ai": us.rate / peer.rate}
        with server(LATENCY) as url:
            ours_slow, short = timed(ours(large, url), LONG), timed(ours(small, url), QUESTIONS)
            bare_slow = timed(bare(large, url), LONG)
            ideal = CONCURRENCY / LATENCY
            figures |= {"50 ms: countersight q/s": ours_slow.rate, "50 ms: bare loop q/s": bare_slow.rate}
            figures |= {"50 ms: rate / ideal": ours_slow.rate / ideal, "50 ms: bare / ideal": bare_slow.rate / ideal}
            figures |= {"50 ms, steady: rate / ideal": steady(ours_slow, short).rate / ideal}
    return figures


def help_seconds(rounds: int = 10) -> float:
    """Return the median time of `countersight --help` in seconds."""
    command = [str(Path(sys.executable).with_name("countersight")), "--help"]
    return 1 / median([timed(command, 1) for _ in range(rounds)]).rate


if __name__ == "__main__":
    os.chdir(Path(__file__).parent.parent)
    for name, value in measure().items():
        print(f"{name:<26} {value:10.2f}")
    print(f"{'--help seconds':<26} {help_seconds():10.3f}")
