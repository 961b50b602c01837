"""What a flow is: phases that people take one after another, each with a form, and how they end in a case.

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
"""What was contributed in a phase: a frozen struct of that phase's own type."""
Past = Mapping[str, Sequence[Content]]
"""What was contributed so far, by phase."""


class Instance(msgspec.Struct, frozen=True):
    """What was said of a scene, and the responses to choose from, of which the first is right."""

    context: str
    responses: tuple[str, ...]


class Phase(msgspec.Struct, frozen=True):
    """One kind of work."""

    name: str
    title: str
    about: str
    """What somebody does there, in a sentence."""
    content: type[msgspec.Struct]
    sees: tuple[str, ...] = ()
    """Earlier phases whose contributions are shown; of all others nothing is even read."""
    verifies: str = ""
    """The phase before, which is looked at first and may be flagged."""
    checked: bool = False
    """Whether the model in the loop is asked about what is written."""
    proposes: bool = False
    """Whether a model's proposal is shown to whoever has committed to a first try."""
    adjudicates: bool = False
    """Whether it decides between people who disagreed; it sees them in random order."""


class NewItem(msgspec.Struct, frozen=True):
    """An item that is put into a campaign."""

    key: str
    source: dict[str, Any]
    phase: str
    gold: dict[str, Any] | None = None
    """What a form must say, where the answer is known: such items are drawn now and then to see who takes care."""


class Item(msgspec.Struct, frozen=True):
    """An item as it stands."""

    id: int
    key: str
    split: str
    source: dict[str, Any]
    phase: str
    state: str
    gold: dict[str, Any] | None = None

    @property
    def number(self) -> str:
        """What people see in place of the key, which tells whether the answer is known."""
        return neutral_number(self.key)


def neutral_number(key: str) -> str:
    """A number for an item that says nothing of its kind or place."""
    return str(int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) % 1_000_000).zfill(6)


class Advance(msgspec.Struct, frozen=True):
    """The next phase begins."""

    phase: str


class Finish(msgspec.Struct, frozen=True):
    """The item is complete, or it is thrown out where `kept` is false."""

    kept: bool = True


class Dispute(msgspec.Struct, frozen=True):
    """A reviewer has to look."""

    reason: str
    words: str
    about: str
    """The phase whose contribution is in doubt, and whose pay."""


Step = Advance | Finish | Dispute


class Text(msgspec.Struct, frozen=True):
    """A field for free text. The first four checks hold in every language, the others where its grammar is known."""

    name: str
    label: str
    most: int = 2000
    """Characters at most."""
    needed: bool = True
    differs_from: tuple[str, ...] = ()
    """Fields, or earlier texts, that must not say the same words."""
    words: int = 1
    """Fewest words."""
    asks: bool = False
    """It ends with a question mark."""
    supposes: bool = False
    """It puts something under a condition."""


class Choice(msgspec.Struct, frozen=True):
    """A field with one of several values."""

    name: str
    label: str
    options: tuple[str, ...]


CONDITIONS = {
    "en": re.compile(r"\b(?:if|suppose|imagine|assum\w+|unless|without)\b|(?:^|[.,;]\s*)(?:had|were|should)\b", re.I),
    "de": re.compile(r"\b(?:wenn|falls|angenommen|ohne)\b|\bstell\w* \w+ vor\b|^(?:wäre|hätte|würde|sollte)", re.I),
}
"""How a condition is put in the languages whose grammar is known; what others write is not checked for grammar."""
EXAMPLES = {"en": "“If …, would …?”", "de": "„Wenn …, würde …?“"}
"""A condition as an example, in the language that people write in: the interface may be in another."""
_WORD = re.compile(r"\w+(?:'\w+)?")


def said_words(text: str) -> list[str]:
    """The words of a text without case and punctuation: texts with the same ones say the same."""
    return _WORD.findall(text.casefold())


class Form:
    """Reads a posted form and gathers what is wrong with it, by the name of the field."""

    def __init__(
        self, values: Mapping[str, str], language: str = "en", say: Callable[[str], str] = lambda text: text
    ) -> None:
        self.values = values
        self.language = language
        """In which people write."""
        self.say = say
        """Translates what is said to them."""
        self.faults: dict[str, str] = {}

    def fail(self, name: str, fault: str, **values: object) -> None:
        """Say what is wrong with a field; the first fault of a field is the one that is told."""
        self.faults.setdefault(name, self.say(fault).format(**values))

    def read(self, fields: Sequence[Text | Choice], **earlier: str) -> dict[str, str]:
        """The values of declared fields, checked; `earlier` are texts that some of them must differ from."""
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
                    self.fail(
                        field.name, "{label} says the same as: {other}.", label=labels[field.name], other=labels[other]
                    )
        return read

    def text(self, field: Text) -> str:
        """A text with its spaces put in order."""
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
        """One of several values."""
        value = self.values.get(name, "")
        if value not in options:
            self.fail(name, "Choose {label}.", label=self.say(label))
            return ""
        return value

    def answer(self, name: str, label: str, question: Question, most: int = 200) -> str:
        """An answer to a question that has no options, in the form gold answers have."""
        if question.kind == "boolean":
            return self.choice(name, label, ("yes", "no"))
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
        """A number within limits, or the default where there is none."""
        try:
            number = float(self.values.get(name, ""))
        except ValueError:
            return default
        return min(max(number, low), high) if number == number else default


class Flow:
    """A way of collecting: what a flow does not say otherwise is as it is here."""

    name: str
    about: str
    phases: tuple[Phase, ...]
    balance: tuple[str, ...] = ()
    """Names of groups that ought to be balanced, where there are such."""
    grouped_in: str = ""
    """The phase in which somebody decides on the group; nothing where nobody does."""

    def read(self, phase: str, form: Form, item: Item, past: Past) -> Content:
        """What a form contributes; its faults are in the form."""
        raise NotImplementedError

    def settle(self, item: Item, phase: str, past: Past) -> Step:
        """What follows when all seats of a phase are taken."""
        return Finish()

    def shown(self, phase: str, item: Item, past: Past) -> dict[str, Any]:
        """What the page of a phase shows beside the form."""
        return {}

    def first_draft(self, phase: str, item: Item, past: Past) -> dict[str, str]:
        """What stands in the form before anybody typed."""
        return {}

    def groups(self, content: Content) -> tuple[str, ...]:
        """The groups that a contribution of the phase `grouped_in` puts its item into."""
        return ()

    def labels(self, phase: str, content: Content) -> dict[str, str]:
        """The decisions in a contribution that two people can agree on, by name."""
        return {}

    def instance(self, past: Past) -> Instance | None:
        """What a model that reads only text can learn from a finished item; None where there is nothing."""
        return None

    def case(self, item: Item, past: Past) -> Case | None:
        """The case an item became; None where it became none."""
        return None
