"""The words that a number keeps company with: what is counted, and what is said of it."""

import re
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from countersight.reading.opposites import SIDES, opposed_stems
from countersight.reading.question import Counted
from countersight.reading.ranks import Rank, Ranks
from countersight.reading.stems import counted_words, is_empty, spelled, stem
from countersight.reading.vocabulary import any_of, words

_BOUNDARY = re.compile(r"[,;:|]|--|\b(?:and|but|while|whereas|plus|with|so|therefore|then|leaving)\b", re.IGNORECASE)
_PAUSE = re.compile(r"[,;:()]|--|\s-\s")
_ASIDE = re.compile(r"[;:(]|--|\s-\s")
_JOINED = re.compile(r"\s*(?:,|,?\s*and|&|\+|,?\s*plus)\s*$", re.IGNORECASE)
_ALSO = re.compile(r"^.*\b(?:and|plus)\s+$", re.IGNORECASE)  # "a dog and two": the dog is no word of the two
_NEGATED = re.compile(r"\b(?:not|without|no longer|nor)\b|n't\b", re.IGNORECASE)
_DO_NOT = re.compile(r"\s*(?:do|does|did|are|is|were|was|have|has)(?:\s+not|n't)\W*$", re.IGNORECASE)
_LABEL = re.compile(r"(\w+s)\W*[:|=]\s*$")  # "Plates: 4"
_NEXT_LABEL = re.compile(r"(?P<gap>[,;]\s*(?:and )?)[a-z][a-z ]{0,30}:\s*$", re.IGNORECASE)  # "Cups: 3, plates: 4"
_COLON = re.compile(r":|--|\b(?:including|namely|consisting of)\b", re.IGNORECASE)
_SHARE = re.compile(r"\s*(?:\w+\s+)?of (?:them|which|whom|these|those|the)\b", re.IGNORECASE)
_OF_WHICH = re.compile(r"\bof (?:which|whom|these|those|them),?\s*(?:only |just )?$", re.IGNORECASE)
# "Six women, and half of them carry bags": that is said of fewer than six.
_SOME_OF_THEM = re.compile(
    rf"[,;]?(?: and| but)? (?:{any_of('counts.some_of_them')} of (?:them|these|those|which|whom)|all but"
    r"|the (?:rest|others)|others)\b.*",
    re.IGNORECASE,
)
# "5, I overlooked the one in the corner"; "the two big dogs do, the small one does not"
_REMARK = re.compile(r"[,;] (?:(?:and|but|while) )?(?:i|we|the \w+ one)\b.*", re.IGNORECASE)
_PRONOUN = re.compile(r"\bof (?:them|which|whom|these|those)\b", re.IGNORECASE)
_VERBS = words("questions.helping") | words("questions.possession")
_GROUPS = frozenset(map(stem, words("counts.groups")))
_PREPOSITIONS = words("questions.prepositions")
_POSSESSION = words("questions.possession")
_THE_OTHER = re.compile(r"the \w+(?: (?:would|will|could|still|then))*")  # "the guests would still have"
_LESS = frozenset({"minus", "without"})
_STOPS = _VERBS | _PREPOSITIONS | {"of", "that", "which", "who", "being", "left", "remaining", "altogether"}


class Quantity(msgspec.Struct, frozen=True):
    """A number with its rank, its place, and the words before and after it that belong to it."""

    value: str | None
    rank: Rank
    sentence: int
    start: int
    before: str
    after: str
    words: frozenset[str]
    """The stems of all of them that tell what is counted."""
    phrase: tuple[str, ...]
    """The words of the thing counted: "red", "cars" of "3 red cars are parked"."""
    negated: bool

    @property
    def noun(self) -> str:
        """The word that is counted, or nothing."""
        label = None if self.phrase else _LABEL.search(self.before)  # "Remaining: 7" counts nothing new
        return label[1].lower() if label else self.phrase[-1] if self.phrase else ""

    @property
    def is_share(self) -> bool:
        return bool(_SHARE.match(self.after) or _OF_WHICH.search(self.before))

    @property
    def is_short(self) -> bool:
        """Whether what is said of it was said before: "5 are", "2 are not"."""
        return not self.words and any(word in _VERBS or word.endswith("n't") for word in spelled(self.after))


class Fit(msgspec.Struct, frozen=True, order=True):
    """How well a number answers a question: by the qualities it shares with it, then by the noun, then by no more."""

    qualities: int
    noun: int
    narrower: int
    """Less than 0 for a share that is further narrowed: "2 of them are black"."""


def quantities(ranks: Ranks, sentence: int) -> list[Quantity]:
    """The numbers of a sentence that may be answers, with their words. Asides belong to the words of the others."""
    chosen = [number for number in ranks.numbers if number.rank > Rank.ASIDE or number.numeral.word == "both"]
    if not chosen:
        return []
    text = ranks.text
    betweens = [text[left.numeral.end : right.numeral.start] for left, right in pairwise(chosen)]
    parted = [_parted(between) for between in betweens]
    befores = [_lead(text, ranks, chosen[0].numeral.start), *(after for _, after in parted)]
    afters = [
        _REMARK.sub("", _SOME_OF_THEM.sub("", after))
        for after in (*(x for x, _ in parted), text[chosen[-1].numeral.end :])
    ]
    shared = _share_in_lists(befores, afters, list(map(_joint, betweens)))
    ranked = [number.rank for number in chosen]
    for place in reversed(shared):  # "five children and one adult would be left": the "would" is of both
        ranked[place] = max(ranked[place], ranked[place + 1])
    _share_with_parts(befores, afters, betweens)
    return [
        Quantity(
            value=number.value,
            rank=rank,
            sentence=sentence,
            start=number.numeral.start,
            before=before,
            after=after,
            words=frozenset(counted_words(f"{before} {after}")),
            phrase=_phrase(after),
            negated=bool(_NEGATED.search(after)),
        )
        for number, rank, before, after in zip(chosen, ranked, befores, afters, strict=True)
    ]


def _lead(text: str, ranks: Ranks, start: int) -> str:
    """The words before the first number; only the nearest of them, where they tell of a number that came or went."""
    lead = text[:start]
    told = any(number.numeral.start < start for number in ranks.numbers)
    return _ALSO.sub("", _parted(lead)[1] if told else lead)


def _phrase(after: str) -> tuple[str, ...]:
    every = spelled(_PAUSE.split(after, maxsplit=1)[0])
    stops = (i for i, word in enumerate(every) if word in _STOPS or word.endswith("ing") or (i and is_empty(word)))
    return tuple(every[: next(stops, len(every))])


def _joint(between: str) -> str:
    """How two numbers are joined: by "and" or the like, by a comma, or not at all."""
    found = _JOINED.search(between)
    return "" if not found else found.group().strip(" ,") or ","


def _parted(between: str) -> tuple[str, str]:
    """The words between two numbers: those of the first and those of the second; of both where nothing parts them."""
    if label := _NEXT_LABEL.search(between):
        return between[: label.start()], between[label.end("gap") :]
    boundaries = list(_BOUNDARY.finditer(between))
    if not boundaries:
        return between, between
    return between[: boundaries[-1].start()], between[boundaries[-1].end() :]


def _share_in_lists(befores: list[str], afters: list[str], joined: Sequence[str]) -> list[int]:
    """Members of a list share what is said of all: "two cats and one dog are on the sofa", "it has 5, 6 and 2".

    Returns the places of those that share what is said of the next.
    """
    shared = False
    places = []
    for place in range(len(joined) - 1, -1, -1):
        # A comma alone joins nothing: "10 birds, 4 flying". Before an "and" it does: "1 cat, 2 dogs and 3 hens fled".
        bare = not _has_predicate(afters[place])
        # "Two on the left and one on the right are drinking": a verb behind a place is said of both.
        behind = joined[place] == "and" and not _has_verb(afters[place]) and _has_verb_behind_place(afters[place + 1])
        shared = bool(joined[place]) and (joined[place] != "," or shared) and (bare or behind)
        # "10 chairs, and 6 of them are taken", "2 wear hats and 2 do not"
        shared = shared and not (_SHARE.match(afters[place + 1]) or _DO_NOT.match(afters[place + 1]))
        if shared:
            afters[place] += f" {_predicate(afters[place + 1])}"
            places.append(place)
    for place, is_joined in enumerate(joined):
        if is_joined and not befores[place + 1].strip():
            befores[place + 1] = befores[place] if _is_bare(afters[place]) else ""
    return places[::-1]


def _share_with_parts(befores: list[str], afters: list[str], betweens: Sequence[str]) -> None:
    """Parts are where their whole is: in "6 dishes on the table: 4 plates and 2 bowls" the plates are on the table."""
    whole = ""
    for place, between in enumerate(betweens):
        adds_up = any("=" in later for later in betweens[place:])  # "three would get one each: 12 - 3 = 9"
        if _COLON.search(between) and not _NEXT_LABEL.search(between) and not adds_up:
            whole = f"{befores[place]} {_predicate(afters[place])}"
        befores[place + 1] = f"{whole} {befores[place + 1]}" if whole else befores[place + 1]


def _is_bare(after: str) -> bool:
    return not counted_words(after)


def _has_predicate(after: str) -> bool:
    return any(word in _STOPS or word.endswith("ing") for word in spelled(after))


def _has_verb(after: str) -> bool:
    return any(word in _VERBS or word.endswith("ing") for word in spelled(after))


def _has_verb_behind_place(after: str) -> bool:
    every = spelled(after)
    verb = next((i for i, word in enumerate(every) if word in _VERBS), 0)
    return any(word in _PREPOSITIONS for word in every[:verb])


def _predicate(after: str) -> str:
    every = after.split()
    start = next((i for i, word in enumerate(every) if _opens_a_predicate(i, word.lower())), len(every))
    return " ".join(every[start:])


def _opens_a_predicate(place: int, word: str) -> bool:
    """Whether what is said of a thing begins with a word: "are", "on", "sitting", the "parked" of "cars parked"."""
    return word in _STOPS or word.endswith("ing") or (place > 0 and len(word) > 3 and word.endswith("ed"))


def fit(quantity: Quantity, asked: Counted, inherited: frozenset[str]) -> Fit | None:
    """How well a number fits a question, or None where it counts something else."""
    said = quantity.words
    matched = said & asked.qualities
    noun = stem(quantity.noun) if quantity.noun else ""
    if quantity.is_short:
        matched = inherited & asked.qualities  # "five are lit and two are not"
    own = frozenset(map(stem, quantity.phrase))
    opposed = _is_opposed(said - (asked.supposition - own), asked)  # "with one opened it's two", to how many are closed
    if opposed and asked.negated:
        return Fit(len(asked.qualities), 0, 0)  # "2 are unlit", to how many are not lit
    if opposed or _counts_another(quantity, noun, asked) or _is_anothers(quantity, asked):
        return None
    if _stand_at_the_asked(quantity, noun, asked) or _is_on_any_side(said, asked):
        return None
    if noun in _GROUPS and noun not in asked.nouns:
        return None
    if _is_of_the_contrary(quantity, asked, matched):
        return None
    if _PRONOUN.match(quantity.after.lstrip()) or _PRONOUN.search(quantity.before):
        matched |= inherited & asked.qualities
    qualities = len(matched) + len(asked.owner & frozenset(counted_words(quantity.before)))
    extra = said - asked.words if quantity.is_share else frozenset[str]()
    return Fit(qualities, int(bool(said & asked.nouns) or not quantity.noun), -len(extra))


def _counts_another(quantity: Quantity, noun: str, asked: Counted) -> bool:
    """Whether it counts what the question only mentions: the hats of "how many people wear hats"."""
    plural = quantity.noun.endswith("s") and not quantity.noun.endswith("ss")
    verb = any(stem(word) in asked.qualities for word in quantity.phrase[:-1])  # "3 wear hats"
    return plural and not verb and noun not in asked.nouns and noun in asked.qualities | asked.owner


def _stand_at_the_asked(quantity: Quantity, noun: str, asked: Counted) -> bool:
    """Whether it counts what is at the things asked for: "two people in one of the boats", to how many boats."""
    if not noun or quantity.is_share or quantity.value == "1" or is_empty(quantity.noun) or noun in asked.qualities:
        return False
    behind = counted_words(_predicate(quantity.after))
    return not asked.nouns & {*map(stem, quantity.phrase)} and bool(asked.nouns & {*behind})


def _is_on_any_side(said: frozenset[str], asked: Counted) -> bool:
    """Whether it is where the question asks, and nothing says on which side: "on two shelves", to the top shelf."""
    sides = asked.qualities & SIDES
    return bool(sides) and not sides & said and bool(said & asked.qualities)


def _is_of_the_contrary(quantity: Quantity, asked: Counted, matched: frozenset[str]) -> bool:
    """Whether it is denied what was asked for, or the other way round: "2 are not wearing hats", "2 aren't"."""
    if quantity.value == "0":
        return False
    if matched:
        return quantity.negated != asked.negated
    return quantity.negated and not asked.negated and not quantity.words - asked.nouns


def _is_opposed(said: frozenset[str], asked: Counted) -> bool:
    """Whether it is said to be what shuts out what was asked: "8 outside", to how many are inside."""
    return any(opposed_stems(word, quality) for quality in asked.qualities - said for word in said)


def _is_anothers(quantity: Quantity, asked: Counted) -> bool:
    """Whether it is somebody else's: "the boy would have 1", to how many the girl would have."""
    said = spelled(quantity.before)
    if not asked.owner or not said or said[-1] not in _POSSESSION or _LESS.intersection(said):
        return False
    holder = frozenset(counted_words(quantity.before)) - asked.nouns - asked.qualities
    another = bool(holder & asked.supposition) or (bool(holder) and bool(_THE_OTHER.fullmatch(" ".join(said[:-1]))))
    return another and not holder & asked.owner


def speaks_of_another(quantity: Quantity, asked: Counted) -> bool:
    """Whether it is said of something that the question does not ask: "6 people at a table", to who wears hats."""
    after = _ASIDE.split(quantity.after, maxsplit=1)[0]
    return (
        bool(asked.qualities)
        and _has_predicate(after)
        and not quantity.words & asked.qualities
        and bool(frozenset(counted_words(_predicate(after))) - (asked.words - asked.supposition))
    )
