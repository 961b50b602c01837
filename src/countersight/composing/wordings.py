"""Puts what is supposed into plain words: set phrases, "it" for the place asked about, what each of several took."""

import re
from typing import Final

from countersight.composing.asked import Asked
from countersight.composing.quantities import ORDINALS
from countersight.composing.vocabulary import (
    KINDS,
    PERSON,
    QUALITIES,
    SAID_AS,
    VERBS,
    is_plural,
    is_verb,
    singular,
    thing_of,
    verb_of,
)
from countersight.text import NUMBER_WORDS

_OF_PLACE: Final = re.compile(
    r"\b(?:on|onto|in|into|to|off|from|out of|at|inside|under|around|reached|entered|left|joined) it\b"
)
_COUNTING: Final = frozenset(map(thing_of, ("number", "amount", "count", "total", "third", "quarter", "half", "as")))
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
_GROUP: Final = r"(?:group|pair|flock|herd|pack|bunch|team|party|crew|family|batch|set)"
_ANOTHER_GROUP: Final = re.compile(rf"\b(?:another|a second|a new|a further|one more) {_GROUP} of ({_NUMBER}) ")
_A_GROUP: Final = re.compile(rf"\ba {_GROUP} of ({_NUMBER}) ")
_EACH_WAS: Final = re.compile(r"\b(?:each|every(?: single| last)? one) of the (\w+) (?=(?:was|were|got)\b)")
_DOES: Final = re.compile(rf"\b(\w+) (\w+s) (?=(?:{_NUMBER}|a|an|another|the|some|half|all|both|out|off|away|in|up)\b)")
_THE_LOT: Final = re.compile(r"\bthe (?:whole )?lot$")
_ALL_OF_THEM: Final = re.compile(r",? (?:every (?:single |last )?one of them|all of them|the whole lot)$")
"""Said again behind "they all flew off"."""
_EXCEPT: Final = re.compile(
    rf"\b(all(?: of)?(?: the)? \w+) ((?:in|on|at|under) (?:the|it)(?: \w+)??) "
    rf"((?:except|but|save)(?: for)? (?:{_NUMBER}))\b"
)
_PUTS: Final = r"(?:put|puts|placed|set|hung|parked|planted|stood|laid|dropped|stuck)"
_GOT: Final = r"(?:gave|gives|bought|buys|brought|brings|got|baked|made|ordered)"
_ME: Final = r"(?: me| us| you| him| her)?"
_GOT_AND_PUT: Final = re.compile(
    rf"^(?:\w+ ){{1,3}}?{_GOT}{_ME} (?P<what>(?:{_NUMBER}|another|a|an) .+?)"
    rf"(?: and (?:then )?(?:i |we |he |she |they |you )?{_PUTS} (?:them|it|them all|all of them|both))"
    r" (?P<where>(?:in|on|onto|into|at|under) .+)$"
)
_BOUGHT_TO_PUT: Final = re.compile(
    rf"\b{_GOT}{_ME} (?P<what>(?:{_NUMBER}|another|a|an) [\w ]+?) to put "
    r"(?P<where>(?:in|on|onto|into|at|under) .+)$"
)
_AND_EACH: Final = re.compile(
    rf"^({_NUMBER}) (\w+) (?P<came>[a-z ]+?),? and (?:each of them|each one|they each|each) (?P<did>.+)$"
)
_ASWELL: Final = re.compile(r",? as well$")
_TWINS: Final = re.compile(r"\bthe twins each\b")


def in_plain_words(supposed: str, asked: Asked) -> str:
    """A supposition in words that the grammar reads."""
    told = _DOES.sub(_did, _in_plain_verbs(supposed.casefold()))
    text = _GIVEN.sub("got ", _with_its_place(told, asked))
    text = _who_joined(_ASWELL.sub("", _of_groups(text)), asked)
    text = _put_there(_all_of_them(text, asked), asked)
    text = _TWINS.sub("two twins each", _EACH_OF.sub(r"\1 \2 each ", text))
    return _THE_EACH.sub(r"\1", _EACH_LATER.sub(r"\1 \2 each \3", text))


def _did(found: re.Match[str]) -> str:
    """The past for what somebody does, where the present may be a noun: "grandpa flips one", but not "the rows"."""
    is_somebody = thing_of(found[1]) in KINDS[PERSON] and not is_plural(found[1])
    is_unclear = not is_verb(found[2]) and verb_of(found[2]) in VERBS
    return f"{found[1]} {verb_of(found[2])}ed " if is_somebody and is_unclear else found[0]


def _of_groups(text: str) -> str:
    """Those in a group for the group: "another group of five skiers" is "five more skiers"."""
    return _A_GROUP.sub(r"\1 ", _ANOTHER_GROUP.sub(r"\1 more ", text))


def _all_of_them(text: str, asked: Asked) -> str:
    """The plain words for all of them: "sold the lot", "each of the cats was", "they all left, every one of them"."""
    if thing_of("lot") not in asked.words:
        text = _THE_LOT.sub("all of them", text)
    text = _ALL_OF_THEM.sub("", text) if re.search(r"\bthey all\b", text) else text
    text = _EXCEPT.sub(r"\1 \3 \2", text)
    return _EACH_WAS.sub(lambda found: f"each {singular(found[1])} ", text)


def _put_there(text: str, asked: Asked) -> str:
    """Where things were put, for how they were got: "he gave me two plants and I put them on the balcony"."""
    text = _BOUGHT_TO_PUT.sub(r"put \g<what> \g<where>", _GOT_AND_PUT.sub(r"someone put \g<what> \g<where>", text))
    each = _AND_EACH.match(text)
    names = set() if each is None else set(map(thing_of, (each[2], *each["came"].split())))
    if each is None or names & {asked.head, *asked.members}:
        return text
    return f"{each[1]} {each[2]} each {each['did']}"


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
    if any(thing not in asked.words | asked.members | people | _COUNTING | {asked.head} for thing in before):
        return text
    return f"{text[: found.end() - 2]}the {asked.where}{text[found.end() :]}"
