"""The flow protocol: consecutive phases, each with a form, and how they end in a case.

A flow knows nothing of databases or pages. It says which items there are, what a phase shows, what a form means, and
what follows when the seats of a phase are taken. The checks of its forms are declared in a table of fields.
"""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from countersight.case import Case, Question
from countersight.reading import answer_in

Content = Any
"""A contribution to a phase: a frozen struct of that phase's own type."""
Past = Mapping[str, Sequence[Content]]
"""The contributions so far, by phase."""


class Instance(msgspec.Struct, frozen=True):
    """The description of a scene, and the responses to choose from, of which the first is right."""

    context: str
    responses: tuple[str, ...]


class Phase(msgspec.Struct, frozen=True):
    """One kind of work."""

    name: str
    title: str
    about: str
    """A sentence on what people do there."""
    content: type[msgspec.Struct]
    sees: tuple[str, ...] = ()
    """Earlier phases whose contributions are shown; others are not even read."""
    verifies: str = ""
    """The phase before, which is shown first and may be flagged."""
    checked: bool = False
    """Whether the model in the loop is asked about the text."""
    adjudicates: bool = False
    """Whether this phase resolves disagreements; the conflicting answers are shown in random order."""


class NewItem(msgspec.Struct, frozen=True):
    """An item to add to a campaign."""

    key: str
    source: dict[str, Any]
    phase: str
    gold: dict[str, Any] | None = None
    """The required content of the form if the answer is known: such items are used now and then as checks."""


class Item(msgspec.Struct, frozen=True):
    """The current state of an item."""

    id: int
    key: str
    split: str
    source: dict[str, Any]
    phase: str
    state: str
    gold: dict[str, Any] | None = None

    @property
    def number(self) -> str:
        """The number shown instead of the key, which would reveal whether the answer is known."""
        return neutral_number(self.key)


def neutral_number(key: str) -> str:
    """Return a number for an item that reveals neither its kind nor its position."""
    return str(int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) % 1_000_000).zfill(6)


class Advance(msgspec.Struct, frozen=True):
    """Start the next phase."""

    phase: str


class Finish(msgspec.Struct, frozen=True):
    """Finish the item; it is dropped if `kept` is false."""

    kept: bool = True


class Dispute(msgspec.Struct, frozen=True):
    """Ask for a reviewer."""

    reason: str
    words: str
    about: str
    """The phase whose contribution, and pay, is in doubt."""


Step = Advance | Finish | Dispute


class Text(msgspec.Struct, frozen=True):
    """A field for free text. The first four checks apply to every language, the others if its grammar is known."""

    name: str
    label: str
    most: int = 2000
    """Most characters."""
    needed: bool = True
    differs_from: tuple[str, ...] = ()
    """Fields, or earlier texts, that must differ in words."""
    words: int = 1
    """Fewest words."""
    asks: bool = False
    """Whether it must end with a question mark."""
    supposes: bool = False
    """Whether it must contain a condition."""


class Choice(msgspec.Struct, frozen=True):
    """A field with one of several values."""

    name: str
    label: str
    options: tuple[str, ...]


CONDITIONS = {
    "en": re.compile(r"\b(?:if|suppose|imagine|assum\w+|unless|without)\b|(?:^|[.,;]\s*)(?:had|were|should)\b", re.I),
    "de": re.compile(r"\b(?:wenn|falls|angenommen|ohne)\b|\bstell\w* \w+ vor\b|^(?:wäre|hätte|würde|sollte)", re.I),
}
"""Patterns for conditions in languages with known grammar; texts in other languages are not checked."""
EXAMPLES = {"en": "“If …, would …?”", "de": "„Wenn …, würde …?“"}
"""An example of a condition in the language people write in, which may differ from the interface's."""
_WORD = re.compile(r"\w+(?:'\w+)?")


def said_words(text: str) -> list[str]:
    """Return the words of a text without case and punctuation, for comparing texts."""
    return _WORD.findall(text.casefold())


class Form:
    """Reads a posted form and collects its faults by field name."""

    def __init__(
        self, values: Mapping[str, str], language: str = "en", say: Callable[[str], str] = lambda text: text
    ) -> None:
        self.values = values
        self.language = language
        """The language that people write in."""
        self.say = say
        """Translates messages to people."""
        self.faults: dict[str, str] = {}

    def fail(self, name: str, fault: str, **values: object) -> None:
        """Record the fault of a field; only the first is shown."""
        self.faults.setdefault(name, self.say(fault).format(**values))

    def read(self, fields: Sequence[Text | Choice], **earlier: str) -> dict[str, str]:
        """Return the checked values of declared fields; `earlier` are texts that some of them must differ from."""
        read: dict[str, str] = {}
        labels = {name: name.replace("_", " ") for name in earlier}
        for field in fields:
            if isinstance(field, Choice):
                read[field.name] = self.choice(field.name, field.label, field.options)
                continue
            text = read[field.name] = self.text(field)
            labels[field.name] = self.say(field.label)
            for other in field.differs_from:
                if text and said_words(text) == said_words({**earlier, **read}[other]):
                    named = {"label": labels[field.name], "other": labels[other]}
                    self.fail(field.name, "{label} says the same as: {other}.", **named)
        return read

    def text(self, field: Text) -> str:
        """Return a text with normalised spaces."""
        text = " ".join(self.values.get(field.name, "").replace("\x00", "").split())
        label, name = self.say(field.label), field.name
        if not text and field.needed:
            self.fail(name, "{label} is missing.", label=label)
        if len(text) > field.most:
            self.fail(name, "{label} is too long: at most {most} characters.", label=label, most=f"{field.most:,}")
        condition = CONDITIONS.get(self.language)
        if text and condition:
            if len(text.split()) < field.words:
                self.fail(name, "{label} needs at least {words} words.", label=label, words=field.words)
            if field.asks and "QUESTION MARK" not in unicodedata.name(text[-1], ""):
                self.fail(name, "A question must end with a question mark.")
            if field.supposes and not condition.search(text):
                example = EXAMPLES[self.language]
                self.fail(name, "Put what is different into a condition: {example}", example=example)
        return text

    def choice(self, name: str, label: str, options: Sequence[str]) -> str:
        """Return one of several values."""
        value = self.values.get(name, "")
        if value not in options:
            self.fail(name, "Choose {label}.", label=self.say(label))
            return ""
        return value

    def answer(self, name: str, label: str, question: Question, most: int = 200) -> str:
        """Return an answer to a question without options, in the form of gold answers."""
        if question.kind == "boolean":
            return self.choice(name, "yes or no", ("yes", "no"))
        said = self.text(Text(name, label, most))
        if question.kind != "number" or not said:
            return said
        number = str(int(said)) if said.isdecimal() else answer_in(said, question) or ""
        if not number:
            self.fail(name, "Write a number.")
        return number

    def chosen(self, name: str) -> bool:
        """Whether a box is ticked."""
        return bool(self.values.get(name))

    def number(self, name: str, default: float, low: float, high: float) -> float:
        """Return a number within limits, or the default if it is missing."""
        try:
            number = float(self.values.get(name, ""))
        except ValueError:
            return default
        return min(max(number, low), high) if number == number else default


class Flow:
    """A way of collecting; subclasses override what differs from these defaults."""

    name: str
    about: str
    phases: tuple[Phase, ...]
    balance: tuple[str, ...] = ()
    """Names of groups that should be balanced, if any."""
    grouped_in: str = ""
    """The phase in which the group is decided; empty if there is none."""

    def read(self, phase: str, form: Form, item: Item, past: Past) -> Content:
        """Return the content of a form; its faults are recorded in the form."""
        raise NotImplementedError

    def settle(self, item: Item, phase: str, past: Past) -> Step:
        """Return what follows when all seats of a phase are done."""
        return Finish()

    def shown(self, phase: str, item: Item, past: Past) -> dict[str, Any]:
        """Return what the page of a phase shows next to the form."""
        return {}

    def first_draft(self, phase: str, item: Item, past: Past) -> dict[str, str]:
        """Return the initial values of the form."""
        return {}

    def groups(self, content: Content) -> tuple[str, ...]:
        """Return the groups of an item, from its contribution in the phase `grouped_in`."""
        return ()

    def labels(self, phase: str, content: Content) -> dict[str, str]:
        """Return the decisions in a contribution that two people can agree on, by name."""
        return {}

    def instance(self, past: Past) -> Instance | None:
        """Return what a text-only model can learn from a finished item; None if there is nothing."""
        return None

    def case(self, item: Item, past: Past) -> Case | None:
        """Return the case of an item; None if there is none."""
        return None
