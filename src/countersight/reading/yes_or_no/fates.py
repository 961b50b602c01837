"""What becomes of a thing, said in other words than the question's: what topples no longer stands."""

import re
from functools import lru_cache
from typing import Final

from countersight.reading.language.asked import CONTRARY, Asked, content
from countersight.reading.language.clauses import MODAL, MODAL_AT
from countersight.reading.language.rewordings import NOMINATIVE
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of, either, found, listed, words
from countersight.reading.yes_or_no.negation import NEGATED, without_negation
from countersight.reading.yes_or_no.repetitions import LEADS, called_by, has_a_condition

_BOTH_WAYS: Final = len(listed("fates.lines"))
_WRITTEN: Final = (*listed("fates.lines"), *listed("fates.one_way"))
_LINES: Final = tuple(tuple(re.compile(either(side), re.IGNORECASE) for side in line) for line in _WRITTEN)
_HELPING = rf"(?:\w+n't|cannot|{any_of('yes_no.auxiliaries')})"
_NOUNS = rf"(?:the|his|her|its|their|both|all)(?: (?!{_HELPING}\b)[\w-]+){{1,5}}?"
_SUCH = r"(?!(?:this|his|its|is|was|has|does|as|us)\b)[a-z]+(?:s|ing)"  # "dogs are welcome", "smoking is banned"
_HELPS = rf"(?P<help>'d|'ll|'s|'re|\s+{_HELPING})"
_SOFTLY = rf"(?:,?\s+(?:{any_of('fates.between')}))*"
_AND = r"(?:[^,;]{1,40}?(?:,? and|,) )?(?:then )?"
# All that may stand before what becomes of it: "so the ladder would then".
_BEFORE = re.compile(
    rf"{LEADS}(?P<who>it|they|he|she|that|this|there|everything|everyone|one|{_NOUNS}|{_SUCH})"
    rf"(?:{_HELPS}{_SOFTLY} (?:{_AND}(?:be |get )?(?:\w+ly )?)?|{_SOFTLY} )",
    re.IGNORECASE,
)
_OBJECT = re.compile(
    r"(?: (?:up|off|down|out|back|over))?\s+(?:only |just )?(?:the|an?|his|her|its|their) (?P<what>\w+)", re.IGNORECASE
)
# "Walk straight in" is also "go in".
_MOTION = re.compile(
    rf"\b(?:{'|'.join(listed('fates.motion'))})(?P<s>s?)(?: {any_of('fates.straight')}){{0,2}}"
    rf" (?={any_of('fates.particles')})",
    re.IGNORECASE,
)
_DONE_TO: Final[dict[str, str]] = listed("fates.done_to")
_DOES = re.compile(
    rf"{LEADS}(?P<agent>[^,;:]{{1,60}}?){MODAL}(?: {any_of('fates.between')}){{0,2}}(?: [\w ]{{1,30}}? and)?"
    rf" (?P<does>{'|'.join(_DONE_TO)}) (?P<whom>it|him|her|them|the \w+(?: \w+)??)(?P<rest>\W*$| .*)",
    re.IGNORECASE,
)
_UNCLEAR = re.compile(r"\b(?:not|neither|none|only|it|they|he|she)\b|n't", re.IGNORECASE)  # who does it
_ANYONE = frozenset(map(stem, ("everyone", "all", "them", "left")))
_LOOSE = frozenset(map(stem, words("fates.parts") | words("fates.loose")))
_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
_PLACES = words("questions.prepositions") | words("fates.particles") | {"up", "by"}
_WITH = re.compile(
    r"\bwith\b(?! ease| [\w ]{1,20} to spare)", re.IGNORECASE
)  # "she couldn't open it with the bags", to if she put them down
_NAMED = re.compile(rf"\s+{_HELPING}\b", re.IGNORECASE)  # "the traffic lights are red"
_HEDGED = re.compile(r"\b(?:might|may|could|can|perhaps|possibly|almost(?! certainly| surely)|nearly)\b", re.IGNORECASE)
_PERCEIVES = re.compile(r"\b(?:see|spot|notice|read|hear)\b", re.IGNORECASE)
_OF_AN_OBJECT = found("fates.asked_of_an_object")
_TOLD_OF_OBJECTS = found("fates.of_the_object")
_IS_THERE = re.compile(r"^\W*(?:is|are|was|were) there\b", re.IGNORECASE)
_OUT_OF_REACH = re.compile(r"\b(?:out of|beyond) [\w' ]*\breach\b", re.IGNORECASE)
_OWNED = re.compile(r" (?:the|an?) (?:\w+ )?\w+'s [a-z]", re.IGNORECASE)
_HE_OR_SHE = frozenset({"he", "she"})
_THINGS = frozenset({"it", "that", "this"})
_PEOPLE = frozenset(map(stem, words("questions.he") | words("questions.she")))
_ANY_PRONOUN = _HE_OR_SHE | _THINGS | {"they", "everything", "everyone", "one"}


def befalls(clause: str, asked: Asked) -> bool | None:
    """Whether what was asked about meets the fate that was asked for (True) or one that shuts it out (False)."""
    # "The shop closes at six" says nothing to what would be.
    of_now = asked.of_now or not asked.supposed or MODAL_AT.search(clause) or _OUT_OF_REACH.search(clause)
    if asked.order or asked.of_all or not of_now:
        return None
    clause = CONTRARY.split(clause)[0]  # "sitting, not standing" tells of no standing
    told = (clause, *clause.split(" and ")[1:], *_suffered(clause, asked))
    parts = dict.fromkeys((*told, *map(_as_going, told)))
    lines = _fates_of(asked.text, asked.subject)
    every = (_meets(part, asked, line, side) for line, side in lines for part in parts)
    verdicts = {*every} - {None}
    return verdicts.pop() if len(verdicts) == 1 else None


def _as_going(text: str) -> str:
    return _MOTION.sub(lambda found: "goes " if found["s"] else "go ", text)


def _suffered(clause: str, asked: Asked) -> list[str]:
    """What is done to what was asked about, told of that: "it would be blown out", of what the wind would blow out."""
    done = _DOES.match(clause)
    if not done or _UNCLEAR.search(done["agent"]) or asked.subject in content(done["agent"]):
        return []
    if _PERCEIVES.search(asked.text) and _PERCEIVES.match(done["does"]):
        return []  # "the dog would see it", to whether the cat would
    whom = NOMINATIVE.get(done["whom"].lower(), done["whom"])
    negated = NEGATED.search(clause[: done.end("does")])  # by a "nothing" too
    return [f"{whom} would {'not ' if negated else ''}be {_DONE_TO[done['does'].lower()]}{done['rest']}"]


def _by_first_word() -> dict[str, set[tuple[int, int]]]:
    """Which sides of which lines have a phrase that begins with a word ("fall") or with its beginning ("topple*")."""
    sides: dict[str, set[tuple[int, int]]] = {}
    for line, written in enumerate(_WRITTEN):
        for side, phrases in enumerate(written):
            for word in {word for phrase in phrases for word in phrase.split(",")[0].split()[0].split("/")}:
                sides.setdefault(word, set()).add((line, side))
    return sides


_BY_FIRST_WORD: Final = _by_first_word()


@lru_cache(maxsize=512)
def _fates_of(asked: str, subject: str) -> tuple[tuple[int, int], ...]:
    """The lines and sides of the vocabulary that a question asks for; the leaves on a tree do not leave."""
    asked = _IS_THERE.sub("", asked)  # "is there room" asks of no place
    asked = _WORD.sub(lambda found: "" if stem(found.group().lower()) == subject else found.group(), asked)
    said = (asked, _as_going(asked))
    spelled = {word.lower() for text in said for word in _WORD.findall(text)}
    begun = {f"{word[:length]}*" for word in spelled for length in range(1, len(word) + 1)}
    every = sorted({place for word in spelled | begun for place in _BY_FIRST_WORD.get(word, ())})
    found = [(line, side) for line, side in every if any(map(_LINES[line][side].search, said))]
    lines = [line for line, _ in found]
    return tuple((line, side) for line, side in found if lines.count(line) == 1 and (line < _BOTH_WAYS or not side))


def _meets(clause: str, asked: Asked, line: int, side: int) -> bool | None:
    for other, pattern in enumerate(_LINES[line]):
        for fate in pattern.finditer(clause):
            before = _BEFORE.fullmatch(clause[: fate.start()])
            if not before or not _is_of_the_asked(before["who"].lower(), fate, asked) or _is_no_verb(before, fate):
                continue
            if _is_open(clause, before, fate, asked):
                return None
            if line >= _BOTH_WAYS and not other and not content(fate.group()) & asked.words:
                return None
            return _verdict(line, side, other, negated=bool(NEGATED.search(clause[: fate.end()])))
    return None


def _verdict(line: int, asked: int, told: int, *, negated: bool) -> bool | None:
    """Whether what is told has come true what was asked, by the sides of a line that the two are on."""
    if told == asked:
        return not negated
    one_way = line >= _BOTH_WAYS
    if not negated:
        return one_way and told > 1
    # What does not win need not lose: only of two fates one is met.
    return True if len(_LINES[line]) == 2 and not one_way else None


def _is_no_verb(before: re.Match[str], fate: re.Match[str]) -> bool:
    """Whether a clause tells what happened ("it toppled"), or only names a thing: "the glass works are closed"."""
    verb = fate.group().lower().split()[0]
    present = verb.endswith("s") or before["who"].lower() == "they"
    return not before["help"] and (not present or bool(_NAMED.match(fate.string, fate.end())))


def _is_open(clause: str, before: re.Match[str], fate: re.Match[str], asked: Asked) -> bool:
    """Whether a clause leaves it open, or tells another fate: "it would hold the water", to whether it would hold."""
    thing = _OBJECT.match(clause, fate.end())
    known = asked.words | asked.supposed
    if thing and fate.group().split()[-1] not in _PLACES and not content(thing["what"]) & known:
        return True
    if _OWNED.match(clause, fate.end()) and "'s " not in asked.text:
        return True  # "it would see the bird's shadow", to whether it would see the bird
    hedged = not asked.of_ability and _HEDGED.search(before.group())
    return bool(hedged) or bool(_WITH.search(clause, fate.end())) or has_a_condition(clause[fate.end() :], asked)


def _is_of_the_asked(who: str, fate: re.Match[str], asked: Asked) -> bool:
    if _OF_AN_OBJECT.search(asked.text) and _TOLD_OF_OBJECTS.fullmatch(fate.group()):
        return content(who) <= asked.words - {asked.subject} and who not in _HE_OR_SHE
    if who in _HE_OR_SHE:
        return who in asked.people or asked.persons == {asked.subject}
    if who in _ANY_PRONOUN:
        return who not in _THINGS or asked.subject not in _PEOPLE
    if who == "there":
        return without_negation(fate.string) - content(fate.group()) <= asked.words | asked.supposed | _ANYONE
    if " " not in who and who not in asked.text.lower():
        return False  # "dogs are welcome", where the dog was asked about
    said = content(who)
    return bool(said & called_by(asked) or asked.subject not in asked.words) and said - _LOOSE <= asked.words
