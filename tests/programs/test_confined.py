"""The operating system confines an interpreter, even if a program has taken control of it."""

import asyncio
import contextlib
import ctypes
import json
import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from chat_server import ChatServer
from making import dataset
from programs.seeing import PICTURE, Eyes, programs
from running import ask, replies, start_command
from waiting import wait_until

from countersight.programs.limits import Limits, Tracing
from countersight.programs.viper import confined, sandbox
from countersight.programs.viper.running import resident_memory
from countersight.programs.viper.sandbox import LAYERS, Sandbox
from countersight.programs.viper.tools import Tools

pytest.importorskip("pydantic_monty")
linux = pytest.mark.skipif(sys.platform != "linux", reason="seccomp is Linux's")
LANDLOCK = (
    sys.platform == "linux" and ctypes.CDLL(None).syscall(confined.CREATE_RULESET, None, ctypes.c_size_t(0), 1) > 0
)
landlocked = pytest.mark.skipif(not LANDLOCK, reason="this kernel has no landlock")
MEGABYTE = 1024 * 1024
SHELL = [sys.executable, "-I", "-S", confined.__file__, str(64 * MEGABYTE), "5", "/bin/sh", "-c"]


def in_shell(script):
    """Return the output of a confined shell, which has only built-in commands."""
    return subprocess.run([*SHELL, script], capture_output=True, text=True, timeout=120, check=False).stdout.split()


def sandboxed(program, eyes=None, times=1, limits=None, during=None):
    """Return the outcomes of a program that runs several times concurrently."""

    async def run():
        sandbox = Sandbox(limits or Limits())
        try:
            running = [
                asyncio.create_task(
                    sandbox.run(program, Tools(PICTURE, eyes or Eyes(), None, Tracing(), limits or Limits()))
                )
                for _ in range(times)
            ]
            if during:
                await during(sandbox)
            return await asyncio.gather(*running, return_exceptions=True), sandbox.observed
        finally:
            await sandbox.close()

    return asyncio.run(run())


@linux
def test_a_confined_process_can_compute_and_nothing_else(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    assert in_shell("echo $((6 * 7))") == ["42"]
    assert "sk-canary" not in " ".join(in_shell("set; export"))
    assert in_shell("echo $HOME $OPENAI_API_KEY $USER end") == ["end"]
    assert in_shell(f"echo here; echo x > {tmp_path}/written; echo there") == ["here", "there"]
    assert list(tmp_path.iterdir()) == []
    assert in_shell("echo before; (echo inside); echo after") == ["before"]
    assert in_shell("echo before; exec /bin/echo other") == ["before"]
    assert in_shell("kill -0 1 || echo refused") == ["refused"]
    assert in_shell("kill -0 $PPID || echo refused") == ["refused"]


@landlocked
@pytest.mark.parametrize(
    "file",
    [
        "/etc/passwd",
        "{own}",
        "/proc/self/environ",
        "/proc/{parent}/environ",
        "/proc/{parent}/mem",
        "/proc/1/environ",
        "/proc/self/root/etc/passwd",
        "/dev/tty",
    ],
)
def test_a_confined_process_reads_no_file(file, tmp_path) -> None:
    own = tmp_path / "answers"
    own.write_text("secret\n")
    path = file.format(own=own, parent=os.getpid())
    assert in_shell(f"read line < {path} && echo read; echo $line; echo end") == ["end"]


@linux
@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_is_complete_on_both_architectures(machine) -> None:
    made = confined.filter_of(machine, 0x7FFF_1234_5678)
    assert len(made) < 4096
    for place, (code, yes, no, _) in enumerate(made):
        if code in (confined.EQUAL, confined.ANY_BIT):
            assert max(yes, no) + place + 1 < len(made)
    assert made[-1][0] == confined.RETURN
    numbers = [pair[("x86_64", "aarch64").index(machine)] for pair in confined.CALLS.values()]
    assert len({number for number in numbers if number is not None}) == len([n for n in numbers if n is not None])


@linux
def test_interpreters_are_confined_where_the_system_supports_it(caplog) -> None:
    (value,), observed = sandboxed("def execute_command(image):\n    return 42")
    assert value == 42
    known = platform.machine() in confined.ARCHITECTURES
    assert observed == {"landlock": LANDLOCK, "seccomp": known, "rlimits": True}
    assert ("run without" in caplog.text) == (not LANDLOCK or not known)


def test_programs_run_with_a_warning_where_confinement_is_unsupported(monkeypatch, caplog) -> None:
    monkeypatch.setattr(sandbox, "SCRIPT", "/nowhere/at/all.py")
    (value,), observed = sandboxed("def execute_command(image):\n    return 42")
    assert value == 42
    assert observed == dict.fromkeys(LAYERS, False)
    assert "run without landlock, seccomp, rlimits" in caplog.text
    assert "SECURITY.md" in caplog.text


def test_a_missing_layer_is_printed_on_the_terminal() -> None:
    code = "from countersight.programs.viper.sandbox import warn_of_missing as warn; warn({'landlock': False})"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stderr.startswith("countersight: on this machine generated programs run without landlock")
    assert said.stdout == ""


def test_run_json_records_the_layers_of_confinement(tmp_path) -> None:
    model = programs("viper", lambda asked: "def execute_command(image):\n    return len(image.find('dog'))")
    ask(dataset(tmp_path / "data", 2), tmp_path / "run", model)
    observed = json.loads((tmp_path / "run/run.json").read_text())["observed"]
    assert set(observed["sandbox"]) == set(LAYERS)
    assert "sandbox" not in json.loads((tmp_path / "run/run.json").read_text())["settings"]


@linux
def test_the_memory_of_all_interpreters_is_limited() -> None:
    limits = Limits(memory=32 * MEGABYTE)
    others = set(children())  # what other tests of this process left running
    most = asked = 0

    class Slow(Eyes):
        async def find(self, picture, what, within):
            nonlocal asked
            await asyncio.sleep(0.05)  # and meanwhile it is looked at
            asked += 1
            return []

    async def watch(sandbox):
        nonlocal most
        for _ in range(5000):
            if asked == 24:
                break
            await asyncio.sleep(0.02)
            most = max(most, sum(map(resident_memory, set(children()) - others)))
        assert most < 312 * MEGABYTE

    hoarding = "def execute_command(image):\n    held = ['x' * 1000 for _ in range(20_000)]\n    image.find('dog')\n"
    hoarding += "    return len(held)"
    values, _ = sandboxed(hoarding, Slow(), times=24, limits=limits, during=watch)
    assert values == [20_000] * 24
    assert most > 15 * MEGABYTE  # it was measured at all; the bound is held while they run


def children():
    """The processes that this one, or a thread of it, has started, and which run a command of their own by now.

    For a moment, until it does, a new process shows all the memory of the one that starts it as its own."""
    found = []
    for thread in Path("/proc/self/task").iterdir():
        with contextlib.suppress(FileNotFoundError):  # the thread has ended
            found += map(int, (thread / "children").read_text().split())
    return [child for child in found if command_of(child) not in (b"", command_of("self"))]


def command_of(process):
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:  # it has ended
        return b""


@pytest.mark.slow
def test_ctrl_c_fails_no_running_question(tmp_path) -> None:
    program = "```python\ndef execute_command(image):\n    return len(image.find('dog'))\n```"
    looking = []

    def script(server, number, body):
        if isinstance(body["messages"][-1]["content"], str):
            return f"say:{program}"
        looking.append(number)
        return "say:[]"

    with ChatServer(script, latency=0.4) as server:
        folder = dataset(tmp_path / "data", 30)
        process = start_command(folder, tmp_path / "run", f"viper:{server.name}", "--concurrency", "8", group=True)
        wait_until(lambda: len(looking) >= 4, process)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
        _, said = process.communicate(timeout=600)
    assert process.returncode == 130, said
    found = replies(tmp_path / "run")
    assert found
    assert [reply.reason for reply in found if reply.state == "failed"] == []
