"""What a clause says to a question that holds two things against each other: is one taller, earlier, to the left?"""

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from countersight.reading.language.asked import CALLED, CONTRARY, Asked, content
from countersight.reading.language.numerals import less, numerals
from countersight.reading.language.opposites import opposed_stems, states
from countersight.reading.language.stems import counted_words, stem
from countersight.reading.language.vocabulary import any_of, listed, words
from countersight.reading.yes_or_no.negation import NEGATED
from countersight.reading.yes_or_no.repetitions import PRONOUN

_DEGREES: Final = tuple(tuple(tuple(side.split("/")) for side in line) for line in listed("states.degrees"))
_ORDERS: Final = tuple(tuple(tuple(side.split("/")) for side in line) for line in listed("states.orders"))
_ORDERING: Final = frozenset(word for line in _ORDERS for side in line for word in side)
_ASKS = r"^\W*(?:is|are|was|were|does|do|did|has|have|can|could|would|will|should) "
_MORE = r"(?:more|less|fewer)"
_THAN = re.compile(rf"{_ASKS}(?P<one>.+?) (?P<degree>(?:more|less) \w+|\w+er) than (?P<other>.+?)\W*$", re.IGNORECASE)
_THERE = re.compile(
    rf"{_ASKS}there (?:still |be |now )*(?P<degree>{_MORE}) (?P<one>[\w' -]+?) than (?P<other>[\w' -]+?)\W*$",
    re.IGNORECASE,
)
_DOES_MORE = re.compile(
    rf"{_ASKS}(?P<one>.+?) (?P<degree>{_MORE})(?: [\w-]+)? than (?P<other>(?:the|its|his|her|their|that) .+?)\W*$",
    re.IGNORECASE,
)
_ADJECTIVES: Final = words("open.adjectives") | words("open.colours")
_IS = re.compile(r"^\W*(?:is|are|was|were)\b|\bbe\b", re.IGNORECASE)
_MORE_OR_LESS = re.compile(r"^(?:more|less)\b")
_PLACE_AFTER = re.compile(r" (?:in|on|at|under|near|by|behind|inside|around)\b.*", re.IGNORECASE)
_EQUAL = re.compile(
    rf"\b(?:equally|equal|same(?: {any_of('states.measured')})?(?=\W*$)"
    r"|(?<!not )(?<!n't )(?<!nearly )(?<!quite )as (?:\w+ )?\w+ as)\b",
    re.IGNORECASE,
)
_MAYBE = re.compile(r"\b(?:might|may|perhaps|possibly|maybe|almost|nearly|only)\b", re.IGNORECASE)
_NOT_AS = re.compile(r"(?:\bnot|n't) (?:quite |nearly )?(?:as|so) (?P<what>\w+) as\b", re.IGNORECASE)
_OTHER_ONE = re.compile(
    r"\W*(?:the other(?: one)?|him|her|it|them|that|(?:he|she|it|they)(?: \w+)?)\W*$", re.IGNORECASE
)
_IT_IS_THE_ONE = re.compile(r"^\W*(?:so )?it(?:'s| is| would be) (?=the [^,]*\b(?:who|that)\b)", re.IGNORECASE)
_THAN_BEFORE = re.compile(r"\b(?:now|before|currently|today|was|were|used to)\b", re.IGNORECASE)
_IT = frozenset({"it", "they", "this", "that", "these", "those"})


class Relation(NamedTuple):
    """Two things by the words that tell them apart, and how the question wants one to be beside the other."""

    one: frozenset[str]
    other: frozenset[str]
    same: tuple[str, ...]
    """The words that say what was asked: "taller"; "before"."""
    contrary: tuple[str, ...]
    counts: bool
    """Whether it asks of what there are more."""


@lru_cache(maxsize=512)
def relation_in(text: str) -> Relation | None:
    """What a question, without its "if", holds against what; None where it does not."""
    there = _THERE.match(text)
    than = there or (_IS.search(text) and _THAN.match(text)) or _DOES_MORE.match(text) or _THAN.match(text)
    if than:
        degree = than["degree"].lower()
        same, contrary = _sides(_DEGREES, degree) or ((degree,), (_MORE_OR_LESS.sub(_less_or_more, degree),))
        one, other = (_PLACE_AFTER.sub("", than[name]) if there else than[name] for name in ("one", "other"))
        return _told_apart(one, other, same, contrary, counts=bool(there))
    for line in _ORDERS:
        for same, contrary in (line, line[::-1]):
            for word in same:
                before, found, after = text.partition(f" {word} ")
                if found and content(after) and not _tells_more(after):
                    return _told_apart(before, after, same, contrary, counts=False)
    return None


def _tells_more(after: str) -> bool:
    """Whether a question goes on behind a place: "is the road in front of the shop wet", which orders nothing."""
    *place, last = re.findall(r"[\w-]+", after.lower()) or [""]
    is_state = last in _ADJECTIVES or bool(states(last)) or last.endswith("ing")
    return is_state and bool(content(" ".join(place)))


def _sides(lines: tuple[tuple[tuple[str, ...], ...], ...], word: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The words for a degree and those for its contrary, over all lines that have it."""
    found = [(line[side], line[1 - side]) for line in lines for side in (0, 1) if word in line[side]]
    if not found:
        return None
    return tuple(w for same, _ in found for w in same), tuple(w for _, contrary in found for w in contrary)


def _less_or_more(word: re.Match[str]) -> str:
    return "less" if word.group() == "more" else "more"


def _told_apart(
    one: str, other: str, same: tuple[str, ...], contrary: tuple[str, ...], *, counts: bool
) -> Relation | None:
    first, second = content(one) or frozenset({one.lower()}), content(other)  # "would she be taller than him"
    if not first - second or not second - first:
        return None
    return Relation(first - second, second - first, same, contrary, counts)


def _related(clause: str, relation: Relation, asked: Asked) -> bool | None:
    """Whether a clause says that one is so beside the other as was asked (True), or that it is not (False)."""
    not_as = _NOT_AS.search(clause)
    if not_as and any(word[:3] == not_as["what"].lower()[:3] for word in relation.same):
        who = _which(clause[: not_as.start()], relation, asked)
        return None if who is None else not who
    if _EQUAL.search(clause):
        return None if NEGATED.search(clause) else False
    told = [
        (found, kind)
        for kind, words in ((True, relation.same), (False, relation.contrary))
        for found in _at(words, clause)
    ]
    if len(told) != 1:
        return None
    found, kind = told[0]
    after, _, beside = clause[found.end() :].partition(" than ")
    rest = clause[found.end() :] if found.group().lower() in _ORDERING else beside
    subject = _which(after if relation.counts else clause[: found.start()], relation, asked)
    if subject is None or not _is_the_other(rest, subject, relation):
        return None
    if NEGATED.search(clause):
        return False if kind and subject else None
    return kind == subject


def held_against(clause: str, asked: Asked) -> bool | Literal["open"] | None:
    """What a clause says to a question that compares; "open" where it compares otherwise, None where it does not."""
    clause = CONTRARY.split(_IT_IS_THE_ONE.sub("", clause))[0]
    if (most := _is_most(clause, asked)) is not None:
        return most
    relation = relation_in(asked.text)
    degrees = _at((*relation.same, *relation.contrary), clause) if relation else []
    if not relation or not (degrees or _EQUAL.search(clause) or _NOT_AS.search(clause)):
        return _counted(clause, relation) if relation and relation.counts else None
    if degrees and degrees[0].group().lower() in _ORDERING and not content(clause[: degrees[0].start()]) <= asked.words:
        return None  # "it falls after the third point", to whether it rises
    told = _related(clause, relation, asked)
    return "open" if told is None or _MAYBE.search(clause) else told


def _at(words: tuple[str, ...], clause: str) -> list[re.Match[str]]:
    return list(_any_of(words).finditer(clause)) if words else []


@lru_cache(maxsize=256)
def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    every = "|".join(re.escape(word) for word in sorted({*words}, key=len, reverse=True))
    return re.compile(rf"\b(?:{every})\b", re.IGNORECASE)


def _which(text: str, relation: Relation, asked: Asked) -> bool | None:
    """Whether a text names the first of the two (True) or the second (False)."""
    said = content(text)
    if pronoun := PRONOUN.match(text):
        return _who(pronoun["who"].lower(), relation, asked.text)
    first = said & relation.one
    if said & relation.other:
        return None if asked.subject in first else False
    return True if first or (said and said <= asked.words) else None


def _who(pronoun: str, relation: Relation, asked: str) -> bool:
    if pronoun in _IT:
        several = {stem(word) for word in re.findall(r"[a-z]+s\b", asked.lower())}
        return not (pronoun == "they" and relation.other & several and not relation.one & several)
    of_one, of_other = (bool(CALLED[pronoun] & named) for named in (relation.one, relation.other))
    return of_one or not of_other


def _is_the_other(text: str, first: bool, relation: Relation) -> bool:
    """Whether what something is held against is the other of the two; where nothing is named, it is."""
    if _THAN_BEFORE.search(text):
        return False  # "taller than it is now"
    if not content(text) or _OTHER_ONE.match(text):
        return True
    said = content(re.split(r",| because | since | as | by | and ", text)[0])
    return not said or bool(said & (relation.other if first else relation.one))


def _counted(clause: str, relation: Relation) -> bool | None:
    """Whether there are more of one than of the other, where a clause counts both: "nine cars and three bicycles"."""
    told = numerals(clause)
    if len(told) != 2 or NEGATED.search(clause):
        return None
    parts = [content(clause[told[0].end : told[1].start]), content(clause[told[1].end :])]
    whose = [(bool(part & relation.one), bool(part & relation.other)) for part in parts]
    if whose not in ([(True, False), (False, True)], [(False, True), (True, False)]):
        return None
    one, other = (told[0].value, told[1].value) if whose[0][0] else (told[1].value, told[0].value)
    return less(other, one) if "more" in relation.same else less(one, other)


_MOST = re.compile(
    rf"{_ASKS}(?P<one>.+?) (?:still |be |now )*the (?P<most>\w+est|most \w+)(?: (?:one|\w+))?\W*$", re.IGNORECASE
)
_IS_AT = re.compile(r"\b(?:is|are|was|would be)\b")


def _is_most(clause: str, asked: Asked) -> bool | None:
    """Whether the asked one is the tallest: "the tallest is the one on the left" says that of another."""
    wanted = _MOST.match(asked.text)
    if not wanted or NEGATED.search(clause):
        return None
    most, clause = wanted["most"].lower(), clause.lower()
    _, contrary = _sides(_DEGREES, f"{most[:-3]}er") or ((), ())
    least = next((word for word in (f"{degree[:-2]}est" for degree in contrary) if word in clause), None)
    if most not in clause and not least:
        return None
    before, _, after = clause.partition(least or most)
    is_at = _IS_AT.search(after)
    who = after[is_at.end() :] if is_at and not content(before) else before
    one, said = frozenset(counted_words(wanted["one"])), frozenset(counted_words(who))
    if any(opposed_stems(word, mine) for word in said - one for mine in one - said):
        return None if least else False
    of_it = PRONOUN.match(who) or (asked.subject in said and said <= one)
    return not least if of_it and (one <= said or PRONOUN.match(who) or least) else None
