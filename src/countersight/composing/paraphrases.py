"""Says in plain words what became of things: who joined for by whom they were joined, where they were put at last."""

import re
from typing import Final

from countersight.composing.asked import Asked
from countersight.composing.vocabulary import is_alive, singular, thing_of
from countersight.text import NUMBER_WORDS

NUMBER: Final = rf"(?:{'|'.join(NUMBER_WORDS)}|\d+)"
_JOINED: Final = re.compile(r"^(?:they|the (\w+)) (?:were|was|got) joined by (.+)$")
_GROUP: Final = r"(?:group|pair|flock|herd|pack|bunch|team|party|crew|family|batch|set|round)"
_ANOTHER_GROUP: Final = re.compile(rf"\b(?:another|a second|a new|a further|one more) {_GROUP} of ({NUMBER}) ")
_A_GROUP: Final = re.compile(rf"\ba {_GROUP} of ({NUMBER}) ")
_EACH_WAS: Final = re.compile(r"\b(?:each|every(?: single| last)? one) of the (\w+) (?=(?:was|were|got)\b)")
_THE_LOT: Final = re.compile(r"\bthe (?:whole )?lot$")
_ALL_OF_THEM: Final = re.compile(r",? (?:every (?:single |last )?one of them|all of them|the whole lot)$")
"""Said again behind "they all flew off"."""
_EXCEPT: Final = re.compile(
    rf"\b(all(?: of)?(?: the)? \w+) ((?:in|on|at|under) (?:the|it)(?: \w+)??) "
    rf"((?:except|but|save)(?: for)? (?:{NUMBER}))\b"
)
_ITS_OWN: Final = re.compile(r"\b(?:its|his|her) (?=(\w+))")
_TO_ANOTHER: Final = re.compile(r"\b(?:over )?to (?:another|a different|the other) (\w+)$")
_HANDLED: Final = re.compile(
    r"(?:washed|rinsed|dried|folded|squeezed|peeled|used|finished|emptied|opened|broke|tore|crumpled|grabbed|took"
    rf"|picked up|adopted|wrapped|packed|cleaned|bought) (?P<what>(?:{NUMBER}|half|all) of the \w+) and (?:then )?"
    r"(?P<verb>put|placed|threw|took|moved|carried|brought) (?:them|it) "
)
_BAD: Final = r"(?:bad|sour|stale|mouldy|moldy|rotten|dirty|wet|old|dry|broken|empty|ruined|spoiled|spoilt|brown)"
_SPOILT: Final = re.compile(
    rf"^(?P<what>(?:{NUMBER}|half)(?: of)?(?: the)? \w+) "
    r"(?:wilted|withered|rotted|died|broke|cracked|tore|faded|popped|burst|dried (?:out|up)"
    rf"|(?:went|go|ran|got|were|turned) {_BAD})"
    r",? (?:so|and) (?:i|we|you|he|she|they|someone|somebody) (?P<verb>threw|tossed|took) (?:them|it)"
    r"(?P<rest>(?: .+)?)$"
)
_EATEN_AND_REPLACED: Final = re.compile(r"\b(was|were) \w+(?: \w+)? and (?:(?:was|were) )?replaced (?=by|with)")
_TOPMOST: Final = re.compile(rf"\bthe (?:top|bottom|front|back|nearest|closest|last) (?=(?:{NUMBER}) )")
_STAGE: Final = re.compile(r"\b(off|onto|on) stage\b")
_PURPOSE: Final = re.compile(r" to (?:get|fetch|grab|buy|make|answer|eat|drink|have) (?:the |a |an |some )?\w+$")
_BOUGHT: Final = re.compile(rf"\b(?:bought|purchased|buys|buy) (?=(?:{NUMBER}|half|all|a \w+) of (?:the|them)\b)")
_SOUTH: Final = re.compile(r"\b(flew|fly|flies|headed|swam) (?:south|north|east|west)\b")
_CROWD: Final = re.compile(r"\bof the (?:audience|crowd|whole group|group)\b")
_QUITE: Final = re.compile(r"\b(?:absolutely|literally|really|simply) (?=all\b|every|both\b|half\b)")
_PUTS: Final = r"(?:put|puts|placed|set|hung|parked|planted|stood|laid|dropped|stuck)"
_GOT: Final = (
    r"(?:gave|gives|bought|buys|brought|brings|got|baked|made|ordered|picked up|found|collected|gathered|fetched)"
)
_ME: Final = r"(?: me| us| you| him| her)?"
_GOT_AND_PUT: Final = re.compile(
    rf"^(?:\w+ ){{1,3}}?{_GOT}{_ME} (?P<what>(?:{NUMBER}|another|a|an) .+?)"
    rf"(?: and (?:then )?(?:i |we |he |she |they |you )?{_PUTS} (?:them|it|them all|all of them|both))"
    r" (?P<where>(?:in|on|onto|into|at|under) .+)$"
)
_BOUGHT_TO_PUT: Final = re.compile(
    rf"\b{_GOT}{_ME} (?P<what>(?:{NUMBER}|another|a|an) [\w ]+?) to put "
    r"(?P<where>(?:in|on|onto|into|at|under) .+)$"
)
_AND_EACH: Final = re.compile(
    rf"^({NUMBER}) (\w+) (?P<came>[a-z ]+?),? and (?:each of them|each one|they each|each) (?P<did>.+)$"
)


def of_what_is_asked(text: str, asked: Asked) -> str:
    """The strings for its strings, where a guitar's are asked for; away for "to another branch" than theirs."""
    if thing_of("have") in asked.words:
        text = _ITS_OWN.sub(lambda found: "the " if thing_of(found[1]) == asked.head else found[0], text)
    return _TO_ANOTHER.sub(lambda found: "away" if found[1] == asked.where else found[0], text)


def what_becomes_of_them(text: str, asked: Asked) -> str:
    """What is done last for what was done before: "washed two of the plates and put them in the cupboard"."""
    text = _SOUTH.sub(r"\1 away", _BOUGHT.sub("took ", _HANDLED.sub(r"\g<verb> \g<what> ", text)))
    text = _CROWD.sub("of them", text) if asked.are_people else text
    text = _STAGE.sub(r"\1 the stage", _TOPMOST.sub("the first ", _EATEN_AND_REPLACED.sub(r"\1 replaced ", text)))
    found = None if is_alive(asked.head) else _SPOILT.match(text)
    if found is not None and thing_of(found["what"].split()[-1]) == asked.head:
        away = " away" if found["verb"] == "tossed" and not found["rest"] else found["rest"]
        text = f"someone {found['verb']} {found['what']}{away}"
    purpose = _PURPOSE.search(text)
    is_other = purpose is not None and thing_of(purpose[0].split()[-1]) not in asked.words
    return text[: purpose.start()] if purpose is not None and is_other else text


def of_groups(text: str) -> str:
    """Those in a group for the group: "another group of five skiers" is "five more skiers"."""
    return _A_GROUP.sub(r"\1 ", _ANOTHER_GROUP.sub(r"\1 more ", text))


def all_of_them(text: str, asked: Asked) -> str:
    """The plain words for all of them: "sold the lot", "each of the cats was", "they all left, every one of them"."""
    if thing_of("lot") not in asked.words:
        text = _THE_LOT.sub("all of them", text)
    text = _ALL_OF_THEM.sub("", text) if re.search(r"\bthey all\b", text) else text
    text = _QUITE.sub("", _EXCEPT.sub(r"\1 \3 \2", text))
    return _EACH_WAS.sub(lambda found: f"each {singular(found[1])} ", text)


def put_there(text: str, asked: Asked) -> str:
    """Where things were put, for how they were got: "he gave me two plants and I put them on the balcony"."""
    text = _BOUGHT_TO_PUT.sub(r"put \g<what> \g<where>", _GOT_AND_PUT.sub(r"someone put \g<what> \g<where>", text))
    each = _AND_EACH.match(text)
    names = set() if each is None else set(map(thing_of, (each[2], *each["came"].split())))
    if each is None or names & {asked.head, *asked.members}:
        return text
    return f"{each[1]} {each[2]} each {each['did']}"


def who_joined(text: str, asked: Asked) -> str:
    """Those who joined the counted things for those by whom these were joined: "they were joined by two others"."""
    found = _JOINED.match(text)
    is_theirs = found is not None and (found[1] is None or thing_of(found[1]) == asked.head)
    return f"{found[2]} joined" if found is not None and is_theirs else text
