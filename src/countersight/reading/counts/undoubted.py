"""Counts that are told so plainly that they need no second opinion: "That makes five.", "4 - 1 = 3"."""

import re
from itertools import permutations, product, takewhile

from countersight.reading.counts.first_or_last import told_at_last
from countersight.reading.counts.of_some import is_told_apart
from countersight.reading.counts.question import Counted, counted_by
from countersight.reading.counts.totals import more_or_fewer
from countersight.reading.counts.where_asked import is_where_it_was_asked
from countersight.reading.language.clauses import MODAL_AT, NOW_AT, every_clause, imagines, sentences
from countersight.reading.language.numerals import Numeral, numerals
from countersight.reading.language.ones import is_a_thing
from countersight.reading.language.ranks import FINITE
from countersight.reading.language.stems import counted_words, spelled, stem
from countersight.reading.language.vocabulary import found, words

_MORE_THAN_A_COUNT = found("counts.no_plain_counts")
_OUTCOME = found("counts.outcomes")
_TOTAL = found("counts.totals")
_ARITHMETIC = frozenset(map(stem, words("counts.arithmetic")))
_OPINION = frozenset(map(stem, ("believe", "suppose", "assume", "estimate", "stuck")))  # or a word for "left"
_MOST_ADJECTIVES = 2
_BY_SO_MANY = re.compile(r"\bdifference (?:is|of) #|# (?:more|fewer|less)\b", re.IGNORECASE)
_SO_IT_IS = re.compile(r"\bso (?:it's|it is|that's|that is|that makes|there are) (?P<many>[\w-]+)\W*$", re.IGNORECASE)
_BEFORE = re.compile(r"\W*(?:before|now|currently|at present|today)\b", re.IGNORECASE)
_AFTER = re.compile(r"\W*(?:after\w*|then|new)\b", re.IGNORECASE)
_ALL_ARE = re.compile(
    r"(?:,| --?|;)(?: and)? all (?:of (?:them|which|whom) )?(?:is|are|have|has|wear) (?P<so>[^.,;:\d]+)[.!]?$",
    re.IGNORECASE,
)
_AND = re.compile(r",? and (?=[\w-]+ (?:is|are|has|have)\b)", re.IGNORECASE)
_NOW = re.compile(r"\b(?:right |just )?now\b|\bcurrently\b", re.IGNORECASE)
_HAVING = frozenset(map(stem, (*words("questions.possession"), *words("counts.holding"))))
_NOT = re.compile(r"\bnot\b|n't\b", re.IGNORECASE)
_COMES_TO = re.compile(r"\b(?:so|total|altogether|in all|makes?|leav\w+|would|if)\b|=", re.IGNORECASE)
_STOP = re.compile(r"(?<=\w)[,.:;!](?:\s|$)")


def is_undoubted(answer: str, text: str, question: str) -> bool:
    """Whether a reply gives one number and says no more of it than was asked, or a sum of what is and what changes."""
    asked = counted_by(question)
    if answer == told_at_last(text, asked):
        return True
    if is_told_apart(answer, text, asked):
        return True
    so = _SO_IT_IS.search(text)
    if so and not asked.imagined and [n.value for n in numerals(so["many"])] == [answer]:
        return True
    if asked.of_now and (_is_the_difference(answer, text, asked) or _is_the_denied(answer, text, asked)):
        return True
    if answer == "0" or asked.negated or asked.difference or asked.of_each:
        return False
    if not asked.imagined and _is_the_total_of_labels(answer, text, asked):
        return True
    if asked.of_now and (_is_said_of_all(answer, text, asked) or _is_said_of_the_asked_alone(answer, text, asked)):
        return True
    pieces = [piece for piece in sentences(text) if not _is_what_is_now(answer, piece, asked)]
    counting = [piece for piece in pieces if _numbers(piece)]
    if asked.imagined and _is_the_last_label(answer, [piece for piece in sentences(text) if _numbers(piece)], asked):
        return True
    beside = {word for piece in pieces if piece not in counting for word in counted_words(piece)}
    if len(counting) != 1 or beside & (asked.nouns | asked.qualities | asked.owner):
        return False
    (piece,) = counting
    if is_where_it_was_asked(answer, piece, asked):
        return True
    *others, last = _numbers(piece)
    if last.value != answer:
        return False
    if others:
        return _is_worked_out(last, others, piece, asked)
    return not any(map(_MORE_THAN_A_COUNT.search, pieces)) and _is_just_the_asked(last, piece, asked)


def corrected_to(text: str, question: str) -> str | None:
    """The number that is all that the first words after a correction tell: "… no, sorry, 8 spoons: one is hidden."."""
    first, *rest = _STOP.split(text, maxsplit=1)
    told, further = _numbers(first), [str(n.value) for piece in rest for n in _numbers(piece)]
    if len(told) != 1 or _MORE_THAN_A_COUNT.search(first) or any(_COMES_TO.search(piece) for piece in rest):
        return None
    is_only = {"1"}.issuperset(further) or sum(map(int, filter(str.isdigit, further))) == int(told[0].value or 0)
    return told[0].value if is_only and counted_by(question).words.issuperset(counted_words(first)) else None


def _is_the_difference(answer: str, text: str, asked: Counted) -> bool:
    """Whether a reply calls a number the difference, or so many more, and it is that of the two others it has."""
    if not asked.difference or not answer.isdigit():
        return False
    numbers = _numbers(text)
    values = [int(n.value) for n in numbers if n.value and n.value.isdigit()]
    called = any(n.value == answer and _BY_SO_MANY.search(f"{text[: n.start]}#{text[n.end :]}") for n in numbers)
    others = [value for value in values if str(value) != answer] if values.count(int(answer)) == 1 else values
    return called and len(values) == 3 and str(max(others) - min(others)) == answer


def _is_the_denied(answer: str, text: str, asked: Counted) -> bool:
    """Whether just one sentence denies what was asked to be denied, and gives one number: "three are not in it"."""
    denying = [piece for piece in sentences(text) if _NOT.search(piece) and asked.qualities <= {*counted_words(piece)}]
    return asked.negated and len(denying) == 1 and [n.value for n in _numbers(denying[0])] == [answer]


def _is_said_of_all(answer: str, text: str, asked: Counted) -> bool:
    """Whether all of the only number are said to be what was asked: "4 boats, and all of them are orange"."""
    of_all, numbers = _ALL_ARE.search(text), _numbers(text)
    if not of_all or [n.value for n in numbers] != [answer] or numbers[0].start > of_all.start():
        return False
    named = asked.nouns.intersection(counted_words(text[numbers[0].end : of_all.start()])[: _MOST_ADJECTIVES + 1])
    told = frozenset(counted_words(of_all["so"]))
    return bool(named) and bool(told) and told == asked.qualities - (asked.places - told)


def _is_said_of_the_asked_alone(answer: str, text: str, asked: Counted) -> bool:
    """Whether just one clause that counts has all that was asked, and nothing else: "… and six are in the water"."""
    counting = [part for clause in every_clause(text) for part in _AND.split(clause) if _numbers(part)]
    fitting = [part for part in counting if asked.qualities <= {*counted_words(part)}]
    if not asked.qualities or len(fitting) != 1 or len(counting) < 2 or asked.kinds or imagines(text):
        return False
    own = _NOW.sub("", fitting[0])
    others = {word for part in counting if part is not fitting[0] for word in counted_words(part)}
    plain = not _MORE_THAN_A_COUNT.search(own) and not _NOT.search(text)
    more = {*counted_words(own)} - asked.words - _HAVING
    return plain and not more and not others >= asked.qualities and [n.value for n in _numbers(own)] == [answer]


def _is_the_last_label(answer: str, pieces: list[str], asked: Counted) -> bool:
    """Whether a list comes to what the change makes of its first count: "Now: 7", "Added: 3", "New total: 10"."""
    told = [_numbers(piece.rpartition(":")[2]) for piece in pieces if ":" in piece]
    lists = len(pieces) > 1 and len(told) == len(pieces) and all(len(numbers) == 1 for numbers in told)
    first, *others = [numbers[0].value for numbers in told] if lists else [None]
    changes = {*others[:-1]} or asked.supposed_numbers
    fits = changes <= asked.supposed_numbers and any(answer in more_or_fewer(first, by) for by in changes)
    then = bool(others) and _BEFORE.match(pieces[0]) and _AFTER.match(pieces[-1])
    return bool(others) and others[-1] == answer and (fits or bool(then))


def _is_the_total_of_labels(answer: str, text: str, asked: Counted) -> bool:
    """Whether a list ends with what all its counts come to, and the whole was asked for: "Left: 1", "Sum: 3"."""
    lines = [piece.rpartition(":") for piece in sentences(text) if _numbers(piece)]
    told = [(label, [str(n.value) for n in _numbers(many)]) for label, _, many in lines]
    if len(told) < 3 or asked.qualities - asked.places or any(not label or len(many) != 1 for label, many in told):
        return False
    *parts, total = [many[0] for _, many in told]
    adds_up = all(map(str.isdigit, parts)) and str(sum(map(int, parts))) == total == answer
    return adds_up and bool(_TOTAL.search(told[-1][0]))


def _numbers(piece: str) -> list[Numeral]:
    """The numbers of a sentence, less a "one" that stands for a thing: "one can tell"."""
    return [n for n in numerals(piece) if n.word != "one" or not is_a_thing(piece[: n.start], piece[n.end :])]


def _is_what_is_now(answer: str, piece: str, asked: Counted) -> bool:
    """Whether a sentence only counts what is now, and the change that the question supposes makes it the answer."""
    now = _numbers(piece)
    if not asked.imagined or len(now) != 1 or MODAL_AT.search(piece) or _OUTCOME.search(piece):
        return False
    known = asked.nouns.issuperset(counted_words(NOW_AT.sub("", piece)))
    return known and any(answer in more_or_fewer(now[0].value, by) for by in asked.supposed_numbers)


def _is_just_the_asked(number: Numeral, piece: str, asked: Counted) -> bool:
    """Whether nothing is said of a number that was not asked, and all that was asked of things where they are named."""
    if asked.imagined and FINITE.search(piece) and not (MODAL_AT.search(piece) or _OUTCOME.search(piece)):
        return False  # "there are five birds on the wire", to how many would be there
    said = frozenset(counted_words(f"{piece[: number.start]} {piece[number.end :]}"))
    told = asked.qualities - asked.places
    then = asked.supposition if asked.imagined and MODAL_AT.search(piece) else frozenset[str]()
    more = said - _OPINION - asked.nouns - asked.qualities - asked.owner - then - _adjectives(number, piece, asked)
    return not more and not (said & asked.nouns and told - said)


def _is_worked_out(result: Numeral, terms: list[Numeral], piece: str, asked: Counted) -> bool:
    """Whether a sentence only adds to what is now, or takes from it, what the question supposes: "2 minus 1 is one"."""
    if not asked.imagined or len(terms) > 2:
        return False
    values = [term.value for term in terms]
    ways = permutations(values) if len(values) > 1 else product(values, asked.supposed_numbers)
    fits = any(by in asked.supposed_numbers and result.value in more_or_fewer(now, by) for now, by in ways)
    return fits and (asked.nouns | _ARITHMETIC | _adjectives(result, piece, asked)).issuperset(counted_words(piece))


def _adjectives(number: Numeral, piece: str, asked: Counted) -> frozenset[str]:
    """What things are called besides their name: the "small" of "two small bears"; nothing where a kind was asked."""
    every = list(takewhile(lambda word: stem(word) not in asked.nouns, spelled(piece[number.end :])))
    named = len(every) < len(spelled(piece[number.end :]))
    return frozenset(map(stem, every)) if named and len(every) <= _MOST_ADJECTIVES and not asked.kinds else frozenset()
