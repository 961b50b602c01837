"""CoSIm's nine types of scene change (CoSIm 5.2), proposed from the words of a change.

A change is cut into clauses. A clause commands ("add a bus", "move the man", "have them wave") or tells ("there is no
fence", "the light is red", "a man is feeding the zebra"). What it adds or takes away is a person, weather, damage or a
thing; what it says of them is a state, a place or an event. Nothing is looked up but lists of words, so the proposals
are fast, the same every time, and imperfect: tests/suites/test_cosim_changes.py measures how good they are on changes
labelled by hand. Types assigned by people take their place where a file of them is given.
"""

import re
from collections.abc import Iterator
from typing import Final, Literal

from countersight.suites.cosim import change_words as words

ADDITION: Final = "object addition"
REMOVAL: Final = "object removal"
REPLACEMENT: Final = "object replacement"
RELOCATION: Final = "object relocation"
STATE: Final = "object state change"
HUMAN_ADDITION: Final = "human addition"
HUMAN_REMOVAL: Final = "human removal"
ENVIRONMENT: Final = "environment change"
EVENT: Final = "event description"

KINDS: Final = (
    ADDITION,
    REMOVAL,
    REPLACEMENT,
    RELOCATION,
    STATE,
    HUMAN_ADDITION,
    HUMAN_REMOVAL,
    ENVIRONMENT,
    EVENT,
)
"""The nine types, in the order of the paper's Table 4."""

_LONGEST = 4_000  # characters of a change that are read; the longest published one has under 1,000

_Sort = Literal["person", "weather", "damage", "thing"]
_ADDED: Final[dict[_Sort, str]] = {
    "person": HUMAN_ADDITION,
    "weather": ENVIRONMENT,
    "damage": STATE,
    "thing": ADDITION,
}
_REMOVED: Final[dict[_Sort, str]] = {
    "person": HUMAN_REMOVAL,
    "weather": ENVIRONMENT,
    "damage": STATE,
    "thing": REMOVAL,
}

_COMMAND = "|".join(sorted(words.COMMANDS - words.OWN))
_PLAIN_COMMAND = "add|remove|replace|delete|dress"  # no noun or tense of another verb looks like these
_VERB = "|".join(sorted(words.VERBS))
# "Mr.", "e.g.", "5 p.m.": a dot that ends no sentence, or mostly not.
_SHORTENED = r"(?<!\bmr)(?<!\bmrs)(?<!\bms)(?<!\bdr)(?<!\bst)(?<!\bvs)(?<!\b[a-z]\.[a-z])(?<!\b[a-z](?=\.[a-z]\.))"
_BREAK = re.compile(
    rf"{_SHORTENED}[.;:!?\n]+(?!\d)"
    r"|,?\s\b(?:but|however|although|though|while|whereas)\b"
    rf"|,?\s(?:and\s|then\s)?(?=(?:{_PLAIN_COMMAND})\s)"
    rf"|,?\s(?:and\s|then\s)?(?=(?:{_COMMAND}|have)\s(?:the|an?|some|all|his|her|their|its|it|them|two|many|more|another)\s)"
    r"|,?\s(?:and\s|as well as\s)?(?=there(?:'s|\sis|\sare)\b)"
    rf"|(?:,\s|\sand\s|\sas\swell\sas\s)(?=(?:[\w'-]+\s){{1,4}}(?:{_VERB})\s)"
    r"|,?\sand\s(?=(?:no|not|many|some)\s)"
)
# Somebody who does something. The list of verbs is short, so one that is not there is told by number: "a woman films",
# "the dog barks", "the girls laugh". After "the" a verb of one has to end the clause or to have its object, as "the
# tennis balls in a box" do nothing.
_WORD = rf"(?!(?:{'|'.join(sorted(words.NOUN_ENDS | words.BEFORE_NOUNS | words.NO_DEEDS))})\b)[\w'-]"
_ONE_DOES = rf"\s(?:{_WORD}+\s)?{_WORD}*[a-rt-z]\s{_WORD}*[a-hj-rtv-z]s"
_ANY = r"(?:the|his|her|its|their|our|my|your)"
_DOES = re.compile(
    rf"(?:an?|another|every|each){_ONE_DOES}\b"
    rf"|{_ANY}{_ONE_DOES}(?=[.,;!?]|$|\s(?:an?|the|his|her|its|their|at|off|up|down|out|away|them|it|him)\b)"
    rf"|(?:(?:{_ANY}|two|three|four|many|some|all)\s(?:{_WORD}+\s)?(?:{_WORD}+[a-hj-rtv-z]s|children|people|men|women)"
    rf"|children|people|men|women)\s(?!\w+(?:ing|ed|en|ly|s)\b){_WORD}+"
)
# "And they", "and it": a clause whatever its verb is. The types are told by the breaks above alone.
_PART = re.compile(rf"{_BREAK.pattern}|,?\sand\s(?=(?:it|they|he|she|we)\s)|(?P<does>,?\sand\s(?={_DOES.pattern}))")
_SUBJECT = re.compile(rf"(?:,\s|\sand\s|\sas\swell\sas\s)(?P<subject>(?:[\w'-]+\s){{1,4}}?)(?:{_VERB})\s")
_LED = re.compile(r"^and\s+", re.IGNORECASE)  # of "it rains, and the street is wet", which is cut at the comma
_JOINS = ("", "and", "as well as")
_PRONOUNS = ("it ", "they ", "he ", "she ", "we ", "you ", "this ", "there ")
_LONG = 6  # words: so long a beginning without a known verb has one that is not known
_REMOVED_AND_REPLACED = re.compile(
    r"\bremove\s(?P<old>[^.]{1,120}?)[.,]*\s*(?:and\s)?replace\s(?:(?:it|them|this|that)\s)?(?=by\b|with\b)"
)
_INSTEAD = re.compile(r"\binstead of\s(?P<old>[^.,]{1,80}?),?\s(?:there\s(?:is|are)|it\sis|we\sreplace\sit\swith)\s")
_OPENING = re.compile(r"^(?:(?:and|then|also|now|please|so|thus|perhaps|just)\s)+")
_LIST = re.compile(r"\s*(?:,|\band\b|\bor\b|\bnor\b|\bas well as\b|\bplus\b|/)\s*")
_ENDED = re.compile(r"[a-z]*[aeiouy][a-z]*(?:ing|(?<!e)ed)")
_ING = re.compile(r"[a-z]{2,}ing")
_THERE = re.compile(r"there(?:'s|s|\sis|\sare|\swas|\swere)?\s(?:(?:now|also|still|only)\s)*(?P<rest>.+)")
_NONE = re.compile(r"(?:no|not any|not an?|not many|not much|not|none of|less|fewer)\s(?P<rest>.+)")
_PEOPLE_WITHOUT = re.compile(r"\w+\s(?:are\s|is\s)?(?:wearing|carrying|holding|with)\s(?P<thing>.+)")
_TO = re.compile(r"(?P<old>.{2,60}?)\s(?:in)?to\s(?:be\s)?(?P<new>.+)")
_REPLACED = re.compile(
    r"\breplaced?\b|\binstead\b|\bin place of\b|\bswapped\b|\bturn(?:s|ed)? into\b|\bchanged? into\b"
    r"|\b(?:is|are) [\w ]{2,25}, not\b"
)
_REPLACING = re.compile(r"\b(?:by|with)\s(?P<new>.+)")
_GONE = re.compile(r"\b(?:is|are|was|were|been|be)\s(?:all\s)?(?:removed|gone|missing|erased|taken (?:away|out|off))\b")
_MOVED = re.compile(
    r"\b(?:moved|relocated|raised|lowered|shifted|placed|(?:further|farther) (?:away|apart)|closer to"
    r"|on the other side)\b"
)
_WHERE = re.compile(
    r"(?!on fire)(?:not\s)?(?:in|on|at|over|under|inside|outside|above|behind|below)\s(?P<place>\w+\s?.*)"
)
_HOLDS = re.compile(r"\b(?:covered|surrounded|filled|full|packed|crowded|loaded)\s(?:by|with|in|of)\s(?P<thing>.+)")
_BEEN = re.compile(r"(?:not\s)?(?:been|fallen|become|turned|gone|\w+\sbeen)\s|(?:his|her|its)\s\w+\s\w+(?:ed|en)\b")
_DONE_BY = re.compile(
    r"\b(?:lifted|carried|chased|attacked|hit|pushed|pulled|dragged|towed|thrown|fed|held) by\b|\babout to\b"
)
# "From walking", "a grazing land", "light coming in": these words in -ing tell of no event.
_NO_DEED = re.compile(r"\b(?:from|for|by|of|without|a|an|the)\s[a-z]+ing\b|\b(?:sun)?lights?\s[a-z]+ing\b|\bgoing on\b")
_WHOLE = re.compile(
    r"\b(?:dust|snow|ice|smoke|water)\b.{0,20}\beverywhere\b|\bcovered (?:in|with|by) (?:snow|ice|rains?)\b"
)
_KNOWN = re.compile(
    r"(?:the|his|her|its|their|this|that|these|those|they|he|she|it|all|both|each|every|everyone|everything|most|none"
    r"|nothing|one of|some of|many of|two of|several of)\b"
)
_NEW = re.compile(  # numbers as far as people write them in words here
    r"(?:an?|some|several|many|another|other|one|two|three|four|five|lots of|multiple|someone|somebody|\d+)\b"
)
_THE = re.compile(
    r"(?:the|it|them|him|her|his|their|its|each other|hands?|arms?|eyes|no|someone|this|that|these|those)\b"
)


def change_kinds(text: str) -> tuple[str, ...]:
    """Return the types of change that the words describe, in the order of `KINDS`."""
    found: set[str] = set()
    for clause in _clauses(text[:_LONGEST]):
        found |= _of_clause(clause)
    return tuple(kind for kind in KINDS if kind in found)


def change_count(text: str) -> int:
    """Return the number of changes that the words describe: two of one type, in two clauses, are two."""
    return sum(len(_of_clause(clause)) for clause in _clauses(text[:_LONGEST]))


def change_parts(text: str) -> tuple[str, ...]:
    """Return the clauses of a change in its own words, each as a complete sentence."""
    plain = " ".join(text[:_LONGEST].split())
    lowered = plain.lower()
    if len(lowered) != len(plain):  # a letter that lower case makes longer: the places would not fit
        return (plain,)
    parts, start = [], 0
    for found in _PART.finditer(lowered):
        if found.group().strip(" ,") in _JOINS and not _begins_a_clause(lowered, start, found):
            continue
        parts.append(plain[start : found.start()])
        start = found.end()
    cleaned = (_LED.sub("", part.strip(" ,;:.!?-")) for part in (*parts, plain[start:]))
    return tuple(f"{_capital(part[0])}{part[1:]}." for part in cleaned if part)


def _begins_a_clause(lowered: str, start: int, found: re.Match[str]) -> bool:
    """Whether a clause begins after "and" or a comma, or only the rest of a subject ("bread and butter are gone")."""
    before = lowered[start : found.start()]
    told, joined = before.strip(" ,"), _SUBJECT.match(lowered, found.start())
    if found["does"]:
        return bool(_DOES.match(told)) or _tells(told)
    if joined is None or joined["subject"].startswith(_PRONOUNS) or (before.endswith(",") and before.count(",") == 1):
        return True
    if "and" in found.group() and " and " in joined["subject"] and not _KNOWN.match(joined["subject"]):
        return False  # "sleeves and shorts and snow is melting": the clause begins at the second
    return _tells(told)


def _tells(told: str) -> bool:
    """Whether there is a verb, known by its form or by the length of what stands there."""
    said = told.split()
    return bool(words.COMMANDS & set(said[:1])) or len(said) >= _LONG or any(map(_predicate, said[1:]))


def _predicate(word: str) -> bool:
    """Whether a word tells what somebody is or does; "red", "bed", "wing" and "ceiling" only end as if they did."""
    if word in words.VERBS or word in words.DEEDS or word.endswith(("'s", "n't")):
        return True
    return bool(_ENDED.fullmatch(word)) and word not in words.NOUNS_IN_ING


def _capital(letter: str) -> str:
    """The capital of a letter, where that is one letter too."""
    return letter.upper() if len(letter.upper()) == 1 else letter


def _clauses(text: str) -> Iterator[str]:
    spoken = " ".join(re.sub(r"[\"“”()]", " ", text.lower().replace("’", "'")).split())
    spoken = _REMOVED_AND_REPLACED.sub(r"replace \g<old> ", spoken)
    spoken = _INSTEAD.sub(r"replace \g<old> by ", spoken)
    for piece in _BREAK.split(f" {spoken}"):
        clause = _OPENING.sub("", piece.strip(" ,'-"))
        if clause:
            yield clause


def _of_clause(clause: str) -> set[str]:
    verb, _, rest = clause.partition(" ")
    found = {ENVIRONMENT} if words.WEATHER_TOLD & set(clause.split()) or _WHOLE.search(clause) else set()
    if _REPLACED.search(clause) or verb in words.REPLACE:
        return found | _of_replacement(clause)
    if verb in words.COMMANDS and rest:
        return found | _of_command(verb, rest)
    if found:
        return found
    there = _THERE.match(clause)
    return _of_being(there["rest"]) if there else _of_telling(clause)


def _of_replacement(clause: str) -> set[str]:
    """ "Replace the adults with children", "instead of a car, there are people talking"."""
    found = {REPLACEMENT}
    replacing = _REPLACING.search(clause)
    if replacing and "person" in _things(replacing["new"]) and not _names_people(clause[: replacing.start()]):
        found.add(HUMAN_ADDITION)
    if any(_sort(word) == "weather" for word in clause.split()):
        found.add(ENVIRONMENT)
    return found | _event(clause)


def _of_command(verb: str, rest: str) -> set[str]:
    """ "Add a bus", "remove the people", "move the knife", "change the time of day", "have them wave"."""
    if verb in words.REMOVE:
        return {_REMOVED[sort] for sort in _things(rest)}
    if verb in words.HAVE:
        return _event(rest) or _of_telling(rest)
    if verb in words.ADD and not (verb in words.PLACE and _THE.match(rest)):
        return ({_ADDED[sort] for sort in _things(rest)} or {ADDITION}) | _brought(rest) | _event(rest)
    if verb in words.ALTER or words.LIDS & set(rest.split()[:4]):
        return _of_altering(verb, rest)
    return {RELOCATION} | _brought(rest) | _event(rest)


def _of_altering(verb: str, rest: str) -> set[str]:
    """ "Change the scene to night", "change the cake to a round one", "close the doors"."""
    if verb in ("change", "turn", "make", "set") and words.SURROUNDINGS & set(rest.split()[:4]):
        return {ENVIRONMENT}
    other = _TO.match(rest) if verb in ("change", "turn") else None
    if other and _ING.match(other["new"]):
        return {EVENT}
    if other and not words.STATES & set(other["new"].split()):
        return {REPLACEMENT}
    return {STATE}


def _of_being(rest: str) -> set[str]:
    """ "There is a mirror behind the cat", "there are no people"."""
    none = _NONE.match(rest)
    if none:
        return _without(none["rest"])
    return {_ADDED[sort] for sort in _things(rest)} | _brought(rest) | _event(rest)


def _of_telling(clause: str) -> set[str]:
    """ "The light is red", "a man is feeding the zebra", "the plane has flat tires", "many people on the street"."""
    subject, verb, rest = _parted(clause)
    if re.match(r"(?:nobody|no one|noone)\b", subject):
        return _without(f"people {rest}")
    none = _NONE.match(subject)
    if none:
        return _without(f"{none['rest']} {rest}")
    if _GONE.search(clause):
        return {_REMOVED[sort] for sort in _things(subject)} or {REMOVAL}
    found = _event(rest if verb else clause) | _brought(rest)
    if _is_new(subject, rest, bool(found)):
        return found | {_ADDED[sort] for sort in _things(subject)}
    if not verb or found:
        return found
    return _of_predicate(verb, rest)


def _of_predicate(verb: str, rest: str) -> set[str]:
    """What is said of something known: "is red", "has flat tires", "does not have arms", "is on the other side"."""
    if _MOVED.search(rest):
        return {RELOCATION}
    if verb in words.OWN and not _BEEN.match(rest) and not words.DAMAGED & set(rest.split()[:2]):
        none = _NONE.match(rest)
        return _without(none["rest"]) if none else {_ADDED[sort] for sort in _things(rest)}
    if verb in words.DO:
        owned = re.search(r"\b(?:have|has)\s(.+)", rest)
        return _without(owned[1]) if owned else {STATE}
    where = _WHERE.match(rest)
    if where:
        return {ADDITION} if _NEW.match(where["place"]) else {RELOCATION}
    return {STATE}


def _without(phrase: str) -> set[str]:
    """What is not there: "cars", "people"; of "people wearing jackets" it is the jackets."""
    people_without = _PEOPLE_WITHOUT.match(phrase)
    if people_without and _names_people(phrase.split()[0]):
        return {REMOVAL}
    return {_REMOVED[sort] for sort in _things(phrase)}


def _is_new(subject: str, rest: str, happens: bool) -> bool:
    """Whether a sentence tells of something that was not there: "a man …", "sharks are visible", "police put …"."""
    if _KNOWN.match(subject) or re.match(r"\w+ of (?:the|them)\b", subject):
        return False
    if _NEW.match(subject):
        return True
    there = happens or bool(re.match(r"(?:in|on|at|near|nearby|visible|around|behind|next|standing|sitting)\b", rest))
    return (there and subject.endswith("s")) or _names_people(subject)


def _parted(clause: str) -> tuple[str, str, str]:
    """Subject, verb and what is said: "the light", "is", "red"."""
    said = clause.split()
    for at, word in enumerate(said):
        if word in words.VERBS and at:
            return " ".join(said[:at]), word, " ".join(said[at + 1 :])
    return clause, "", ""


def _things(phrase: str) -> list[_Sort]:
    """What the nouns at the beginning of a phrase are: "two men and a dog in the rain" is a person and a thing."""
    sorts: list[_Sort] = []
    for item in _LIST.split(phrase):
        head = _head(item)
        if head and head not in words.NOT_THINGS:
            sorts.append(_sort(head))
        said = item.split()
        if words.NOUN_ENDS & set(said) or any(_is_deed(word) or word in words.STILL for word in said[1:]):
            break
    return sorts


def _head(item: str) -> str:
    """The noun that a phrase is about: "men" of "a bunch of old men next to the birds"."""
    head = ""
    for word in item.split():
        if word == "of":
            if not {head, head.removesuffix("s")} & words.AMOUNTS:
                break
        elif word in words.NOUN_ENDS or (head and (_is_deed(word) or word in words.STILL)):
            break
        elif word not in words.BEFORE_NOUNS and not word.isdigit():
            head = word
    return head


def _sort(noun: str) -> _Sort:
    forms = {noun, noun.removesuffix("s"), noun.removesuffix("es")}
    if forms & words.PEOPLE:
        return "person"
    if forms & words.WEATHER:
        return "weather"
    return "damage" if forms & words.DAMAGE else "thing"


def _names_people(text: str) -> bool:
    return any(_sort(word) == "person" for word in text.split())


def _brought(text: str) -> set[str]:
    """What comes along: "a man with a gun", "the stands are filled with people", "he is wearing a helmet"."""
    found: set[str] = set()
    holds = _HOLDS.search(text)
    if holds:
        found |= {_ADDED[sort] for sort in _things(holds["thing"])}
    said = text.split()
    for at, word in enumerate(said[:-1] if "not" not in said[:2] else ()):
        rest = " ".join(said[at + 1 :])
        if word == "wearing" and not _THE.match(rest):
            found.add(STATE if words.CLOTHES & set(rest.split()) else ADDITION)
        elif word in words.HANDLING and not _THE.match(rest):
            found |= {_ADDED[sort] for sort in _things(rest)}
    return found


def _event(text: str) -> set[str]:
    """An event, where somebody does something or something moves."""
    said = _NO_DEED.sub(" ", text).split()
    happens = any(_is_deed(word) or word in words.DEEDS or word in words.MOODS for word in said)
    return {EVENT} if happens or _DONE_BY.search(text) else set()


def _is_deed(word: str) -> bool:
    return bool(_ING.fullmatch(word)) and word not in words.STILL and word not in words.NOUNS_IN_ING
