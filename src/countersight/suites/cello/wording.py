"""The wording of causal questions, from the editable templates in `words/questions.toml`, and checks of other wordings.

A question must not reveal its answer, and must name what it is about (CELLO 4.3).
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, NamedTuple

from countersight.causal import (
    CausalGraph,
    acting_kind,
    forms,
    head,
    is_person,
    is_plural,
    plain,
    singular,
    synonyms,
    words_in,
)
from countersight.suites.cello.queries import ChoiceQuery, Query, Shape, Task

VERB_BY_KIND = {
    "support": "support",
    "attachment": "hold",
    "holding": "hold",
    "wearing": "wear",
    "containment": "contain",
    "covering": "cover",
    "force": "act on",
    "source": "give off",
}
"""The verb of a cause, by its kind."""

MAX_LENGTH = 400
"""The longest question in characters; published ones are about a tenth as long."""


class Pronoun(NamedTuple):
    """The pronoun forms for a thing."""

    subject: str
    object: str
    possessive: str
    be: str

    @property
    def subject_is(self) -> str:
        """The pronoun with its verb, as in "where it is" and "where they are"."""
        return f"{self.subject} {self.be}"


_IT = Pronoun("it", "it", "its", "is")
_THEY = Pronoun("they", "them", "their", "are")


def pronoun(name: str) -> Pronoun:
    """Return the pronoun for a name; "they" for a person if the name does not indicate the sex."""
    noun = singular(head(name))
    if is_plural(name):
        return _THEY
    if noun in forms()["he"]:
        return Pronoun("he", "him", "his", "is")
    if noun in forms()["she"]:
        return Pronoun("she", "her", "her", "is")
    return _THEY if is_person(name) else _IT


def verb(name: str, plain: str) -> str:
    """Return the verb in the present tense that agrees with a name: the shelf supports, the shelves support."""
    if is_plural(name):
        return {"be": "are"}.get(plain, plain)
    if plain == "be":
        return "is"
    first, _, rest = plain.partition(" ")
    first += "es" if first.endswith(("s", "sh", "ch", "x", "o")) else "s"
    return f"{first} {rest}".rstrip()


def the(name: str) -> str:
    """Return the name with "the"."""
    return f"the {name}"


def verb_for_kind(cause: str, kind: str) -> str:
    """Return the verb for a kind of cause, in agreement with the name of the cause: "supports", "hold"."""
    return verb(cause, VERB_BY_KIND.get(kind, "affect"))


def edges_in_words(graph: CausalGraph) -> list[str]:
    """Return the edges of a graph, each in a few words: "shelf supports books" (CELLO 4.3)."""
    names = {thing.id: thing.name for thing in graph.things}
    return [
        f"{names[edge.cause]} {verb_for_kind(names[edge.cause], edge.kind)} {names[edge.effect]}"
        for edge in graph.edges
    ]


def wordings(task: Task) -> int:
    """Return the number of wordings of a task: those with options, or the yes/no questions."""
    listed: Mapping[str, Any] = _wordings()[task.name]
    return len(listed["asks" if task.is_choice else "stays"])


def question(task: Task, query: Query, shape: Shape, number: int, *, stays: bool = True) -> str:
    """Return a wording of a query; a yes/no question asks whether the effect stays, or whether it goes."""
    if isinstance(query, ChoiceQuery):
        things = dict(zip(("cause",) if task.asks_for_effect else ("effect", "cause"), query.about[::-1], strict=False))
        asks = "asks"
    else:
        things = {"lost": query.cause, "effect": query.effect, **dict(zip(("held",), query.held, strict=False))}
        asks = "stays" if stays else "goes"
    pool: Sequence[str] = _template(task, asks, shape.graph)
    return pool[number % len(pool)].format_map(_fields(shape, things, number))


def _template(task: Task, which: str, graph: CausalGraph) -> Any:
    """Return the templates of a task; for graphs of force and source, the templates for that kind, if there are any."""
    listed: Mapping[str, Any] = _wordings()[task.name]
    return listed.get(f"{which}_{acting_kind(graph)}", listed[which])


def explanation(task: Task, effect: str, one: str, other: str) -> str:
    """Return an option that is an explanation, with the names of two things."""
    fields = {
        "one": the(one),
        "One": f"The {one}",
        "one_keep": verb(one, "keep"),
        "other": the(other),
        "other_keep": verb(other, "keep"),
        **_named("effect", effect),
    }
    return str(_wordings()[task.name]["explains"].format_map(fields))


def is_explained(task: Task) -> bool:
    """Return whether the options of a task are sentences."""
    return "explains" in _wordings()[task.name]


def _fields(shape: Shape, things: Mapping[str, str], number: int) -> dict[str, str]:
    """Return every value that a template may use."""
    fields: dict[str, str] = {}
    for role, thing in things.items():
        fields |= _named(role, shape.name(thing))
    if "lost" in things:
        clauses: Sequence[str] = _wordings()["loss"]
        fields["loss"] = Random(number).choice(clauses).format_map(fields)
    return fields


def _named(role: str, name: str) -> dict[str, str]:
    stands = pronoun(name)
    return {
        role: the(name),
        f"{role}_it": stands.subject,
        f"{role}_them": stands.object,
        f"{role}_its": stands.possessive,
        f"{role}_it_is": stands.subject_is,
        f"{role}_is": verb(name, "be"),
        f"{role}_do": verb(name, "do"),
        f"{role}_depend": verb(name, "depend"),
        f"{role}_stay": verb(name, "stay"),
        f"{role}_move": verb(name, "move"),
    }


@cache
def _wordings() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "words" / "questions.toml").read_text(encoding="utf-8"))


def leaked_names(text: str, forbidden: Iterable[str], named: Iterable[str]) -> list[str]:
    """Return the forbidden names that a text reveals: the name, its head or a synonym, in the singular or plural.

    Words of the things that the question must name are allowed.
    """
    words = _singulars(text)
    allowed = {word for name in named for word in _singulars(name)}
    return [
        name
        for name in forbidden
        if any(_occurs_in(form, words) for form in _forms(name) if not allowed.issuperset(form))
    ]


def wording_error(text: str, *, forbidden: Iterable[str], named: Iterable[str]) -> str | None:
    """Return a message to the language model about a fault in its wording, or None."""
    if not 10 <= len(text) <= MAX_LENGTH:
        return f"it must have 10 to {MAX_LENGTH} characters"
    if text.count("?") != 1 or not text.endswith("?") or "\n" in text:
        return "it must be one question on one line, and nothing else"
    forbidden, named, words = list(forbidden), list(named), _singulars(text)
    given_away = leaked_names(text, forbidden, named)
    if given_away:
        return f"it must not mention {' or '.join(given_away)}, nor a synonym"
    absent = [name for name in named if not any(_occurs_in(form, words) for form in _forms(name))]
    return f"it must mention {' and '.join(absent)}" if absent else None


def _singulars(text: str) -> tuple[str, ...]:
    return tuple(singular(word) for word in words_in(text))


def _forms(name: str) -> set[tuple[str, ...]]:
    """Return the ways to name a thing, each as a tuple of words: its name, its head, and synonyms."""
    return {_singulars(form) for form in (name, plain(name), head(name), *synonyms(name))} - {()}


def _occurs_in(form: tuple[str, ...], words: tuple[str, ...]) -> bool:
    return any(words[place : place + len(form)] == form for place in range(len(words) - len(form) + 1))
