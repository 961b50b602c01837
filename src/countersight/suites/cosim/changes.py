"""Propose the types of a scene change from its words: the nine types of CoSIm (CoSIm 5.2).

A change is split into clauses. A clause is a command ("add a bus", "move the man", "have them wave") or a statement
("there is no fence", "the light is red", "a man is feeding the zebra"). It adds or removes a person, weather, damage or
a thing, or describes a state, a place or an event. The rules only use lists of words (`change_words.toml`), so they are
fast, deterministic and imperfect: tests/suites/test_cosim_changes.py measures their accuracy on changes labelled by
hand. Types assigned by people replace the proposed ones.
"""

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from typing import Final

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
    *(ADDITION, REMOVAL, REPLACEMENT, RELOCATION, STATE),
    *(HUMAN_ADDITION, HUMAN_REMOVAL, ENVIRONMENT, EVENT),
)
"""The nine types, in the order of the paper's Table 4."""

_LONGEST = 4_000  # characters of a change that are read; the longest published one has under 1,000

_LISTS: Final = tomllib.loads((files(__package__) / "change_words.toml").read_text(encoding="utf-8"))
_WORDS: Final = {name: frozenset(text.split()) for name, text in _LISTS.items()}
_VERBS: Final = _WORDS["verbs"] | _WORDS["own"] | _WORDS["do"]
_COMMANDS: Final = frozenset().union(*(_WORDS[name] for name in ("add", "remove", "replace", "move", "alter", "have")))

_ADDED: Final = {"person": HUMAN_ADDITION, "weather": ENVIRONMENT, "damage": STATE, "thing": ADDITION}
_REMOVED: Final = {"person": HUMAN_REMOVAL, "weather": ENVIRONMENT, "damage": STATE, "thing": REMOVAL}

_COMMAND = "|".join(sorted(_COMMANDS - _WORDS["own"]))
_PLAIN_COMMAND = "add|remove|replace|delete|dress"  # unambiguous: no noun or other verb form looks like these
_VERB = "|".join(sorted(_VERBS))
_BREAK = re.compile(
    r"(?<!\.[a-z])[.;:!?\n]+(?!\w)"  # not in "5 p.m. here"
    r"|,?\s\b(?:but|however|although|though|while|whereas)\b"
    rf"|,?\s(?:and\s|then\s)?(?=(?:{_PLAIN_COMMAND})\s)"
    rf"|,?\s(?:and\s|then\s)?(?=(?:{_COMMAND}|have)\s(?:the|an?|some|all|his|her|their|its|it|them|two|many|more|another)\s)"
    rf"|(?:,\s|\sand\s|\sas\swell\sas\s)(?=(?:[\w'-]+\s){{1,4}}(?:{_VERB})\s)"
)
_SAME: Final = (
    (r"\bremove\s([^.]{1,120}?)[.,]*\s*(?:and\s)?replace\s(?:(?:it|them|this|that)\s)?(?=by\b|with\b)", r"replace \1 "),
    (r"\b(?:nobody|no ?one)\b", "no people"),
    (r"\b(?:do|does)(?: not|n't) have\b", "has no"),
)
"""Phrases, each with an equivalent that the rules recognize."""
_LIST = re.compile(r"\s*(?:,|\band\b|\bor\b|\bnor\b|\bas well as\b|\bplus\b|/)\s*")
_ING = re.compile(r"[a-z]{2,}ing")
_THERE = re.compile(r"there(?:'s|s|\sis|\sare|\swas|\swere)?\s(?:(?:now|also|still|only)\s)*(?P<rest>.+)")
_NONE = re.compile(r"(?:no|not any|not an?|not many|not much|not|none of|less|fewer)\s(?P<rest>.+)")
_TO = re.compile(r".{2,60}?\s(?:in)?to\s(?:be\s)?(?P<new>.+)")
_REPLACED = re.compile(
    r"\breplaced?\b|\binstead\b|\bin place of\b|\bswapped\b|\bturn(?:s|ed)? into\b|\bchanged? into\b"
    r"|\b(?:is|are) [\w ]{2,25}, not\b"
)
_GONE = re.compile(r"\b(?:is|are|was|were|been|be)\s(?:all\s)?(?:removed|gone|missing|erased|taken (?:away|out|off))\b")
_WHERE = re.compile(r"(?!on fire)(?:not\s)?(?:in|on|at|over|under|inside|outside|above|behind|below)\s(?P<place>\w+)")
_HOLDS = re.compile(r"\b(?:covered|surrounded|filled|full|packed|crowded|loaded)\s(?:by|with|in|of)\s(?P<thing>.+)")
# "From walking", "a grazing land", "light coming in": these words in -ing do not describe an event.
_NO_ACTS = re.compile(r"\b(?:from|for|by|of|without|a|an|the)\s[a-z]+ing\b|\b(?:sun)?lights?\s[a-z]+ing\b|\bgoing on\b")
_KNOWN = re.compile(
    r"(?:the|his|her|its|their|this|that|these|those|they|he|she|it|all|both|each|every|everyone|everything|most|none"
    r"|nothing|one of|some of|many of|two of|several of)\b|\w+ of (?:the|them)\b"
)
_NEW = re.compile(  # only the number words that are common here
    r"(?:an?|some|several|many|another|other|one|two|three|four|five|lots of|multiple|someone|somebody|\d+)\b"
)
_THE = re.compile(
    r"(?:the|it|them|him|her|his|their|its|each other|hands?|arms?|eyes|no|someone|this|that|these|those)\b"
)
_IS_THERE = re.compile(r"(?:in|on|at|near|nearby|visible|around|behind|next|standing|sitting)\b")


def change_kinds(text: str) -> tuple[str, ...]:
    """Return the types of change that a text describes, in the order of `KINDS`."""
    found = set().union(*map(_kinds_of_clause, _clauses(text)))
    return tuple(kind for kind in KINDS if kind in found)


def change_count(text: str) -> int:
    """Return the number of changes that a text describes: two of the same type, in two clauses, count as two."""
    return sum(len(_kinds_of_clause(clause)) for clause in _clauses(text))


def _clauses(text: str) -> Iterator[str]:
    lowered = " ".join(re.sub(r"[\"“”()]", " ", text[:_LONGEST].lower().replace("’", "'")).split())
    for phrase, same in _SAME:
        lowered = re.sub(phrase, same, lowered)
    return filter(None, (piece.strip(" ,'-") for piece in _BREAK.split(f" {lowered}")))


def _kinds_of_clause(clause: str) -> set[str]:
    verb, _, rest = clause.partition(" ")
    found = {ENVIRONMENT} if _WORDS["weather_told"] & set(clause.split()) else set()
    if _REPLACED.search(clause):
        return found | {REPLACEMENT} | _event(clause)
    if verb in _COMMANDS and rest:
        return found | _kinds_of_command(verb, rest)
    if found:
        return found
    existing = _THERE.match(clause)
    if not existing:
        return _kinds_of_statement(clause)
    none = _NONE.match(existing["rest"])
    return _removed(none["rest"]) if none else _added(existing["rest"]) | _event(existing["rest"])


def _kinds_of_command(verb: str, rest: str) -> set[str]:
    """Return the types of a command: "add a bus", "remove the people", "change it to night", "have them wave"."""
    if verb in _WORDS["remove"]:
        return {_REMOVED[sort] for sort in _things(rest)}
    if verb in _WORDS["have"]:
        return _event(rest) or _kinds_of_statement(rest)
    if verb in _WORDS["add"] and not (verb in _WORDS["place"] and _THE.match(rest)):
        return (_added(rest) or {ADDITION}) | _event(rest)
    if verb not in _WORDS["alter"]:
        return {RELOCATION} | _accompanying(rest) | _event(rest)
    if verb in ("change", "turn", "make") and _WORDS["surroundings"] & set(rest.split()[:4]):
        return {ENVIRONMENT}
    other = _TO.match(rest) if verb in ("change", "turn") else None
    if other is None or _WORDS["states"] & set(other["new"].split()):
        return {STATE}
    return {EVENT} if _ING.match(other["new"]) else {REPLACEMENT}


def _kinds_of_statement(clause: str) -> set[str]:
    """Return the types of a statement: "the light is red", "a man is feeding the zebra", "the plane has flat tires"."""
    words = clause.split()
    at = next((place for place, word in enumerate(words) if place and word in _VERBS), len(words))
    subject, verb, rest = " ".join(words[:at]), "".join(words[at : at + 1]), " ".join(words[at + 1 :])
    if none := _NONE.match(subject):
        return _removed(f"{none['rest']} {rest}")
    if _GONE.search(clause):
        return {_REMOVED[sort] for sort in _things(subject)} or {REMOVAL}
    found = _event(rest if verb else clause) | _accompanying(rest)
    if not _KNOWN.match(subject):
        is_there = found or _IS_THERE.match(rest)
        if _NEW.match(subject) or _names_people(subject) or (is_there and subject.endswith("s")):
            return found | {_ADDED[sort] for sort in _things(subject)}
    return found if found or not verb else _kinds_of_predicate(verb, rest)


def _kinds_of_predicate(verb: str, rest: str) -> set[str]:
    """Return the types of a statement about a known thing: "is red", "has flat tires", "is on the other side"."""
    if verb in _WORDS["own"]:
        none = _NONE.match(rest)
        return _removed(none["rest"]) if none else {_ADDED[sort] for sort in _things(rest)}
    where = _WHERE.match(rest)
    return {STATE} if where is None else {ADDITION} if _NEW.match(where["place"]) else {RELOCATION}


def _removed(phrase: str) -> set[str]:
    return {_REMOVED[sort] for sort in _things(phrase)}


def _added(phrase: str) -> set[str]:
    return {_ADDED[sort] for sort in _things(phrase)} | _accompanying(phrase)


def _things(phrase: str) -> list[str]:
    """Classify the nouns at the beginning of a phrase: "two men and a dog in the rain" is a person and a thing."""
    sorts = []
    for item in _LIST.split(phrase):
        if head := _head(item):
            sorts.append(_sort(head))
        words = item.split()
        if _WORDS["noun_ends"] & set(words) or any(map(_ends_a_noun, words[1:])):
            break
    return sorts


def _head(item: str) -> str:
    """Return the head noun of a phrase: "men" in "a bunch of old men next to the birds"."""
    head = ""
    for word in item.split():
        if word == "of":
            if not {head, head.removesuffix("s")} & _WORDS["amounts"]:
                break
        elif word in _WORDS["noun_ends"] or (head and _ends_a_noun(word)):
            break
        elif not word.isdigit():
            head = word
    return head


def _ends_a_noun(word: str) -> bool:
    return _is_action(word) or word in _WORDS["still"]


def _sort(noun: str) -> str:
    forms = {noun, noun.removesuffix("s"), noun.removesuffix("es")}
    lists = {"person": "people", "weather": "weather", "damage": "damage"}
    return next((sort for sort, name in lists.items() if forms & _WORDS[name]), "thing")


def _names_people(text: str) -> bool:
    return any(_sort(word) == "person" for word in text.split())


def _accompanying(text: str) -> set[str]:
    """Return the types of accompanying things: "a man with a gun", "filled with people", "he is wearing a helmet"."""
    holds = _HOLDS.search(text)
    found = {_ADDED[sort] for sort in _things(holds["thing"])} if holds else set()
    words = text.split()
    for at, word in enumerate(words[:-1] if "not" not in words[:2] else ()):
        rest = " ".join(words[at + 1 :])
        if word in _WORDS["handling"] and not _THE.match(rest):
            found |= {_ADDED[sort] for sort in _things(rest)}
    return found


def _event(text: str) -> set[str]:
    """Return the type "event description" if somebody does something or something moves."""
    words = _NO_ACTS.sub(" ", text).split()
    happens = any(_is_action(word) or word in _WORDS["deeds"] for word in words)
    return {EVENT} if happens else set()


def _is_action(word: str) -> bool:
    return bool(_ING.fullmatch(word)) and word not in _WORDS["still"] and word not in _WORDS["nouns_in_ing"]


# "And they" and "and it" begin a clause, whatever its verb is. Types only depend on the breaks above.
_PART = re.compile(rf"{_BREAK.pattern}|,?\sand\s(?=(?P<pronoun>it|they|he|she|we)\s)", re.IGNORECASE)
_LED = re.compile(r"^and\s+", re.IGNORECASE)  # for "it rains, and the street is wet", which is split at the comma


def change_parts(text: str) -> tuple[str, ...]:
    """Return the clauses of a change in the original words, each as a complete sentence."""
    plain = " ".join(text[:_LONGEST].split())
    parts, start = [], 0
    for found in _PART.finditer(plain):
        # A clause has a verb, so at least three words; "and" after fewer joins nouns ("bread and butter are gone").
        is_clause = plain.count(" ", start, found.start()) > 1 or found["pronoun"]
        if is_clause or found.group().strip(" ,").lower() not in ("", "and", "as well as"):
            parts.append(plain[start : found.start()])
            start = found.end()
    cleaned = (_LED.sub("", part.strip(" ,;:.!?-")) for part in (*parts, plain[start:]))
    # upper() may turn one letter into two; such a letter stays as it is.
    return tuple(f"{part[0].upper() if len(part[0].upper()) == 1 else part[0]}{part[1:]}." for part in cleaned if part)
