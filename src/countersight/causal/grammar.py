"""Put names of things into sentences: articles, pronouns and agreement."""

from typing import NamedTuple

from countersight.causal.catalogue import catalogue
from countersight.causal.lexicon import entry, forms, head, is_plural, singular


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


def is_person(name: str) -> bool:
    """Return whether the name refers to a person or to people."""
    classes = catalogue().classes(name)
    if classes:
        return "person" in classes
    known = entry(name)
    return known is not None and known.kind == "person"


def pronoun(name: str) -> Pronoun:
    """Return the pronoun for a name; "they" for a person whose name does not say more."""
    noun = singular(head(name))
    if is_plural(name):
        return _THEY
    if noun in forms().he:
        return Pronoun("he", "him", "his", "is")
    if noun in forms().she:
        return Pronoun("she", "her", "her", "is")
    return _THEY if is_person(name) else _IT


def verb(name: str, plain: str) -> str:
    """Return the verb in the present form that agrees with a name: the shelf supports, the shelves support."""
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
