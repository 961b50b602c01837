"""A second look at a count that was read: what the rest of the reply says against it leaves it unread."""

import re
from collections.abc import Callable
from itertools import pairwise

from countersight.reading.counts.places_told import ROOMY
from countersight.reading.counts.question import Counted, counted_by
from countersight.reading.language.clauses import (
    MODAL_AT,
    clauses,
    contrasted,
    every_clause,
    imagines,
    sentences,
    stated,
)
from countersight.reading.language.numerals import numerals
from countersight.reading.language.opposites import opposed_stems
from countersight.reading.language.stems import counted_words, is_empty, stem
from countersight.reading.language.vocabulary import words

# "Blue: 4", "12 in total": listed beside the part that was asked for, or added up behind it.
_IS_LISTED_OR_ADDED_UP = re.compile(r"^[^:.]{1,40}:\W*\w+(?: \w+)?\W*$|\b(?:total|altogether|in all)\b", re.IGNORECASE)
_THINGS_LISTED = re.compile(r"[|\s]*(?:[a-z]+ )?(?P<name>[a-z]+s) ?[:|]\s*[\w-]+\W*$", re.IGNORECASE)  # "Balls: 3"
_SOME_OF_THEM = re.compile(r"\bof (?:them|these|those|which|whom)\b", re.IGNORECASE)
_A_WORD_OR_TWO = 3
_COUNTS_NEXT = re.compile(r"[,;:]\s+|\s+and\s+|\s+so\s+(?=[\w-]+ (?:are|is|have|do)\b)")
_ANOTHER_PART = re.compile(r",\s+(?:of )?(?:which|whom|while|whereas|with|but)\b|\s+while\s+", re.IGNORECASE)
_OF_ALL = re.compile(r"\b(?:all|both|each|every\w*)\b", re.IGNORECASE)
_THE_REST = re.compile(r"\bthe (?:others|rest|remainder|(?:other|remaining) ones)\b", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|no|without)\b|n't\b", re.IGNORECASE)
_OPERATION = re.compile(r"[-+*/−×] ?\w|\b(?:plus|minus|times)\b")
_NAMED_TERM = re.compile(r"\d [a-z]+(?: [a-z]+)? (?:[-+]|plus|minus) ")
_THINGS = re.compile(r" (?P<name>[a-z]+s)\b", re.IGNORECASE)
_THINGS_AND = re.compile(_THINGS.pattern + r",? and ", re.IGNORECASE)
_ONLY_THESE = re.compile(r"\b(?:only|just) (?:he|she|it|they|the|this|that|these|those|his|her)\b", re.IGNORECASE)
_SOMEWHERE = re.compile(r"\b(?:on|in|at|under|inside|behind) (?:the|an?|his|her|its|their) [a-z]+", re.IGNORECASE)
_DEPENDS = re.compile(r"\bdepend(?:s|ing) (?:up)?on (?:whether|how|what|which|if)\b", re.IGNORECASE)
_FINDS_ROOM = re.compile(r"\b(?:could|can) (?:still )?(?:sit|fit|park|stand|sleep|be seated)\b", re.IGNORECASE)
_NEXT_PLACE = re.compile(r",\s+and\s+")
_ON_ANOTHER = re.compile(
    r"\b(?:on|under|inside|behind) (?:the|an?) (?!(?:left|right|top|bottom|other|far|near|front|back|side|outside)\b)",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\b(?P<how>left|leaving|outside|out of|off|next to|beside|in front of|before|past|behind|under|below|above)"
    r"(?: of)? (?:the|his|her|its|their) (?P<what>[a-z]+)",
    re.IGNORECASE,
)
_DOES = re.compile(
    rf"\b(?P<verb>{'|'.join(words('counts.done_with_a_thing'))})(?:ing|s|es)? "
    r"(?P<what>(?:an? )(?:[a-z]+ )?[a-z]+|(?:the |any |some |their )?[a-z]+[^\Ws]s\b)",
    re.IGNORECASE,
)
_OF_THE = re.compile(r"\bof (?:the |these |those |them )?$", re.IGNORECASE)  # "two of the five"


def goes_on_to_another(answer: str, text: str, question: str, alone: Callable[[str, str], str | None]) -> bool:
    """Whether a sentence after the answer gives another number by itself: a story or a recount that goes on."""
    pieces = sentences(text)
    if len(pieces) == 1 or (_is_short(pieces[0]) and alone(pieces[0], question) == answer):
        return False  # "Three. There are five on the counter."
    asked = counted_by(question)
    for piece in reversed(pieces):
        values = _values(piece)
        if answer in values:
            return False
        beside = _is_beside(piece, asked) and not _is_one_of_many_alike(answer, pieces[0])
        if values and not beside and alone(piece, question) is not None:
            return True
    return False


def is_taken_for_the_asked(answer: str, text: str, asked: Counted) -> bool:
    """Whether what was asked is said only after the answer: "eight rowers, but only the first faces the camera"."""
    told = asked.qualities - asked.places
    if not (asked.of_now and told):
        return False
    if _opens_with(answer, text):
        return False
    parts = _parts(text)
    places = [place for place, part in enumerate(parts) if answer in _values(part)]
    if not places:
        return False
    said = max(_said(parts[place], told) for place in places)
    return any(_said(part, told) > said and not _OF_ALL.search(part) for part in parts[places[-1] + 1 :])


def is_said_otherwise(answer: str, text: str, asked: Counted) -> bool:
    """Whether another part of the reply holds what was asked, or what the answer was read from is of other things."""
    if _DEPENDS.search(text) or _only_finds_room(text, asked):
        return True
    if _opens_with(answer, text):
        return False
    if asked.imagined and _is_not_what_would_be(answer, text):
        return True
    if answer == "0":
        return _is_nought_of_others(text, asked) or (asked.negated and _is_of_the_denied(answer, text, asked))
    last = sentences(text)[-1]
    return (
        _is_left_to_the_rest(answer, text, asked)
        or _is_on_the_other_side(answer, text, asked)
        or _is_all_elsewhere(answer, text, asked)
        or _is_done_to_others(text, asked)
        or _is_a_term(answer, last, asked)
        or _is_of_the_denied(answer, text, asked)
        or _is_of_the_other_things(answer, last, asked)
    )


def _is_not_what_would_be(answer: str, text: str) -> bool:
    """Whether the last that would be is another number: "it holds one, so with that it would have two"."""
    told = [clause for piece in sentences(text) for part in contrasted(stated(piece)) for clause in clauses(part)]
    last = max((place for place, clause in enumerate(told) if answer in _values(clause)), default=-1)
    if last < 0:
        return False
    others: set[str | None] = set()
    for place, clause in enumerate(told):
        modal = MODAL_AT.search(clause)
        if modal is None:
            continue
        subject = clause.rfind(",", 0, modal.start()) + 1
        counts = [n for n in numerals(clause) if n.start >= subject and not clause[: n.end].endswith("the one")]
        if _OF_ALL.search(clause) or answer in {n.value for n in counts}:
            return False
        if place >= last:
            others |= {n.value for n in counts if not _OF_THE.search(clause[: n.start])}
    return bool(others)


def _is_left_to_the_rest(answer: str, text: str, asked: Counted) -> bool:
    """ "Four dogs, two of which are sitting, while the others lie"; "on two legs: 8; on one leg: the remainder"."""
    if not asked.qualities or not _THE_REST.search(text):
        return False
    *parts, last = _parts(text)
    if not _THE_REST.search(last) or _values(last) - _values(asked.text):
        return False
    told = asked.qualities - asked.places or asked.qualities
    own = max((_said(part, told) for part in parts if answer in _values(part)), default=0)
    return own <= _said(last, told) and (own == 0 or not _NOT.search(last))


def _is_on_the_other_side(answer: str, text: str, asked: Counted) -> bool:
    """ "Inside it there are 3, and outside it 2 more", to how many are outside."""
    if asked.negated or not asked.of_now:
        return False
    parts = [part for clause in every_clause(text) for part in _NEXT_PLACE.split(clause)]
    own = {word for part in parts if answer in _values(part) for word in counted_words(part)}
    others = {word for part in parts if answer not in _values(part) and _values(part) for word in counted_words(part)}
    return any(opposed_stems(quality, word) for quality in asked.qualities & others - own for word in own)


def _is_all_elsewhere(answer: str, text: str, asked: Counted) -> bool:
    """ "There are six birds. Four are on the wire and two are flying.", to how many are on the roof."""
    if not asked.of_now or not asked.places or asked.places & ROOMY or asked.qualities & {*counted_words(text)}:
        return False
    parts = [int(n.value) for n in numerals(text) if n.value and n.value.isdigit() and n.value != answer]
    return len(parts) > 1 and str(sum(parts)) == answer and bool(_ON_ANOTHER.search(text))


def is_of_others(answer: str, text: str, asked: Counted) -> bool:
    """Whether a reply that the rules leave unread may count what others do, or what is beside the place in question."""
    return (
        _is_done_to_others(text, asked)
        or _is_beside_the_place(text, asked)
        or _only_finds_room(text, asked)
        or _is_of_the_denied(answer, text, asked)
    )


def _is_of_the_denied(answer: str, text: str, asked: Counted) -> bool:
    """ "Five are wearing hats", to how many are not; "eight are not", said of just what was asked."""
    told = asked.doing - {"without"} or (asked.qualities if asked.negated else asked.doing)
    parts = [part for piece in _parts(text) for part in _COUNTS_NEXT.split(piece) if answer in _values(part)]
    saying = [part for part in parts if told <= {*counted_words(part)}]
    if not (told and saying and asked.of_now) or len(saying) < len(parts):
        return False
    behind = (part[n.end :] for part in saying for n in numerals(part) if n.value == answer)
    return all(bool(_NOT.search(after)) != asked.negated and told <= {*counted_words(after)} for after in behind)


def _is_done_to_others(text: str, asked: Counted) -> bool:
    """ "Three of them are wearing scarves", to how many are wearing hats."""
    wanted = _DOES.search(asked.text)
    if not wanted or {*counted_words(wanted["what"])} & {*counted_words(text)}:
        return False
    return any(does["verb"].lower() == wanted["verb"].lower() for does in _DOES.finditer(text))


def _only_finds_room(text: str, asked: Counted) -> bool:
    """ "Four could sit on the bench", to how many do."""
    return asked.of_now and bool(_FINDS_ROOM.search(text)) and not _FINDS_ROOM.search(asked.text)


def _is_beside_the_place(text: str, asked: Counted) -> bool:
    """ "Four horses are grazing outside the stable", to how many are in it."""
    return any(
        stem(beside["what"].lower()) in asked.places
        and not re.search(rf"\b{beside['how']}\b", asked.text, re.IGNORECASE)
        for beside in _BESIDE.finditer(text)
    )


def _is_a_term(answer: str, sentence: str, asked: Counted) -> bool:
    """ "Hence 10 - 7 = 3 more would be needed", where 10 was read; but "2 vans + 3 cars = 5" counts the vans."""
    terms, equals, result = sentence.replace(" equals ", " = ").rpartition("=")
    if not equals or not _OPERATION.search(terms) or _OPERATION.search(result):
        return False
    if asked.of_now and _NAMED_TERM.search(terms):
        return False
    return answer in _values(terms) and bool(_values(result)) and answer not in _values(result)


def _is_of_the_other_things(answer: str, sentence: str, asked: Counted) -> bool:
    """ "So we would have four heads and five tails", where five was read, to how many heads."""
    for one, two in pairwise(numerals(sentence)):
        between, behind = _THINGS_AND.fullmatch(sentence[one.end : two.start]), _THINGS.match(sentence[two.end :])
        if (
            between
            and behind
            and not is_empty(behind["name"].lower())
            and answer in (one.value, two.value)
            and one.value != two.value
        ):
            names = [stem(things["name"].lower()) in asked.qualities | asked.nouns for things in (between, behind)]
            if names in ([True, False], [False, True]) and answer != (one, two)[names.index(True)].value:
                return True
    return False


def _is_nought_of_others(text: str, asked: Counted) -> bool:
    """ "None of the four drops it. … So only he does."; "not one would be on the ground", to how many in the air."""
    if _ONLY_THESE.search(sentences(text)[-1]):
        return True
    noughts = [part for part in _parts(text) if "0" in _values(part)]
    elsewhere = noughts and all(
        _SOMEWHERE.search(stated(part)) and not _said(part, asked.qualities) for part in noughts
    )
    return bool(elsewhere and asked.qualities) and not asked.of_now


def _is_one_of_many_alike(answer: str, sentence: str) -> bool:
    """ "One of Paris, one of Rome and two with flags", which a total behind it adds up."""
    return [numeral.value for numeral in numerals(sentence)].count(answer) > 1


def _parts(text: str) -> list[str]:
    return [part for clause in every_clause(text) for part in _ANOTHER_PART.split(clause)]


def _said(part: str, told: frozenset[str]) -> int:
    return len(told & frozenset(counted_words(part)))


def _values(part: str) -> set[str | None]:
    return {numeral.value for numeral in numerals(part)}


def _opens_with(answer: str, text: str) -> bool:
    first = sentences(text)[0]
    return _is_short(first) and answer in _values(first)


def _is_short(sentence: str) -> bool:
    return len(sentence.split()) <= _A_WORD_OR_TWO


def _is_beside(piece: str, asked: Counted) -> bool:
    """Whether a sentence behind the answer tells of something else: another world, other parts, the whole, a share."""
    if asked.of_now and imagines(piece):
        return True
    if asked.qualities and _IS_LISTED_OR_ADDED_UP.search(piece):
        return True
    label = _THINGS_LISTED.match(piece)
    if label and not is_empty(label["name"].lower()) and stem(label["name"].lower()) not in asked.words:
        return True
    return bool(_SOME_OF_THEM.search(piece)) and not asked.qualities & frozenset(counted_words(piece))
