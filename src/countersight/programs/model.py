"""Models that write a program for each question and run it over the picture: `viper:` and `visprog:`.

    viper:CODE_MODEL[?vision=TOOLS]

CODE_MODEL writes the program and never sees the picture: `reference`, which needs no language model, or any other
model. TOOLS inspect the picture for the program: `scene` for drawn pictures, any other model, `detector:PATH`, which
only finds things, or `detector:PATH+MODEL`, whose MODEL also answers questions. By default the code model inspects the
picture too; the default for `reference` is `scene`.
"""

import asyncio
import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from msgspec.structs import replace

from countersight.case import Trace
from countersight.detection import ToolFailed, Vision
from countersight.errors import AskingFailed, ModelError
from countersight.models import Answer, Displayed, Model, ModelSettings, Request, Turn, Viewer
from countersight.programs.answers import answer_of
from countersight.programs.failures import ProgramFailed
from countersight.programs.limits import Limits
from countersight.programs.styles import STYLES, Style, asked_for
from countersight.programs.tracing import Tracing
from countersight.text import unknown

REFERENCE = "reference"
SCENE = "scene"
DETECTOR = "detector:"
LEAST_TOKENS = 512
"""The minimum token limit for programs, which are longer than the answers most prompts allow."""
KEPT = 1_000
"""The maximum number of the code model's replies kept for questions that may be asked again."""
_SETTING = re.compile(r";(\w+)=")
_VISION = re.compile(r"[?&;]vision=")
"""The separator before the vision model; version 0.1 wrote a semicolon. Both models may have options of their own."""
_NOT_PROGRAM_FAILURES = (asyncio.CancelledError, KeyboardInterrupt, SystemExit, GeneratorExit)
"""Exceptions that end a run or a part of it, and are not failures of a program."""

_spent: ContextVar[list[Answer]] = ContextVar("spent")
"""The answers of all models used for the current question, from which its cost is computed."""


class Programs(Displayed):
    """A model that answers each question with a program written for it."""

    needs_picture = True
    picture_limits = (1, 2)

    def __init__(self, name: str, style: Style, code: Model | None, vision: Vision) -> None:
        self.name = name
        self.settings: dict[str, Any] = {"code": code.name if code else REFERENCE, "eyes": vision.name}
        if code:
            self.settings |= {f"code {key}": value for key, value in code.settings.items()}
            self.settings["program prompt"] = hashlib.sha256(style.prompt.encode()).hexdigest()[:12]
        self.settings |= {f"eyes {key}": value for key, value in vision.settings.items()}
        self._style, self._code, self._vision = style, code, vision
        self._written: dict[str, str] = {}
        """Replies of the code model by key, for questions that are retried because the vision tools did not answer."""

    async def reply(self, request: Request) -> Answer:
        """Write a program, run it, and return its result as the answer; a program that fails is a failed question.

        If asked to state only its final answer, the code model does so without a further program.
        """
        _spent.set([])
        if request.restates:
            return await self._restate(request)
        shown = next((turn.pictures for turn in reversed(request.turns) if turn.picture), ())
        if len(shown) != 1:
            wanted = "one picture at a time" if shown else "a picture to look at"
            raise AskingFailed(f"a program needs {wanted}", again=False)
        [picture] = shown
        tracing = Tracing()
        program = ""
        ask = self._ask_language_model if self._code else None
        try:
            program = await self._write_program(request)
            with _fail_program_on_crash():
                program = await asyncio.to_thread(self._style.extract, program)
                value = await self._style.run(program, picture, self._vision, ask, tracing)
                said = await asyncio.to_thread(answer_of, value, request)
        except ProgramFailed as failure:
            self._written.pop(request.key, None)
            so_far = self._answer("", tracing.trace(program, failure.kind))
            raise AskingFailed(f"{failure.kind}: {failure}", again=False, so_far=so_far) from None
        self._written.pop(request.key, None)
        return self._answer(said, tracing.trace(program))

    @property
    def observed(self) -> dict[str, Any]:
        """Facts about the sandbox of the machine that runs the programs."""
        return {"sandbox": self._style.observed} if self._style.observed else {}

    async def close(self) -> None:
        """Release the models and the sandbox."""
        await self._style.close()
        await self._vision.close()
        if self._code is not None:
            await self._code.close()

    async def _restate(self, request: Request) -> Answer:
        """Return the code model's final answer from its program's result; the reference programmer repeats its
        reply."""
        if self._code is None:
            return Answer(request.restates)
        turns = tuple(Turn(turn.role, turn.text) for turn in request.turns)
        return await self._code.reply(replace(request, turns=turns))

    async def _write_program(self, request: Request) -> str:
        """Return the code model's reply to a question, or the program of the reference programmer."""
        if self._code is None:
            return self._style.reference(request.question)
        if request.key not in self._written:
            self._written[request.key] = await self._ask_code_model(asked_for(self._style.prompt, request))
            if len(self._written) > KEPT:
                self._written.pop(next(iter(self._written)))
        return self._written[request.key]

    async def _ask_language_model(self, question: str) -> str:
        """Return the code model's answer without the picture; a refusal is a failure of the tool."""
        try:
            return await self._ask_code_model(question)
        except AskingFailed as error:
            if error.again:
                raise
            raise ToolFailed(f"the language model did not answer: {error}") from None

    async def _ask_code_model(self, text: str) -> str:
        assert self._code
        return (await self._code.reply(Request(text, (Turn("user", text),), "open", question=text))).text

    def _answer(self, text: str, trace: Trace) -> Answer:
        """Return the answer with the total cost of all models that the program used."""
        spent = _spent.get()
        return Answer(
            text,
            tokens_in=sum(answer.tokens_in for answer in spent),
            tokens_out=sum(answer.tokens_out for answer in spent),
            cost=sum((answer.cost for answer in spent), 0.0),
            model=next((answer.model for answer in spent), ""),
            trace=trace,
        )


@contextmanager
def _fail_program_on_crash() -> Iterator[None]:
    """Turn a crash in the block into a failure of the program; errors of models are passed on."""
    try:
        yield
    except (ProgramFailed, AskingFailed, ModelError, *_NOT_PROGRAM_FAILURES):
        raise
    except BaseException as error:  # an interpreter written in Rust may raise a panic that is not an Exception
        raise ProgramFailed("error", f"the program crashed the interpreter: {type(error).__name__}") from error


class MeteredModel(Displayed):
    """A model that a program uses; its cost is counted for the current question."""

    def __init__(self, model: Model) -> None:
        self.name, self.settings, self.needs_picture = model.name, model.settings, model.needs_picture
        self._model: Model | None = model

    async def reply(self, request: Request) -> Answer:
        """Return the model's answer and record its cost."""
        assert self._model
        answer = await self._model.reply(request)
        _spent.get().append(answer)
        return answer

    async def close(self) -> None:
        """Close the model; further calls do nothing, because one model may both write and see."""
        model, self._model = self._model, None
        if model is not None:
            await model.close()


def open_programs(name: str, target: str, settings: ModelSettings, limits: Limits | None = None) -> Programs:
    """Open a model such as `viper:openai:gpt-4o?vision=scene`; the last `vision=` starts the vision part."""
    style = name.partition(":")[0]
    code_name, named, eyes_name = _VISION.sub(";vision=", target).rpartition(";vision=")
    if not named:
        code_name, eyes_name = target, ""
    wrong = _SETTING.search(code_name)
    if wrong and wrong[1] == "vision":
        raise ModelError(f"{style}: has ?vision= twice; write it once, at the end")
    if wrong:
        raise ModelError(unknown("setting of a program", wrong[1], ["vision"]))
    if not code_name or (named and not eyes_name):
        raise ModelError(f"write {style}:CODE_MODEL?vision=TOOLS, such as {style}:reference?vision=scene")
    runs = STYLES[style](limits or Limits())
    writing = replace(settings, max_tokens=max(settings.max_tokens, LEAST_TOKENS))
    code = None
    if code_name != REFERENCE:
        model = _open_model(code_name, "code model", [REFERENCE], writing)
        least, most = model.picture_limits if isinstance(model, Viewer) else (0, 1)
        if least:
            raise ModelError(f"{code_name} needs a picture, so it cannot write programs")
        if not most and not eyes_name:
            raise ModelError(f"{code_name} does not accept pictures; name a vision model: {name}?vision=TOOLS")
        code = MeteredModel(model)
    return Programs(name, runs, code, _open_vision(eyes_name, code, settings))


def _open_vision(name: str, code: Model | None, settings: ModelSettings) -> Vision:
    from countersight.detection import DetectorAndModel, open_detector, parted
    from countersight.programs.vision.model_vision import ModelVision
    from countersight.programs.vision.scene_vision import SceneVision

    if name == SCENE or (not name and code is None):
        return SceneVision()
    if name.startswith(DETECTOR):
        path, answering = parted(name.removeprefix(DETECTOR))
        detector = open_detector(path, settings)
        if not answering:
            return detector
        model = MeteredModel(_open_model(answering, "model beside a detector", [], settings))
        return DetectorAndModel(detector, ModelVision(model))
    if not name:
        assert code
        return ModelVision(code)
    return ModelVision(MeteredModel(_open_model(name, "kind of eyes", [SCENE, f"{DETECTOR}PATH"], settings)))


def _open_model(name: str, what: str, own: list[str], settings: ModelSettings) -> Model:
    from countersight.models import MODELS, open_model

    if name.partition(":")[0] in STYLES:
        raise ModelError(f"a program cannot be the {what} of another; name a model instead of {name[:80]!r}")
    if not MODELS.knows(name):
        others = [usage for usage in MODELS.usages() if usage.partition(":")[0] not in STYLES]
        raise ModelError(unknown(what, name, [*own, *others]))
    return open_model(name, settings)
