"""The nouns of Countersight: a case is a pair of worlds. Pure data; imports nothing of ours."""

import re
from typing import Any, Final, Literal, get_args

import msgspec

World = Literal["factual", "counterfactual"]
"""The picture as it is, or the picture under a change."""
TWO_WORLDS: Final[tuple[World, World]] = get_args(World)

Telling = Literal["told", "shown", "twice"]
"""How a world reaches the model: told in the question, shown as a picture drawn after the change, or both at once, so
that the change is made twice."""

Asking = Literal["factual", "counterfactual", "shown"]
"""One of the three ways a case is asked: as it is, with the change told in words, or shown as a picture."""

ASKINGS: Final[tuple[Asking, ...]] = get_args(Asking)
WORLDS: Final[dict[Asking, tuple[World, Telling]]] = {
    "factual": ("factual", "told"),
    "counterfactual": ("counterfactual", "told"),
    "shown": ("counterfactual", "shown"),
}
"""The world of each asking, and how it reaches the model."""
TWICE: Final[tuple[World, Telling]] = ("counterfactual", "twice")
"""The fourth of two questions and two pictures: the one with "if", asked of the picture after the change. It counts
where questions and pictures are scored as a whole, and is no measure of its own."""
ASKING_WORDS: Final[dict[Asking, str]] = {
    "factual": "the picture as it is",
    "counterfactual": "a change told in words",
    "shown": "the change shown as a picture",
}
"""What each asking is, wherever a reader meets its name."""


def asking_of(world: World, telling: Telling) -> Asking:
    """Which asking a world and the way it is told make."""
    if world == "factual":
        return "factual"
    return "shown" if telling == "shown" else "counterfactual"


AnswerKind = Literal["number", "boolean", "choice", "open"]

_NUMBER = re.compile(r"-?\d+(\.\d+)?", re.ASCII)

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Names of options, in order."""


class Option(msgspec.Struct, frozen=True, omit_defaults=True):
    """One of the options of a question."""

    text: str
    role: str = ""
    """What the option is there for, where the suite says so (CELLO: right, image, graph or text distractor)."""


class Question(msgspec.Struct, frozen=True, omit_defaults=True):
    """A question and its gold answer: a number, yes or no, the letter of an option, or free text."""

    text: str
    answer: str
    kind: AnswerKind
    options: tuple[Option, ...] = ()
    answers: tuple[str, ...] = ()
    """What each of several people answered, where the suite asked several (VQA); `answer` is the most common."""
    prior: str = ""
    """What one would answer without looking, written as `answer` is: a wrong answer that is the prior is told apart."""
    hidden: bool = False
    """Whether the right answer is kept apart from the dataset: it can be asked, and scored by who holds the key."""
    doubled: bool = False
    """Whether the right option stands there twice and either is right (CoSIm published five such cases)."""
    accepts_uncertain: bool = False
    """Whether a reply that is neither yes nor no counts as right too (HallusionBench, where the figure is withheld)."""

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
        """The number of answers among which one would guess without looking; 0 for open questions."""
        return {"choice": len(self.options), "boolean": 2}.get(self.kind, 0)

    @property
    def unlisted_kind(self) -> AnswerKind:
        """The kind of answer expected if options are not listed: a number if all options are numbers, else text."""
        if self.kind != "choice":
            return self.kind
        return "number" if all(_NUMBER.fullmatch(option.text.strip()) for option in self.options) else "open"

    def fault(self) -> str | None:
        """What is wrong with this question, as "field: reason", or None."""
        if not self.text.strip():
            return "text: is empty"
        if self.prior and self.prior == self.answer:
            return "prior: is the right answer, so that falling back on it could not be told"
        if self.kind == "choice" and not 2 <= len(self.options) <= len(LETTERS):
            return f"options: a choice needs 2 to {len(LETTERS)} of them, there are {len(self.options)}"
        if self.hidden:
            return "answer: is hidden, and stands there" if self.answer or self.answers or self.prior else None
        if self.kind == "choice":
            if self.answer not in tuple(LETTERS[: len(self.options)]):
                return f"answer: {self.answer!r} is not the letter of an option"
            texts = [option.text.strip() for option in self.options]
            # A wrong one that stands twice is only wrong.
            if not self.doubled and texts.count(texts[LETTERS.index(self.answer)]) > 1:
                return "options: the right one stands there twice"
        elif self.kind == "number":
            if not _NUMBER.fullmatch(self.answer):
                return f"answer: {self.answer!r} is not a number"
        elif self.kind == "boolean" and self.answer not in ("yes", "no"):
            return f"answer: {self.answer!r} is neither yes nor no"
        return None


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is different in the counterfactual world, in words."""

    text: str
    kinds: tuple[str, ...] = ()


class Cell(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a case stands in a set of pictures and questions (NaturalBench: two of each, every question of both)."""

    set: str
    question: str
    picture: str
    of: int = 0
    """Cases that a whole set has, where all have the same number: one with fewer is scored as no set."""


class Case(msgspec.Struct, frozen=True, omit_defaults=True):
    """One picture, or several shown together, asked about in two worlds.

    The field names in a file are those of a Hugging Face image folder, which turns `file_name` and
    `counterfactual_file_name` into pictures called `image` and `counterfactual`, and `further_file_names` into a list.
    """

    id: str
    image: str | None = msgspec.field(name="file_name", default=None)
    suite: str = ""
    """The benchmark it belongs to, which says how it is asked and scored."""
    group: str = ""
    factual: Question | None = msgspec.field(name="factual_question", default=None)
    change: Change | None = None
    counterfactual: Question | None = msgspec.field(name="counterfactual_question", default=None)
    counterfactual_image: str | None = msgspec.field(name="counterfactual_file_name", default=None)
    shown: Question | None = msgspec.field(name="shown_question", default=None)
    """The question to ask of the counterfactual picture: no "if" is left in it."""
    twice: Question | None = msgspec.field(name="twice_question", default=None)
    """The question with "if" as it is asked of the counterfactual picture: the change is then made twice."""
    context: str = ""
    graph: dict[str, Any] | None = None
    provenance: dict[str, str | int] = {}
    image_digest: str = ""
    counterfactual_digest: str = ""
    """What is known of the bytes of the pictures: one that was changed since is a bad picture."""
    further_images: tuple[str, ...] = msgspec.field(name="further_file_names", default=())
    """Pictures shown after `image`, in this order: other views, or the next frames of a video."""
    further_digests: tuple[str, ...] = ()
    control_of: str = ""
    """The case whose change this one replaces by a change that does not touch what is asked: the answer must stay."""
    cell: Cell | None = None
    text_only: bool = False
    """Whether it is asked without a picture on purpose (HallusionBench withholds figures): none is missing."""

    def __repr__(self) -> str:
        asked = [question for question in (self.factual, self.counterfactual) if question]
        return f"Case({self.id!r}: {' / '.join(map(repr, asked))})"

    def _repr_html_(self) -> str:
        """Its pictures by name (a case does not know its folder), and what is asked in each world, for notebooks."""
        from html import escape

        names = [name for name in (self.image, *self.further_images, self.counterfactual_image) if name]
        shown = ", ".join(f"<code>{escape(name)}</code>" for name in names)
        asked = [(world, question) for world in TWO_WORLDS if (question := self.question(world))]
        rows = "".join(f"<tr><th>{world}</th><td>{escape(repr(question))}</td></tr>" for world, question in asked)
        return f"<strong>{escape(self.id)}</strong> {shown}<table>{rows}</table>"

    def question(self, world: World, telling: Telling = "told") -> Question | None:
        """The question of this case in a world, or None if there is none."""
        if world == "factual":
            return self.factual
        return {"told": self.counterfactual, "shown": self.shown, "twice": self.twice}[telling]

    def picture(self, world: World, telling: Telling = "told") -> str | None:
        """The picture shown with the question; for a change that is told in words, the factual picture."""
        return self.counterfactual_image if _shows_change(world, telling) else self.image

    def pictures(self, world: World, telling: Telling = "told") -> tuple[tuple[str, str], ...]:
        """All pictures shown with the question, in order, each with its digest (empty if unknown)."""
        first = self.picture(world, telling)
        if first is None:
            return ()
        if _shows_change(world, telling):
            return ((first, self.counterfactual_digest),)
        known = self.further_digests or ("",) * len(self.further_images)
        return ((first, self.image_digest), *zip(self.further_images, known, strict=True))

    def digest(self, world: World, telling: Telling = "told") -> str:
        """The digest of that picture; empty if unknown."""
        return self.counterfactual_digest if _shows_change(world, telling) else self.image_digest

    def fault(self) -> str | None:
        """What is wrong with this case, as "field: reason", or None."""
        if not self.id:
            return "id: is empty"
        if self.factual is None and self.counterfactual is None:
            return "factual_question: there is no question in either world"
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
            return f"{'shown' if self.shown else 'twice'}_question: there is no counterfactual_file_name to show"
        if self.text_only and (self.image or self.counterfactual_image):
            return "text_only: there is a picture"
        if self.further_images and not self.image:
            return "further_file_names: there is no file_name that they come after"
        if self.further_digests and len(self.further_digests) != len(self.further_images):
            return "further_digests: there is not one for each of further_file_names"
        return "control_of: is the case itself" if self.control_of == self.id else None


def _shows_change(world: World, telling: Telling) -> bool:
    return world == "counterfactual" and telling != "told"


class Order(msgspec.Struct, frozen=True):
    """What was said when the options stood in another order: `places` lists them by their place in the question."""

    places: tuple[int, ...]
    text: str


class ToolCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing a program asked of its tools, and what came of it."""

    name: str
    arguments: str = ""
    result: str = ""
    boxes: tuple[tuple[int, int, int, int], ...] = ()
    """Where things were found: left, top, right and bottom in pixels of the picture as a viewer shows it."""


class Trace(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a model that writes a program came to its answer, or failed; bounded in size."""

    program: str
    calls: tuple[ToolCall, ...] = ()
    unkept: int = 0
    """Further calls, of which there were too many to keep."""
    failure: str = ""
    """Of which kind the failure was ("syntax error", "tool failure", …); nothing where there is an answer."""


ReplyState = Literal["answered", "failed"]

CUT_OFF: Final = frozenset(
    ("length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded")
)
"""The words of servers, in small letters, for an answer that ended at the limit of tokens."""


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """A model's reply to one question of one case in one world. A failed reply is never scored as an answer."""

    case: str
    row: int
    """Position of the case in its dataset, counted from 0: with the fingerprint in run.json, a compact key."""
    world: World
    telling: Telling = "told"
    state: ReplyState = "answered"
    text: str = ""
    reason: str = ""
    """Why it failed, in a sentence."""
    finish: str = ""
    """Why the model stopped, in the server's word: stop, length, content_filter, …; "composed" where a grammar worked
    the answer out and the model was not asked."""
    losses: tuple[float, ...] = ()
    """The loss of each option, where the model ranked them."""
    orders: tuple[Order, ...] = ()
    """One for each order of the options, where every order was asked; the answer is what most of them say."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    attempts: int = 1
    model: str = ""
    """The model's own name for itself, as the server reported it."""
    trace: Trace | None = None
    """The program that was written for the question and what it did, where there was one."""
    reasoning: str = ""
    """What the model thought before it answered, where the server told it apart; never read for the answer."""
    restates: str = ""
    """The model's first reply, where no answer could be read in it and the model was asked to state only that."""

    def __repr__(self) -> str:
        said = self.text if self.state == "answered" else f"failed: {self.reason}"
        return f"Reply({self.case!r}, {asking_of(self.world, self.telling)}: {said[:80]!r})"

    @property
    def is_cut(self) -> bool:
        """Whether the reply was cut off by the token limit."""
        return self.finish.casefold() in CUT_OFF

    @property
    def is_empty(self) -> bool:
        """Whether the reply is empty, in every order of the options."""
        return not self.text.strip() and not any(order.text.strip() for order in self.orders)
