"""Forms: declared fields, and the class that reads and checks what a person submitted.

A form is shown and read with the same declaration. Checks that need the grammar of a language run only for the
languages in `CONDITIONS`.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from countersight.case import LETTERS, Question
from countersight.reading import answer_in


class Field(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The attributes that all fields of a form have; pages are both rendered and read with them."""

    name: str
    label: str
    hint: str = ""
    about: str = ""
    """A text of the item that the field is about, shown after the hint."""
    when: tuple[str, tuple[str, ...]] = ("", ())
    """An earlier field, and its values for which this field is read; by default it is always read."""
    half: bool = False
    """Whether the field takes half the width of the form."""


class Text(Field, frozen=True):
    """A field for free text. `words`, `asks` and `supposes` are checked if the grammar of the language is known."""

    most: int = 1000
    """The maximum number of characters."""
    rows: int = 1
    needed: bool = True
    differs_from: tuple[str, ...] = ()
    """Fields, or earlier texts, from which this text must differ."""
    words: int = 1
    """The minimum number of words."""
    asks: bool = False
    """Whether the text must end with a question mark."""
    supposes: bool = False
    """Whether the text must contain a condition."""
    answers: Question | None = None
    """The question that the text answers; a number is stored in the format of gold answers."""


class Choice(Field, frozen=True):
    """A field with one of several values."""

    options: Mapping[str, str] = {}
    """The text shown for each value."""
    inline: bool = False
    balanced: bool = False
    """Whether the values are groups that should be balanced; the number of items of each is shown."""


YES_NO: Final = {"yes": "Yes", "no": "No"}


def fields_in(declared: Iterable[Mapping[str, Any]]) -> tuple[Field, ...]:
    """Return fields that a TOML file declares; those with options are choices."""
    return tuple(msgspec.convert(each, Choice if "options" in each else Text) for each in declared)


def answer_field(
    name: str, label: str, question: Question, hint: str = "", when: tuple[str, tuple[str, ...]] = ("", ())
) -> Text | Choice:
    """Return the field for an answer to a question."""
    if question.kind == "choice":
        lettered = zip(LETTERS, question.options, strict=False)
        return Choice(
            name, label, hint, when=when, options={letter: f"{letter}. {one.text}" for letter, one in lettered}
        )
    if question.kind == "boolean":
        return Choice(name, label, hint, when=when, options=YES_NO, inline=True)
    form = "A number." if question.kind == "number" else "A few words."
    return Text(name, label, hint or form, when=when, most=500, answers=question)


CONDITIONS = {
    "en": re.compile(r"\b(?:if|suppose|imagine|assum\w+|unless|without)\b|(?:^|[.,;]\s*)(?:had|were|should)\b", re.I),
    "de": re.compile(r"\b(?:wenn|falls|angenommen|ohne)\b|\bstell\w* \w+ vor\b|^(?:wäre|hätte|würde|sollte)", re.I),
}
"""Patterns for conditions in languages with known grammar; texts in other languages are not checked."""
EXAMPLES = {"en": "“If …, would …?”", "de": "„Wenn …, würde …?“"}
"""An example of a condition in the language people write in, which may differ from the interface's."""


def said_words(text: str) -> list[str]:
    """Return the words of a text without case and punctuation, for comparing texts.

    Letters without case are words of their own, because Chinese, for example, has no spaces between words.
    """
    kinds = [(each, unicodedata.category(each)) for each in unicodedata.normalize("NFKC", text).casefold()]
    kept = (f" {each} " if kind == "Lo" else each if kind[0] in "LMNS" else " " for each, kind in kinds)
    return "".join(kept).split()


class Form:
    """Reads a posted form and collects its errors by field name."""

    def __init__(
        self, values: Mapping[str, str], language: str = "en", say: Callable[[str], str] = lambda text: text
    ) -> None:
        self.values = values
        self.language = language
        """The language that people write in."""
        self.say = say
        """Translates messages to the language of the interface."""
        self.faults: dict[str, str] = {}

    def fail(self, name: str, fault: str, **values: object) -> None:
        """Record an error in a field; only the first one is shown."""
        self.faults.setdefault(name, self.say(fault).format(**values))

    def read(self, fields: Sequence[Field], earlier: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the checked values of declared fields, "" for those that are not read.

        `earlier` maps names on the page to texts from which some fields must differ.
        """
        texts = dict(earlier or {})
        labels = {name: name for name in texts} | {field.name: field.label for field in fields}
        read: dict[str, str] = {}
        for field in fields:
            other, values = field.when
            if other and read[other] not in values:
                read[field.name] = ""
                continue
            value = read[field.name] = self.value(field)
            for name in field.differs_from if isinstance(field, Text) and value else ():
                if said_words(value) == said_words({**texts, **read}[name]):
                    named = {"label": self.say(field.label), "other": self.say(labels[name])}
                    self.fail(field.name, "“{label}” is the same as “{other}”.", **named)
        return read

    def value(self, field: Field) -> str:
        """Return the checked value of one field."""
        if isinstance(field, Text):
            return self._text(field)
        value = self.values.get(field.name, "")
        if isinstance(field, Choice) and value not in field.options:
            self.fail(field.name, "Choose one: {label}", label=self.say(field.label))
            return ""
        return value

    def _text(self, field: Text) -> str:
        """Return a text with normalised spaces, or a number as digits."""
        text = " ".join(self.values.get(field.name, "").replace("\x00", "").split())
        label, name = self.say(field.label), field.name
        if not text and field.needed:
            self.fail(name, "“{label}” is missing.", label=label)
        if len(text) > field.most:
            self.fail(name, "“{label}” is too long: at most {most} characters.", label=label, most=f"{field.most:,}")
        if text and field.answers and field.answers.kind == "number":
            text = str(int(text)) if text.isdecimal() else answer_in(text, field.answers) or ""
            if not text:
                self.fail(name, "Write a number.")
        condition = CONDITIONS.get(self.language)
        if text and condition:
            if len(text.split()) < field.words:
                self.fail(name, "“{label}” needs at least {words} words.", label=label, words=field.words)
            if field.asks and "QUESTION MARK" not in unicodedata.name(text[-1], ""):
                self.fail(name, "A question must end with a question mark.")
            if field.supposes and not condition.search(text):
                example = EXAMPLES[self.language]
                self.fail(name, "State the difference as a condition: {example}", example=example)
        return text

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
