"""How strongly each number in a sentence is put forward as the answer to a how-many question."""

import re
from enum import IntEnum

from countersight.reading.clauses import MODAL, stated
from countersight.reading.numerals import Numeral, numerals


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


Ranks = list[tuple[Rank, str | None]]

_CONCLUDING = re.compile(
    r"\b(?:so(?! that| many| much)|therefore|thus|hence|consequently|accordingly|in total|total\w*|altogether"
    r"|in conclusion|overall|leav(?:es?|ing)(?! (?:the|from))|giv(?:es?|ing)|mak(?:es?|ing)|equals?|results? in"
    r"|resulting in|sums? (?:up )?to"
    r"|adds? up to|comes? (?:out )?to|amounts? to|ends? up with|left with|down to|up to a total of|becomes?"
    r"|(?:gets?|got)(?! rid)|yields?|remain\w*|final\w*|conclusion|answer|count is|number is"
    r"|bring\w* (?:\w+ ){0,3}to)\b|=|(?<=,)\s*for\b(?! the)|(?<!the )(?<=\w )left\s*:"
    r"|\b(?:half|halved|twice|doubled?|tripled?|plus|minus|times)\b[^.,=]{0,30}?\bis\b",
    re.IGNORECASE,
)
_CONCLUDED_AFTER = re.compile(
    r"(?:\s+[\w'-]+){0,3}?\s+(?:in total|in all|total\b|altogether|overall|remain|remains|remaining|is the answer"
    r"|is the (?:final|correct|right) (?:answer|count|number))",
    re.IGNORECASE,
)
_MODAL = re.compile(rf"(?:\b|(?=')){MODAL}\b", re.IGNORECASE)
# "4 of the cows would stay", but not "11 cows and 7 would go": the "would" must be the number's own.
_MODAL_AFTER = re.compile(rf"(?:\s+(?!and\b|\d)[\w'-]+){{0,6}}?\s*{MODAL}\b", re.IGNORECASE)
# What stands before a number that is not the answer.
_ASIDE_BEFORE = re.compile(
    r"(?:\b(?:twice|thrice|double|doubling|tripling|halving|half|turning (?:on|off)|of which|of whom|including"
    r"|(?<!total )of|out of|of (?:the|these|those|all|my|your|its|his|her|their)|from|from the|than"
    r"|instead of|rather than"
    r"|minus|plus|times|by|adding|removing|subtracting|subtract|deduct|remov(?:e|ed|es)|add|adds|added|less|lose"
    r"|losing|los(?:t|es)"
    r"|gain(?:ed|ing)?|took away|take away|taking away|takes away|eat(?:ing|s)?|ate|and another|another"
    r"|the other|every|each|an additional|additional|an extra|extra|in|into|across|among|on)(?: all)?(?: the)?"
    r"(?: (?:first|last|other|original|initial|existing|current|top|bottom|upper|lower))?"
    r"|[+*/]|\d\s*-)\s*$",
    re.IGNORECASE,
)
# "left with 4" is a result; in "a field with 2 trees" the field was not asked for.
_WITH_BEFORE = re.compile(r"\bwith\s*$", re.IGNORECASE)
_RESULT_WITH = re.compile(
    r"(?:\b(?:le(?:ft|av\w*)|end\w*|start\w*|beg[ia]n\w*|remain\w*|us|you|we|me)\b(?: \w+){0,2} |^\W*)\bwith\s*$",
    re.IGNORECASE,
)
_DENIED_BEFORE = re.compile(
    r"(?:(?:\bnot|n't)(?: be| have| see)?|\b(?:not (?:be )?(?:possible|able)|impossible|unable) to (?:see|have|find))"
    r"(?: just| only)?(?: the)?\s*$",
    re.IGNORECASE,
)
_LABEL_BEFORE = re.compile(
    r"\b(?:step|figure|fig|image|picture|photo|person|object|item|part|point|option|question|region|row|column"
    r"|version|rule|phase|stage|line|page|room|route|gate|track|platform)\s*[#.]?\s*$",
    re.IGNORECASE,
)
_ZERO_ASIDE_BEFORE = re.compile(r"\b(?:and|with|but|or|if|has|have)\s*$", re.IGNORECASE)
_INEXACT_BEFORE = re.compile(
    r"\b(?:at least|at most|more than|less than|fewer than|over|under|no more than|no fewer than|above|below"
    r"|no less than|greater than"
    r"|(?<!go )(?<!goes )(?<!going )(?<!rise )(?<!rises )(?<!increase )(?<!increases )(?<!grow )(?<!jump )up to"
    r")(?: the)?\s*$",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\b(?:originally|initially|currently|at present|at first|at the moment|right now|were|was|had|have been"
    r"|started with"
    r"|start with|starting with|begin with|previously|used to be|existing|original|presently"
    r"|began with)\b(?!.*\b(?:now|then)\b)",
    re.IGNORECASE,
)
# What stands after one.
_ASIDE_AFTER = re.compile(
    r",?\s*(?:[+*/]|-(?=\s*(?:\d|[a-z]\b|one\b|two\b|three\b|four\b|five\b|six\b|seven\b|eight\b|nine\b|ten\b))"
    r"|(?:doubled|tripled|halved|squared|multiplied)\b"
    r"|(?:\w+,?\s+)?(?:plus|minus|times|added to|taken from|subtracted from)\b"
    r"|(?:\w+\s+)?(?:more|additional|extra|new|other|others|another|fewer|less)\b"
    r"|%|percent\b|per cent\b|years?\b|o'clock\b|[ap]m\b"
    r"|(?:[\w'-]+\s+){0,3}?(?:(?:is|are|was|were|being|be|been|gets?|got|has|have|having|would|will|that|which"
    r"|who|more)\s+)*"
    r"(?:removed|added|taken(?: away)?|eaten|disappear\w*|came|comes?|coming|arriv\w*|join\w*|leave|leaves"
    r"|vanish\w*|sold"
    r"|gone|go away|goes away|went away|walk\w* away|flew|flies|fly|fall\w*|fell|moved|appear(?:s|ed)"
    r"|left(?= (?:the|and|for|to)\b))\b)",
    re.IGNORECASE,
)
_SHARE_AFTER = re.compile(r"\s*(?:of (?:them|the|these|those|which|whom|it|\d)|out of)\b", re.IGNORECASE)
_JUST_ONE = re.compile(
    r"(?:\b(?:is|are|be|was|only|just|exactly|has|have|see|say|total of|about|get)|[:=(])\s*$", re.IGNORECASE
)
_ONE_OF_SOME = re.compile(
    r"\s+(?:is|was|has|on|in|at|that|which|who|with|by|another|could|can|can't|thing|might|side|day|cannot|must)\b",
    re.IGNORECASE,
)
_ONE_BEFORE = re.compile(
    r"\b(?:this|that|the|each|which|every|another|no|any|other|first|last|\w+ed|only)\s+$", re.IGNORECASE
)
_ALTERNATIVE = re.compile(
    r"\s*(?:or(?: maybe| possibly| perhaps| even)?|to|/|and/or|and (?:possibly|maybe|perhaps))\s*$", re.IGNORECASE
)
_RANGE = re.compile(r"\s*-\s*$")
_FROM = re.compile(r"\b(?:from|by)\s*$", re.IGNORECASE)  # "from 5 to 3" ends at 3
_BETWEEN = re.compile(r"\bbetween\s*$", re.IGNORECASE)
_SHORT_OPENING = re.compile(
    r"\W*(?:(?:yes|no|well|okay|ok|sure|exactly|only|just|about|around|approximately|roughly|a total of"
    r"|i(?:'d)? (?:see|count|think|say)"
    r"|i would say|probably|maybe)\b\W*)*$",
    re.IGNORECASE,
)
_PARENTHESIS = re.compile(r"[(\[][^()\[\]]{0,200}[)\]]")
_BREAKDOWN = re.compile(
    r":|--|\bincluding\b|\bconsisting of\b|\bnamely\b|\bi\.e\.|\bcomprising\b|\bmade up of\b|,", re.IGNORECASE
)
_PARTS_FOLLOW = re.compile(r"\s*(?::|--|,\s*(?:including|namely|the)\b)", re.IGNORECASE)
_LESSENING = re.compile(
    r"=|(?<!-)-(?!-)|\b(?:remov|(?<!the )left|leav|minus|subtract|fewer|less|gone|disappear|tak|away|eat|remain|los)",
    re.IGNORECASE,
)
_EXPLAINED = re.compile(r"\s*(?:[\w']+\s*)?(?:\s--?\s|:)\s*(?=[a-z])", re.IGNORECASE)  # "4 - there were 11, …"
_NEAR = 60  # characters of a sentence that can say what a number in it is


def ranks_in(sentence: str, *, first: bool, last: bool) -> Ranks:
    """The numbers of a sentence in order, each with its rank; its suppositions are left out."""
    main = stated(sentence)
    outside = _PARENTHESIS.sub(" ", main)
    found = numerals(outside)
    if not found:
        outside = main
        found = numerals(outside)
    found = _whole(outside, _marked(outside, found))
    if not found:
        return []
    asides = [_is_aside(outside[max(0, n.start - _NEAR) : n.start], outside[n.end : n.end + _NEAR], n) for n in found]
    end = max((n.start for n, aside in zip(found, asides, strict=True) if not aside), default=-1)
    # "3 + 2 = 5, then 5 - 1 = 4": of several conclusions in a sentence the last one that has a number counts.
    signs = [sign.span() for sign in _CONCLUDING.finditer(outside) if sign.end() <= end]
    if len(signs) == 1 and _totals(outside, found, signs[0][1]):
        signs = []
    concluded_from = signs[-1][1] if signs else len(outside)
    modal = _MODAL.search(outside)
    supposed_from = modal.end() if modal else len(outside)
    ranks = [
        (Rank.ASIDE if aside else _rank(outside, numeral, concluded_from, supposed_from), numeral.value)
        for numeral, aside in zip(found, asides, strict=True)
    ]
    if signs and outside[signs[-1][0] : concluded_from] == "=":
        # The result of a sum stands right after its sign: "23 - 5 = 18 dots in six circles".
        results = [
            i for i, (rank, _) in enumerate(ranks) if rank == Rank.CONCLUDED and found[i].start >= concluded_from
        ]
        for i in results[1:]:
            ranks[i] = (Rank.STATED, ranks[i][1])
    if ranks[0][0] == Rank.STATED and _SHORT_OPENING.match(outside[: found[0].start]):
        alone = (first or last) and len(ranks) == 1 and len(outside.split()) <= 6
        if alone or (first and _EXPLAINED.match(outside[found[0].end :])):
            ranks[0] = (Rank.ALONE, found[0].value)
    return ranks


def opening_number(text: str) -> str | None:
    """The number a text begins with, where it stands for itself: the "4" of "4, since 3 cats and 1 more make 4"."""
    found = _marked(text, numerals(text))
    if not found or not _SHORT_OPENING.match(text[: found[0].start]):
        return None
    if _ASIDE_AFTER.match(text[found[0].end : found[0].end + _NEAR]) or "=" in text[:_NEAR]:
        return None
    return found[0].value


def _marked(text: str, found: list[Numeral]) -> list[Numeral]:
    """The numbers, less labels ("step 2"), and with alternatives and ranges ("3 or 4", "3-5") made unreadable."""
    kept = [n for n in found if not _LABEL_BEFORE.search(text[max(0, n.start - _NEAR) : n.start])]
    leads = [text[max(0, n.start - 20) : n.start] for n in kept]
    torn = {i for i, lead in enumerate(leads) if _INEXACT_BEFORE.search(lead) or _DENIED_BEFORE.search(lead)}
    sums = "=" in text
    for position in range(len(kept) - 1):
        first, second = kept[position], kept[position + 1]
        joint = text[first.end : second.start]
        lead = leads[position]
        alternatives = _ALTERNATIVE.match(joint) and not _FROM.search(lead)
        span = _RANGE.match(joint) and not sums and _less(first.value, second.value)
        if alternatives or span or _BETWEEN.search(lead):
            torn |= {position, position + 1}
    return [Numeral(None, n.start, n.end) if position in torn else n for position, n in enumerate(kept)]


def _less(first: str | None, second: str | None) -> bool:
    return first is not None and second is not None and float(first) < float(second)


def _whole(text: str, found: list[Numeral]) -> list[Numeral]:
    """Only the total, where a sentence gives a total and then its parts: "5 animals: 3 cats and 2 dogs"."""
    if len(found) < 3 or not _BREAKDOWN.search(text[found[0].end : found[1].start]):
        return found
    values = [int(n.value) if n.value and n.value.isdigit() else -1 for n in found]
    whole = min(values) > 0 and values[0] == sum(values[1:]) and not _LESSENING.search(text)
    return found[:1] if whole else found


def _totals(text: str, found: list[Numeral], end: int) -> bool:
    """Whether a sign belongs to the number before it, and its parts follow: "you'd have 3 in total: the 2 … and …"."""
    before = [n.value for n in found if n.end <= end]
    after = [n.value for n in found if n.start >= end]
    if len(before) != 1 or not _PARTS_FOLLOW.match(text[end:]) or _LESSENING.search(text):
        return False
    modal = _MODAL.search(text[: found[0].start])
    return bool(modal and _CONCLUDED_AFTER.match(text[found[0].end :])) and all(_less(n, before[0]) for n in after)


def _rank(text: str, numeral: Numeral, concluded_from: int, supposed_from: int) -> Rank:
    before = text[max(0, numeral.start - _NEAR) : numeral.start]
    after = text[numeral.end : numeral.end + _NEAR]
    if numeral.start >= concluded_from or _CONCLUDED_AFTER.match(after):
        return Rank.CONCLUDED
    if numeral.start >= supposed_from and not _MODAL_AFTER.match(after):
        return Rank.SUPPOSED
    if _SHARE_AFTER.match(after) and numeral.value != "0":
        return Rank.SHARE
    if _MODAL_AFTER.match(after):
        return Rank.EXPECTED
    if _BEFORE.search(before):
        return Rank.BEFORE
    return Rank.STATED


def _is_aside(before: str, after: str, numeral: Numeral) -> bool:
    if numeral.value == "0" and numeral.word != "zero":
        return bool(_ZERO_ASIDE_BEFORE.search(before)) and numeral.word == "no"
    if (
        numeral.word == "both"
        or _DENIED_BEFORE.search(before)
        or _ASIDE_BEFORE.search(before)
        or (_WITH_BEFORE.search(before) and not _RESULT_WITH.search(before))
        or _ASIDE_AFTER.match(after)
    ):
        return True
    if numeral.word == "one":
        pronoun = _ONE_OF_SOME.match(after) or _ONE_BEFORE.search(before)
        return bool(pronoun) and not _JUST_ONE.search(before)
    return False
