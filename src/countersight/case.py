"""The data types of Countersight: cases, questions, changes and replies."""

import re
from typing import Any, Final, Literal, get_args

import msgspec

World = Literal["factual", "counterfactual"]
"""The world that a question is about: `factual` (the picture as it is) or `counterfactual` (after a change)."""
TWO_WORLDS: Final[tuple[World, World]] = get_args(World)

Telling = Literal["told", "shown", "twice"]
"""How a model learns about the change: `told` in the question, `shown` in a picture drawn after the change, or `twice`
(both).
"""

QuestionVariant = Literal["factual", "counterfactual", "shown"]
"""One of three ways to ask about a case: without the change, with the change in words, or with a changed picture."""

VARIANTS: Final[tuple[QuestionVariant, ...]] = get_args(QuestionVariant)
WORLDS: Final[dict[QuestionVariant, tuple[World, Telling]]] = {
    "factual": ("factual", "told"),
    "counterfactual": ("counterfactual", "told"),
    "shown": ("counterfactual", "shown"),
}
"""The world of each variant, and how its change is conveyed."""
TWICE: Final[tuple[World, Telling]] = ("counterfactual", "twice")
"""The question with "if", asked about the picture after the change. This fourth combination of question and picture is
used only for scores of complete sets."""
VARIANT_DESCRIPTIONS: Final[dict[QuestionVariant, str]] = {
    "factual": "the picture as it is",
    "counterfactual": "a change described in words",
    "shown": "the change shown as a picture",
}
"""A description of each variant, for pages and tables."""


def variant_of(world: World, telling: Telling) -> QuestionVariant:
    """Return the variant of a question for a world and a way of conveying the change."""
    if world == "factual":
        return "factual"
    return "shown" if telling == "shown" else "counterfactual"


AnswerKind = Literal["number", "boolean", "choice", "open"]

_NUMBER = re.compile(r"-?\d+(\.\d+)?", re.ASCII)

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Letters of options, in order."""


class Option(msgspec.Struct, frozen=True, omit_defaults=True):
    """One of the options of a question."""

    text: str
    role: str = ""
    """The role of the option, if the suite defines roles (CELLO: right, image, graph or text distractor)."""


class Question(msgspec.Struct, frozen=True, omit_defaults=True):
    """A question and its gold answer: a number, yes or no, the letter of an option, or free text."""

    text: str
    answer: str
    kind: AnswerKind
    options: tuple[Option, ...] = ()
    answers: tuple[str, ...] = ()
    """The answers of several people, if the suite has them (VQA); `answer` is the most common."""
    prior: str = ""
    """The answer one would expect without seeing the picture; wrong answers equal to it are counted separately."""
    hidden: bool = False
    """Whether the right answer is stored in a separate key file; only the holder of the key can score replies."""
    doubled: bool = False
    """Whether the right option is listed twice and both count as right (CoSIm published five such cases)."""
    accepts_uncertain: bool = False
    """Whether replies that are neither yes nor no also count as right (HallusionBench, if the figure is withheld)."""

    def __repr__(self) -> str:
        offered = f" {{{' | '.join(option.text for option in self.options)}}}" if self.options else ""
        return f"{self.text}{offered} → {self.right_text or '(hidden)'}"

    @property
    def right_text(self) -> str:
        """The right answer as text: the text of the right option, or the gold answer itself; empty if it is hidden."""
        if self.hidden:
            return ""
        return self.options[LETTERS.index(self.answer)].text if self.kind == "choice" else self.answer

    @property
    def guessed_among(self) -> int:
        """The number of possible answers, for a random guess; 0 for open questions."""
        return {"choice": len(self.options), "boolean": 2}.get(self.kind, 0)

    @property
    def unlisted_kind(self) -> AnswerKind:
        """The kind of answer expected if options are not listed: a number if all options are numbers, else text."""
        if self.kind != "choice":
            return self.kind
        return "number" if all(_NUMBER.fullmatch(option.text.strip()) for option in self.options) else "open"

    def fault(self) -> str | None:
        """Return the fault of this question as "field: reason", or None if it is valid."""
        if not self.text.strip():
            return "text: is empty"
        if self.prior and self.prior == self.answer:
            return "prior: is the same as the right answer"
        if self.kind == "choice" and not 2 <= len(self.options) <= len(LETTERS):
            return f"options: a choice needs 2 to {len(LETTERS)} options, not {len(self.options)}"
        if self.hidden:
            shown = self.answer or self.answers or self.prior
            return "answer: must be empty, because `hidden` is set" if shown else None
        if self.kind == "choice":
            if self.answer not in tuple(LETTERS[: len(self.options)]):
                return f"answer: {self.answer!r} is not the letter of an option"
            texts = [option.text.strip() for option in self.options]
            # A wrong option that is listed twice is still wrong.
            if not self.doubled and texts.count(texts[LETTERS.index(self.answer)]) > 1:
                return "options: the right one is listed twice"
        elif self.kind == "number":
            if not _NUMBER.fullmatch(self.answer):
                return f"answer: {self.answer!r} is not a number"
        elif self.kind == "boolean" and self.answer not in ("yes", "no"):
            return f"answer: {self.answer!r} is neither yes nor no"
        return None


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """The change that leads to the counterfactual world, described in words."""

    text: str
    kinds: tuple[str, ...] = ()


class Cell(msgspec.Struct, frozen=True, omit_defaults=True):
    """The position of a case in a set that combines every picture with every question (NaturalBench: two pictures and
    two questions, so four cases)."""

    set: str
    question: str
    picture: str
    of: int = 0
    """The number of cases of a complete set, if all sets have the same size; incomplete sets are not scored as sets."""


class Case(msgspec.Struct, frozen=True, omit_defaults=True):
    """One picture, or several shown together, with a question in each of two worlds.

    The field names in a file are those of a Hugging Face image folder, which turns `file_name` and
    `counterfactual_file_name` into pictures called `image` and `counterfactual`, and `further_file_names` into a list.
    """

    id: str
    image: str | None = msgspec.field(name="file_name", default=None)
    suite: str = ""
    """The name of the suite, which defines how the case is asked and scored."""
    group: str = ""
    factual: Question | None = msgspec.field(name="factual_question", default=None)
    change: Change | None = None
    counterfactual: Question | None = msgspec.field(name="counterfactual_question", default=None)
    counterfactual_image: str | None = msgspec.field(name="counterfactual_file_name", default=None)
    shown: Question | None = msgspec.field(name="shown_question", default=None)
    """The question for the counterfactual picture, without "if"."""
    twice: Question | None = msgspec.field(name="twice_question", default=None)
    """The question with "if" about the counterfactual picture, so that the change is both described and shown."""
    context: str = ""
    graph: dict[str, Any] | None = None
    provenance: dict[str, str | int] = {}
    image_digest: str = ""
    counterfactual_digest: str = ""
    """Digests of the picture files; a file that was changed later counts as a bad picture."""
    further_images: tuple[str, ...] = msgspec.field(name="further_file_names", default=())
    """Pictures shown after `image`, in this order: other views, or the next frames of a video."""
    further_digests: tuple[str, ...] = ()
    control_of: str = ""
    """For a control: the id of the original case. A control has a change that must not affect the answer."""
    cell: Cell | None = None
    text_only: bool = False
    """Whether the case intentionally has no picture (some questions of HallusionBench)."""

    def __repr__(self) -> str:
        asked = [question for question in (self.factual, self.counterfactual) if question]
        return f"Case({self.id!r}: {' / '.join(map(repr, asked))})"

    def question(self, world: World, telling: Telling = "told") -> Question | None:
        """Return the question of this case in a world, or None if there is none."""
        if world == "factual":
            return self.factual
        return {"told": self.counterfactual, "shown": self.shown, "twice": self.twice}[telling]

    def picture(self, world: World, telling: Telling = "told") -> str | None:
        """Return the picture shown with the question: the factual one if the change is only described in words."""
        return self.counterfactual_image if _shows_change(world, telling) else self.image

    def pictures(self, world: World, telling: Telling = "told") -> tuple[tuple[str, str], ...]:
        """Return all pictures shown with the question, in order, each with its digest (empty if unknown)."""
        first = self.picture(world, telling)
        if first is None:
            return ()
        if _shows_change(world, telling):
            return ((first, self.counterfactual_digest),)
        known = self.further_digests or ("",) * len(self.further_images)
        return ((first, self.image_digest), *zip(self.further_images, known, strict=True))

    def fault(self) -> str | None:
        """Return the fault of this case as "field: reason", or None if it is valid."""
        if not self.id:
            return "id: is empty"
        if self.factual is None and self.counterfactual is None:
            return "factual_question: the case has no question in either world"
        for name, question in (
            ("factual_question", self.factual),
            ("counterfactual_question", self.counterfactual),
            ("shown_question", self.shown),
            ("twice_question", self.twice),
        ):
            fault = question.fault() if question else None
            if fault:
                return f"{name}.{fault}"
        if (self.shown or self.twice) and not self.counterfactual_image:
            return f"{'shown' if self.shown else 'twice'}_question: needs a counterfactual_file_name"
        if self.text_only and (self.image or self.counterfactual_image):
            return "text_only: must be false for a case with a picture"
        if self.further_images and not self.image:
            return "further_file_names: need a file_name before them"
        if self.further_digests and len(self.further_digests) != len(self.further_images):
            return "further_digests: must have one entry per further_file_names"
        return "control_of: must not be the id of the case itself" if self.control_of == self.id else None


def _shows_change(world: World, telling: Telling) -> bool:
    return world == "counterfactual" and telling != "told"


class Order(msgspec.Struct, frozen=True):
    """The reply to one order of the options. `places` lists the positions that the options have in the question."""

    places: tuple[int, ...]
    text: str


class ToolCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """One tool call of a program, and its result."""

    name: str
    arguments: str = ""
    result: str = ""
    boxes: tuple[tuple[int, int, int, int], ...] = ()
    """Boxes of detected objects: left, top, right and bottom, in pixels of the displayed picture."""


class Trace(msgspec.Struct, frozen=True, omit_defaults=True):
    """The record of a program that a model wrote: its source, tool calls and errors, all limited in size."""

    program: str
    calls: tuple[ToolCall, ...] = ()
    unkept: int = 0
    """The number of further tool calls, which are not recorded."""
    failure: str = ""
    """The kind of failure ("syntax error", "tool failure", …); empty if there is an answer."""


ReplyState = Literal["answered", "failed"]

CUT_OFF: Final = frozenset(
    ("length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded")
)
"""Servers' finish reasons, in lower case, for a reply that ended at the token limit."""


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """A model's reply to one question of one case in one world. A failed reply is never scored as an answer."""

    case: str
    row: int
    """The position of the case in its dataset, counted from 0."""
    world: World
    telling: Telling = "told"
    state: ReplyState = "answered"
    text: str = ""
    reason: str = ""
    """The reason for a failure, as a sentence."""
    finish: str = ""
    """Why the model stopped, as reported by the server (stop, length, content_filter, …), or "composed" if the composer
    computed the answer without asking the model."""
    losses: tuple[float, ...] = ()
    """The loss of each option, if options were ranked."""
    orders: tuple[Order, ...] = ()
    """One entry per order of the options, if the question was asked in several orders; the answer is the majority."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    attempts: int = 1
    model: str = ""
    """The model's name as reported by the server."""
    trace: Trace | None = None
    """The program that the model wrote to answer the question, if any."""
    reasoning: str = ""
    """The model's reasoning, if the server reports it separately; answers are never read from it."""
    restates: str = ""
    """The model's first reply, if no answer could be read in it and the model was asked to state only its answer."""

    def __repr__(self) -> str:
        said = self.text if self.state == "answered" else f"failed: {self.reason}"
        return f"Reply({self.case!r}, {variant_of(self.world, self.telling)}: {said[:80]!r})"

    @property
    def is_cut(self) -> bool:
        """Whether the reply was cut off by the token limit."""
        return self.finish.casefold() in CUT_OFF

    @property
    def is_empty(self) -> bool:
        """Whether the reply is empty, in every order of the options."""
        return not self.text.strip() and not any(order.text.strip() for order in self.orders)
