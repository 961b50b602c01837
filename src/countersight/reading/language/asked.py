"""What a yes-or-no question asks for, so far as its words tell."""

import re
from functools import lru_cache
from typing import Final

import msgspec

from countersight.reading.language.clauses import asks_of_now, stated
from countersight.reading.language.numerals import numerals
from countersight.reading.language.opposites import states
from countersight.reading.language.stems import stem
from countersight.reading.language.verdicts import judged_in
from countersight.reading.language.vocabulary import any_of, found, listed, words

_IF = re.compile(r"\b(?:if|when|unless|after|(?<!left )without)\b", re.IGNORECASE)
_OF_ALL = re.compile(
    r"^\W*(?:is|are|was|were|do|does|did|would|will|can|could|has|have) (?:all|both|every(?:one|body)?|each)\b",
    re.IGNORECASE,
)
_OF_BEING = re.compile(
    r"^\W*(?:is|are|was|were|will|would) (?:there (?:still )?(?:be )?(?:still )?(?:any\w*|an?|some\w*|one)\b"
    r"|(?:any|some)(?:one|body|thing) (?:still )?(?:be )?(?:left )?(?:in|on|at|under|inside)\b)",
    re.IGNORECASE,
)
_OF_ANYONE = re.compile(r"^\W*\w+ (?:anyone|anybody|someone|somebody|any of the \w+)\b", re.IGNORECASE)
_NEGATIVE_QUESTION = re.compile(r"\b(?:not|never|no|no longer|nobody|nothing|none|neither)\b", re.IGNORECASE)
_NO_ONE_WITHOUT = re.compile(r"\b(?:no|nobody|not|none)\b.*\b(?:without|lack\w*|missing)\b", re.IGNORECASE)
_LACKING = found("yes_no.lacking_what_is_asked")
_IS_WITHOUT = re.compile(r"^(\W*(?:is|are|was|were)\b(?:(?!\bif\b)[^?,])*?)\bwithout\b(?=[^,]*$)", re.IGNORECASE)
_FALSE_THAT = found("yes_no.false_that")
_FAILING = re.compile(r"\bfail to\b", re.IGNORECASE)
_OUT_OF = re.compile(r"(?P<denied>\bnot )?\bout of (?=(?:[\w']+ ){0,3}(?:reach|sight|view|earshot)\b)", re.IGNORECASE)
_UNABLE = re.compile(r"\bunable(?= to\b)", re.IGNORECASE)
IMPROBABLE = re.compile(r"\b(?:im(?=possible\b)|un(?=likely\b))", re.IGNORECASE)
"""What makes a question for the impossible one for what is not possible."""
_ABILITY = found("yes_no.abilities")
_TO_BE_DONE = found("yes_no.to_be_done")
CONTRARY = re.compile(
    r"(?:(?:,|\s--?|\bbut|\band)\s+(?:\w+ly )?(?:not|no longer)|,\s+no(?= (?:\w+ )?\w+\W*$)"
    r"|,?\s(?:rather than|instead of))\s+"
    r"(?P<denied>[^,.;]{1,60})",
    re.IGNORECASE,
)
_ASKS_OF_A_PRONOUN = re.compile(
    r"^\W*[\w']+ (?:it|there|they|he|she|you|we|i|this|that)\b",
    re.IGNORECASE,
)
_ASKS_OF_THE_PICTURE = re.compile(
    r"^\W*(?:is|does|did|has|would|will|can|could) the picture (?!show|contain|have|depict|include)", re.IGNORECASE
)
_HE_OR_SHE = re.compile(r"\b(?:he|she)\b")
_DEGREES = frozenset({"longer"})  # a state here, and nothing in "no longer"
NOBODY = re.compile(r"\b(?:nobody|no[ -]one)\b")
_WORD = re.compile(r"[a-z]+")
_NO_OWNER = re.compile(r"[a-z]+\b(?!'s\b)")  # the nest, of "the bird's nest"
_EMPTY = words("questions.empty")
_LIGHT = words("yes_no.light")
CALLED = {pronoun: frozenset(map(stem, words(f"questions.{pronoun}"))) for pronoun in ("he", "she")}
"""Stems of those whom a reply calls so."""


HIS = re.compile(r"\b(?:his|her|him)\b", re.IGNORECASE)
"""Words for somebody of whom it is not known who it is."""
_ADDS = re.compile(rf"\bif\b.{{1,80}}{any_of('yes_no.adding')}", re.IGNORECASE)
_MORE_THAN_ONE = re.compile(r"\bmore than (?:one|1)\b", re.IGNORECASE)
_CHANGED: Final[dict[str, str]] = listed("questions.changed")
_BY_TRADE = re.compile(r"\w{3,}(?:er|or|ist|ian|man)")
_NO_TRADE = frozenset(map(stem, words("fates.no_trade")))


class Asked(msgspec.Struct, frozen=True):
    """What a yes-or-no question asks for, so far as its words tell."""

    words: frozenset[str]
    """In stems, as all its words."""
    subject: str
    """The first of them, which a pronoun may stand for."""
    supposed: frozenset[str]
    """The words of its "if"."""
    states: tuple[str, ...]
    order: tuple[str, ...]
    """The words of a comparison, as they stand around "than"."""
    negated: bool
    twice_negated: bool
    """Whether it denies a denial, so that no clause is trusted to answer it."""
    compares: bool
    numbers: frozenset[str | None]
    of_now: bool
    of_ability: bool
    would_do: bool
    """Whether it asks if something would be done, so that what could be done is not all of the answer."""
    of_anyone: bool
    """Whether it asks if somebody does or is something: anybody who does is a yes."""
    of_being: bool
    """Whether it asks if there is something somewhere: "is there any milk in the glass"."""
    of_all: bool
    """Whether it asks of every one of several things: "are both doors open"."""
    people: frozenset[str]
    """Whom it asks about, where that is "he" or "she"."""
    adds: bool
    """Whether it supposes that something is there or stays, so that a world without that is another."""
    persons: frozenset[str]
    """Those of all its words, the supposed ones too, that a reply may call "he" or "she": a climber, the girl."""
    text: str
    """What it asks, without what it supposes."""
    whole: str

    @property
    def counts(self) -> bool:
        return bool(self.numbers)


@lru_cache(maxsize=512)
def asked_by(question: str) -> Asked:
    """Reads a question once, for all the clauses it is held against."""
    if statement := judged_in(question):
        question = f"Is it {'' if statement.asks_if_right else 'not '}the case that {statement.text}"
    opening = _IF.split(_IS_WITHOUT.sub(r"\1not have", question), maxsplit=1)[0]
    main = _as_denied(opening if content(opening) else stated(question))
    said = content(main) | {stem(found.group().lower()) for found in states(main)}
    return Asked(
        words=said,
        subject=first_word(main),
        supposed=(content(question) | _changed(question)) - said,
        states=tuple(found.group().lower() for found in states(main)),
        order=compared(main),
        negated=bool(_NEGATIVE_QUESTION.search(main)),
        twice_negated=len(_NEGATIVE_QUESTION.findall(question)) > 1 or bool(_NO_ONE_WITHOUT.search(main)),
        compares=bool(CONTRARY.search(main)),
        numbers=frozenset(numeral.value for numeral in numerals(main)),
        of_now=asks_of_now(question),
        of_ability=bool(_ABILITY.search(main) or _TO_BE_DONE.search(main)),
        would_do=not _ABILITY.search(main),
        of_anyone=bool(_OF_ANYONE.match(main)),
        of_being=bool(_OF_BEING.match(main)),
        of_all=bool(_OF_ALL.match(main)),
        people=_people(first_word(main), question),
        adds=bool(_ADDS.search(question)),
        persons=frozenset() if HIS.search(question) else frozenset(filter(is_person, content(question))),
        text=main,
        whole=question,
    )


def _changed(question: str) -> frozenset[str]:
    """What a change makes of a thing: the bar that was raised is higher."""
    return frozenset(stem(_CHANGED[word]) for word in _WORD.findall(question.lower()) if word in _CHANGED)


def _people(subject: str, question: str) -> frozenset[str]:
    known = frozenset(pronoun for pronoun, who in CALLED.items() if subject in who)
    return known or frozenset(_HE_OR_SHE.findall(question.lower()))


def is_person(word: str) -> bool:
    """Whether a stem names somebody: a girl, a climber."""
    return any(word in who for who in CALLED.values()) or (bool(_BY_TRADE.fullmatch(word)) and word not in _NO_TRADE)


def _as_denied(main: str) -> str:
    """What is asked, with a "not" where it asks for a lack: whether a lot is free of cars, or somebody fails to see."""
    main = _FAILING.sub("not", _FALSE_THAT.sub("not", in_reach(main)))
    main = IMPROBABLE.sub("not ", _UNABLE.sub("not able", main))
    return _LACKING.sub("not have", main)


def in_reach(text: str) -> str:
    """A text with "not in" for what is out of reach, out of sight, and "in" for what is not."""
    return _OUT_OF.sub(lambda found: "in " if found["denied"] else "not in ", text)


def first_word(main: str) -> str:
    """The stem of the first word that means something by itself; nothing for a pronoun."""
    if _ASKS_OF_A_PRONOUN.match(main):
        return ""
    if _ASKS_OF_THE_PICTURE.match(main):
        return "pictur"  # that hangs on the wall; of any other nobody says that it would fall
    every = (stem(word) for word in _NO_OWNER.findall(main.lower()) if word not in _EMPTY and word not in _LIGHT)
    return next(every, "")


@lru_cache(maxsize=512)
def content(text: str) -> frozenset[str]:
    """The stems of the words of a text that mean something by themselves, and the states it tells."""
    text = NOBODY.sub("no person", text.lower())
    told = {found.group() for found in states(text)}
    every = {word for word in _WORD.findall(text) if word in told or word not in _EMPTY}
    return frozenset(map(stem, every - (_LIGHT - (told & _DEGREES))))


def compared(text: str) -> tuple[str, ...]:
    """The content of a comparison in its order: "more dogs than cats" is not "more cats than dogs"."""
    text = _MORE_THAN_ONE.sub("", text)  # "more than one person" compares nothing with another
    if " than " not in f" {text.lower()} ":
        return ()
    return tuple(stem(word) for word in _WORD.findall(text.lower()) if word not in _EMPTY | _LIGHT | {"than"})
