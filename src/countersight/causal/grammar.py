"""Names of things inside a sentence: articles, pronouns and agreement."""

from typing import NamedTuple

from countersight.causal.catalogue import catalogue
from countersight.causal.lexicon import entry, forms, head, is_plural, singular


class Pronoun(NamedTuple):
    """What stands for a thing once it was named."""

    subject: str
    object: str
    possessive: str
    be: str

    @property
    def subject_is(self) -> str:
        """As in "where it is" and "where they are"."""
        return f"{self.subject} {self.be}"


_IT = Pronoun("it", "it", "its", "is")
_THEY = Pronoun("they", "them", "their", "are")


def is_person(name: str) -> bool:
    """Whether the name is of somebody, or of several."""
    classes = catalogue().classes(name)
    if classes:
        return "person" in classes
    known = entry(name)
    return known is not None and known.kind == "person"


def pronoun(name: str) -> Pronoun:
    """The pronoun for a name; a person of whom the name does not say more is "they"."""
    noun = singular(head(name))
    if is_plural(name):
        return _THEY
    if noun in forms().he:
        return Pronoun("he", "him", "his", "is")
    if noun in forms().she:
        return Pronoun("she", "her", "her", "is")
    return _THEY if is_person(name) else _IT


def verb(name: str, plain: str) -> str:
    """A verb in the present beside a name: the shelf supports, the shelves support."""
    if is_plural(name):
        return {"be": "are"}.get(plain, plain)
    if plain == "be":
        return "is"
    first, _, rest = plain.partition(" ")
    first += "es" if first.endswith(("s", "sh", "ch", "x", "o")) else "s"
    return f"{first} {rest}".rstrip()


def the(name: str) -> str:
    """The name with its article."""
    return f"the {name}"


def sentence(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]
