"""Counts that a reply begins with and only remarks on, or that its last words come to and say nothing else."""

import re
from itertools import combinations

from msgspec.structs import replace

from countersight.reading.counts.company import Quantity
from countersight.reading.counts.fitting import fit
from countersight.reading.counts.question import Counted
from countersight.reading.language.clauses import MODAL_AT, NOW_AT, sentences
from countersight.reading.language.numerals import Numeral, less, numerals
from countersight.reading.language.ones import is_a_thing
from countersight.reading.language.stems import counted_words, stem
from countersight.reading.language.vocabulary import any_of, found

_OPENER = re.compile(rf"\W*(?P<only>{any_of('counts.only')}\W+)?$", re.IGNORECASE)
_REMARK = re.compile(r"(?: (?P<noun>[a-z]+)(?: (?:is|are) visible| can be seen)?)?,\s", re.IGNORECASE)
_SOMEWHERE = re.compile(
    rf"(?: [a-z]+)?,\s+{any_of('questions.prepositions')} (?:the|an?|his|her|its|their)\b", re.IGNORECASE
)
_DOING = re.compile(r"(?: [a-z]+)?,\s+(?:all )?[a-z]+ing\b", re.IGNORECASE)
_NO_REMARK = found("counts.no_remarks", "counts.no_plain_counts")
_IS_THERE = re.compile(
    rf"\bhow many \w+ are(?: there| {any_of('counts.staying')})? {any_of('questions.prepositions')}", re.IGNORECASE
)
_LAST_STEP = re.compile(r",\s+(?=(?:so|hence|thus|therefore|which makes|that makes|making)\b)", re.IGNORECASE)
_COMES_TO = re.compile(
    rf"\W*(?:(?P<so>(?:so|thus|hence|therefore)\W+)|(?:{any_of('counts.coming_to')}\W+))+"
    r"(?:(?:there (?:are|is)|i (?:see|count|get)|it's|it is|it would be|just|only)\W+)*$",
    re.IGNORECASE,
)
# "I see 7 men. Two are.", "… It's two.", "… Two of the seven."
_SHORT = re.compile(
    rf"\W*(?:(?:{any_of('counts.coming_to')}|{any_of('counts.only')}|it's|it is|there (?:is|are)|i'd go with)\W+)*"
    r"[\w-]+(?: of (?:them|these|those|the (?P<all>[\w-]+)))?(?: (?:is|are|do|does|was|were|has|have|it is))?\W*$",
    re.IGNORECASE,
)
_NOT_ALL = re.compile(r"\b(?:not (?:all|every)|some)\b", re.IGNORECASE)
_LEAST = 2  # numbers that make a sum
_MOST = 8  # of a reply that are tried as its terms


def opened_and_remarked(text: str, every: list[Quantity], asked: Counted) -> str | None:
    """The number that a reply of one sentence begins with and then only remarks on: "Four, each framed in icing."."""
    numbers = [n for n in numerals(text) if n.word != "one" or not is_a_thing(text[: n.start], text[n.end :])]
    if not asked.of_now or len(numbers) != 1 or len(every) != 1 or len(sentences(text)) > 1:
        return None
    opener, remark = _OPENER.match(text[: numbers[0].start]), _REMARK.match(text[numbers[0].end :])
    if not opener or not remark or _NO_REMARK.search(text[numbers[0].end :]):
        return None
    if remark["noun"] and (
        stem(remark["noun"].lower()) not in asked.nouns or not (opener["only"] or _IS_THERE.search(asked.text))
    ):
        return None  # "Five people, sitting at a table.", to how many wear hats
    if _SOMEWHERE.match(text[numbers[0].end :]) or (asked.doing and _DOING.match(text[numbers[0].end :])):
        return None  # "Three dogs, in the garden.", to how many are in the car; "Six, sitting on a wire."
    alone = replace(every[0], after="", negated=False)
    return numbers[0].value if fit(alone, asked, frozenset()) else None


def told_at_last(text: str, asked: Counted) -> str | None:
    """The number that is all of a last sentence, where all things of a name were counted before and some asked for."""
    pieces = sentences(text) or [""]
    while len(pieces) > 1 and not (numerals(pieces[-1]) or _NO_REMARK.search(pieces[-1])):
        pieces.pop()  # "The light makes this easy to tell."
    *before, last = pieces
    told, short, numbers = asked.qualities - asked.places or asked.qualities, _SHORT.match(last), numerals(last)
    if not (asked.of_now and told and short and numbers and numbers[0].value not in (None, "0")):
        return None
    scene = " ".join(before)
    wholes = {n.value for n in numerals(scene)}
    if wholes != {n.value for n in numbers[1:]} | wholes or len(wholes) != 1 or not less(numbers[0].value, *wholes):
        return None
    said = told.intersection(counted_words(scene)) and not _NOT_ALL.search(scene)
    return None if said or asked.negated else numbers[0].value


def comes_to(text: str, every: list[Quantity], asked: Counted) -> str | None:
    """The number that is all of a last sentence or step: "So three.", "That makes five sailboats."."""
    pieces = sentences(text)
    step = _LAST_STEP.split(pieces[-1])[-1] if pieces else ""
    before = text[: text.rindex(step)] if step in text else ""
    numbers = numerals(step)
    if len(numbers) != 1 or not before.strip():
        return None
    (number,) = numbers
    lead, tail = _COMES_TO.match(step[: number.start]), counted_words(step[number.end :])
    if not lead or number.value in (None, "0") or not {*tail} <= asked.nouns | asked.qualities:
        return None
    if _NO_REMARK.search(step[number.end :]) or NOW_AT.search(step):
        return None
    if asked.imagined and not _would_be_so(pieces[-2:], asked):
        return None  # "3 on the left, 2 on the right. That makes five.", to how many would be left
    if asked.of_now and tail and asked.doing and not asked.doing & {*tail}:
        return None  # "The man wears a hat, the boy none. That makes two people.", to how many wear hats
    told = [n for n in numerals(before) if n.value and n.value.isdecimal()][-_MOST:]
    values = {n.value for n in told}
    if asked.negated or not (asked.kinds <= {*tail} or (lead["so"] and number.value in values)):
        return None  # "a rabbit and her four babies, so there are five rabbits", to how many baby rabbits there are
    if _is_sum(number, told):
        named = asked.nouns & {*tail}
        return number.value if named and not any(n.words & asked.qualities for n in every[:-1]) else None
    again = _is_difference(number, told) or number.value in values
    if again and not lead["so"] and asked.qualities:
        return None  # "Eight chairs, six of them taken. That leaves two.", to how many are taken
    return number.value


def _would_be_so(pieces: list[str], asked: Counted) -> bool:
    """Whether a sentence says of something that it would be what was asked: "Ana and Eva would pass. That is two."."""
    return any(MODAL_AT.search(each) and asked.qualities.intersection(counted_words(each)) for each in pieces)


def _is_sum(number: Numeral, told: list[Numeral]) -> bool:
    terms = [int(n.value or 0) for n in told]
    sizes = range(_LEAST, len(terms) + 1)
    return any(str(sum(chosen)) == number.value for size in sizes for chosen in combinations(terms, size))


def _is_difference(number: Numeral, told: list[Numeral]) -> bool:
    return any(str(abs(int(a.value or 0) - int(b.value or 0))) == number.value for a, b in combinations(told, 2))
