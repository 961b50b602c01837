"""Write counterfactual how-many questions by inverting the composer."""

import itertools
import re
from collections.abc import Iterable, Iterator
from random import Random
from typing import Final

import msgspec

from countersight.authoring.balance import Wordings
from countersight.authoring.sources import OPERATIONS, PairDraft, SourceQuestion, Unwritten
from countersight.authoring.vocabulary import (
    BODY_PARTS,
    DEPICTING,
    DESCRIBING,
    FOOD,
    FRAMES,
    NO_SINGULAR,
    NO_THINGS,
    OTHERS,
    patterns,
)
from countersight.composer import KINDS, PLACES, compose, is_verb, noun_key
from countersight.english import UNITS, article, is_plural, number_of, singular

_WORD = re.compile(r"[A-Za-z0-9'’-]+")
_PLAIN = re.compile(r"[A-Za-z0-9'’ ,.?!-]+")
"""Questions without characters that rewriting would lose."""
_NO_NAMES: Final = frozenset({"of", "more", "other", "different", "total"})
_IN_GENERAL: Final = frozenset({"usually", "normally", "typically", "generally", "average", "supposed"})
"""Words of questions about the world in general rather than the picture."""
_JOINING: Final = frozenset({"and", "or", "whose", "who", "which", "that", "how"})
"""Words that show that a name is not a simple noun phrase: "cars and trucks", "cars whose wheels"."""
_AT_PLACES: Final = frozenset(
    {"in", "on", "at", "near", "behind", "by", "under", "over", "above", "inside", "outside", "with"}
)
_SEEN: Final = frozenset({"visible", "shown", "seen", "pictured", "present", "depicted"})
"""Words that do not restrict the counted things, unlike "brown" in "how many bears are brown"."""
_BEFORE_A_PLACE = re.compile(
    r"(?:(?:are|is|was|were) there|(?:can|do|could) you see|(?:can|could) be seen|are|is|was|were)\b *"
    rf"(?:(?:{'|'.join(sorted(_SEEN))})\b *)?",
    re.IGNORECASE,
)
_OF_THE_PICTURE = re.compile(
    rf"(?:^| )(?:in|on) (?:(?:the|this|that) )?(?:{'|'.join(sorted(PLACES))})$|^here$", re.IGNORECASE
)
_DEFINITE = re.compile(
    r"(?:in|on|at|near|behind|by|under|over|above|inside|outside)(?: (?:front|top|back) of)? "
    r"(?:all )?(?:the|this|that|these|those|his|her|their|its) .+",
    re.IGNORECASE,
)
"""Definite places, unlike "on a leash" or "with hats"."""
_CONDITIONALS: Final = tuple(
    (re.compile(predicate, re.IGNORECASE), in_conditional)
    for predicate, in_conditional in (
        (r"", r"would there be"),
        (r"(?:are|is|was|were) there((?: .*)?)", r"would there be\1"),
        (r"(?:are|is|was|were) here", r"would there be here"),
        (rf"(?:are|is|was|were) (?!on$)((?:{'|'.join(sorted(_AT_PLACES | _SEEN))})(?: .*)?)", r"would be \1"),
        (r"(?:can|do|could) you see((?: .*)?)", r"would you see\1"),
        (r"(?:can|could) be seen((?: .*)?)", r"would be seen\1"),
        (r"(?:does|do) (\S+(?: \S+){0,3}) have", r"would \1 have"),
        (rf"((?:{'|'.join(sorted(_SEEN))})(?: .*)?)", r"would be \1"),
    )
)
"""Predicates of how-many questions, each with its conditional form."""
_VERBS: Final = frozenset({"are", "is", "was", "were", "can", "do", "does", "did", "have", "has"})
_NAME_ENDS: Final = _AT_PLACES | _SEEN | _VERBS | {"there", "here"}


class Conditional(msgspec.Struct, frozen=True):
    """A how-many question in the conditional."""

    name: str
    """The name of the counted things in the plural: "slices of pizza"."""
    asked: str
    """The question in the conditional: "how many slices of pizza would be on the plate"."""
    where: str = ""
    """The place in which they are counted: "on the plate"; empty for the whole picture."""


def conditional(question: str) -> Conditional | None:
    """Return the question in the conditional, or None if its grammar is not covered."""
    words = _WORD.findall(question) if _PLAIN.fullmatch(question) else []
    if [word.casefold() for word in words[:2]] != ["how", "many"] or len(words) < 3:
        return None
    if _IN_GENERAL & {word.casefold() for word in words}:
        return None
    said = words[2:]
    name = _name_in(said)
    rest = said[len(name) :]
    if (
        not name
        or "'" in _head(name)
        or not is_plural(_head(name))
        or name[0].casefold() in _NO_NAMES
        or _JOINING & {word.casefold() for word in name}
        or number_of(name[0].casefold())
    ):
        return None
    would, where = _conditional_predicate(rest), _where(rest)
    if would is None or (where and not _DEFINITE.fullmatch(where)):
        return None
    return Conditional(" ".join(name), f"how many {' '.join(name)} {would}", where)


def _head(name: list[str]) -> str:
    lower = [word.casefold() for word in name]
    return lower[lower.index("of") - 1] if "of" in lower[1:] else lower[-1]


def _name_in(said: list[str]) -> list[str]:
    for place, word in enumerate(said):
        lower = word.casefold()
        if lower in _NAME_ENDS or (place and lower.endswith("ing")):
            return said[:place]
    return said


def _where(rest: list[str]) -> str:
    """Return the place of the things; empty if it is the whole picture, or for things that somebody has."""
    said = " ".join(rest)
    if said.casefold().endswith(" have"):
        return ""
    begins = _BEFORE_A_PLACE.match(said)
    place = _OF_THE_PICTURE.sub("", said[begins.end() if begins else 0 :])
    return re.sub(r"\ball (the .+) together$|(.) together$", r"\1\2", place)  # "all the boxes together": "the boxes"


def _conditional_predicate(rest: list[str]) -> str | None:
    """Return the predicate with "would": "are on the table" becomes "would be on the table"; None if not covered."""
    said = " ".join(rest)
    for predicate, in_conditional in _CONDITIONALS:
        if found := predicate.fullmatch(said):
            return found.expand(in_conditional)
    is_place = bool(rest) and rest[0].casefold() in _AT_PLACES  # not "in the picture look happy"
    return f"would there be {said}" if is_place and not any(is_verb(word.casefold()) for word in rest[1:]) else None


_MOST = 30
"""The maximum factual count; nobody would count more things in a picture."""
_STEPS: Final = (1, 2, 3, 4, 5)
_OWNERLESS: Final = re.compile(r"appeared|^there ")
_FRACTIONS: Final = {"half": 2, "third": 3, "quarter": 4}


class _Things(msgspec.Struct, frozen=True):
    """The counted things: their name in the singular and the plural, and their kinds."""

    one: str
    several: str
    head: str
    """The head noun, for finding replacements; empty if the name consists of several nouns."""
    kinds: tuple[str, ...]

    def named(self, number: int) -> str:
        return self.one if number == 1 else self.several


class GrammarWriter:
    """Writes how-many questions without a model, by inverting the composer."""

    name = "grammar"

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._used = Wordings()

    async def write(self, source: SourceQuestion, wanted: tuple[str, ...]) -> PairDraft:
        """Return a counterfactual question with the first wanted operation that fits; raises Unwritten.

        An operation fits if one of its wordings was not used too often with the same answer. If none fits, the first
        possible operation is taken anyway.
        """
        asked = conditional(source.question)
        if asked is None:
            raise Unwritten("the grammar does not cover the question")
        things, count = _things(asked), int(source.answer)
        if not 0 < count <= _MOST:
            raise Unwritten("the count is zero or too large")
        chance = Random(f"{self._seed}/{source.id}/{source.question}")
        first_wanted = sorted(OPERATIONS, key=lambda each: wanted.index(each) if each in wanted else len(wanted))
        drafts = [self._least_used(_drafts(each, things, asked, count, chance), source) for each in first_wanted]
        written = [draft for draft in drafts if draft is not None]
        if not written:
            raise Unwritten("no operation fits the count")
        would_tell = self._used.would_tell
        draft = next((draft for draft in written if not would_tell(draft.pattern, draft.answer)), written[0])
        self._used.take(draft.pattern, draft.answer)
        return draft

    def _least_used(self, drafts: Iterable[PairDraft], source: SourceQuestion) -> PairDraft | None:
        """Return the draft whose wording was used least with its answer, if the composer computes the same answer."""
        told = sorted(drafts, key=lambda draft: self._used.told(draft.pattern, draft.answer))
        count = int(source.answer)
        return next((each for each in told if compose(count, each.question, source.question) == int(each.answer)), None)


def _things(asked: Conditional) -> _Things:
    words = asked.name.split()
    place = next((place for place, word in enumerate(words) if place and word == "of"), len(words)) - 1
    noun = words[place].casefold()
    if noun in NO_SINGULAR:
        raise Unwritten("the noun has no singular")
    head = noun_key(noun)
    if head in BODY_PARTS or head in NO_THINGS:
        raise Unwritten("the counted things cannot be added or removed")
    one = " ".join([*words[:place], _singular_of(words[place]), *words[place + 1 :]])
    if words[place + 1 :]:  # slices of pizza are food, rolls of plastic bags are not
        is_food = noun in ("slices", "pieces") and noun_key(words[-1].casefold()) in FOOD
        return _Things(one, asked.name, "", ("food",) if is_food else ())
    is_drawn = bool(DEPICTING & {noun_key(word) for word in asked.asked.casefold().split()})  # drawn birds do not fly
    if is_drawn or any(word.casefold() not in DESCRIBING for word in words[:place]):  # a hot dog is not a dog
        return _Things(one, asked.name, "", ())
    return _Things(one, asked.name, head, tuple(_kinds(head)))


def _singular_of(noun: str) -> str:
    """Return the singular of a noun, with its capitals: "TVs" gives "TV"."""
    one = singular(noun.casefold())
    return noun[: len(one)] if noun.casefold().startswith(one) else one


def _kinds(head: str) -> Iterator[str]:
    """Yield the kinds that a thing belongs to, the narrowest first."""
    if head in FOOD:
        yield "food"
    for kind in ("bird", "person", "animal", "vehicle"):
        if head == noun_key(kind) or head in KINDS[noun_key(kind)]:
            yield kind


def _drafts(operation: str, things: _Things, asked: Conditional, count: int, chance: Random) -> Iterator[PairDraft]:
    """Yield every draft of an operation that changes the count to another whole number, in random order."""
    found = list(itertools.product(patterns(operation, things.kinds, placed=bool(asked.where)), _STEPS, _STEPS))
    chance.shuffle(found)
    for pattern, n, m in found:
        if ("{n}" not in pattern and n > 1) or ("{m}" not in pattern and m > 1):
            continue
        if "{other}" in pattern and things.head not in OTHERS:
            continue
        if asked.asked.endswith(" have") and _OWNERLESS.search(pattern):  # wheels that appeared need not be the car's
            continue
        after = _after(operation, pattern, count, n, m)
        if after is None or after == count or after < 0 or not _is_natural(operation, pattern, count, n, after):
            continue
        wording = pattern.replace(" {there}", "")  # naming the place does not make it another wording
        yield PairDraft(_worded(pattern, things, asked, n, m, chance), str(after), operation, wording)


def _is_natural(operation: str, pattern: str, count: int, n: int, after: int) -> bool:
    """Whether a wording is natural for these numbers, unlike "half of the dogs" for one of two dogs."""
    if operation in ("remove", "replace", "two in a row") and "{n} of the" in pattern:
        return n < count
    if "all but half" in pattern:
        return after >= 3
    return after >= 2 if operation in ("leave", "all but") or "of the" in pattern else True


def _after(operation: str, pattern: str, count: int, n: int, m: int) -> int | None:
    """Return the count after the change, computed from the operation, not from the words; None if it is not whole."""
    parts = next((of for word, of in _FRACTIONS.items() if word in pattern), 0)
    match operation:
        case "add":
            return count + n
        case "remove" | "replace":
            return count - n
        case "double":
            return count * (3 if "tripl" in pattern or "three times" in pattern else 2)
        case "leave" | "all but":
            return None if count % parts else count // parts
        case "halve":
            of = parts or 2
            return None if count % of else count - count // of
    return _after_two(pattern, count, n, m)


def _after_two(pattern: str, count: int, n: int, m: int) -> int | None:
    if "doubled" in pattern:
        return 2 * count - n
    if pattern.startswith("{n} more"):
        return count + n - m
    return count - n + m if n <= count and n != m else None


def _worded(pattern: str, things: _Things, asked: Conditional, n: int, m: int, chance: Random) -> str:
    in_words, frame = chance.random() < 0.4, chance.choice(FRAMES)
    supposed = pattern.format(
        n=UNITS[n] if in_words else n,
        m=UNITS[m] if in_words else m,
        x=things.named(n),
        y=things.named(m),
        xs=things.several,
        a=things.one,
        was="was" if n == 1 else "were",
        were="was" if m == 1 and "{m}" in pattern else "were",
        has="has" if n == 1 else "have",
        other=_other(things, n),
        there=asked.where,
    )
    question = frame.format(asked=asked.asked, supposed=supposed)
    return re.sub(r"(^|\. )([a-z])", lambda begins: begins[1] + begins[2].upper(), question)


def _other(things: _Things, number: int) -> str:
    """Return the name of the things that replace this many: "a bowl", "bowls"."""
    several = OTHERS.get(things.head, "")
    if number != 1 or not several:
        return several
    one = singular(several)
    return f"{article(one)} {one}"
