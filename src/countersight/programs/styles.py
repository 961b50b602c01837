"""The two kinds of programs: their prompts, how they are extracted from a reply, and how they are run."""

import asyncio
from collections.abc import Awaitable, Callable
from importlib.resources import files

from countersight.detection import Vision
from countersight.models import Request
from countersight.picture import Picture
from countersight.programs.extraction import extract_python, extract_steps
from countersight.programs.limits import Limits, Tracing
from countersight.programs.reference import as_python, as_steps
from countersight.programs.steps.interpreter import run_steps
from countersight.programs.steps.parsing import parse_program
from countersight.programs.viper.sandbox import Sandbox
from countersight.programs.viper.tools import Tools

PYTHON: str = (files(__package__) / "prompt_python.txt").read_text(encoding="utf-8")
STEPS: str = (files(__package__) / "prompt_steps.txt").read_text(encoding="utf-8")
LONGEST_QUESTION = 4_000
"""The maximum number of characters of a question in a prompt; all prompts were written for Countersight."""
Ask = Callable[[str], Awaitable[str]]


class Python:
    """Python in the style of ViperGPT, run in a sandbox."""

    prompt = PYTHON
    """The prompt of the code model; {question} is replaced by the question."""
    reference = staticmethod(as_python)
    """Return the reference programmer's program for a question; raises NoProgram."""
    extract = staticmethod(extract_python)
    """Return the program in a code model's reply; raises ProgramFailed."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._sandbox = Sandbox(limits)

    async def run(self, program: str, picture: Picture, vision: Vision, ask: Ask | None, tracing: Tracing) -> object:
        """Run a program on a picture and return its result; raises ProgramFailed."""
        return await self._sandbox.run(program, Tools(picture, vision, ask, tracing, self._limits))

    @property
    def observed(self) -> dict[str, object]:
        """Facts about the sandbox of this machine."""
        return self._sandbox.observed

    async def close(self) -> None:
        """End the sandbox."""
        await self._sandbox.close()


class StepByStep:
    """Step programs in the style of VisProg, parsed and interpreted here."""

    prompt = STEPS
    reference = staticmethod(as_steps)
    extract = staticmethod(extract_steps)
    observed: dict[str, object] = {}  # noqa: RUF012 - never changed

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    async def run(self, program: str, picture: Picture, vision: Vision, ask: Ask | None, tracing: Tracing) -> object:
        steps = await asyncio.to_thread(parse_program, program)
        return await run_steps(steps, picture, vision, tracing, self._limits)

    async def close(self) -> None:
        pass


Style = Python | StepByStep
STYLES: dict[str, type[Style]] = {"viper": Python, "visprog": StepByStep}


def asked_for(template: str, request: Request) -> str:
    """Return the prompt for a question; options are given by text, not by letter."""
    question = " ".join(request.question.split())[:LONGEST_QUESTION]
    if request.kind == "choice":
        options = "; ".join(option.text for option in request.options)
        question += f" (The answer is one of these: {options})"
    elif request.kind == "boolean":
        question += " (The answer is yes or no.)"
    elif request.kind == "number":
        question += " (The answer is a number.)"
    return template.format(question=question)
