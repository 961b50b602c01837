"""Numbers of a reply that count something else than was asked."""

import re
from itertools import pairwise

from countersight.reading.counts.company import Quantity, names_several
from countersight.reading.counts.question import Counted
from countersight.reading.language.clauses import MODAL_AT
from countersight.reading.language.numerals import numerals
from countersight.reading.language.ranks import Rank
from countersight.reading.language.stems import is_empty, stem
from countersight.reading.language.vocabulary import any_of, words

_ALL_OF_THEM = re.compile(
    r"\s*of (?:them|these|those)"
    r"(?: (?:here|there|altogether|in (?:all|total|view)|in th(?:e|is) (?:picture|image|photo|scene)))?\W*",
    re.IGNORECASE,
)
_ANYBODY = frozenset(map(stem, ("people", "person", "individuals")))
SOME_PEOPLE = frozenset(map(stem, words("questions.some_people")))
_KINDS_OF_PEOPLE = tuple(
    frozenset(map(stem, kind)) for kind in (("man", "guy"), ("woman", "lady"), ("child", "boy", "girl", "baby"))
)
_GROUP_OF = re.compile(rf"{any_of('counts.groups')} of\W*$", re.IGNORECASE)
_CHILD = stem("child")
_CHILDREN = frozenset(map(stem, ("boy", "girl", "baby", "toddler")))
_LISTS_ONE = re.compile(
    r"\ban? [a-z]+(?: [a-z]+)?(?:,| and\b)|\band an? [a-z]+|\b(?:besides|apart from|in addition to) (?:an?|the) [a-z]+",
    re.IGNORECASE,
)
_ONE_AND_MORE = re.compile(
    r"\b(?:an?|the) [a-z]+(?: [a-z]+)?,? and (?:the )?\w+ [a-z]+ (?:[a-z]+ )?(?:would|will)\b", re.IGNORECASE
)
_IN_TOTAL = re.compile(r"\b(?:in total|in all|altogether)\W*$", re.IGNORECASE)
GENERAL = frozenset(map(stem, words("questions.general")))
"""Stems of what goes by many other names."""
_SENTENCE_END = re.compile(r"[.!?;](?:\s|$)")
_NAMED = re.compile(r" (?P<noun>[^\W\d_]+)\b")
_NAMED_AND = re.compile(_NAMED.pattern + r",? and ")


def is_beside_the_question(quantity: Quantity, asked: Counted) -> bool:
    """Whether a number is no count of what was asked, but a share of it, a name, or a count of other things."""
    return (
        _is_only_a_share(quantity, asked)
        or _is_a_name(quantity, asked)
        or _is_of_another_kind(quantity, asked)
        or _is_none_of_another(quantity, asked)
        or _is_of_all_people(quantity, asked)
        or _is_of_other_people(quantity, asked)
        or _is_of_the_changed(quantity, asked)
        or _is_of_no_portion(quantity, asked)
    )


def _denies_the_place(quantity: Quantity, asked: Counted) -> bool:
    """Whether it says that the place in question is not there: "there is no boat", to how many are in the boat."""
    return quantity.value == "0" and stem(quantity.noun) in asked.places - asked.nouns


def _is_none_of_another(quantity: Quantity, asked: Counted) -> bool:
    """Whether it says that something is not there which was not asked for: "there is no TV", to how many lamps."""
    known = asked.nouns | asked.qualities | asked.owner | GENERAL
    noun = stem(quantity.noun)
    named = bool(asked.nouns and quantity.phrase) and not any(map(is_empty, quantity.phrase))
    return quantity.value == "0" and named and noun not in known and not {*map(stem, quantity.phrase)} & known


def _is_of_all_people(quantity: Quantity, asked: Counted) -> bool:
    """Whether it counts people of any kind where one kind was asked for: "6 people", to how many men."""
    noun = stem(quantity.noun)
    group = _GROUP_OF.search(quantity.before) if not noun else None  # "a family of six"
    narrower = SOME_PEOPLE if noun in _ANYBODY or group else _CHILDREN if noun == _CHILD else frozenset[str]()
    concluded = quantity.rank == Rank.CONCLUDED and not asked.of_now
    return bool(asked.nouns & narrower) and not concluded and not quantity.is_share


def _is_of_other_people(quantity: Quantity, asked: Counted) -> bool:
    """Whether it counts children where women were asked for."""
    said = next((kind for kind in _KINDS_OF_PEOPLE if stem(quantity.noun) in kind), None)
    return said is not None and not said & asked.nouns and any(kind & asked.nouns for kind in _KINDS_OF_PEOPLE)


def _is_of_the_changed(quantity: Quantity, asked: Counted) -> bool:
    """Whether it counts what the question only supposes something of: "two empty chairs", to how many people."""
    noun = stem(quantity.noun)
    things = names_several(quantity.noun) and noun in asked.supposition
    return things and quantity.rank < Rank.CONCLUDED and not quantity.words & asked.nouns


def _is_of_no_portion(quantity: Quantity, asked: Counted) -> bool:
    """Whether it counts one by one what was asked for by portions: "8 shoes", to how many pairs of shoes."""
    noun = stem(quantity.noun) if quantity.noun.endswith("s") else ""
    return noun in asked.portioned and not quantity.words & (asked.nouns - asked.portioned)


def _is_only_a_share(quantity: Quantity, asked: Counted) -> bool:
    """Whether it is a part where the question asks for all: "one of the three children", to how many there are."""
    if _ALL_OF_THEM.fullmatch(quantity.after):  # "there are 9 of them" names nothing that they are a part of
        return False
    told = asked.qualities or (asked.owner and quantity.before.strip())  # "it has two of them", to how many it has
    return quantity.rank == Rank.SHARE and quantity.is_share and asked.of_now and not told


def _is_a_name(quantity: Quantity, asked: Counted) -> bool:
    """Whether it tells one of the things asked for from the others: "duck 4 is swimming"."""
    lead = quantity.before.split()[-1:]
    word = lead[0].lower() if lead else ""
    return word.isalpha() and not word.endswith("s") and not is_empty(word) and stem(word) in asked.nouns


def _is_of_another_kind(quantity: Quantity, asked: Counted) -> bool:
    """Whether it counts things of another name: "5 zebras", to how many giraffes; men are people, so those may be."""
    if asked.nouns & GENERAL or all(map(is_empty, asked.nouns)):
        return False
    if quantity.is_share or quantity.value == "0" or quantity.rank == Rank.CONCLUDED:
        return False
    words_of_it = {*map(stem, quantity.phrase), stem(quantity.noun)}
    plural = names_several(quantity.noun) and not is_empty(quantity.noun)
    return plural and not words_of_it & asked.words and not any(n in word for n in asked.nouns for word in words_of_it)


def is_all_there_is(number: Quantity) -> bool:
    """Whether a number is the total of what is there, and not of what would be."""
    return bool(_IN_TOTAL.search(number.after)) and not MODAL_AT.search(number.before)


def are_the_asked(total: Quantity, asked: Counted, mentioned: frozenset[str]) -> bool:
    """Whether a total is of those asked for: it says so, is said of their place, or is all that a reply says."""
    alone = not mentioned or not (total.before.strip() or total.words)  # "That makes five in total.", "…, six in all"
    # "Six plates altogether.", to how many are on the counter
    named = not total.before.strip() and mentioned <= asked.nouns and asked.qualities <= asked.places
    return not asked.qualities or bool(asked.qualities & total.words or asked.places & mentioned) or alone or named


def is_of_the_kind(number: Quantity, asked: Counted) -> bool:
    """Whether a number counts just what was asked, by name: "3 red cars"."""
    said = {*map(stem, number.phrase)}
    return bool(asked.kinds) and asked.kinds <= said and bool(asked.nouns & said)


def is_of_all_kinds(number: Quantity, asked: Counted) -> bool:
    """Whether a number counts things of any kind, where one was asked for: "11 cars overall"."""
    said = {*map(stem, number.phrase)}
    return bool(asked.nouns & said) and not asked.kinds & said


def is_one_of_a_list(value: str, text: str, every: list[Quantity], asked: Counted) -> bool:
    """Whether a number counts some of what is listed: "a goat, a donkey and three hens", to how many animals."""
    named = all(n.phrase and stem(n.noun) not in asked.nouns for n in every if n.value == value)
    plain = max(n.rank for n in every) <= Rank.STATED and bool(asked.nouns & GENERAL)
    return named and bool((plain and _LISTS_ONE.search(text)) or _ONE_AND_MORE.search(text))


def is_nowhere(every: list[Quantity], asked: Counted) -> bool:
    """Whether a reply says that the place in question is not there, and does not say what would be all the same."""
    return any(_denies_the_place(n, asked) for n in every) and max(n.rank for n in every) <= Rank.ALONE


def is_of_two_together(value: str, text: str, asked: Counted) -> bool:
    """Whether a number is that of the asked things and of others together: "one chick and four eggs, so five"."""
    for one, two in pairwise(numerals(text)):
        between, behind = _NAMED_AND.fullmatch(text[one.end : two.start]), _NAMED.match(text[two.end :])
        if between is None or behind is None or one.value is None or two.value is None or is_empty(behind["noun"]):
            continue
        is_asked = [stem(found["noun"].lower()) in asked.nouns for found in (between, behind)]
        if is_asked in ([True, False], [False, True]):
            both = str(int(one.value) + int(two.value)) if one.value.isdigit() and two.value.isdigit() else None
            rest = _SENTENCE_END.split(text[two.end :], maxsplit=1)[0]
            if value == both and value in {n.value for n in numerals(rest)}:
                return True
    return False
