"""Write counterfactual yes/no questions about a world in which a fact of the picture is reversed."""

import re
from random import Random
from typing import Final

import msgspec

from countersight.authoring.drafts import PairDraft, Unwritten
from countersight.authoring.sources import SourceQuestion
from countersight.authoring.vocabulary import (
    BODY_PARTS,
    CLOTHES,
    COLOURED,
    MASSES,
    OPENED,
    PAINTED,
    PARTS_THAT_STAY,
    RAISED,
    SWITCHED,
    TURNED,
    TURNINGS,
    UNTURNED,
    WASHED,
)
from countersight.composer import KINDS, PLACES, noun_key
from countersight.english import article, is_plural, number_of

_PERSON: Final = noun_key("person")
_PEOPLES: Final = KINDS[_PERSON] | {_PERSON}
_LIVING: Final = KINDS[noun_key("animal")] | {noun_key("animal")}
_MOVING: Final = KINDS[noun_key("vehicle")] | {noun_key("vehicle")}
_FLYING: Final = frozenset(map(noun_key, ("plane", "airplane", "jet", "helicopter", "bird", "drone")))
_POINTING: Final = frozenset({"the", "this", "that"})
_WHERE: Final = frozenset({"in", "on", "at", "near", "behind", "by", "under", "above", "beside", "inside"})
_NOWHERE: Final = _WHERE | {"here", "nearby", "outside"}
_PEOPLE: Final = frozenset({"someone", "somebody", "anyone", "anybody"})
_HE: Final = frozenset(map(noun_key, ("man", "boy", "guy", "gentleman", "father", "policeman")))
_SHE: Final = frozenset(map(noun_key, ("woman", "girl", "lady", "mother", "policewoman")))
_NO_DOING: Final = frozenset(
    {"wearing", "going", "being", "trying", "sitting", "standing", "lying", "having", "getting"}
)
_LONGEST_THING = 3
_LONGEST_DOING = 4
"""The maximum number of words of an activity; longer phrases may say more than what is done."""


class Turning(msgspec.Struct, frozen=True):
    """Wordings of one supposition, and the words that fill their slots."""

    patterns: list[str]
    slots: dict[str, str]
    subject: int = 1
    """The number of words of the subject, which stand between "would" and "be"."""

    @property
    def family(self) -> str:
        """One name for all wordings of the supposition, used to balance yes and no."""
        return next((name for name, each in TURNINGS.items() if each is self.patterns), "state")

    def in_pronouns(self) -> dict[str, str]:
        """Return the slots for a question, which has already named its subject."""
        he, has = self.slots.get("he", ""), self.slots.get("has", "")
        return self.slots | {"subject": he, "whose": "its", "owner": f"{he} {has}", "there": "there"}

    def in_names(self) -> dict[str, str]:
        """Return the slots for a separate sentence, which has to name its subject first."""
        who = self.slots.get("who", "")
        whose = "its" if who == "it" else f"{who}'s"
        return self.slots | {
            "subject": who,
            "whose": whose,
            "owner": f"{who} has",
            "there": self.slots.get("where", ""),
        }


def turning_of(words: list[str]) -> Turning | None:
    """Return a supposition that reverses the answer to a question with these words; None if none is known."""
    if UNTURNED & set(words) or any(number_of(word) not in (None, 1) for word in words):
        return None
    match words:
        case ["is", *_] if people := _of_people(words):
            return people
        case ["is" | "are", "there", *said]:
            return _of_what_is_there(words[0], said)
        case ["does", determiner, noun, "have", *had] if determiner in _POINTING:
            return _of_having(noun, had)
        case ["is", "it" | "this", *hour] if "".join(hour) in ("nighttime", "daytime"):
            return Turning(TURNINGS["hours"], {})
        case ["is", "it", state] if state in ("raining", "snowing", "cloudy", "sunny"):
            return Turning(TURNED[state], {})
        case ["is", "this", "a", "color" | "colour", shown] if noun_key(shown) in map(noun_key, PLACES):
            return Turning(TURNINGS["photo"], _subject(["the", shown]))
        case ["is", *said] if name := _name(said):
            return _of_one(name, said[len(name) :])
    return None


def _name(said: list[str]) -> list[str]:
    """Return the name of a single thing or being at the beginning: he, it, the dog; empty if there is none."""
    match said:
        case ["he" | "she" | "it", *_]:
            return said[:1]
        case [determiner, noun, *_] if determiner in _POINTING and not is_plural(noun):
            return said[:2]
        case [determiner, first, noun, *_] if determiner in _POINTING and noun_key(noun) in OPENED | SWITCHED | RAISED:
            return said[: 3 if not is_plural(noun) and first not in _WHERE else 0]
    return []


def _of_one(name: list[str], rest: list[str]) -> Turning | None:
    found = _state_of(name, rest)
    return Turning(*found, len(name)) if found else None


def _state_of(name: list[str], rest: list[str]) -> tuple[list[str], dict[str, str]] | None:
    thing, slots = noun_key(name[-1]), _subject(name)
    is_person = name[-1] in ("he", "she") or thing in _PEOPLES
    is_living = is_person or thing in _LIVING
    match rest:
        case ["wearing", "a" | "an", worn] if is_person and worn not in CLOTHES and not is_plural(worn):
            return TURNINGS["wearing"], slots | _said(worn)
        case ["wearing", worn] if is_person and worn not in CLOTHES and is_plural(worn):
            return TURNINGS["wearing"], slots | _said(worn)
        case ["on" | "off"] | ["turned" | "switched", "on" | "off"] if thing in SWITCHED:
            return TURNINGS["switched"], slots
        case [colour] if colour in COLOURED and thing in PAINTED:
            return TURNINGS["painted"], slots | {"x": colour}
        case [state] if state in TURNED and _may_be(state, thing, is_living=is_living):
            return TURNED[state], slots
        case [doing, *more] if is_living and _is_doing(doing, more):
            return TURNINGS["doing"], slots | {"x": " ".join(rest)}
    return None


def _is_doing(doing: str, more: list[str]) -> bool:
    is_verb = doing.endswith("ing") and len(doing) > 4 and doing not in _NO_DOING
    return is_verb and len(more) < _LONGEST_DOING and "not" not in more


def _may_be(state: str, thing: str, *, is_living: bool) -> bool:
    """Whether somebody can bring a thing into a state or out of it: nobody closes an open seat or fills the ground."""
    if state in ("awake", "asleep", "sleeping", "sitting", "standing"):
        return is_living
    things = {"open": OPENED, "closed": OPENED, "shut": OPENED, "up": RAISED, "down": RAISED}
    things |= {"moving": _MOVING, "flying": _FLYING}
    return thing in things.get(state, WASHED)


def _subject(name: list[str]) -> dict[str, str]:
    """Return the slots for the subject: its name, its pronoun and their verb forms."""
    thing = noun_key(name[-1])
    he = name[0] if len(name) == 1 else "he" if thing in _HE else "she" if thing in _SHE else ""
    he = he or ("they" if thing in _PEOPLES else "it")
    several = he == "they"
    return {"who": " ".join(name), "he": he, "is": "are" if several else "is", "has": "have" if several else "has"}


def _said(noun: str, *, is_some: bool = False) -> dict[str, str]:
    """Return the slots for a noun and its pronouns: a hat (it, one), glasses (them, some), snow (it, some)."""
    several = is_plural(noun.split()[0] if " of " in noun else noun)
    some = several or is_some
    words = {"x": noun, "it": "them" if several else "it", "one": "some" if some else "one"}
    return words | {"a": "some" if some else article(noun)}


def _of_people(words: list[str]) -> Turning | None:
    """Return the supposition for a question whether anybody is somewhere; None for other questions."""
    match words:
        case ["is", "there", who, *rest] | ["is", who, "here" | "nearby" | "outside", *rest] if who in _PEOPLE:
            rest = words[words.index(who) + 1 :]
            is_place = bool(rest) and rest[0] in _NOWHERE and not any(word.endswith("ing") for word in rest)
            return Turning(TURNINGS["people"], {"where": " ".join(rest)}) if is_place else None
    return None


def _of_what_is_there(verb: str, said: list[str]) -> Turning | None:
    """Return the supposition for "is there a dog in the picture", "are there any clouds" and the like, or None."""
    has_article = said[:1] in (["a"], ["an"])
    said = said[1:] if said[:1] in (["a"], ["an"], ["any"]) else said
    place = next((place for place, word in enumerate(said) if word in _NOWHERE), len(said))
    name, rest = said[:place], said[place:]
    is_plain = 0 < len(name) <= _LONGEST_THING and not any(word.endswith("ing") for word in said)
    if not is_plain or not _agrees(verb, name, has_article=has_article):
        return None
    if name == ["people"]:
        return Turning(TURNINGS["people"], {"where": " ".join(rest)}) if rest else None
    where = [] if PLACES & set(rest) or rest[:1] == ["here"] else rest
    slots = _said(" ".join(name), is_some=not has_article)
    return Turning(TURNINGS["existing"], slots | {"x": " ".join([*name, *where]), "is": verb})


def _agrees(verb: str, name: list[str], *, has_article: bool) -> bool:
    """Whether verb, article and noun agree; published questions are not always grammatical."""
    if verb == "are":
        return is_plural(name[-1]) and not has_article
    return not is_plural(name[-1]) and (has_article or noun_key(name[-1]) in MASSES)


def _of_having(noun: str, had: list[str]) -> Turning | None:
    """Return the supposition for "does the window have a curtain" and the like; None for parts of a body."""
    has_article = had[:1] in (["a"], ["an"])
    name = had[1:] if has_article else had
    name = name[:-2] if name[-2:] in (["on", "it"], ["on", "him"], ["on", "her"]) else name
    if not 0 < len(name) <= 2 or is_plural(noun) or set(name) & _WHERE:
        return None
    thing = noun_key(name[-1])
    is_one = has_article and not is_plural(name[-1])
    if thing in BODY_PARTS | PARTS_THAT_STAY or not (is_one or is_plural(name[-1]) or thing in MASSES):
        return None
    return Turning(TURNINGS["having"], _subject(["the", noun]) | _said(" ".join(name), is_some=not has_article))


def write_yes_no(source: SourceQuestion, chance: Random) -> PairDraft:
    """Return a counterfactual yes/no question with the opposite answer; raises Unwritten."""
    words = source.question.strip().rstrip("?!. ").split()
    is_plain = len(words) >= 3 and all(re.fullmatch(r"[\w'’-]+", word) for word in words)
    turning = turning_of([word.casefold() for word in words]) if is_plain else None
    if turning is None:
        raise Unwritten("the grammar does not cover the question")
    be = [] if words[0].casefold() == "does" else ["be"]
    asked = " ".join(["would", *words[1 : turning.subject + 1], *be, *words[turning.subject + 1 :]])
    pattern = chance.choice(turning.patterns)
    written = {word.casefold(): word for word in words[1:]}  # keeps capitals: Frisbee, TV
    question, told = (_filled(pattern, asked, slots, written) for slots in (turning.in_pronouns(), turning.in_names()))
    return PairDraft(
        question, "no" if source.answer == "yes" else "yes", f"turn round: {turning.family}", pattern, told=told
    )


def _filled(pattern: str, asked: str, slots: dict[str, str], written: dict[str, str]) -> str:
    """Return the question in a wording, with the capitals of the source question."""
    words = {name: " ".join(written.get(word, word) for word in said.split()) for name, said in slots.items()}
    question = pattern.format(asked=asked, **words)
    return re.sub(r"(^|\. )([a-z])", lambda begins: begins[1] + begins[2].upper(), question)
