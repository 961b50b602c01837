"""Puts what is supposed into plain words: set phrases, "it" for the place asked about, what each of several took."""

import re
from typing import Final

from countersight.composing.asked import Asked
from countersight.composing.paraphrases import (
    NUMBER,
    all_of_them,
    of_groups,
    of_what_is_asked,
    put_there,
    what_becomes_of_them,
    who_joined,
)
from countersight.composing.quantities import ORDINALS
from countersight.composing.turns import in_few_words
from countersight.composing.vocabulary import (
    CARRIED,
    KINDS,
    MOTION,
    PAST_AS_PLAIN,
    PERSON,
    QUALITIES,
    SAID_AS,
    VERBS,
    is_plural,
    is_verb,
    thing_of,
    verb_of,
)
from countersight.text import NUMBER_WORDS

_OF_PLACE: Final = re.compile(
    r"\b(?:on|onto|in|into|to|off|from|out of|at|inside|under|around|reached|entered|left|joined) it\b"
)
_COUNTING: Final = frozenset(
    map(thing_of, ("number", "amount", "count", "total", "third", "quarter", "half", "as", "dozen", "couple"))
)
_NAMED: Final = re.compile(r"\b(?:a|an|the|another) (\w+)")
_BEFORE_NOUNS: Final = re.compile(rf"\b(?:{'|'.join(sorted((*QUALITIES, *ORDINALS, *NUMBER_WORDS)))}) ")
_EACH_OF: Final = re.compile(rf"\beach of the ({NUMBER}) (\w+) ")
_EACH_LATER: Final = re.compile(
    rf"^(?:the )?({NUMBER}) (\w+) ((?!each\b)\w+ .+?) each((?: (?:from|off|out of|onto|into|on|in) .+)?)$"
)
_THE_EACH: Final = re.compile(rf"^(?:the|these|all) ({NUMBER} \w+ each)\b")
_GIVEN: Final = re.compile(
    r"\b(?:was|were|got|been) (?:given|handed|awarded|served) (?=(?:\w+ )?(?:more|another|extra)\b)"
)
_DO: Final = re.compile(
    r"\b(\w+) ([a-z]+)(?= (?:away|off|out|in|up|down|over|back|home|into|onto|to|from|the|a|an)\b|$)"
)
_DOES: Final = re.compile(rf"\b(\w+) (\w+s) (?=(?:{NUMBER}|a|an|another|the|some|half|all|both|out|off|away|in|up)\b)")
_THEN: Final = re.compile(
    r"\band (?:(?:then|later|afterwards|eventually|soon|subsequently|immediately|straight away|right away),? )+"
)
_ONLY: Final = re.compile(rf"\b(?:just|exactly) (?=(?:{NUMBER}|half)\b)")
_ASWELL: Final = re.compile(r",? as well$")
_TWINS: Final = re.compile(r"\bthe twins each\b")


def in_plain_words(supposed: str, asked: Asked) -> str:
    """A supposition in words that the grammar reads."""
    told = _DO.sub(_they_did, _in_plain_verbs(_THEN.sub("and then ", _ONLY.sub("only ", supposed.casefold()))))
    told = _DOES.sub(_did, told)
    told = of_what_is_asked(what_becomes_of_them(in_few_words(told, asked), asked), asked)
    text = _GIVEN.sub("got ", _with_its_place(told, asked))
    text = who_joined(_ASWELL.sub("", of_groups(text)), asked)
    text = put_there(all_of_them(text, asked), asked)
    text = _TWINS.sub("two twins each", _EACH_OF.sub(r"\1 \2 each ", text))
    return _THE_EACH.sub(r"\1", _EACH_LATER.sub(r"\1 \2 each \3\4", text))


def _did(found: re.Match[str]) -> str:
    """The past for what somebody does, where the present may be a noun: "grandpa flips one", but not "the rows"."""
    is_somebody = thing_of(found[1]) in KINDS[PERSON] and not is_plural(found[1])
    is_unclear = not is_verb(found[2]) and verb_of(found[2]) in VERBS
    return f"{found[1]} {verb_of(found[2])}ed " if is_somebody and is_unclear else found[0]


def _they_did(found: re.Match[str]) -> str:
    """The past for what several do, where the present may be a noun: "the cars pull away"."""
    is_several = found[1] in ("them", "they", "we", "you", "i") or is_plural(found[1])
    is_unclear = not is_verb(found[2]) and found[2] in (MOTION | CARRIED) - PAST_AS_PLAIN
    return f"{found[1]} {found[2]}ed" if is_several and is_unclear else found[0]


def _in_plain_verbs(text: str) -> str:
    """Set phrases by what they say: "took flight" is "flew away"."""
    words = text.split(" ")
    begin = 0
    while begin < len(words):
        for length in (4, 3, 2):
            phrase = " ".join((verb_of(words[begin]), *words[begin + 1 : begin + length])).rstrip(",;.")
            if phrase in SAID_AS:
                words[begin : begin + length] = SAID_AS[phrase].split()
                break
        begin += 1
    return " ".join(words)


def _with_its_place(text: str, asked: Asked) -> str:
    """The place asked about for "it", unless something else was named before that may be meant."""
    found = _OF_PLACE.search(text)
    if found is None or not asked.where:
        return text
    named = _NAMED.findall(_BEFORE_NOUNS.sub("", text[: found.start()]))
    before = (thing_of(word) for word in named if not is_verb(word))
    people = KINDS[PERSON] | {PERSON}
    if any(thing not in asked.words | asked.members | people | _COUNTING | {asked.head} for thing in before):
        return text
    return f"{text[: found.end() - 2]}the {asked.where}{text[found.end() :]}"
