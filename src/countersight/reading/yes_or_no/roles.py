"""Who does something to whom, and which of two things is so: the words are the question's own, and it may be a no."""

import re
from typing import Final, Literal, NamedTuple

from countersight.reading.language.asked import CALLED, CONTRARY, Asked, content, first_word
from countersight.reading.language.opposites import opposed_stems, states, told_of
from countersight.reading.language.stems import counted_words, stem
from countersight.reading.language.vocabulary import words
from countersight.reading.yes_or_no.negation import NEGATED
from countersight.reading.yes_or_no.repetitions import PRONOUN, is_of_the_owned

_THE = r"(?:the|a|an|his|her|its|their) (?:[\w-]+ )?[\w-]+"
_WHO = rf"(?P<who>it|he|she|they|{_THE})"
_WHOM = rf"(?P<whom>it|him|her|them|{_THE})"
_ASKS_OF_DOING = re.compile(rf"^\W*(?:is|are) {_WHO} (?P<verb>\w+)ing {_WHOM}\W*$", re.IGNORECASE)
_ASKS_OF_BEING_DONE = re.compile(rf"^\W*(?:is|are) {_WHO} (?:being )?(?P<verb>\w+) by {_WHOM}\W*$", re.IGNORECASE)
_IS = r"(?: (?:that|who))?(?: is| are|'s|'re)(?: the ones?)?(?: (?:that|who) (?:is|are))?"
_WHO_IS = rf"^\W*(?:it(?:'s| is) (?=the\b[^,]* (?:that|who)\b))?{_WHO}{_IS}"
_THERE = r"(?: (?:across|through|over|along|down|up|in|on|at|around|into|towards?) [\w ]+)?"
_DOES = re.compile(rf"{_WHO_IS} (?P<verb>\w+)ing(?: {_WHOM})?{_THERE}\W*$", re.IGNORECASE)
_IS_DONE = re.compile(rf"{_WHO_IS}(?: being)? (?P<verb>(?!being\b)\w+)(?: by {_WHOM})?\W*$", re.IGNORECASE)
_IT_IS = re.compile(r"^\W*it(?:'s| is)\b.* (?:that|who)\b", re.IGNORECASE)
_NOT = re.compile(r" not\b|n't\b", re.IGNORECASE)
_PLACES_IN_ORDER: Final = frozenset({"first", "second", "third", "fourth", "fifth", "last"})
_IED = re.compile(r"ied$")
_PRONOUNS: Final = frozenset({"it", "he", "she", "they", "him", "her", "them"})
_MUTUAL = frozenset(map(stem, words("yes_no.mutual")))
_HELPS = r"(?:is|are|was|were|would(?: be)?|will|does|do|has|have)"
_KIND = re.compile(rf"^\W*{_HELPS} the (?P<kind>\w+) (?P<noun>\w+) (?=\w)", re.IGNORECASE)
_WHICH = re.compile(
    r"^\W*(?:of the [\w ]{2,30}, )?(?:(?P<only>only|just) the|it(?:'s| is| would be) (?:only )?the) (?P<kind>\w+)"
    rf"(?: (?P<noun>\w+))??(?: (?:that|which|who))? {_HELPS}(?: (?P<what>.*))?\W*$",
    re.IGNORECASE,
)


class Deed(NamedTuple):
    """Something that is done, or suffered, in stems; whom is empty where nobody is named."""

    verb: str
    who: frozenset[str]
    whom: frozenset[str]
    suffered: bool


_ANOTHER = re.compile(r"\W*(?:(?:and|but|so) )?(?:the other|another)\b", re.IGNORECASE)
_IT_IS_THAT = re.compile(r"\W*it(?:'s| is| was) (?:the|an?) (?P<who>\w+(?: \w+)?) (?:that|who|which)\b", re.IGNORECASE)
_OWNER = re.compile(r"\W*\w+ (?:the|an?) (?P<who>\w+)'s\b", re.IGNORECASE)
_SPEAKER = re.compile(r"\W*i\b", re.IGNORECASE)
_PEOPLE = frozenset({"he", "she"})


def is_of_another(clause: str, asked: Asked) -> bool:
    """Whether a clause is about somebody else: "he would win", to whether the girl would; "the other girl would"."""
    if asked.subject and _SPEAKER.match(clause):
        return True  # "I can't see a bird", to whether the cat sees one
    if is_of_the_owned(clause, asked):
        return True
    cleft = _IT_IS_THAT.match(clause)
    if cleft and content(cleft["who"]).isdisjoint(asked.words):
        return True  # "it's the freezer that's empty", to whether the fridge is
    owner = _OWNER.match(asked.text)
    if owner and first_word(clause) == stem(owner["who"].lower()) and asked.subject not in content(clause):
        return True  # "the boy would fall", to whether his hat would
    pronoun = PRONOUN.match(clause)
    if pronoun and pronoun["who"].lower() in _PEOPLE - asked.people:
        # "He would fall", to whether the ladder would if the painter leaned over.
        return bool(asked.people or (asked.persons and not asked.persons & asked.words))
    return bool(_ANOTHER.match(clause)) and not _ANOTHER.search(asked.text) and not _is_one_too_many(clause, asked)


def _is_one_too_many(clause: str, asked: Asked) -> bool:
    """Whether all were asked about, and the others are not so."""
    return (
        asked.of_all
        and told_of(asked.states, [state.group().lower() for state in states(clause)], negated=False) is False
    )


def _deed(doing: re.Match[str] | None, suffering: re.Match[str] | None) -> Deed | None:
    told = doing or suffering
    if not told:
        return None
    verb = f"{told['verb'].lower()}ing" if doing else _IED.sub("y", told["verb"].lower())
    who, whom = (frozenset({name.lower()} & _PRONOUNS) or content(name) for name in (told["who"], told["whom"] or ""))
    return Deed(stem(verb), who, whom, suffered=not doing)


def in_its_place(clause: str, asked: Asked) -> bool | Literal["open"] | None:
    """Whether just that one is so, or does it to the other, as was asked; "open" where a clause leaves that open."""
    if not NEGATED.search(clause):
        role = _in_its_role(clause, asked)
        return _is_that_one(clause, asked) if role is None else role
    role = _in_its_role(_NOT.sub("", clause), asked)
    return None if role is None else False if role is True else "open"  # "the mouse is not chasing the cat"


def _in_its_role(clause: str, asked: Asked) -> bool | Literal["open"] | None:
    """Whether one does it to the other as was asked; "open" where it may be both, None where nothing such is told."""
    wanted = _deed(_ASKS_OF_DOING.match(asked.text), _ASKS_OF_BEING_DONE.match(asked.text))
    told = _deed(_DOES.match(clause), _IS_DONE.match(clause)) if wanted else None
    if not wanted or not told or told.verb != wanted.verb:
        return None
    # Where one of the two suffers what the other is asked to do, each is to stand in the other's place.
    first, second = ("whom", "who") if told.suffered != wanted.suffered else ("who", "whom")
    who = _meant_by(told.who, wanted) if told.who & _PRONOUNS else _which(told.who, wanted)
    whom = {"who": "whom", "whom": "who"}.get(who, second) if told.whom & _PRONOUNS else _which(told.whom, wanted)
    if who == second or whom == first:
        return "open" if wanted.verb in _MUTUAL or who == whom else False
    if (who, whom) == (first, second):
        return True
    if _IT_IS.match(clause) and not who and whom:
        return False  # "it is the farmer who is pulling it"
    return (
        "open" if told.suffered and wanted.suffered and told.whom and not whom else None
    )  # by another, or by his name


def _meant_by(pronoun: frozenset[str], wanted: Deed) -> str:
    """Which of the two a pronoun stands for: the only one that may be called so, or the one that was asked about."""
    if he_or_she := next((called for name, called in CALLED.items() if name in pronoun), None):
        return "whom" if he_or_she & wanted.whom and not he_or_she & wanted.who else "who"
    people = frozenset[str]().union(*CALLED.values())
    return "whom" if people & wanted.who and not people & wanted.whom else "who"


def _which(named: frozenset[str], wanted: Deed) -> str:
    """Which of the two of a deed is named, by the words that only one of them has; nothing where it is another."""
    if named & (wanted.who - wanted.whom):
        return "" if named & (wanted.whom - wanted.who) else "who"
    return "whom" if named & (wanted.whom - wanted.who) else ""


def _is_that_one(clause: str, asked: Asked) -> bool | Literal["open"] | None:
    """Whether the asked one of two is so, where a clause names the only one that is: "only the right one is open"."""
    one, told = _KIND.match(asked.text), _WHICH.match(CONTRARY.split(clause)[0])
    if not one or not told:
        return None
    if (told["noun"] or "one").lower() not in (one["noun"].lower(), "one", "ones"):
        return None
    kinds = [counted_words(f"the {each['kind']} {one['noun']}") for each in (one, told)]
    what = told["what"] or ""
    said, same = [state.group().lower() for state in states(what)], content(what) <= asked.words
    if one["kind"].lower() == told["kind"].lower():
        return True if same else told_of(asked.states, said, negated=False)
    ordered = {each["kind"].lower() for each in (one, told)} <= _PLACES_IN_ORDER or told["kind"].lower() == "other"
    if not ordered and not any(opposed_stems(mine, theirs) for mine in kinds[0] for theirs in kinds[1]):
        return None
    contrary = told_of(asked.states, said, negated=True) if told["only"] else None
    return False if same else "open" if contrary is None else contrary
