"""The two kinds of programs: their prompts, how they are extracted from a reply, and how they are run."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from countersight.detection import Vision
from countersight.picture import Picture
from countersight.programs.extraction import python_of, steps_of
from countersight.programs.failures import Limits, Tracing
from countersight.programs.prompting import PYTHON, STEPS
from countersight.programs.reference.python import as_python, as_steps
from countersight.programs.steps.interpreter import run_steps
from countersight.programs.steps.parsing import parsed
from countersight.programs.viper.image_patch import Tools
from countersight.programs.viper.sandbox import Sandbox

Ask = Callable[[str], Awaitable[str]]


class Python:
    """Python in the style of ViperGPT, run in a sandbox."""

    name = "viper"
    prompt = PYTHON
    """The prompt of the code model; {question} is replaced by the question."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._sandbox = Sandbox(limits)

    def reference(self, question: str, options: Sequence[str] = ()) -> str:
        """Return the reference programmer's program for a question with these options; raises NoProgram."""
        return as_python(question, options)

    def program(self, reply: str) -> str:
        """Return the program in a code model's reply; raises ProgramFailed."""
        return python_of(reply)

    async def run(self, program: str, picture: Picture, vision: Vision, ask: Ask | None, tracing: Tracing) -> object:
        """Run a program on a picture and return its result; raises ProgramFailed."""
        return await self._sandbox.run(program, Tools(picture, vision, ask, tracing, self._limits))

    @property
    def observed(self) -> dict[str, object]:
        return self._sandbox.observed

    async def close(self) -> None:
        await self._sandbox.close()


class StepByStep:
    """Step programs in the style of VisProg, parsed and interpreted here."""

    name = "visprog"
    prompt = STEPS

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    @property
    def observed(self) -> dict[str, object]:
        return {}

    def reference(self, question: str, options: Sequence[str] = ()) -> str:
        return as_steps(question, options)

    def program(self, reply: str) -> str:
        return steps_of(reply)

    async def run(self, program: str, picture: Picture, vision: Vision, ask: Ask | None, tracing: Tracing) -> object:
        steps = await asyncio.to_thread(parsed, program)
        return await run_steps(steps, picture, vision, tracing, self._limits)

    async def close(self) -> None:
        pass


Style = Python | StepByStep
STYLES: dict[str, type[Style]] = {"viper": Python, "visprog": StepByStep}
