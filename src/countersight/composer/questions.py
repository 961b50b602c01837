"""Parse a counterfactual question: the counted things and the supposition."""

import re
from typing import Final

import msgspec

from countersight.composer.vocabulary import (
    GRAMMAR,
    PLACES,
    REMOVES,
    SEEING,
    STATES,
    WORDS,
    noun_key,
    verb_of,
)
from countersight.english import base_verb

_TOKEN: Final = re.compile(r"\d+%|\d+/\d+|[a-z0-9]+(?:'s)?|[,;.:]")
_IF: Final = re.compile(
    r"\b(?:if|(?:suppos|imagin|assum)(?:e|ing)(?: that)?|(?:let's|let us) say(?: that)?|^say(?: that)?)\s+",
    re.IGNORECASE,
)
_OPENINGS: Final = re.compile(
    r"^(?:what if|in case|in the event that|should|had|were)\b|(?<=\bbe) (?:had|should|were)\b", re.IGNORECASE
)
"""Other words for "if"; "had two dogs left" means "if two dogs left"."""
_NUMBER_OF: Final = re.compile(r"\bwhat (?:would|will) (?:be )?the (?:total |new )?number of\b", re.IGNORECASE)
_ASKED: Final = re.compile(r"(?:[,;.:?!]\s*(?:then,?\s+)?|\s+)(?=how many\b)", re.IGNORECASE)
_BEFORE_A_NAME: Final = frozenset({"of", "the", "these", "those", "this", "different"})
_BEFORE_PLACES: Final = frozenset({"the", "a", "an", "this", "that", "in", "on", "at", "of"})
_NOT_COUNTED: Final = frozenset({"more", "fewer", "less", "other", "times", "and", "or"})
_HAS_LEFT: Final = re.compile(r"\bhave (?:left|gone|come|arrived|disappeared)\b")


class Counted(msgspec.Struct, frozen=True):
    """The things that a how-many question counts: "how many red cars are on the road"."""

    head: str
    """The counted noun in its base form ("car"); empty if the question names none."""
    modifiers: frozenset[str]
    """The other words of the name ("red")."""
    predicate: tuple[str, ...]
    """The words said about the things ("on", "road"), without function words and verbs of seeing."""
    doing: frozenset[str]
    """The activities of the things ("riding")."""
    words: frozenset[str]
    """Every word of the question, as written and in its base form."""

    @property
    def is_in_state(self) -> bool:
        """Whether the counted things are in a state that they can enter and leave: open, on, in the sky."""
        return any(state.asked & set(self.predicate) for state in STATES)

    @property
    def is_of_absence(self) -> bool:
        """Whether the question counts things that are gone, or that something was done to ("off the line", "eaten")."""
        said = self.predicate
        is_off = "off" in self.words and said[-1:] != ("off",)
        removed = REMOVES["passive"] | REMOVES["active"]
        return (
            is_off
            or bool(WORDS["lacking"] & self.words)
            or any(verb_of(word) in removed for word in said if word[-3:] != "ing")
        )

    @property
    def is_aboard(self) -> bool:
        """Whether the question asks only what is on or in a thing that people board: on the bus, not at the stop."""
        is_on = not self.words.isdisjoint(("on", "in")) and self.words.isdisjoint(("at", "by", "of", "to", "from"))
        return is_on and bool(self.predicate) and {noun_key(word) for word in self.predicate} <= WORDS["boarded"]

    @property
    def is_doing(self) -> bool:
        """Whether only things that do something or are in some state are counted; an added thing may then not count."""
        is_in_state = self.is_in_state and WORDS["resting"].isdisjoint(self.predicate) and "sky" not in self.predicate
        return is_in_state or bool(self.doing - WORDS["resting"])

    def names(self, word: str) -> bool:
        """Whether a word occurs in the question, in the singular or the plural."""
        return word in self.words or noun_key(word) in self.words

    def knows(self, word: str) -> bool:
        """Whether a word occurs in the question in some form: "wore" matches "wearing", "with" matches "have"."""
        has = word == "with" and not self.words.isdisjoint(("have", "has", "wearing"))
        return has or self.names(word) or base_verb(word, self.words) is not None

    def continues(self, factual: "Counted | None") -> "Counted | None":
        """Return a copy completed from the factual question; None if that counts other things or another state of them.

        The factual question supplies what a pronoun or a missing name stands for.
        """
        if factual is None:
            return self
        is_said_again = not self.head or "it" in self.words  # "how many would remain", "how many would be on it"
        assumed = (self.modifiers & WORDS["assumed"]) - factual.words  # "how many unbroken plates"
        same_name = not self.head or (
            self.head == factual.head
            and self.modifiers - assumed <= factual.words
            and (is_said_again or factual.modifiers <= self.words)
        )
        same_state = all(factual.names(word) or word in WORDS["assumed"] for word in self.predicate)
        if factual.head and not (same_name and same_state):
            return None
        return msgspec.structs.replace(
            self,
            head=self.head or factual.head,
            modifiers=(self.modifiers if self.head else self.modifiers | factual.modifiers) - assumed,
            predicate=(*self.predicate, *assumed, *(factual.predicate if is_said_again else ())),
            doing=self.doing | (factual.doing if is_said_again else frozenset()),
            words=self.words | factual.words,
        )


def words_in(text: str) -> list[str]:
    """Return the words of a text in lower case, with fractions and ",;.:" as items; "isn't" becomes "is not"."""
    plain = text.casefold().replace("’", "'").replace("n't", " not").replace("-", " ")
    return _TOKEN.findall(plain)


def supposition(question: str) -> tuple[str, str] | None:
    """Split a question into its main clause and its supposition; None if there is no supposition."""
    text = _NUMBER_OF.sub("how many", " ".join(question.split())).strip(" ?.!")
    text = _OPENINGS.sub(" if", text).strip()
    opening = _IF.search(text)
    if opening is None:
        return None
    before, after = text[: opening.start()].strip(" ,;:."), text[opening.end() :]
    if before:
        return (before, after.strip(" ,;:.")) if re.search(r"\bhow many\b", before, re.IGNORECASE) else None
    asked = _ASKED.search(after)
    return None if asked is None else (after[asked.end() :], after[: asked.start()].strip(" ,;:."))


def counted_in(question: str) -> Counted | None:
    """Return the things that a question counts, or None if it is not a how-many question."""
    words = words_in(question)
    start = next((place for place in range(len(words) - 1) if words[place : place + 2] == ["how", "many"]), None)
    if start is None:
        return None
    said = [word for word in words[start + 2 :] if word not in (",", ";", ".", ":")]
    first = next((place for place, word in enumerate(said) if word not in _BEFORE_A_NAME), len(said))
    ends = next(
        (place for place, word in enumerate(said[first:], first) if _ends_a_name(place - first, word)), len(said)
    )
    name, rest = said[first:ends], said[ends:]
    if _NOT_COUNTED.intersection(name) or "not" in rest or _HAS_LEFT.search(" ".join(rest)):
        return None
    nouns = name[: name.index("of")] if "of" in name[1:] else name
    predicate = tuple(word for word in rest if _is_said_of_things(word))
    if rest[-1:] in (["on"], ["off"]):
        predicate += (rest[-1],)
    return Counted(
        head=noun_key(nouns[-1]) if nouns else "",
        modifiers=frozenset(noun_key(word) for word in name if word != "of") - {noun_key(word) for word in nouns[-1:]},
        predicate=predicate,
        doing=frozenset(
            word
            for before, word in zip(["", *rest], rest, strict=False)
            if word.endswith("ing") and word in predicate and before not in _BEFORE_PLACES
        ),
        words=frozenset(said).union(map(noun_key, said), *map(_verbs, said)),
    )


def _verbs(word: str) -> tuple[str, ...]:
    """Return the possible base forms of a participle, such as "ride" for "riding"."""
    stem = word.removesuffix("ing")
    return () if stem == word or len(stem) < 3 else (stem, f"{stem}e", stem[:-1] if stem[-1] == stem[-2] else stem)


def _ends_a_name(place: int, word: str) -> bool:
    return word in WORDS["ends_a_name"] or (place > 0 and word.endswith("ing") and len(word) > 5)


def _is_said_of_things(word: str) -> bool:
    return word not in GRAMMAR | SEEING | PLACES | {"hold", "contain"}
