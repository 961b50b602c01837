"""Scripted vision tools and code models for tests, and functions that run programs with them."""

import asyncio

from making import picture

from countersight.detection.vision import Patch, ToolFailed
from countersight.errors import AskingFailed
from countersight.models.protocol import Answer, Request, Turn
from countersight.picture.checking import check_picture
from countersight.programs.extraction import extract_steps
from countersight.programs.limits import Limits, Tracing
from countersight.programs.model import Programs
from countersight.programs.steps.parsing import parse_program
from countersight.programs.styles import STYLES
from countersight.programs.viper.sandbox import Sandbox
from countersight.programs.viper.tools import Tools

DOGS = [Patch((0, 0, 20, 20), "dog"), Patch((40, 60, 60, 90), "dog"), Patch((70, 10, 100, 40), "dog")]
"""In a picture of 100 x 100 pixels: at the top left, at the bottom, at the right."""
PICTURE = check_picture(picture(size=100))


def parse_steps(text):
    """Return the steps of the program in a reply."""
    return parse_program(extract_steps(text))


class Eyes:
    """A vision tool that finds three dogs and gives scripted answers."""

    name = "eyes"

    def __init__(self, said=None) -> None:
        self.settings = {}
        self.said = said or {}
        self.asked = []

    async def find(self, picture, what, within):
        self.asked.append(("find", what, within))
        await asyncio.sleep(0)
        if what == "unicorn":
            raise ToolFailed("nobody has seen one")
        found = DOGS if what == "dog" else []
        return [patch for patch in found if within is None or patch.is_in(within)]

    async def query(self, picture, question, within):
        self.asked.append(("query", question, within))
        return self.said[question] if isinstance(self.said, dict) else self.said(question)

    async def close(self) -> None:
        self.closed = True


class Coder:
    """A code model with scripted replies."""

    name = "coder"
    needs_picture = False

    def __init__(self, write) -> None:
        self.settings = {"temperature": 0.0}
        self.write = write
        self.requests = []
        self.closed = 0

    async def reply(self, request):
        self.requests.append(request)
        return Answer(self.write(request), tokens_in=10, tokens_out=5, cost=0.25, model="coder-1")

    async def close(self) -> None:
        self.closed += 1


def request(question="Is it?", kind="boolean", options=(), key="case-1/factual/told"):
    return Request(key, (Turn("user", f"{question} Answer!", PICTURE),), kind, tuple(options), question)


def programs(style, write, eyes=None, limits=None):
    """Return a program model whose code model replies with `write(request)`."""
    limits = limits or Limits()
    return Programs(f"{style}:coder", STYLES[style](limits), Coder(write), eyes or Eyes())


def answered(model, *requests):
    """Return a model's answer to each request, or the exception that it raised."""

    async def ask():
        try:
            return [await _outcome(model, one) for one in requests]
        finally:
            await model.close()

    return asyncio.run(ask())


async def _outcome(model, request):
    try:
        return await model.reply(request)
    except AskingFailed as failure:
        return failure


def returned(body, eyes=None, ask=None, tracing=None, limits=None):
    """Return the result of a Python program with this body."""
    program = "def execute_command(image):\n" + "\n".join(f"    {line}" for line in body.splitlines())

    async def run():
        sandbox = Sandbox(limits or Limits())
        tools = Tools(PICTURE, eyes or Eyes(), ask, tracing or Tracing(), limits or Limits())
        try:
            return await sandbox.run(program, tools)
        finally:
            await sandbox.close()

    return asyncio.run(run())
