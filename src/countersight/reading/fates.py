"""What becomes of a thing, said in other words than the question's: what topples no longer stands."""

import re
from functools import lru_cache
from typing import Final

from countersight.reading.asked import Asked, content
from countersight.reading.clauses import MODAL_AT
from countersight.reading.negation import NEGATED
from countersight.reading.repetitions import LEADS, has_a_condition
from countersight.reading.stems import stem
from countersight.reading.vocabulary import any_of, either, found, listed, words

_LINES: Final = tuple(tuple(re.compile(either(side), re.IGNORECASE) for side in line) for line in listed("fates.lines"))
_HELPING = rf"(?:\w+n't|cannot|{any_of('yes_no.auxiliaries')})"
_NOUNS = rf"(?:the|his|her|its|their|both|all)(?: (?!{_HELPING}\b)[\w-]+){{1,5}}?"
_HELPS = rf"(?P<help>'d|'ll|'s|'re|\s+{_HELPING})"
_SOFTLY = rf"(?:,?\s+(?:{any_of('fates.between')}))*"
_AND = r"(?:[^,;]{1,40}?(?:,? and|,) )?(?:then )?"
# All that may stand before what becomes of it: "so the ladder would then".
_BEFORE = re.compile(
    rf"{LEADS}(?P<who>it|they|he|she|that|this|everything|one|{_NOUNS})"
    rf"(?:{_HELPS}{_SOFTLY} {_AND}|{_SOFTLY} )",
    re.IGNORECASE,
)
_OBJECT = re.compile(
    r"(?: (?:up|off|down|out|back|over))?\s+(?:the|an?|his|her|its|their) (?P<what>\w+)", re.IGNORECASE
)
_PLACES = frozenset({"down", "over", "up", "away", "off", "out", "past", "by", "through"})
_WITH = re.compile(r"\bwith\b", re.IGNORECASE)  # "she couldn't open it with the bags", to if she put them down
_NAMED = re.compile(rf"\s+{_HELPING}\b", re.IGNORECASE)  # "the traffic lights are red"
_HEDGED = re.compile(r"\b(?:might|may|could|can|perhaps|possibly|almost|nearly)\b", re.IGNORECASE)
_SEES = re.compile(r"\b(?:see|spot|notice)\b", re.IGNORECASE)
_SEEN = found("fates.of_what_is_seen")
_HE_OR_SHE = frozenset({"he", "she"})
_THINGS = frozenset({"it", "that", "this"})
_PEOPLE = frozenset(map(stem, words("questions.he") | words("questions.she")))
_ANY_PRONOUN = _HE_OR_SHE | _THINGS | {"they", "everything", "one"}


def befalls(clause: str, asked: Asked) -> bool | None:
    """Whether what was asked about meets the fate that was asked for (True) or one that shuts it out (False)."""
    of_now = asked.of_now or MODAL_AT.search(clause)  # "the shop closes at six" says nothing to what would be
    if asked.order or asked.of_all or not of_now:
        return None
    parts = (clause, *clause.split(" and ")[1:])
    every = (_meets(part, asked, line, side) for line, side in _fates_of(asked.text) for part in parts)
    verdicts = {*every} - {None}
    return verdicts.pop() if len(verdicts) == 1 else None


@lru_cache(maxsize=512)
def _fates_of(asked: str) -> tuple[tuple[int, int], ...]:
    """The lines and sides of the vocabulary that a question asks for."""
    found = [
        (line, [side for side, pattern in enumerate(sides) if pattern.search(asked)])
        for line, sides in enumerate(_LINES)
    ]
    return tuple((line, sides[0]) for line, sides in found if len(sides) == 1)


def _meets(clause: str, asked: Asked, line: int, side: int) -> bool | None:
    for other, pattern in enumerate(_LINES[line]):
        for fate in pattern.finditer(clause):
            before = _BEFORE.fullmatch(clause[: fate.start()])
            if not before or not _is_of_the_asked(before["who"].lower(), fate, asked) or _is_no_verb(before, fate):
                continue
            if _is_open(clause, before, fate, asked):
                return None
            negated = bool(NEGATED.search(clause[: fate.end()]))
            if other == side:
                return not negated
            # What does not win need not lose: only of two fates one is met.
            return (True if len(_LINES[line]) == 2 else None) if negated else False
    return None


def _is_no_verb(before: re.Match[str], fate: re.Match[str]) -> bool:
    """Whether a clause tells what happened ("it toppled"), or only names a thing: "the glass works are closed"."""
    verb = fate.group().lower().split()[0]
    present = verb.endswith("s") or before["who"].lower() == "they"
    return not before["help"] and (not present or bool(_NAMED.match(fate.string, fate.end())))


def _is_open(clause: str, before: re.Match[str], fate: re.Match[str], asked: Asked) -> bool:
    """Whether a clause leaves it open, or tells another fate: "it would hold the water", to whether it would hold."""
    thing = _OBJECT.match(clause, fate.end())
    if thing and fate.group().split()[-1] not in _PLACES and not content(thing["what"]) & asked.words:
        return True
    hedged = not asked.of_ability and _HEDGED.search(before.group())
    return bool(hedged) or bool(_WITH.search(clause, fate.end())) or has_a_condition(clause[fate.end() :], asked)


def _is_of_the_asked(who: str, fate: re.Match[str], asked: Asked) -> bool:
    if _SEES.search(asked.text) and _SEEN.fullmatch(fate.group()):
        return content(who) <= asked.words - {asked.subject} and who not in _HE_OR_SHE
    if who in _HE_OR_SHE:
        return who in asked.people
    if who in _ANY_PRONOUN:
        return who not in _THINGS or asked.subject not in _PEOPLE
    said = content(who)
    return asked.subject in said and said <= asked.words
