"""Finds the number that answers a question: after a marker such as "Answer:", in a conclusion, or next to the words of
the question."""

import re
from functools import lru_cache
from itertools import pairwise, takewhile

import msgspec

from countersight.english import is_plural
from countersight.reading.marks import is_foreign
from countersight.reading.numbers import Numeral, canonical, numerals
from countersight.reading.plain import any_case, lazy, word_set
from countersight.reading.sentences import (
    HYPOTHETICAL,
    NOW,
    conclusion_of,
    content_words,
    last_question,
    main_clause,
    sentences,
    stem,
    words,
)

_ASKED_FOR = any_case(
    r"\b(?:how many|number of|count of|amount of|how much)\s+(?:of (?:the|his|her|their) )?(?:(?:more|other"
    r"|different|distinct|total|fewer|less) )*"
)
_PHRASE_ENDS = word_set("""
are is was were do does did would will can could should have has had in on at of from with that which who
whose there be left remain if you we they he she it the a an to for by as not get got
""")
_COMPARED = any_case(
    r"(?:more|less|fewer|greater|higher|lower|larger|smaller|older|younger|bigger|taller|longer|better|worse|other"
    r"|rather) than(?: or equal to)?\s*[$]?$|(?:increas|decreas|reduc|drop|ris|grow|fall|go|lower"
    r"|rais)\w*(?: \w+){0,3} by\s*$|\b(?:add|remov|subtract)(?:s|e|es|ed|ing)?\s*$"
    r"|(?:at least|at most|up to|above|below|over|under|exceed(?:s|ing)?"
    r"|born (?:in|after|before)|year|years|figure|fig\.?|step|item|row|column|page|question|point|angle|level|chapter"
    r"|table|player|no\.|#|minute|number|option|image|picture|frame|line|section|room|age|aged|circa|∠|not)\s*[$]?$"
)
_OPERATOR = any_case(
    r"^\s*(?:=|years? old|-years?\b|%|percent|°|degrees|cm|mm|km|kg|m\b|inch|feet|ft|hours?|minutes?|seconds?"
    r"|am\b|pm\b|o'clock|dollars?|cents?)"
)
_EQUALS = lazy(r"=\s*[$]?\s*(?=-?\d)")
_TOTAL = any_case(
    r"\b(?:total|sum|altogether|in all|combined|grand total|overall)\b(?:\s+(?:count|number|of|is|are|comes to|to"
    r"|would be|:|=))*\s*(?:\w+ ){0,3}?[:|=]?\s*$|\b(?:makes?|making|leaves?|leaving|gives?|giving|equals?"
    r"|results? in|comes? to|becomes?|brings? (?:it|the \w+|us) to)\s+(?:us |you |me |only |just |a total of )*$"
    r"|\b(?:increase\w*|decrease\w*|drop\w*|ris\w*|go\w*|reduce\w*|grow\w*|fall\w*)\b[^.]{0,40}\bto\s+$"
)
_IN_TOTAL = any_case(r"\b(?:total|altogether|in all|combined)\b")
_NO_NOUN = any_case(
    r"\b(?:no|not (?:see |have |find |show |contain )?any|n't (?:be |see |have |find )?any"
    r"|without any)\s+((?:\w+[ -]){0,4}?\w+)"
)
_NOT_ZERO = any_case(
    r"^(?:other|longer|doubt|need|change|problem|clear|way|further|additional|specific|difference|information"
    r"|reason|effect|one\b)"
)
_PARTS = any_case(
    r"\s*(?::|--|\(|, (?:including|consisting|comprising|made up|with|one|two|three|four|\d)|\bincluding\b"
    r"|\bconsisting\b|\bnamely\b)"
)
_HAN = {sign: "零一二三四五六七八九十".find(sign) for sign in "零一二三四五六七八九十"} | {"两": 2, "兩": 2}
_HAN_NUMBER = lazy(
    r"(?<![一二两兩三四五六七八九十百千])([一二两兩三四五六七八九十零])(?![一二三四五六七八九十百千些样直起共])"
)
_OF = any_case(r"\s+(?:out )?of (?:the |these |those |his |her |their |all )*")
_RANGE = any_case(r"\s*(?:-|to|(?:\w+ ){0,2}\w*,? ?or(?: perhaps| maybe| possibly| even)?)\s*")
_OF_MORE = any_case(r"\s+\w+ (?:of|with) $")  # "2 groups of 3 cows"
_BETWEEN = any_case(r"\bbetween\s+$")
_YEAR = lazy(r"(?:1[89]|20)\d\d")
_TOTAL_LINE = any_case(r"^\W*(?:grand |overall )?total\b([^\n]*)$", re.MULTILINE)
_AFTERMATH = any_case(
    r"\b(?:if|were to|suppose|supposing|imagine|had been|left|remain\w*|still|stays?|afterwards?"
    r"|then|after|would|will|end up|final(?:ly)?|gives?|leaves?|makes?)\b|\w'd\b|=\s*[$]?\s*-?\d"
)
_SUPPOSED = any_case(r"\W*(?:imagine|suppose|let's say)\b[^,]*$")
_FEWER = any_case(r"^\s+(?:\w+\s+)?(?:fewer|less|more|extra|additional)\b")
_NOT_SINGLE = any_case(
    r"^\W*(?:in|on|by|at|from|since|step|figure)\b|\b(?:not|now|currently|never|each|half|double|twice \w)\b|n't"
)
_GOES_ON = any_case(r"(?:so|thus|therefore|but|then|and then|minus|plus|if|which|of which)\b|\d")
_OF_THEM = any_case(r"\s+of (?:them|which|whom|these|those)\b")
_BARE = lazy(r"[\s\"'(*]*(-?\d[\d,]{0,12}(?:\.\d+)?)[\s\"')*]*(?:[.;!]?$|[.;!]\s|,\s+(?:as|because|since|not|which)\b)")
_SHORT, _LIST_HEAD, _FEW = 80, 3, 6


class CountQuestion(msgspec.Struct, frozen=True):
    """What a question counts: the stems of the noun (`head` is the last), and the words of the main clause."""

    noun: frozenset[str]
    head: str
    words: frozenset[str]
    numbers: frozenset[str]
    is_hypothetical: bool
    counts: bool


@lru_cache(maxsize=256)
def parse_question(question: str) -> CountQuestion:
    """Return what a question counts."""
    asks = last_question(question)
    phrases = list(_ASKED_FOR.finditer(asks))
    named = words(asks[phrases[-1].end() :])[:6] if phrases else []
    phrase = list(takewhile(lambda word: word not in _PHRASE_ENDS, named))
    plural = next((place for place, word in enumerate(phrase) if is_plural(word)), len(phrase))
    noun = [stem(word) for word in phrase[: plural + 1]]  # without a verb: "vases stand"
    main = main_clause(asks.rstrip(" ?"))
    return CountQuestion(
        frozenset(noun),
        noun[-1] if noun else "",
        content_words(main),
        frozenset(each.value for each in numerals(main)),
        bool(HYPOTHETICAL.search(question)),
        bool(phrases),
    )


def read_marked(region: str, question: str) -> str | None:
    """Return the number in the text that follows an answer mark, taken from the first sentence or from the total line
    of a list."""
    first = next(iter(sentences(region[:600])), "")
    if bare := _BARE.match(first):
        return canonical(bare[1])
    lines = _TOTAL_LINE.findall(region) if "\n" in region else []  # below a list or table of counts
    totals = {each.value for each in numerals(lines[-1])} if lines else set[str]()
    return totals.pop() if len(totals) == 1 else _best_number(first, parse_question(question), trusted=True)[0]


def single_number(text: str, question: str, *, more: int = 1) -> str | None:
    """Return the number in a text with at most `more` other words: "7", "about 7 birds"."""
    found = numerals(text) if len(text) < 60 and not _NOT_SINGLE.search(text) else []
    if len(found) != 1 or _OPERATOR.match(text[found[0].end :]):
        return None
    own = {stem(word) for word in words(text[found[0].start : found[0].end])}
    return found[0].value if len(content_words(text) - parse_question(question).words - own) <= more else None


def read_beginning(text: str, question: str) -> str | None:
    """Return the number with which a text starts on its own: "7", "7.", "Seven (two of them red)", "7 birds."."""
    first = re.match(r"[\s\"'*(]*([^\n]*?)(?:[.,:;!(\n]|--|\s-\s|$)(?!\d)", text)
    if not first or not 0 < len(first[1]) < _SHORT:
        return None
    following = text[first.end() :].lstrip()
    is_item = re.match(r"\W*\d{1,2}[.)]\s", text) and re.search(r"(?:^|\n)\s*\(?2[.)]\s", following)
    is_several = is_foreign(text) and _only_number(text) is None
    goes_on = is_item or is_several or len(words(first[1])) > _LIST_HEAD or _GOES_ON.match(following)
    return None if goes_on else single_number(first[1], question, more=0)


def _best_number(sentence: str, wanted: CountQuestion, *, trusted: bool = False) -> tuple[str | None, int]:
    """Return the number in a sentence, and how many words the sentence shares with the question. If it is `trusted`,
    the sentence is known to state the answer.
    """
    clause = main_clause(sentence)
    if not wanted.is_hypothetical and not numerals(clause):
        clause = sentence  # "The number of cats left after two went away is 3."
    if is_foreign(clause):
        return _only_number(clause), 0
    if _EQUALS.search(clause):
        return _result(clause), len(content_words(clause) & wanted.words)
    found = [each for each in numerals(clause) if _may_count(each, clause, wanted, trusted=trusted)]
    found += [
        Numeral("0", match.start(), match.start(1))  # "no cats", but not "no other cats"
        for match in _NO_NOUN.finditer(clause)
        if not _NOT_ZERO.match(match[1]) and wanted.noun & {stem(word) for word in words(match[1])}
    ]
    found = _shares(sorted(found, key=lambda each: each.start), clause, wanted)
    if not wanted.is_hypothetical:
        found = [each for each in found if each.value not in wanted.numbers] or found
    found = [each for each in found if not clause[: each.start].lower().endswith(("the ", "these "))] or found
    if not found:
        return None, 0
    ends = [*(each.start for each in found[1:]), len(clause)]
    owned = [clause[each.end : end] for each, end in zip(found, ends, strict=True)]  # the words after each number
    scores = [_score(own, wanted) for own in owned]
    if len({each.value for each in found}) == 1:
        return found[0].value, max(*scores, _score(clause, wanted))
    if (value := _total(found, clause, wanted)) is not None:
        return value, max(1, _score(clause, wanted) - 1)
    return _own_noun(found, owned, wanted) or _best(found, owned, scores, clause, trusted=trusted), max(scores)


def _score(text: str, wanted: CountQuestion) -> int:
    """Count the question's words in a text. The noun counts half: replies use it for both a part and the whole."""
    shared = content_words(text) & (wanted.words | wanted.noun)
    lacks_total = "total" in wanted.words and not _IN_TOTAL.search(text)
    return 2 * len(shared - {wanted.head}) + (wanted.head in shared) - 6 * lacks_total


def _result(clause: str) -> str | None:
    """Return the result of an equation; None if there are several."""
    results = {
        found[0].value
        for part in re.split(r",\s+(?:and\s+)?|\band\b", clause)
        if _EQUALS.search(part) and (found := numerals(part.rpartition("=")[2]))
    }
    return results.pop() if len(results) == 1 else None


def read_sentences(text: str, question: str) -> str | None:
    """Return the number that a reply concludes or states about the question; None if it contradicts itself."""
    wanted = parse_question(question)
    if is_foreign(text) or text.startswith("{"):  # of several counts in a JSON object, none is the answer
        return _only_number(text)
    statements = [each for each in sentences(text) if not each.endswith("?")]
    if wanted.is_hypothetical:
        statements = [each for each in statements if not _SUPPOSED.match(each)]
        hypothetical = [each for each in statements if _AFTERMATH.search(each) or conclusion_of(each)]
        statements = hypothetical or (statements if len(words(text)) <= _FEW and not NOW.search(text) else [])
        return _hypothetical_number(statements, wanted)
    for sentence in reversed(statements[-3:]):
        part = conclusion_of(sentence)
        if part and (value := _best_number(part, wanted, trusted=True)[0]) is not None:
            return value
    weighed = [(found[0], found[1]) for each in statements if (found := _best_number(each, wanted))[0] is not None]
    most = max((score for _, score in weighed), default=0)
    best = {value for value, score in weighed if score >= most - (most > 2)}
    if len(best) > 1 and weighed[0][1] == most and all(float(weighed[0][0]) >= float(value) for value, _ in weighed):
        return weighed[0][0]  # a count, then its parts
    return best.pop() if len(best) == 1 else None


def _hypothetical_number(statements: list[str], wanted: CountQuestion) -> str | None:
    """Return the number for a hypothetical question: from all sentences if they agree, or from the last conclusion."""
    values = list[str]()
    for sentence in statements:
        part = conclusion_of(sentence)
        if (value := _best_number(part or sentence, wanted, trusted=bool(part))[0]) is not None:
            values.append(value)
            last = bool(part or _EQUALS.search(sentence))
    return values[-1] if values and (len({*values}) == 1 or last) else None


def _may_count(each: Numeral, clause: str, wanted: CountQuestion, *, trusted: bool) -> bool:
    before = clause[max(0, each.start - 40) : each.start]
    if each.word in ("once", "twice", "thrice") and not ("tim" in wanted.noun or trusted):
        return False
    if not wanted.counts:
        return True
    after = clause[each.end :]
    if _FEWER.match(after) and "mor" not in wanted.words and not wanted.words & {"fewer", "less"}:
        return False
    if _YEAR.fullmatch(each.value) and not wanted.noun & {stem(word) for word in words(clause[each.end :])[:2]}:
        return False
    uncountable = each.value[0] == "-" or (not trusted and ("." in each.value or _OPERATOR.match(after)))
    return not (uncountable or _COMPARED.search(before))


def _own_noun(found: list[Numeral], owned: list[str], wanted: CountQuestion) -> str | None:
    """Return the only number of the requested noun if all others have other nouns: "3 cows and 2 dogs"."""
    nouns = [next((word for word in words(own)[:2] if word.endswith("s")), "") for own in owned]
    fits = [each.value for each, noun in zip(found, nouns, strict=True) if noun and stem(noun) == wanted.head]
    return fits[0] if len(fits) == 1 and all(nouns) and not any(map(_OF_MORE.match, owned)) else None


def _best(found: list[Numeral], owned: list[str], scores: list[int], clause: str, *, trusted: bool) -> str | None:
    """Return the number whose surrounding words overlap most with the question; None if there is a tie."""
    for place, own in enumerate(owned[1:], 1):
        if _OF_THEM.match(own) and scores[place] >= 2:
            return found[place].value
    best = max(scores)
    near = [best - 1 + bool(_IN_TOTAL.search(own)) for own in owned]  # "5 people in total: 2 with hats"
    values = {each.value for each, score, least in zip(found, scores, near, strict=True) if score >= least}
    if best and len(values) == 1:
        return values.pop()
    if (trusted or best) and scores[0] == best and _PARTS.search(clause, found[0].end, found[1].start + 1):
        return found[0].value  # "7 birds: 3 white, 4 grey"
    return None


def _total(found: list[Numeral], clause: str, wanted: CountQuestion) -> str | None:
    """Return the number that a clause calls a total or a remainder."""
    totals = {each.value for each in found if _TOTAL.search(clause[: each.start][-60:])}
    largest = max((each.value for each in found), key=float)
    return totals.pop() if len(totals) == 1 and (totals == {largest} or wanted.is_hypothetical) else None


def _shares(found: list[Numeral], clause: str, wanted: CountQuestion) -> list[Numeral]:
    """In "three of the five", keep only the part, or the whole if the question asks for it. Drop all ranges."""
    dropped = set[int]()
    for one, other in pairwise(found):
        between = clause[one.end : other.start]
        if _OF.fullmatch(between):
            dropped.add((one if wanted.words <= wanted.noun else other).start)
        elif _BETWEEN.search(clause[: one.start]) or (
            _RANGE.fullmatch(between) and not _TOTAL.search(clause[: other.start][-60:])
        ):
            return []
    return [each for each in found if each.start not in dropped]


def _only_number(clause: str) -> str | None:
    digits = {canonical(match) for match in re.findall(r"\d+(?:\.\d+)?", clause)}  # also between signs: "有3只"
    digits |= {each.value for each in numerals(clause)} | {str(_HAN[sign]) for sign in _HAN_NUMBER.findall(clause)}
    return digits.pop() if len(digits) == 1 else None
