"""Puts what is supposed into plain words: set phrases, "it" for the place asked about, what each of several took."""

import re
from typing import Final

from countersight.composing.asked import Asked
from countersight.composing.quantities import ORDINALS
from countersight.composing.vocabulary import KINDS, PERSON, QUALITIES, SAID_AS, is_verb, thing_of, verb_of
from countersight.text import NUMBER_WORDS

_OF_PLACE: Final = re.compile(r"\b(?:on|onto|in|into|to|off|from|out of|at|inside|reached|entered|left|joined) it\b")
_NAMED: Final = re.compile(r"\b(?:a|an|the|another) (\w+)")
_BEFORE_NOUNS: Final = re.compile(rf"\b(?:{'|'.join(sorted((*QUALITIES, *ORDINALS, *NUMBER_WORDS)))}) ")
_NUMBER: Final = rf"(?:{'|'.join(NUMBER_WORDS)}|\d+)"
_EACH_OF: Final = re.compile(rf"\beach of the ({_NUMBER}) (\w+) ")
_EACH_LATER: Final = re.compile(rf"^(?:the )?({_NUMBER}) (\w+) ((?!each\b)\w+ .+) each$")
_THE_EACH: Final = re.compile(rf"^(?:the|these|all) ({_NUMBER} \w+ each)\b")
_GIVEN: Final = re.compile(
    r"\b(?:was|were|got|been) (?:given|handed|awarded|served) (?=(?:\w+ )?(?:more|another|extra)\b)"
)
_JOINED: Final = re.compile(r"^(?:they|the (\w+)) (?:were|was|got) joined by (.+)$")
_ASWELL: Final = re.compile(r",? as well$")
_TWINS: Final = re.compile(r"\bthe twins each\b")


def in_plain_words(supposed: str, asked: Asked) -> str:
    """A supposition in words that the grammar reads."""
    text = _GIVEN.sub("got ", _with_its_place(_in_plain_verbs(supposed.casefold()), asked))
    text = _who_joined(_ASWELL.sub("", text), asked)
    text = _TWINS.sub("two twins each", _EACH_OF.sub(r"\1 \2 each ", text))
    return _THE_EACH.sub(r"\1", _EACH_LATER.sub(r"\1 \2 each \3", text))


def _who_joined(text: str, asked: Asked) -> str:
    """Those who joined the counted things for those by whom these were joined: "they were joined by two others"."""
    found = _JOINED.match(text)
    is_theirs = found is not None and (found[1] is None or thing_of(found[1]) == asked.head)
    return f"{found[2]} joined" if found is not None and is_theirs else text


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
    if any(thing not in asked.words | asked.members | people | {asked.head} for thing in before):
        return text
    return f"{text[: found.end() - 2]}the {asked.where}{text[found.end() :]}"
