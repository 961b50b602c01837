"""How strongly each number in a sentence is put forward as the answer to a how-many question."""

import re
from enum import IntEnum

import msgspec

from countersight.reading.language.clauses import MODAL, MODAL_AT, stated
from countersight.reading.language.numerals import Numeral, less, numerals
from countersight.reading.language.ones import is_a_thing, is_one_of_these
from countersight.reading.language.stems import counted_words
from countersight.reading.language.vocabulary import any_of, found
from countersight.text import UNITS


class Rank(IntEnum):
    """How strongly a number is put forward as the answer. The strongest in a reply is read."""

    ASIDE = 1  # part of a sum, what came or went ("2 more"), "one" as a pronoun
    SHARE = 2  # "2 of them"
    BEFORE = 3  # "there were 3", "originally 3"
    STATED = 4  # "there are 3"
    ALONE = 5  # a first or last sentence that is little more than the number
    EXPECTED = 6  # "3 would be left"
    SUPPOSED = 7  # "there would be 3"
    CONCLUDED = 8  # "so 3", "= 3", "3 in total", "leaving 3"


class Ranked(msgspec.Struct, frozen=True):
    """A number of a sentence with its rank and its place in the part of the sentence that states something."""

    rank: Rank
    numeral: Numeral

    @property
    def value(self) -> str | None:
        return self.numeral.value


class Ranks(msgspec.Struct, frozen=True):
    """The numbers of a sentence in order; `text` is that sentence without suppositions and brackets."""

    text: str
    numbers: tuple[Ranked, ...] = ()


# "Twice that is 8", "doubled, that makes 14"
_MADE_OF_IT = r"(?:[^.,=]{0,30}?\bis\b|,? (?:that|this|it|which)(?:'s| is| would be| makes)\b)"
_CONCLUDING = re.compile(
    rf"(?!leaves?,){any_of('counts.concluding')}|=|(?<=,)\s*that is\b(?= \w+(?: \w+)?\W*$)"
    r"|(?<=,)\s*for\b(?! the)|(?<!the )(?<=\w )left\s*:|^\W*left\s*:"
    rf"|{any_of('counts.lessening_words')}{_MADE_OF_IT}|\bi\.e\.,?(?= \w+(?: \w+)?\W*$)",
    re.IGNORECASE,
)
_CONCLUDED_AFTER = re.compile(rf"(?:\s+[\w'-]+){{0,3}}?\s+{any_of('counts.concluded_after')}", re.IGNORECASE)
# "4 of the cows would stay", but not "11 cows and 7 would go": the "would" must be the number's own.
_MODAL_AFTER = re.compile(rf"(?:\s+(?!and\b|\d)[\w'-]+){{0,6}}?\s*{MODAL}", re.IGNORECASE)
_ASIDE_BEFORE = re.compile(
    rf"(?:(?!^\W*in all\b){any_of('counts.aside_before')}(?: all)?(?: the)?(?: {any_of('counts.aside_adjectives')})?"
    r"|[+*/]|\d\s*-)\s*$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\ban? $", re.IGNORECASE)
_NO_MORE = re.compile(r"[.,;!]|$")
_ANOTHER = re.compile(r"\banother\s*$", re.IGNORECASE)  # "four are moored, another two are sailing"
_WITH_BEFORE = re.compile(r"\w (?<!left )with\s*$", re.IGNORECASE)  # "a table with 4 legs would …"
# "…, so with one standing up 2 would be left"
_FOR_THESE = re.compile(rf"[a-z] {any_of('counts.for_these')}\s*$", re.IGNORECASE)
_WITH_THESE = re.compile(r"(?:[,;]|\b(?:so|and|but|then),?) with(?:out)?\s*$", re.IGNORECASE)
_GOES_ON_TO_WOULD = re.compile(
    rf"\s(?!more\b)[^,.;]{{1,40}}(?:{MODAL}|\b(?:it's|it is|that's|that is|there are)\b)", re.IGNORECASE
)
_DENIED_BEFORE = re.compile(rf"{any_of('counts.denied_before')}(?: just| only)?(?: the)?\s*$", re.IGNORECASE)
_LABEL_BEFORE = re.compile(rf"{any_of('counts.labels')}\s*[#.]?\s*$", re.IGNORECASE)
_ZERO_ASIDE_BEFORE = re.compile(rf"{any_of('counts.zero_aside_before')}\s*$", re.IGNORECASE)
_INEXACT_BEFORE = re.compile(rf"{any_of('counts.inexact_before')}(?: the)?\s*$", re.IGNORECASE)
_INEXACT_AFTER = re.compile(rf"\s*{any_of('counts.inexact_after')}", re.IGNORECASE)
_ABOUT = frozenset("~<>≥≤±")
_UP_TO = re.compile(r"\bup to(?: the)?\s*$", re.IGNORECASE)
_RISES = found("counts.up_to_is_a_result_after")
_BEFORE = re.compile(rf"{any_of('counts.before_the_change')}(?!.*\b(?:now|then)\b)", re.IGNORECASE)
_NOW_AFTER = re.compile(
    r"^[^\d,.;]*\b(?:now|currently|at present|at the moment)\s*(?:[.,;!]?$|,? (?:and|but)\b)", re.IGNORECASE
)
_ASIDE_AFTER = re.compile(
    rf",?\s*(?:[+*/%]|-(?=\s*(?:\d|[a-z]\b|(?:{'|'.join(UNITS[1:11])})\b))"
    rf"|{any_of('counts.aside_after')}|\w+,?\s+{any_of('counts.aside_after_gap')})",
    re.IGNORECASE,
)
_CAME_OR_WENT = re.compile(
    rf"\s*(?:of (?:the|these|those) )?(?:[\w'-]+\s+){{0,3}}?"
    rf"(?:{any_of('counts.helping_verbs')}\s+)*{any_of('counts.came_or_went')}",
    re.IGNORECASE,
)
_OF_GROUPS = re.compile(rf"\s+(?:\w+ )?{any_of('counts.groups')}", re.IGNORECASE)
_SHARE_AFTER = re.compile(rf"\s*(?:{any_of('counts.shares')}|of \d)", re.IGNORECASE)
# "Three of the eight would be holding one" answers as "three would" does.
_SHARE_OF_ALL = re.compile(
    r"\s*(?:out )?of (?:the|these|those) (?:\d+|[a-z]+)\s+(?:[a-z]+\s+)?(?:would|could|will)\b", re.IGNORECASE
)
_OF_THEM = re.compile(r"\s*of them\W*$", re.IGNORECASE)
_SHARE_BEFORE = re.compile(rf"{any_of('counts.shares_before')}\s+(?:only |just )?$", re.IGNORECASE)
_ALTERNATIVE = re.compile(
    rf"\s*(?:,\s*)?(?:{any_of('counts.alternatives')}|/|and/or)\s*$"
    # "two toy cars, or perhaps"
    r"|(?: [a-z]+){1,3},? or (?:maybe|possibly|perhaps|even)\s*$",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s*-\s*$")
_FROM = re.compile(r"\b(?:from|by)\s*$", re.IGNORECASE)  # "from 5 to 3" ends at 3
_BETWEEN = re.compile(r"\bbetween\s*$", re.IGNORECASE)
_SHORT_OPENING = re.compile(rf"\W*(?:{any_of('counts.short_openings')}\W*)*$", re.IGNORECASE)
_PARENTHESIS = re.compile(r"[(\[][^()\[\]]{0,200}[)\]]")
_BREAKDOWN = re.compile(rf":|--|,|{any_of('counts.breakdowns')}", re.IGNORECASE)
_PARTS_FOLLOW = re.compile(r"\s*(?::|--|,\s*(?:including|namely|the)\b)", re.IGNORECASE)
_LESSENING = re.compile(rf"=|(?<!-)-(?!-)|{any_of('counts.lessening')}", re.IGNORECASE)
_EXPLAINED = re.compile(r"\s*(?:[\w']+\s*)?(?:\s--?\s|:)\s*(?=[a-z])", re.IGNORECASE)  # "4 - there were 11, …"
FINITE = found("counts.present_verbs")
_PARTS = re.compile(r":|--")
_MOST = 100  # numbers of one sentence that are looked at, the last; the first where a text opens with its answer
NEAR = 60
"""Characters of a sentence that can say what a number in it is."""


def ranks_in(sentence: str, *, first: bool, last: bool, asked: frozenset[str] = frozenset()) -> Ranks:
    """The numbers of a sentence with their ranks, less what it supposes, and what comes or goes and was not `asked`."""
    main = stated(sentence)
    outside = _PARENTHESIS.sub(" ", main)
    every = numerals(outside)
    if not every:
        outside = main
        every = numerals(outside)
    numbers = _marked(outside, every[-_MOST:])
    if not numbers:
        return Ranks(outside)
    ranks = _ranked(outside, numbers, asked)
    concludes = ranks[-1] == Rank.CONCLUDED > ranks[0]  # "9, a third is 3, so 6"
    if not concludes and _is_whole_and_parts(
        outside, [n for n, rank in zip(numbers, ranks, strict=True) if rank > Rank.ASIDE]
    ):
        whole = next(i for i, rank in enumerate(ranks) if rank > Rank.ASIDE)
        ranks[whole + 1 :] = [min(rank, Rank.SHARE) for rank in ranks[whole + 1 :]]
    if ranks[0] == Rank.SHARE and first and _OF_THEM.match(outside, numbers[0].end):
        ranks[0] = Rank.STATED  # "Two of them."
    if ranks[0] == Rank.STATED and _SHORT_OPENING.match(outside[: numbers[0].start]):
        alone = (first or last) and len(ranks) == 1 and len(outside.split()) <= 6 and not FINITE.search(outside)
        if alone or (first and _EXPLAINED.match(outside[numbers[0].end :])):
            ranks[0] = Rank.ALONE
    return Ranks(outside, tuple(map(Ranked, ranks, numbers)))


def opening_number(text: str) -> str | None:
    """The number a text begins with, where it stands for itself: the "4" of "4, since 3 cats and 1 more make 4"."""
    numbers = _marked(text, numerals(text)[:_MOST])
    if not numbers or not _SHORT_OPENING.match(text[: numbers[0].start]):
        return None
    after = text[numbers[0].end : numbers[0].end + NEAR]
    if _tells_a_change(after) or _OF_GROUPS.match(after) or "=" in text[:NEAR]:
        return None
    return numbers[0].value


def _ranked(text: str, numbers: list[Numeral], asked: frozenset[str]) -> list[Rank]:
    asides = [_is_aside(text[max(0, n.start - NEAR) : n.start], text[n.end : n.end + NEAR], n, asked) for n in numbers]
    end = max((n.start for n, aside in zip(numbers, asides, strict=True) if not aside), default=-1)
    # "3 + 2 = 5, then 5 - 1 = 4": of several conclusions in a sentence the last one that has a number counts.
    signs = [sign.span() for sign in _CONCLUDING.finditer(text) if sign.end() <= end]
    if len(signs) == 1 and _totals(text, numbers, signs[0][1]):
        signs = []
    concluded_from = signs[-1][1] if signs else len(text)
    modal = MODAL_AT.search(text)
    supposed_from = modal.end() if modal else len(text)
    asides = [aside or is_one_of_these(text, numbers, place) for place, aside in enumerate(asides)]
    ranks = [
        Rank.ASIDE if aside else _rank(text, numeral, concluded_from, supposed_from)
        for numeral, aside in zip(numbers, asides, strict=True)
    ]
    if signs and text[signs[-1][0] : concluded_from] == "=":
        # The result of a sum stands right after its sign: "23 - 5 = 18 dots in six circles".
        results = [i for i, rank in enumerate(ranks) if rank == Rank.CONCLUDED and numbers[i].start >= concluded_from]
        for i in results[1:]:
            ranks[i] = Rank.STATED
    return _with_parts(text, numbers, ranks)


def _with_parts(text: str, numbers: list[Numeral], ranks: list[Rank]) -> list[Rank]:
    """The ranks, with what follows a result and a colon taken for its parts: "5 would be left: the 3 … and the 2 …"."""
    result = next((i for i, rank in enumerate(ranks) if rank >= Rank.EXPECTED), None)
    if result is None or "=" in text:
        return ranks
    colon = _PARTS.search(text, numbers[result].end)
    return [
        min(rank, Rank.SHARE) if colon and number.start > colon.start() else rank
        for number, rank in zip(numbers, ranks, strict=True)
    ]


def _marked(text: str, every: list[Numeral]) -> list[Numeral]:
    """The numbers, less labels ("step 2"), and with alternatives and ranges ("3 or 4", "3-5") made unreadable."""
    kept = [n for n, before in zip(every, [None, *every], strict=False) if not _is_label(text, n, before)]
    leads = [text[max(0, n.start - 20) : n.start] for n in kept]
    torn = {i for i, n in enumerate(kept) if _is_inexact(leads[i], text[n.end : n.end + 10], text[: n.start])}
    sums = "=" in text
    for position in range(len(kept) - 1):
        first, second = kept[position], kept[position + 1]
        joint = text[first.end : second.start]
        lead = leads[position]
        alternatives = _ALTERNATIVE.match(joint) and (not _FROM.search(lead) or _INEXACT_BEFORE.search(lead))
        span = _RANGE.match(joint) and not sums and less(first.value, second.value)
        if alternatives or span or _BETWEEN.search(lead):
            torn |= {position, position + 1}
    return [Numeral(None, n.start, n.end) if position in torn else n for position, n in enumerate(kept)]


def _is_label(text: str, numeral: Numeral, before: Numeral | None) -> bool:
    """Whether a number is a name, as in "player 4"; in "of 5 players 4 stay" it is none."""
    if _ARTICLE.search(text, max(0, numeral.start - 4), numeral.start) and _NO_MORE.match(text, numeral.end):
        return True  # "a die that shows a six"
    label = _LABEL_BEFORE.search(text, max(0, numeral.start - NEAR), numeral.start)
    return label is not None and not (before and text[before.end : label.start()].isspace())


def _is_inexact(lead: str, after: str, before: str) -> bool:
    if lead[-1:] in _ABOUT or lead[-2:-1] in _ABOUT:
        return True
    if _UP_TO.search(lead):
        return not _RISES.search(before[-NEAR:])
    return bool(_INEXACT_BEFORE.search(lead) or _DENIED_BEFORE.search(lead) or _INEXACT_AFTER.match(after))


def _is_whole_and_parts(text: str, numbers: list[Numeral]) -> bool:
    """Whether a sentence gives a total and then its parts: "5 animals: 3 cats and 2 dogs"."""
    if len(numbers) < 3 or not _BREAKDOWN.search(text[numbers[0].end : numbers[1].start]):
        return False
    values = [int(n.value) if n.value and n.value.isdigit() else -1 for n in numbers]
    return min(values) > 0 and values[0] == sum(values[1:]) and not _LESSENING.search(text)


def _totals(text: str, numbers: list[Numeral], end: int) -> bool:
    """Whether a sign belongs to the number before it, and its parts follow: "you'd have 3 in total: the 2 … and …"."""
    before = [n.value for n in numbers if n.end <= end]
    after = [n.value for n in numbers if n.start >= end]
    if len(before) != 1 or not _PARTS_FOLLOW.match(text[end:]) or _LESSENING.search(text):
        return False
    modal = MODAL_AT.search(text[: numbers[0].start])
    return bool(modal and _CONCLUDED_AFTER.match(text[numbers[0].end :])) and all(less(n, before[0]) for n in after)


def _rank(text: str, numeral: Numeral, concluded_from: int, supposed_from: int) -> Rank:
    before = text[max(0, numeral.start - NEAR) : numeral.start]
    after = text[numeral.end : numeral.end + NEAR]
    if numeral.start >= concluded_from or _CONCLUDED_AFTER.match(after):
        return Rank.CONCLUDED
    if numeral.start >= supposed_from and not _MODAL_AFTER.match(after):
        return Rank.SUPPOSED
    expected = has_its_would(after) and not _WITH_BEFORE.search(before)
    if (_SHARE_AFTER.match(after) or _SHARE_BEFORE.search(before)) and numeral.value != "0":
        return Rank.EXPECTED if expected and _SHARE_OF_ALL.match(after) else Rank.SHARE
    if expected:
        return Rank.EXPECTED
    return Rank.BEFORE if _BEFORE.search(before) or _NOW_AFTER.search(after) else Rank.STATED


def has_its_would(after: str) -> bool:
    """Whether the "would" that follows a number is its own: "3 of the 8 would …"."""
    return bool(_MODAL_AFTER.match(after) or _SHARE_OF_ALL.match(after))


def _tells_a_change(after: str, asked: frozenset[str] = frozenset()) -> bool:
    change = _ASIDE_AFTER.match(after) or _CAME_OR_WENT.match(after)
    return bool(change) and asked.isdisjoint(counted_words(change.group() if change else ""))


def _is_aside(before: str, after: str, numeral: Numeral, asked: frozenset[str]) -> bool:
    if numeral.value == "0" and numeral.word != "zero":
        aside = _ZERO_ASIDE_BEFORE.search(before) and not has_its_would(after)  # "and no cow would be left"
        return bool(aside) and numeral.word == "no"
    if (
        numeral.word == "both"
        or _DENIED_BEFORE.search(before)
        or (_ASIDE_BEFORE.search(before) and not (_ANOTHER.search(before) and asked & {*counted_words(after)}))
        or _tells_a_change(after, asked)
        or _FOR_THESE.search(before)
        or (_WITH_THESE.search(before) and _GOES_ON_TO_WOULD.match(after))
    ):
        return True
    return numeral.word == "one" and is_a_thing(before, after)
