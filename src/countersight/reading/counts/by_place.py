"""Replies that do nothing but count the things asked for by place, or by whose they are.

"There are 3 on the shelf and 4 in the sink, 7 in all." says all there is to say of the shelf, of the whole and of the
table. Such a reply is read as a table is: every number is that of a place, of the whole or of other things, and the
numbers agree. What has any other word in it is left to the rules.
"""

import re
from collections.abc import Iterator

import msgspec

from countersight.reading.counts.company import names_several, parted_between
from countersight.reading.counts.question import Counted, counted_by
from countersight.reading.language.clauses import MODAL_AT, sentences, supposes
from countersight.reading.language.numerals import Numeral, numerals
from countersight.reading.language.opposites import SIDES
from countersight.reading.language.prepositions import say_the_same
from countersight.reading.language.stems import is_empty, stem
from countersight.reading.language.vocabulary import any_of, found, words
from countersight.text import NUMBER_WORDS

_ALL_IN = re.compile(r"\bincluding\b", re.IGNORECASE)
_N = rf"(?:\d{{1,4}}|{'|'.join(NUMBER_WORDS)})"
_THE_LEFT = re.compile(r"\bleft(?= side\b)|(?<=the )(?:far )?left\b", re.IGNORECASE)
# "6 + 5 = 11", "six plus five is eleven": the terms were told before.
_TERMS = re.compile(rf"\b(?P<terms>{_N}(?: (?:\+|plus|and) {_N})+) (?:=|is|equals|makes|gives) (?={_N}\b)", re.IGNORECASE)
_OF_ALL = re.compile(
    rf"(?P<some>\b{_N}) of (?:the|these|those) (?P<all>{_N})\b|^of (?:the|these|those) (?P<whole>{_N})\b(?P<of>[^,]*),",
    re.IGNORECASE,
)
_ALL = re.compile(rf"\b(?:every(?: single)? one of|all(?: of)?) (?:the )?(?={_N}\b)", re.IGNORECASE)
_MORE_THAN = re.compile(rf",? (?:which is )?{_N} (?:more|fewer|less) than (?P<who>the [a-z ]+), who (?=ha[sd]\b)", re.IGNORECASE)
_DIFFERENCE = re.compile(rf"\W*the difference is {_N}\W*$", re.IGNORECASE)
_GROUPS_OF = re.compile(r"\b(?:an?|another) (?:group|pair|set|bunch) of (?=\w)", re.IGNORECASE)
_INTO_GROUPS = re.compile(rf"[^:]*\b{_N} (?:groups|places|areas|spots|sets)\W*$", re.IGNORECASE)
_THE_OTHERS = re.compile(rf"\W*the (?:others|rest|remaining ones) (?:is|are) (?P<where>[^.,;]+)\W*$", re.IGNORECASE)
_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|[^\sa-z'\"*]")
_PREPOSITIONS = words("counts.placing")
_THE = words("counts.before_a_place")
_HAVING = words("questions.possession")
_VERBS = words("questions.helping")
_SAID = words("counts.said_in_counting")
_IN_A_PLACE = words("counts.being_there") | words("counts.being_at")
_UNSURE = words("counts.unsure_of_places")
_PEOPLE = frozenset(map(stem, (*words("questions.he"), *words("questions.she"), *words("questions.some_people"))))
_TRADES = frozenset(map(stem, words("counts.trades")))
_ROOMY = frozenset(map(stem, words("counts.roomy")))
_TOTAL = found("counts.totals")
_MORE = re.compile(r"\b(?:more|another|additional|extra|also|plus)\b", re.IGNORECASE)
_CONCLUDES = re.compile(r"\W*(?:and )?(?:so|thus|hence|therefore|(?:which|that|this) (?:makes|gives|is)|making)\b", re.IGNORECASE)
_SIDES = SIDES | {stem("leftside")}
_OF_ANY_PLACE = _SIDES | frozenset(map(stem, words("counts.parts_of_places")))
_SCENE = frozenset(map(stem, ("side", "image", "picture", "photo", "scene", "moment")))


class Where(msgspec.Struct, frozen=True):
    """A place, or whose the things are: the stems of its words, and the preposition before them."""

    words: frozenset[str] = frozenset()
    how: str = ""
    has: bool = False
    """Whether it is told to have the things."""


class Told(msgspec.Struct, frozen=True):
    """What a reply tells of what was asked; no value where it counts elsewhere only."""

    value: str | None


class _Unclear(Exception):  # noqa: N818 - no error: the reply says something else besides
    """Raised where a word or a number cannot be accounted for."""


class _Account:
    """The counts of a reply: by place, of the whole, and of how many there are more."""

    def __init__(self) -> None:
        self.parts: list[tuple[Where, int]] = []
        self.wholes: set[int] = set()
        self.adds = False
        self.leaves_some = False
        self.named = False
        """Whether the things are called by their name somewhere."""
        self.concludes = False
        """Whether a number is concluded, and not said to be the total: it may be meant for the asked."""
        self.beside: set[str] = set()
        """The words that are said of other things."""


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
    except _Unclear:
        return None
    total = sum(value for _, value in account.parts)
    if not account.parts or len(account.wholes) > 1 or any(total > whole for whole in account.wholes):
        return None
    if not wanted.words:
        agrees = total in account.wholes or (account.leaves_some and not account.adds)
        return Told(str(next(iter(account.wholes)))) if agrees and account.wholes else None
    if account.wholes and account.adds and total not in account.wholes:
        return None
    return _part(wanted, account, text)


def _part(wanted: Where, account: _Account, text: str) -> Told | None:
    """The count of a place; none where the reply names it nowhere and counts in other places."""
    near = {value for where, value in account.parts if where.words & wanted.words}
    same = {value for where, value in account.parts if where.words == wanted.words and _is_so(where, wanted)}
    alike = {value for where, value in account.parts if _is_alike(where.words, wanted.words)}
    if near and account.concludes:
        return Told(None)
    if account.wholes and wanted.words & _ROOMY and any(where.how == "in" for where, _ in account.parts):
        return None  # "five in the holder and one on the desk, so six in all"
    if len(same) == 1 or (not same and len(near) == len(alike) == 1 and not account.beside & wanted.words):
        return Told(str((same or alike).pop()))
    return Told(None) if not near and _is_elsewhere(wanted, account, text) else None


def _is_alike(told: frozenset[str], wanted: frozenset[str]) -> bool:
    return told < wanted or (told > wanted and not (told - wanted) & _OF_ANY_PLACE)


def _is_elsewhere(wanted: Where, account: _Account, text: str) -> bool:
    """Whether what a reply counts is in places that the asked one does not hold: a park has benches, a sink has none."""
    if len(account.parts) == 1 and not account.named:
        return False
    if wanted.words & _ROOMY or any(word in text.lower() for word in wanted.words):
        return False
    if wanted.has:
        return all(map(_is_somebodys, (where for where, _ in account.parts)))
    return not any(where.words & _OF_ANY_PLACE for where, _ in account.parts)


def _is_somebodys(where: Where) -> bool:
    return bool(where.words & (_PEOPLE | _TRADES))


def _is_so(told: Where, wanted: Where) -> bool:
    return not (told.how and wanted.how) or say_the_same(told.how, wanted.how)


def _wanted(asked: Counted) -> Where:
    """The place or the person that a question asks about; nothing where it asks for all."""
    tokens = [token for token in _tokens(asked.text) if stem(token) not in asked.nouns and token not in ("does", "do")]
    where, others = _where(tokens)
    if any(not _is_said(token) for token in others) or (where.has and not _is_somebodys(where)):
        raise _Unclear
    return where


def _account(text: str, asked: Counted) -> _Account:
    account = _Account()
    heading = ""
    for piece in sentences(text):
        if supposes(piece) and asked.of_now:
            continue
        if _DIFFERENCE.match(piece) or _INTO_GROUPS.match(piece):
            continue
        said = _plainly(piece, account)
        if not numerals(said):
            heading = _heading(said, account)
            continue
        for number, before, after in _parts(f"{heading}{said}"):
            _enter(number, before, after, account, asked)
        heading = ""
    return account


def _plainly(piece: str, account: _Account) -> str:
    """A sentence without what it says of the whole on its way, and without terms of a sum that it told before."""
    for share in _OF_ALL.finditer(piece):
        if _where(_tokens(share["of"] or ""))[0].words:
            raise _Unclear  # "of the five on the jetty, two are …"
        account.wholes.add(_value(numerals(share["all"] or share["whole"])[0]))
    piece = _OF_ALL.sub(lambda share: share["some"] or "", piece)
    piece = _MORE_THAN.sub(r", \g<who> ", _ALL.sub("", _GROUPS_OF.sub("", piece)))
    known = {value for _, value in account.parts}
    return _TERMS.sub(lambda sum_: "" if {_value(n) for n in numerals(sum_["terms"])} <= known else sum_.group(), piece)


def _heading(piece: str, account: _Account) -> str:
    """What stands over the next count ("On the porch"), or nothing where the rest is said to be elsewhere."""
    if _THE_OTHERS.match(piece):
        account.leaves_some = True
        return ""
    where, others = _where(_tokens(piece))
    if where.words and not others and "." not in piece:
        return f"{piece.strip(' :')}: "
    if all(_is_said(token) for token in others) and not where.words:
        return ""
    raise _Unclear


def _parts(piece: str) -> Iterator[tuple[Numeral, str, str]]:
    """The numbers of a sentence, each with the words before and after it that are its own."""
    every = numerals(piece)
    betweens = [parted_between(piece[one.end : two.start]) for one, two in zip(every, every[1:], strict=False)]
    befores = [piece[: every[0].start], *(after for _, after in betweens)]
    afters = [*(before for before, _ in betweens), piece[every[-1].end :]]
    return zip(every, befores, afters, strict=True)


def _enter(number: Numeral, before: str, after: str, account: _Account, asked: Counted) -> None:
    """Takes a number into the account, as that of a place, of the whole, or of something else."""
    thing, rest = _thing(_tokens(after))
    named = bool(asked.nouns.intersection(map(stem, thing)))
    if thing and not named and names_several(thing[-1]):
        account.beside.update(map(stem, (*_tokens(before), *rest)))
        return
    first, more = _where(_tokens(before))
    second, others = _where(rest)
    if ":" in before and first.has and not first.words <= _SIDES and not _is_somebodys(first):
        raise _Unclear  # "Olives: 4", "Correction: 5"
    if first.has and _is_somebodys(first) and asked.nouns & (_PEOPLE | _TRADES):
        raise _Unclear  # "Men: 3. Women: 2."
    if first.words and second.words and not first.has:
        raise _Unclear  # "on the floor: one near the bed"
    if first.has and not _is_somebodys(first) and not named:
        raise _Unclear  # "the table has the number 14 on it"
    extra = [word for word in thing if stem(word) not in asked.nouns]
    if extra or not all(map(_is_said_of_places, (*more, *others))):
        raise _Unclear
    where = Where(first.words | second.words, first.how or second.how, first.has)
    total = _TOTAL.search(f"{before} {after}")
    account.adds |= bool(_MORE.search(f"{before} {after}"))
    if not where.words:
        account.wholes.add(_value(number))
        account.concludes |= bool(_CONCLUDES.match(before)) and not total
    elif total:
        raise _Unclear
    else:
        account.named |= named
        account.parts.append((where, _value(number)))


def _thing(tokens: list[str]) -> tuple[list[str], list[str]]:
    """The words of what is counted, and what is said of it."""
    start = next((i for i, token in enumerate(tokens) if token not in ("more", "other", "others", "additional")), 0)
    stop = next((i for i, t in enumerate(tokens) if i >= start and not _tells(t)), len(tokens))
    stop = next((i + 1 for i in range(start, stop) if names_several(tokens[i])), stop)
    return tokens[start:stop], tokens[stop:]


def _where(tokens: list[str]) -> tuple[Where, list[str]]:
    """The place that words tell, or who has something, and the other words."""
    said: set[str] = set()
    how, has = "", False
    others: list[str] = []
    holds = next((i for i, token in enumerate(tokens) if token in _HAVING or token == ":"), 0)
    i = 0
    while i < len(tokens):
        placed = tokens[i] in _PREPOSITIONS and tokens[i + 1 : i + 2] and tokens[i + 1] in _THE
        start = i + 2 if placed else i + 1 if tokens[i] in _THE else i
        stop = next((j for j in range(start, len(tokens)) if not _tells(tokens[j])), len(tokens))
        if start < stop and (placed or (start < holds and not said)):
            said |= {stem(token.removesuffix("'s")) for token in tokens[start:stop]}
            how, has = how or tokens[i] * placed, has or not placed
            i = stop
        else:
            others.append(tokens[i])
            i += 1
    return Where(frozenset(said - _SCENE), how, has), others


def _tells(token: str) -> bool:
    """Whether a word may be one of a name."""
    return token[0].isalpha() and not (
        _is_known(token) or token in _IN_A_PLACE
    )


def _is_said(token: str) -> bool:
    """Whether a word is one of those with which things are counted, and tells nothing else of them."""
    if token in _UNSURE or token.endswith("n't"):
        raise _Unclear
    return _is_known(token) or not token[0].isalnum()


def _is_known(token: str) -> bool:
    return is_empty(token) or any(token in known for known in (_SAID, _PREPOSITIONS, _VERBS, _HAVING))


def _is_said_of_places(token: str) -> bool:
    return token in _IN_A_PLACE or _is_said(token)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(_THE_LEFT.sub("leftside", text.lower()))


def _value(number: Numeral) -> int:
    if not (number.value and number.value.isdigit()):
        raise _Unclear
    return int(number.value)
