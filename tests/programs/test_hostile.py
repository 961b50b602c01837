"""Hostile programs: each ends, fails only its own case, and accesses nothing."""

import asyncio
import os
import socket
import threading

import pytest
from making import dataset
from programs.hostile import INJECTED, REPLIES, SAID, STEPS, filled, viper_programs
from programs.seeing import Eyes, programs, request
from running import ask, replies

from countersight.errors import AskingFailed
from countersight.models.protocol import Answer
from countersight.programs.limits import Limits

pytest.importorskip("pydantic_monty")

SECRET = "canary-4c1d"
LIMITS = Limits(seconds=2.0, waiting=5.0, memory=32 * 1024 * 1024)
HARM = {"viper": viper_programs() | REPLIES, "visprog": STEPS | REPLIES}
ORDINARY = {
    "viper": "def execute_command(image):\n    return len(image.find('dog')) == 3",
    "visprog": "A=LOC(image=IMAGE, object='dog')\nN=COUNT(box=A)\nB=EVAL(expr=\"'yes' if {N} == 3 else 'no'\")",
}


def slowly(*values):
    """Return a parameter that only `make test-all` uses."""
    return pytest.param(*values, marks=pytest.mark.slow)


class Trap:
    """A secret file, a secret in the environment, and a server that no program may call."""

    def __init__(self, folder) -> None:
        self.folder = folder
        (folder / "secret").write_text(SECRET)
        os.environ["COUNTERSIGHT_CANARY"] = SECRET
        self._server = socket.create_server(("127.0.0.1", 0))
        self.callers = 0
        threading.Thread(target=self._count, daemon=True).start()
        self.names = {
            "file": folder / "secret",
            "folder": folder,
            "port": self._server.getsockname()[1],
            "variable": "COUNTERSIGHT_CANARY",
        }

    def _count(self) -> None:
        while True:
            try:
                self._server.accept()
            except OSError:
                return
            self.callers += 1

    def close(self) -> None:
        self._server.close()
        del os.environ["COUNTERSIGHT_CANARY"]


@pytest.fixture(scope="module")
def trap(tmp_path_factory):
    trap = Trap(tmp_path_factory.mktemp("trap"))
    yield trap
    trap.close()


@pytest.fixture(scope="module")
def outcomes(request, trap):
    """The outcomes of all requested hostile programs."""
    asked = [getattr(item, "callspec", None) for item in request.session.items if item.module is request.module]
    asked = [call.params for call in asked if call and "style" in call.params]
    names = {style: [params["name"] for params in asked if params["style"] == style] for style in HARM}
    return {style: asyncio.run(run(style, trap, *texts)) for style, texts in names.items()}


async def run(style, trap, *names):
    """Run hostile programs in one pool of interpreters; return the outcome of each, and of an ordinary one after it."""
    eyes = Eyes(lambda question: filled(SAID.get(question, INJECTED), **trap.names))
    found = {}
    written = ORDINARY[style]
    model = programs(style, lambda asked: written, eyes, LIMITS)
    try:
        await _came_of(model)  # which starts the interpreters
        for name in names:
            written = filled(HARM[style][name], **trap.names)
            came = await _came_of(model)
            written = ORDINARY[style]
            found[name] = came, await _came_of(model)
    finally:
        await model.close()
    return found


async def _came_of(model):
    try:
        return await model.reply(request())
    except AskingFailed as failure:
        return failure


EVERY = [(style, name) for style, texts in HARM.items() for name in texts]
FAST = set(EVERY[::12])


@pytest.mark.parametrize(("style", "name"), [each if each in FAST else slowly(*each) for each in EVERY])
def test_a_hostile_program_fails_only_its_own_case(style, name, outcomes) -> None:
    came, after = outcomes[style][name]
    assert isinstance(came, AskingFailed), came
    assert not came.again
    assert came.so_far.trace.failure
    assert str(came).startswith(f"{came.so_far.trace.failure}: ")
    assert SECRET not in f"{came} {came.so_far}"
    if name in REPLIES:
        assert came.so_far.trace.failure in ("no program", "syntax error")
    assert isinstance(after, Answer)
    assert after.text == "yes"


def test_nothing_was_read_written_or_called(outcomes, trap) -> None:
    assert [file.name for file in trap.folder.iterdir()] == ["secret"]
    assert (trap.folder / "secret").read_text() == SECRET
    assert trap.callers == 0


def test_a_run_continues_after_hostile_programs(tmp_path, trap) -> None:
    texts = [filled(text, **trap.names) for text in list(viper_programs().values())[::12]]
    counting = "def execute_command(image):\n    return len(image.find('dog'))"  # the questions ask for a number
    written = [text for hostile in texts for text in (hostile, counting)]
    waiting = iter(written)
    folder = dataset(tmp_path / "data", len(texts))
    tally = ask(folder, tmp_path / "run", programs("viper", lambda asked: next(waiting), limits=LIMITS))
    assert (tally.answered, tally.failed) == (len(texts), len(texts))
    for reply in replies(tmp_path / "run"):
        assert (reply.state == "failed") == bool(reply.trace.failure)
        assert reply.tokens_in >= 10
