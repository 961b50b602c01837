"""The checks a written question has to pass before people see it, each with the reason it is counted by."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from countersight.build.drafts import Draft
from countersight.build.sources import Source
from countersight.build.text_only import answer_without_picture
from countersight.build.vocabulary import ANYBODY, ENGLISH, OTHERS, SENSITIVE
from countersight.composer import FILLER, KINDS, compose, counted_in, is_verb, noun_key, supposition
from countersight.english import number_of, singular
from countersight.suites import supposed

Fault = str
"""What is wrong in words; nothing where nothing is."""

NOT_A_QUESTION: Final = "not a question"
_LONGEST = 300
_SUPPOSES: Final = re.compile(r"\bif\b|\bsuppos|\bimagin|\bassum|\bwithout\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[a-z]+(?:['’][a-z]+)?")
_REPEATED: Final = re.compile(r"\b(\w+(?: \w+){2,8}) \1\b", re.IGNORECASE)
_BEFORE_NOUNS: Final = frozenset(
    {"the", "a", "an", "another", "more", "of", "his", "her", "their", "its", "every", "each"}
)
_BETWEEN: Final = frozenset({"or", "if", "any", "some", "now", "already", "later", "earlier"})


def is_a_question(source: Source, draft: Draft) -> Fault:
    """One English question with a supposition, neither the old one nor endless."""
    text = draft.question
    if len(text) > _LONGEST:
        return "it is longer than a question"
    words = set(_WORD.findall(text.casefold()))
    if len(words & ENGLISH) < 3 or sum(map(str.isascii, text)) < 0.95 * len(text):
        return "it is not English"
    if text.count("?") != 1 or not text.rstrip().endswith("?"):
        return "it is not one question"
    if not _SUPPOSES.search(text):
        return "nothing is supposed"
    return "it repeats itself" if _REPEATED.search(text) else ""


def differs(source: Source, draft: Draft) -> Fault:
    """The new answer is another one."""
    return f"the answer stays {source.answer}" if draft.answer == source.answer else ""


def is_worked_out(source: Source, draft: Draft) -> Fault:
    """For a number, the composer comes to the same answer; yes and no can only be the other one."""
    if source.group == "boolean":
        return "" if draft.answer in ("yes", "no") else f"{draft.answer!r} is neither yes nor no"
    composed = compose(int(source.answer), draft.question, source.question)
    if composed is None:
        return "the composer cannot follow it"
    return "" if str(composed) == draft.answer else f"the composer comes to {composed}, not {draft.answer}"


def asks_for_the_same(source: Source, draft: Draft) -> Fault:
    """The thing counted, or asked about, is still the one of the first question."""
    if source.group == "direct":
        before, after = counted_in(source.question), counted_in(_asked(draft.question))
        same = before is not None and after is not None and before.head == after.head
        return "" if same else "it counts something else"
    before_words, after_words = _things(source.question), _things(draft.question)
    return "" if len(before_words & after_words) >= 0.6 * len(before_words) else "it asks about something else"


def needs_the_picture(source: Source, draft: Draft) -> Fault:
    """The answer cannot be told from the text alone; a text that tells the other one is no better."""
    told = answer_without_picture(draft.question)
    return "" if told is None else f"the text alone says {told}"


def is_about_the_picture(source: Source, draft: Draft) -> Fault:
    """What is supposed is about things of this picture: of its questions, or what else is known of it."""
    change = supposed(draft.question)
    known = _things(" ".join((source.question, *source.beside))) | ANYBODY
    known |= {member for thing in known for member in KINDS.get(thing, ())}
    known |= {noun_key(singular(other)) for thing, other in OTHERS.items() if thing in known}
    strange = sorted(set(_named(change.text if change else "")) - known)
    return f"it names what nobody saw: {', '.join(strange[:3])}" if strange else ""


def is_decent(source: Source, draft: Draft) -> Fault:
    """Nothing sensitive is supposed of anybody."""
    found = sorted(set(SENSITIVE.findall(draft.question.casefold())))
    return f"sensitive: {', '.join(found)}" if found else ""


CHECKS: Final[tuple[tuple[str, Callable[[Source, Draft], Fault]], ...]] = (
    (NOT_A_QUESTION, is_a_question),
    ("the answer stays the same", differs),
    ("another thing is asked about", asks_for_the_same),
    ("arithmetic disagrees", is_worked_out),
    ("told by the text alone", needs_the_picture),
    ("not about the picture", is_about_the_picture),
    ("sensitive", is_decent),
)
"""In the order they are made; the name of each is its reason in the funnel."""


def faults(source: Source, draft: Draft) -> Iterator[tuple[str, Fault]]:
    """Every check that fails, with what is wrong."""
    for reason, check in CHECKS:
        if fault := check(source, draft):
            yield reason, fault


def _named(clause: str) -> Iterator[str]:
    """The nouns of a clause: the last word of each name, before a verb or a little word."""
    name: list[str] = []
    is_naming = False
    for word in [*re.findall(r"[a-z]+|[0-9]+", clause.casefold()), "of"]:
        if word in FILLER or word in _BETWEEN or is_verb(word) or number_of(word) is not None:
            if name:
                yield noun_key(name[-1])
            name, is_naming = [], word in _BEFORE_NOUNS or number_of(word) is not None
        elif is_naming:
            name.append(word)


def _asked(question: str) -> str:
    clause = supposition(question)
    return clause[0] if clause else question


def _things(text: str) -> frozenset[str]:
    return frozenset(noun_key(word) for word in _WORD.findall(text.casefold()) if word not in FILLER)
