"""Noun phrases: who comes or goes, how many of them, and whether these are the things a question counts."""

from collections.abc import Iterable
from typing import Final, Literal

import msgspec

from countersight.composing.asked import Asked
from countersight.composing.quantities import Quantity, read_quantity
from countersight.composing.vocabulary import (
    ADVERBS,
    ALL,
    AUXILIARIES,
    CLASSES,
    COLOURS,
    ENDS_A_NAME,
    FILLER,
    KIN,
    KINDS,
    PAIRS_OF_ONE,
    PARTICLES,
    PAST_AS_PLAIN,
    PERSON,
    PLACES,
    POSSESSIVES,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    all_things,
    is_plural,
    is_quantity,
    is_verb,
    thing_of,
)

_DETERMINERS: Final = frozenset({"the", "this", "that", "these", "those"})
_ENDS_A_NAME: Final = AUXILIARIES | RELATIVES | PRONOUNS | ADVERBS | PARTICLES | ENDS_A_NAME | {"but", "except", "save"}
_ONE_OR_SEVERAL: Final = frozenset({"sheep", "deer", "fish", "cattle", "people", "rest", "others", "other"})
_RANKS: Final = frozenset({"only", "first", "last", "next"})
_POINTING: Final = _DETERMINERS | POSSESSIVES | {"them", "us", "all"}
_ADJECTIVES: Final = frozenset({"visible", "present", "available"})
_EXCEPT: Final = frozenset({"but", "except", "save"})
_EVERYBODY: Final = frozenset({"everyone", "everybody", "nobody"})
_OF_ANY_KIND: Final = _EVERYBODY | {"everything"}
_COLOURS: Final = all_things(COLOURS)
_DIFFERENT: Final = thing_of("different")
_CLASSES: Final = all_things(CLASSES)
_PAIR: Final = thing_of("pair")
_PAIRS_OF_ONE: Final = all_things(PAIRS_OF_ONE)

OF_THEIR_OWN: Final = PRONOUNS - {"everything"}
"""Who is told of behind a name has a clause of his own, that says which ones: "the boxes we do not need"."""
_WITH: Final = frozenset({"with", "carrying", "towing"})
_KIN: Final = all_things(KIN)

Kin = Literal["same", "member", "other"]


class Phrase(msgspec.Struct, frozen=True):
    """A noun phrase of an event, as far as it matters for counting."""

    quantity: Quantity
    definite: bool
    """Whether it speaks of things there are already: the dogs, two of them."""
    possessive: bool
    head: str | None
    """The noun, or None where it goes without saying: "two of them"."""
    modifiers: tuple[str, ...]
    of: tuple[str, ...]
    """What stands behind "of": water in "bottles of water"."""
    after: tuple[str, ...]
    """What else is said of it behind the noun: "on the left", "that are red"."""
    but: Quantity | None
    """In "all but two": the two."""
    end: int

    @property
    def is_plural(self) -> bool:
        """Whether the noun is a plural."""
        return self.head is not None and (self.head == "ones" or is_plural(self.head))

    @property
    def is_one(self) -> bool:
        """Whether the noun is a singular, and certainly so: "the sheep" may be several."""
        return self.head not in (None, *_ONE_OR_SEVERAL) and not self.is_plural


def read_phrase(words: list[str], asked: Asked) -> Phrase | None:
    """The noun phrase at the beginning of some words, or None where there is none."""
    begin = 0
    definite = possessive = False
    while begin < len(words) and (words[begin] in _DETERMINERS | POSSESSIVES | _RANKS):
        definite = definite or words[begin] not in _RANKS
        possessive = possessive or words[begin] in POSSESSIVES
        begin += 1
    pair = 0 if asked.head == _PAIR else 1 if asked.head in _PAIRS_OF_ONE else 2
    quantity = read_quantity(words[begin:], pair)
    begin += quantity.length
    while begin < len(words) and words[begin] in _POINTING | {"of"}:
        definite = definite or words[begin] != "of"
        possessive = possessive or words[begin] in POSSESSIVES
        if words[begin - 1 : begin + 1] == ["them", "all"] and quantity.amount is None:  # "put them all away"
            quantity = msgspec.structs.replace(quantity, amount="all")
        begin += 1
    if quantity.amount is None or definite:  # "the two dogs", "all of the 3 dogs"
        inner = read_quantity(words[begin:], pair)
        if inner.length and (quantity.amount is None or quantity.amount == "all"):
            quantity, begin = _joined(quantity, inner), begin + inner.length
    is_noun = words[begin - 1 : begin] in (["the"], ["a"], ["an"]) and all(map(is_verb, [*words[begin:], "", ""][:2]))
    skipped = words[begin : begin + 1] if is_noun else []  # "the waves | washed away two"
    named = [*skipped, *_name(words[begin + len(skipped) :], asked)]
    end = begin + len(named)
    if end == 0 or (not named and quantity.length == 0 and not definite):
        return None
    possessive = possessive or any(word.endswith(("'s", "s'")) for word in named)
    main, of = _split_of(named)
    late = read_quantity(words[end : end + 1])  # "three candles fewer", "two cups more"
    if main and (late.more or late.fewer) and words[end] in ("more", "fewer", "less", "extra"):
        quantity = msgspec.structs.replace(quantity, more=late.more, fewer=late.fewer)
        end += 1
    anyone = next((word for word in words[:begin] if word in _OF_ANY_KIND), None)
    but, end = _exception(words, end, asked, is_named=anyone is None or asked.head == PERSON)
    after = _post_modifier(words[end:])
    if not main and words[begin - 1 : begin] != ["those"] and _is_unnamed(words[end:], after):  # "those standing"
        return None
    return Phrase(
        quantity,
        definite,
        possessive,
        main[-1] if main else anyone,
        tuple(main[:-1]),
        tuple(of),
        tuple(after),
        but,
        end + len(after),
    )


def _is_unnamed(words: list[str], after: list[str]) -> bool:
    """Whether a noun was taken for a verb: "another standing horse", "two more lights were lit"."""
    is_noun = len(words) > 1 and is_verb(words[0]) and words[0] not in AUXILIARIES and words[1] in AUXILIARIES
    return is_noun or bool(after and after[0].endswith("ing"))


def _joined(outer: Quantity, inner: Quantity) -> Quantity:
    if outer.amount == "all":
        given = inner.amount if isinstance(inner.amount, int) else 0
        return msgspec.structs.replace(outer, given=given or outer.given)
    return msgspec.structs.replace(inner, more=outer.more or inner.more, fewer=outer.fewer or inner.fewer)


def _name(words: list[str], asked: Asked) -> list[str]:
    """Adjectives and nouns up to the verb, or to what else is said of them."""
    for place, word in enumerate(words):
        if word in _ENDS_A_NAME or word.endswith("n't"):
            return words[:place]
        if word in PREPOSITIONS and (word != "of" or not place):
            return words[:place]
        if word in _ADJECTIVES and place == len(words) - 1:  # "two more visible"
            return words[:place]
        is_past = place and word in PAST_AS_PLAIN and words[place + 1 : place + 2] and _may_follow(words[place + 1])
        if is_past or (is_verb(word) and not _says_which(words, place, asked)):
            return words[:place]
    return words


def _may_follow(word: str) -> bool:
    """Whether a word behind "set" or "cut" says that these are verbs: "workers set out six more"."""
    return word in PARTICLES or word in _DETERMINERS or is_quantity(word)


def _says_which(words: list[str], place: int, asked: Asked) -> bool:
    """Whether a verb form stands for an adjective or a noun: "parked cars", "a sink" where sinks are counted."""
    word = words[place]
    if thing_of(word) == asked.head or thing_of(word) in asked.modifiers:
        return True
    after = words[place + 1] if place + 1 < len(words) else ""
    is_named = after == "ones" or thing_of(after) in {asked.head, *asked.members}
    return place == 0 and (word.endswith(("ed", "ing", "en")) or word in ("lit", "shut")) and is_named


def _split_of(named: list[str]) -> tuple[list[str], list[str]]:
    if "of" not in named:
        return named, []
    place = named.index("of")
    return named[:place], [word for word in named[place + 1 :] if word not in FILLER]


def _exception(words: list[str], end: int, asked: Asked, *, is_named: bool) -> tuple[Quantity | None, int]:
    if end >= len(words) or words[end] not in _EXCEPT:
        return None, end
    begin = end + 2 if words[end + 1 : end + 2] == ["for"] else end + 1
    left_out = read_quantity(words[begin:])
    begin += left_out.length
    while begin < len(words) and words[begin] in ("of", "the", "them", "these", "those"):
        begin += 1
    name = _name(words[begin:], asked)
    is_counted = thing_of(name[-1]) in {asked.head, "one"} if name else is_named  # "everyone but two", to the women
    return (left_out if is_counted else Quantity(None, 0)), begin + len(name)


def _post_modifier(words: list[str]) -> list[str]:
    """What is said of the noun behind it, up to the verb of the event: "on the left", "sitting on the ground"."""
    in_relative = words[:1] != [] and words[0] in RELATIVES | OF_THEIR_OWN
    if not words or not (in_relative or words[0] in PREPOSITIONS or words[0].endswith("ing")):
        return []
    for place, word in enumerate(words[1:], 1):
        before = words[place - 1]
        if before in PREPOSITIONS or before in FILLER or before in ALL:
            continue
        if word in AUXILIARIES or is_verb(word):
            if in_relative:  # its own verb comes first
                in_relative = False
                continue
            return words[:place]
    return words if words[0] in OF_THEIR_OWN else []  # "replaced the ones | we broke"


def kin(phrase: Phrase, asked: Asked) -> Kin:
    """Whether a phrase names the counted things, or some of their kind."""
    head = phrase.head
    if head is None:
        return "same"
    if head in _EVERYBODY:
        return "same" if asked.are_people else "other"
    if head in ("one", "ones", "everything"):
        return "same"
    thing = thing_of(head)
    if thing == asked.head:
        return "same" if _fits(phrase, asked) else "other"
    is_wider = asked.head in KINDS.get(thing, ()) and phrase.quantity.amount == "all" and phrase.but is None
    if is_wider and not phrase.modifiers and not phrase.of:  # "every animal left": so did the horses
        return "same"
    if thing in asked.members and _DIFFERENT not in asked.modifiers:
        return "member"
    return "other"


def _fits(phrase: Phrase, asked: Asked) -> bool:
    """Whether adjectives and complements go together: soda bottles may be bottles, but are no cola bottles."""
    extra, said = _extra(phrase, asked), {thing_of(word) for word in (*phrase.modifiers, *phrase.of)}
    missing = asked.modifiers - said
    is_of_kinds = _DIFFERENT in missing and asked.head not in _CLASSES  # two apples are no two different fruits
    return not (extra and missing) and not is_of_kinds


def _extra(phrase: Phrase, asked: Asked) -> frozenset[str]:
    """Words that say which of them, and are not in the question."""
    said = (word for word in (*phrase.modifiers, *phrase.of) if word not in FILLER | PLACES | _ADJECTIVES)
    return frozenset(map(thing_of, said)) - asked.words


def is_restricted(phrase: Phrase, asked: Asked) -> bool:
    """Whether a phrase may speak of some of the counted things only: the blue ones, those on the left."""
    if phrase.possessive or kin(phrase, asked) == "member" or _extra(phrase, asked):
        return True
    if OF_THEIR_OWN & set(phrase.after[:2]):
        return True
    behind = {thing_of(word) for word in phrase.after if word not in FILLER | PLACES | PREPOSITIONS}
    return bool(behind - asked.words)


def is_of_others(phrase: Phrase, asked: Asked) -> bool:
    """Whether it says which ones in words of its own: "one of the sitting people", where the standing are counted."""
    doing = asked.is_doing or any(word.endswith("ing") for word in phrase.modifiers)
    return doing and bool(_extra(phrase, asked))


def has_company(said: Iterable[str], asked: Asked) -> bool:
    """Whether something said of them brings others of their kind along: "a woman with a baby"."""
    words = list(said)
    begins = (place for place, word in enumerate(words) if word in _WITH or _is_by_their(words, place))
    brought = words[next(begins, len(words)) + 1 :]
    return any(thing_of(word) in {asked.head, *asked.members, *_KIN} for word in brought)


def _is_by_their(words: list[str], place: int) -> bool:
    """Whether those who do it belong to them: "carried away by their mothers"."""
    return words[place] == "by" and words[place + 1 : place + 2] != [] and words[place + 1] in POSSESSIVES


def clash_of_colours(phrase: Phrase, asked: Asked) -> bool:
    """Whether things of one colour are counted, and those of another or of any are told of."""
    here = _COLOURS & (asked.modifiers | asked.place - asked.marks)
    there = _COLOURS & set(map(thing_of, (*phrase.modifiers, *phrase.after)))
    is_named = phrase.head not in (None, "one", "ones") and not phrase.definite  # "two of them" are of that colour
    return bool(here) and not here & there and (bool(there) or is_named)
