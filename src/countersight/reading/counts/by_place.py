"""Replies that do nothing but count the things asked for by place, or by whose they are.

"There are 3 on the shelf and 4 in the sink, 7 in all." says all there is to say of the shelf, of the whole and of the
table. Such a reply is read as a table is: every number is that of a place, of the whole or of other things, and the
numbers agree. What has any other word in it is left to the rules.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

import msgspec

from countersight.reading.counts.company import names_several, parted_between
from countersight.reading.counts.places_told import (
    ROOMY,
    UnclearError,
    Where,
    is_said,
    is_said_of_places,
    place_in,
    thing_in,
    tokens_of,
)
from countersight.reading.counts.question import Counted, counted_by
from countersight.reading.language.clauses import MODAL_AT, sentences, supposes, supposes_first
from countersight.reading.language.numerals import Numeral, numerals
from countersight.reading.language.opposites import SIDES
from countersight.reading.language.prepositions import say_the_same
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of, found, words
from countersight.reading.language.whereabouts import is_elsewhere
from countersight.text import NUMBER_WORDS

_ALL_IN = re.compile(r"\bincluding\b", re.IGNORECASE)
_N = rf"(?:\d{{1,4}}|{'|'.join(NUMBER_WORDS)})"
# "6 + 5 = 11", "six plus five is eleven": the terms were told before.
_TERMS = re.compile(
    rf"\b(?P<terms>{_N}(?: (?:\+|plus|and) {_N})+) (?:=|is|equals|makes|gives) (?={_N}\b)", re.IGNORECASE
)
_OF_ALL = re.compile(
    rf"(?P<some>\b{_N}) of (?:the|these|those) (?P<all>{_N})\b|^of (?:the|these|those) (?P<whole>{_N})\b(?P<of>[^,]*),",
    re.IGNORECASE,
)
_ALL = re.compile(rf"\b(?:every(?: single)? one of|all(?: of)?) (?:the )?(?={_N}\b)", re.IGNORECASE)
_MORE_THAN = re.compile(
    rf",? (?:which is )?{_N} (?:more|fewer|less) than (?P<who>the [a-z ]+), who (?=ha[sd]\b)", re.IGNORECASE
)
_DIFFERENCE = re.compile(rf"\W*the difference is {_N}\W*$", re.IGNORECASE)
_GROUPS_OF = re.compile(
    r"\b(?:an?|another) (?:group|total) of (?=\w)|\bright(?= now\b)|(?<=\bthe )one (?=(?:in|on|at|to)\b)", re.IGNORECASE
)
_INTO_GROUPS = re.compile(rf"[^:]*\b{_N} (?:groups|places|areas|spots|sets)\W*$", re.IGNORECASE)
_THE_OTHERS = re.compile(r"\W*the (?:others|rest|remaining ones) (?:is|are) (?P<where>[^.,;]+)\W*$", re.IGNORECASE)
_PEOPLE = frozenset(map(stem, (*words("questions.he"), *words("questions.she"), *words("questions.some_people"))))
_TRADES = frozenset(map(stem, words("counts.trades")))
_TOTAL = found("counts.totals")
_MORE = re.compile(r"\b(?:more|another|additional|extra|also|plus)\b", re.IGNORECASE)
_BY_IT = re.compile(rf"{any_of('counts.placing')} (?:it|them|these|those)\b", re.IGNORECASE)
_CONCLUDES = re.compile(
    r"\W*(?:and )?(?:so|thus|hence|therefore|(?:which|that|this) (?:makes|gives|is)|making)\b", re.IGNORECASE
)
_SIDES = SIDES | {stem("leftside")}
_OF_ANY_PLACE = _SIDES | frozenset(map(stem, words("counts.parts_of_places")))
_OF_QUESTIONS = frozenset({"does", "do", "would", "will"})


class Told(msgspec.Struct, frozen=True):
    """What a reply tells of what was asked; no value where it counts elsewhere only."""

    value: str | None


class _Account:
    """The counts of a reply, by place and of the whole, and what else it says of them."""

    def __init__(self) -> None:
        self.parts: list[tuple[Where, int]] = []
        self.wholes: set[int] = set()
        self.adds = False
        """Whether some are told to be there besides: "two more"."""
        self.leaves_some = False
        """Whether the others are only said to be elsewhere."""
        self.named = False
        """Whether the things are called by their name somewhere."""
        self.concludes = False
        """Whether a number is concluded, and not said to be the total: it may be meant for the asked."""
        self.supposes = False
        """Whether the reply goes on with what would be, which was not asked."""
        self.beside: set[str] = set()
        """The words that are said of other things."""
        self.last_beside = Where()
        """Where other things of the same sentence are: "4 spoons in the sink, but no cups"."""


def told_by_place(text: str, question: str) -> Told | None:
    """What a reply that only counts by place tells of the place, the person or the whole in question."""
    asked = counted_by(question)
    if len(asked.nouns) != 1 or asked.kinds or not asked.of_now or asked.imagined or _ALL_IN.search(question):
        return None
    if asked.negated or asked.difference or asked.of_each or asked.joins:
        return None
    try:
        wanted = _wanted(asked)
        account = _account(text, asked)
    except UnclearError:
        return None
    total = sum(value for _, value in account.parts)
    if (
        not (account.parts or account.supposes)
        or len(account.wholes) > 1
        or any(total > whole for whole in account.wholes)
    ):
        return None
    if asked.of_all and account.wholes == {total}:
        return Told(str(total))
    if not wanted.words:
        agrees = total in account.wholes or not account.parts or (account.leaves_some and not account.adds)
        return Told(str(next(iter(account.wholes)))) if agrees and account.wholes else None
    if account.wholes and account.adds and total not in account.wholes:
        return None
    return _part(wanted, account, text)


def _part(wanted: Where, account: _Account, text: str) -> Told | None:
    """The count of a place; none where the reply names it nowhere and counts in other places."""
    beside = [where for where, _ in account.parts if where.words == wanted.words and not _is_so(where, wanted)]
    near = {value for where, value in account.parts if where.words & wanted.words and where not in beside}
    if any(where.words == wanted.words for where, _ in account.parts) and any(
        where.words > wanted.words for where, _ in account.parts
    ):
        return None  # "three on the porch and two more on the porch swing"
    same = {value for where, value in account.parts if where.words == wanted.words and _is_so(where, wanted)}
    alike = [value for where, value in account.parts if _is_alike(where.words, wanted.words)]
    if near and account.concludes and same != account.wholes and len(account.parts) > len(near):
        return Told(None)
    if account.wholes and wanted.words & ROOMY and any(where.how == "in" for where, _ in account.parts):
        return None  # "five in the holder and one on the desk, so six in all"
    alike = (
        [] if account.beside & wanted.words or is_elsewhere(text, f"{wanted.how} {' '.join(wanted.words)}") else alike
    )
    if len(same) == 1 or (not same and len(alike) == 1):
        return Told(str(same.pop() if same else alike[0]))
    return Told(None) if not near and (beside or _is_elsewhere(wanted, account, text)) else None


def _is_alike(told: frozenset[str], wanted: frozenset[str]) -> bool:
    return told < wanted or (told > wanted and not (told - wanted) & _OF_ANY_PLACE)


def _is_elsewhere(wanted: Where, account: _Account, text: str) -> bool:
    """Whether what a reply counts is elsewhere: on a bench is in the park, but nothing on a shelf is in the sink."""
    if len(account.parts) == 1 and not account.named:
        return False
    if wanted.words & ROOMY or any(word in text.lower() for word in wanted.words):
        return False
    if wanted.has:
        return all(map(_is_somebodys, (where for where, _ in account.parts)))
    return not any(where.words & _OF_ANY_PLACE for where, _ in account.parts)


def _is_somebodys(where: Where) -> bool:
    return bool(where.words & (_PEOPLE | _TRADES))


def _is_so(told: Where, wanted: Where) -> bool:
    return told.has or not (told.how and wanted.how) or say_the_same(told.how, wanted.how)


def _wanted(asked: Counted) -> Where:
    """The place or the person that a question asks about; nothing where it asks for all."""
    tokens = [token for token in tokens_of(asked.text) if stem(token) not in asked.nouns and token not in _OF_QUESTIONS]
    where, others = place_in(tokens)
    if any(not is_said(token) for token in others) or (where.has and not _is_somebodys(where)):
        raise UnclearError
    return where


def place_asked_by(asked: Counted) -> frozenset[str]:
    """The words of the place or the person of a question that asks of nothing else; none where it asks otherwise."""
    try:
        return _wanted(asked).words
    except UnclearError:
        return frozenset()


def places_in(text: str) -> frozenset[str]:
    """The words of the places that a sentence names, or of who has something in it."""
    return place_in(tokens_of(text))[0].words


def _account(text: str, asked: Counted) -> _Account:
    account = _Account()
    heading = ""
    for piece in sentences(text):
        if MODAL_AT.search(piece) and (supposes(piece) or supposes_first(piece)):
            account.supposes = True
            continue
        if _DIFFERENCE.match(piece) or _INTO_GROUPS.match(piece):
            continue
        said = _plainly(piece, account)
        if not numerals(said):
            heading = _heading(said, account)
            continue
        account.last_beside = Where()
        for number, before, after in _parts(f"{heading}{said}"):
            _enter(number, before, after, account, asked)
        heading = ""
    return account


def _plainly(piece: str, account: _Account) -> str:
    """A sentence without what it says of the whole on its way, and without terms of a sum that it told before."""
    piece = _ALL.sub("", piece.replace("(", ": "))
    for share in _OF_ALL.finditer(piece):
        if place_in(tokens_of(share["of"] or ""))[0].words:
            raise UnclearError  # "of the five on the jetty, two are …"
        account.wholes.add(_value(numerals(share["all"] or share["whole"])[0]))
    piece = _OF_ALL.sub(lambda share: share["some"] or "", piece)
    piece = _MORE_THAN.sub(r", \g<who> ", _GROUPS_OF.sub("", piece))
    known = {value for _, value in account.parts}
    return _TERMS.sub(lambda sum_: "" if {_value(n) for n in numerals(sum_["terms"])} <= known else sum_.group(), piece)


def _heading(piece: str, account: _Account) -> str:
    """What stands over the next count ("On the porch"), or nothing where the rest is said to be elsewhere."""
    if _THE_OTHERS.match(piece):
        account.leaves_some = True
        return ""
    where, others = place_in(tokens_of(piece))
    if where.words and not others and "." not in piece:
        return f"{piece.strip(' :')}: "
    if all(is_said(token) for token in others) and not where.words:
        return ""
    raise UnclearError


def _parts(piece: str) -> Iterator[tuple[Numeral, str, str]]:
    """The numbers of a sentence, each with the words before and after it that are its own."""
    every = numerals(piece)
    betweens = [parted_between(piece[one.end : two.start]) for one, two in pairwise(every)]
    befores = [piece[: every[0].start], *(after for _, after in betweens)]
    afters = [*(before for before, _ in betweens), piece[every[-1].end :]]
    return zip(every, befores, afters, strict=True)


def _enter(number: Numeral, before: str, after: str, account: _Account, asked: Counted) -> None:
    """Takes a number into the account, as that of a place, of the whole, or of something else."""
    thing, rest = thing_in(tokens_of(after))
    named = bool(asked.nouns.intersection(map(stem, thing)))
    if thing and not named and names_several(thing[-1]):
        account.beside.update(map(stem, (*tokens_of(before), *rest)))
        account.last_beside = place_in(tokens_of(before) + rest)[0]
        return
    first, more = place_in([token for token in tokens_of(before) if stem(token) not in asked.nouns])
    second, others = place_in(rest)
    if ":" in before and first.has and not first.words <= _SIDES and not _is_somebodys(first):
        raise UnclearError  # "Olives: 4", "Correction: 5"
    if first.has and _is_somebodys(first) and asked.nouns & (_PEOPLE | _TRADES):
        raise UnclearError  # "Men: 3. Women: 2."
    if _BY_IT.search(f"{before} {after}"):
        raise UnclearError  # "two on the bed and four under it"
    if first.words and second.words and not first.has:
        raise UnclearError  # "on the floor: one near the bed"
    if first.has and not _is_somebodys(first) and not named and not first.words <= _SIDES:
        raise UnclearError  # "the table has the number 14 on it"
    extra = [word for word in thing if stem(word) not in asked.nouns]
    if extra or not all(map(is_said_of_places, (*more, *others))):
        raise UnclearError
    where = Where(first.words | second.words, first.how or second.how, first.has)
    if _value(number) == 0 and not where.words:
        where = account.last_beside
    total = _TOTAL.search(f"{before} {after}")
    account.adds |= bool(_MORE.search(f"{before} {after}"))
    if not where.words:
        account.wholes.add(_value(number))
        account.concludes |= bool(_CONCLUDES.match(before)) and not total
    elif total and where.has and where.words & ROOMY:
        account.wholes.add(_value(number))  # "the kitchen has thirteen in total"
    elif total:
        raise UnclearError
    else:
        account.named |= named
        account.parts.append((where, _value(number)))


def _value(number: Numeral) -> int:
    if not (number.value and number.value.isdigit()):
        raise UnclearError
    return int(number.value)
