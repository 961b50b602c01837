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
from typing import Any

from msgspec.structs import replace

from countersight.case import Trace
from countersight.detection import Detector, DetectorAndModel, ToolFailed, Vision, open_detector, parted
from countersight.errors import AskingFailed, ModelError
from countersight.models import MODELS, Answer, Displayed, Model, ModelSettings, Request, Turn, Viewer, open_model
from countersight.picture import Picture
from countersight.programs.answers import answer_of
from countersight.programs.limits import Limits, ProgramFailed, Tracing
from countersight.programs.styles import STYLES, Style, asked_for
from countersight.programs.vision.model_vision import ModelVision
from countersight.programs.vision.scene_vision import SceneVision
from countersight.suggestions import unknown

REFERENCE = "reference"
SCENE = "scene"
DETECTOR = "detector:"
LEAST_TOKENS = 512
"""The minimum token limit for programs, which are longer than the answers most prompts allow."""
_SETTING = re.compile(r";(\w+)=")
_VISION = re.compile(r"[?&;]vision=")
"""The separator before the vision model; version 0.1 wrote a semicolon. Both models may have options of their own."""
_NOT_PROGRAM_FAILURES = (AskingFailed, ModelError, asyncio.CancelledError, KeyboardInterrupt, SystemExit, GeneratorExit)
"""Errors of models, and exceptions that end a run: they are not failures of a program."""


class Programs(Displayed):
    """A model that answers each question with a program written for it."""

    needs_picture = True
    picture_limits = (1, 2)

    def __init__(
        self, name: str, style: Style, code: Model | None, finder: Vision | None, seer: Model | None = None
    ) -> None:
        """`finder`, the model `seer`, or both inspect the picture; with both, `finder` only finds things."""
        self.name = name
        self._style, self._code, self._finder, self._seer = style, code, finder, seer
        self._written: dict[str, str] = {}
        """Replies of the code model by key, for questions that are retried because the vision tools did not answer."""
        vision = self._vision([])
        self.settings: dict[str, Any] = {"code": code.name if code else REFERENCE, "vision": vision.name}
        if code:
            self.settings |= {f"code {key}": value for key, value in code.settings.items()}
            self.settings["program prompt"] = hashlib.sha256(style.prompt.encode()).hexdigest()[:12]
        self.settings |= {f"vision {key}": value for key, value in vision.settings.items()}

    async def reply(self, request: Request) -> Answer:
        """Write a program, run it, and return its result as the answer; if the program fails, so does the question.

        If asked to state only its final answer, the code model does so without a further program.
        """
        if request.restates:
            return await self._restate(request)
        picture = _only_picture(request)
        spent: list[Answer] = []
        tracing = Tracing()
        program = ""
        try:
            program = await self._write_program(request, spent)
            program = await asyncio.to_thread(self._style.extract, program)
            said = await self._run(program, request, picture, spent, tracing)
        except ProgramFailed as failure:
            self._written.pop(request.key, None)
            so_far = _with_cost("", spent, tracing.trace(program, failure.kind))
            raise AskingFailed(f"{failure.kind}: {failure}", again=False, so_far=so_far) from None
        self._written.pop(request.key, None)
        return _with_cost(said, spent, tracing.trace(program))

    @property
    def observed(self) -> dict[str, Any]:
        """Facts about the sandbox of the machine that runs the programs."""
        return {"sandbox": self._style.observed} if self._style.observed else {}

    async def close(self) -> None:
        """Release the sandbox and the models; a model that both writes programs and sees pictures is released once."""
        await self._style.close()
        if self._finder:
            await self._finder.close()
        for model in {id(model): model for model in (self._code, self._seer) if model}.values():
            await model.close()

    async def _run(
        self, program: str, request: Request, picture: Picture, spent: list[Answer], tracing: Tracing
    ) -> str:
        """Return the result of a program as an answer; raises ProgramFailed, even if the interpreter crashes."""

        async def ask(question: str) -> str:
            return await self._ask_language_model(question, spent)

        try:
            value = await self._style.run(program, picture, self._vision(spent), ask if self._code else None, tracing)
            return await asyncio.to_thread(answer_of, value, request)
        except (ProgramFailed, *_NOT_PROGRAM_FAILURES):
            raise
        except BaseException as error:  # an interpreter written in Rust may raise a panic that is not an Exception
            raise ProgramFailed("error", f"the program crashed the interpreter: {type(error).__name__}") from error

    def _vision(self, spent: list[Answer]) -> Vision:
        """Return the vision tools for one question; the answers of their model are added to `spent`."""
        if self._seer is None:
            assert self._finder
            return self._finder
        seeing = ModelVision(self._seer, spent)
        return DetectorAndModel(self._finder, seeing) if isinstance(self._finder, Detector) else seeing

    async def _restate(self, request: Request) -> Answer:
        """Return the code model's final answer from its program's result; the reference programmer repeats its
        reply."""
        if self._code is None:
            return Answer(request.restates)
        turns = tuple(Turn(turn.role, turn.text) for turn in request.turns)
        return await self._code.reply(replace(request, turns=turns))

    async def _write_program(self, request: Request, spent: list[Answer]) -> str:
        """Return the code model's reply to a question, or the program of the reference programmer."""
        if self._code is None:
            return self._style.reference(request.question)
        if request.key not in self._written:
            self._written[request.key] = await self._ask_code_model(asked_for(self._style.prompt, request), spent)
        return self._written[request.key]

    async def _ask_language_model(self, question: str, spent: list[Answer]) -> str:
        """Return the code model's answer without the picture; a refusal is a failure of the tool."""
        try:
            return await self._ask_code_model(question, spent)
        except AskingFailed as error:
            if error.again:
                raise
            raise ToolFailed(f"the language model did not answer: {error}") from None

    async def _ask_code_model(self, text: str, spent: list[Answer]) -> str:
        assert self._code
        answer = await self._code.reply(Request(text, (Turn("user", text),), "open", question=text))
        spent.append(answer)
        return answer.text


def _only_picture(request: Request) -> Picture:
    """Return the picture of the last turn that has one; raises AskingFailed unless it is a single picture."""
    shown = next((turn.pictures for turn in reversed(request.turns) if turn.picture), ())
    if len(shown) != 1:
        wanted = "one picture at a time" if shown else "a picture"
        raise AskingFailed(f"a program needs {wanted}", again=False)
    return shown[0]


def _with_cost(text: str, spent: list[Answer], trace: Trace) -> Answer:
    """Return an answer with the total cost of all answers that its program used."""
    return Answer(
        text,
        tokens_in=sum(answer.tokens_in for answer in spent),
        tokens_out=sum(answer.tokens_out for answer in spent),
        cost=sum((answer.cost for answer in spent), 0.0),
        model=next((answer.model for answer in spent), ""),
        trace=trace,
    )


def open_programs(name: str, target: str, settings: ModelSettings) -> Programs:
    """Open a model such as `viper:openai:gpt-4o?vision=scene`; the last `vision=` starts the vision part."""
    style = name.partition(":")[0]
    code_name, named, vision_name = _VISION.sub(";vision=", target).rpartition(";vision=")
    if not named:
        code_name, vision_name = target, ""
    wrong = _SETTING.search(code_name)
    if wrong and wrong[1] == "vision":
        raise ModelError(f"{style}: has ?vision= twice; write it once, at the end")
    if wrong:
        raise ModelError(unknown("setting of a program", wrong[1], ["vision"]))
    if not code_name or (named and not vision_name):
        raise ModelError(f"write {style}:CODE_MODEL?vision=TOOLS, such as {style}:reference?vision=scene")
    runs = STYLES[style](Limits())
    code = None
    if code_name != REFERENCE:
        code = _open_code_model(code_name, settings)
        if not vision_name and isinstance(code, Viewer) and not code.picture_limits[1]:
            raise ModelError(f"{code_name} does not accept pictures; add a vision model: {name}?vision=TOOLS")
    if vision_name == SCENE or (not vision_name and code is None):
        return Programs(name, runs, code, SceneVision())
    if not vision_name:
        return Programs(name, runs, code, None, seer=code)
    if not vision_name.startswith(DETECTOR):
        return Programs(
            name, runs, code, None, seer=_open_model(vision_name, "vision tool", [SCENE, f"{DETECTOR}PATH"], settings)
        )
    path, answering = parted(vision_name.removeprefix(DETECTOR))
    detector = open_detector(path, settings)
    seer = _open_model(answering, "model beside a detector", [], settings) if answering else None
    return Programs(name, runs, code, detector, seer=seer)


def _open_code_model(name: str, settings: ModelSettings) -> Model:
    writing = replace(settings, max_tokens=max(settings.max_tokens, LEAST_TOKENS))
    model = _open_model(name, "code model", [REFERENCE], writing)
    if isinstance(model, Viewer) and model.picture_limits[0]:
        raise ModelError(f"{name} needs a picture, so it cannot write programs")
    return model


def _open_model(name: str, what: str, own: list[str], settings: ModelSettings) -> Model:
    if name.partition(":")[0] in STYLES:
        raise ModelError(f"a program cannot be the {what} of another; use a model instead of {name[:80]!r}")
    if not MODELS.knows(name):
        others = [usage for usage in MODELS.usages() if usage.partition(":")[0] not in STYLES]
        raise ModelError(unknown(what, name, [*own, *others]))
    return open_model(name, settings)
