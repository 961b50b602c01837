"""The words that a number keeps company with: what is counted, and what is said of it."""

import re
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from countersight.reading.language.ranks import NEAR, Rank, Ranks
from countersight.reading.language.stems import counted_words, is_empty, spelled
from countersight.reading.language.vocabulary import any_of, words
from countersight.text import UNITS

_BOUNDARY = re.compile(r"[,;:|]|--|\b(?:and|but|while|whereas|plus|with|so|therefore|then|leaving)\b", re.IGNORECASE)
_PAUSE = re.compile(r"[,;:()]|--|\s-\s")
_JOINED = re.compile(r"\s*(?:,|,?\s*and|&|\+|,?\s*plus)\s*$", re.IGNORECASE)
_ALSO = re.compile(r"^.*\b(?:and|plus)\s+$", re.IGNORECASE)  # "a dog and two": the dog is no word of the two
# "Only the bakery would be open, while the other three": what is said of those is not said of these.
_OF_OTHERS = re.compile(r"^.*\b(?:while|whereas|but|and)\s+(?=the (?:other|remaining)\s*$)", re.IGNORECASE)
_PLACE_FIRST = re.compile(
    rf"(?:[,;:]|\b(?:and|but|while)\b)\s+"
    rf"(?P<place>{any_of('questions.prepositions')} (?:the |his |her |its )?\w+(?: \w+)?,\s*)$",
    re.IGNORECASE,
)  # "two are on their way, and at the bottom, four"
_NEGATED = re.compile(r"\b(?:not|without|no longer|nor|(?:has|have|with|wears?|wearing) no)\b|n't\b", re.IGNORECASE)
_DO_NOT = re.compile(r"\s*(?:do|does|did|are|is|were|was|have|has)(?:\s+not|n't)\W*$", re.IGNORECASE)
_LABEL = re.compile(r"(\w+s)\W*[:|=]\s*$")  # "Plates: 4"
_NEXT_LABEL = re.compile(r"(?P<gap>[,;]\s*(?:and )?)[a-z][a-z ]{0,30}:\s*$", re.IGNORECASE)  # "Cups: 3, plates: 4"
_COLON = re.compile(r":|--|\b(?:including|namely|consisting of)\b", re.IGNORECASE)
_SHARE = re.compile(r"\s*(?:\w+\s+)?of (?:them|which|whom|these|those|the)\b", re.IGNORECASE)
_OF_WHICH = re.compile(r"\bof (?:which|whom|these|those|them),?\s*(?:only |just )?$", re.IGNORECASE)
# "Six women, and half of them carry bags": that is said of fewer than six.
_SOME_OF_THEM = re.compile(
    rf"[,;]?(?: and| but| while)? (?:{any_of('counts.some_of_them')} of (?:them|these|those|which|whom)|all but"
    r"|the (?:rest|others)|others|(?:of (?:them|these|those|which|whom) )?(?:only|just) the)\b.*",
    re.IGNORECASE,
)
# "5, I overlooked the one in the corner"; "the two big dogs do, the small one does not"
_NOT_SO_MANY = rf"(?:compared (?:with|to)|as opposed to|rather than|instead of|(?:and )?not (?:\d+|{'|'.join(UNITS)}))"
_ONE_IS = r"(?:and|but|while|whereas) (?:only |just )?one (?:of (?:them|these) )?(?:is|was|has|appears|seems)"
_REMARK = re.compile(
    r"[,;] (?:(?:and|but|while) )?(?:i|we|the \w+ one|which means)\b.*"
    rf"|[,;]? {_ONE_IS}\b.*|,? {_NOT_SO_MANY}\b.*",
    re.IGNORECASE,
)
# "Two are cats", "three of them would be girls": these are counted by what they are.
_ARE_THINGS = re.compile(
    rf"\s*(?:of (?:them|these|those|which|whom)\s+)?(?:are|were|would be)\s+"
    rf"(?P<what>(?:[a-z]+ )?(?:[a-z]*[a-rt-z]s|{any_of('questions.plurals')}))\s*(?:[,;.!]|and\b|but\b|while\b|$)",
    re.IGNORECASE,
)
_ONES = re.compile(r"\s*(?:[a-z-]+ ){1,2}ones?\b", re.IGNORECASE)
_PLURALS = words("questions.plurals")
_VERBS = words("questions.helping") | words("questions.possession")
_PREPOSITIONS = words("questions.prepositions")
_HAVING = frozenset({"has", "have", "holds", "contains", "carries", "shows"})
_STAYING = frozenset({"stay", "stays", "keep", "keeps", "left", "remaining"})
_SEEMING = frozenset({"appear", "appears", "seem", "seems", "look", "looks"})
_STOPS = _VERBS | _PREPOSITIONS | _STAYING | _SEEMING | {"of", "that", "which", "who", "being", "altogether"}


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
    is_part: bool
    """Whether it stands behind the colon of a whole: the 2 and the 1 of "3 bags: two big ones and a small one"."""

    @property
    def noun(self) -> str:
        """The word that is counted, or nothing."""
        label = None if self.phrase else _LABEL.search(self.before[-NEAR:])  # "Remaining: 7" counts nothing new
        if self.phrase and _ONES.match(self.after) and spelled(self.after)[len(self.phrase)].startswith("one"):
            return ""  # "blue ones" have no name of their own
        return label[1].lower() if label else self.phrase[-1] if self.phrase else ""

    @property
    def are_things(self) -> bool:
        """Whether it is told what they are: "two are cats"."""
        return bool(_ARE_THINGS.match(self.after))

    @property
    def is_share(self) -> bool:
        return bool(_SHARE.match(self.after) or _OF_WHICH.search(self.before))

    @property
    def is_short(self) -> bool:
        """Whether what is said of it was said before: "5 are", "2 are not", "4 with"."""
        said = spelled(self.after)
        return not self.words and (any(word in _VERBS or word.endswith("n't") for word in said) or said[:1] == ["with"])


def quantities(ranks: Ranks, sentence: int) -> list[Quantity]:
    """The numbers of a sentence that may be answers, with their words. Asides belong to the words of the others."""
    chosen = [number for number in ranks.numbers if number.rank > Rank.ASIDE or number.numeral.word == "both"]
    if not chosen:
        return []
    text = ranks.text
    betweens = [text[left.numeral.end : right.numeral.start] for left, right in pairwise(chosen)]
    parted = [parted_between(between) for between in betweens]
    befores = [_lead(text, ranks, chosen[0].numeral.start), *(after for _, after in parted)]
    afters = [
        _REMARK.sub("", _SOME_OF_THEM.sub("", after))
        for after in (*(x for x, _ in parted), text[chosen[-1].numeral.end :])
    ]
    shared = _share_in_lists(befores, afters, list(map(_joint, betweens)))
    ranked = [number.rank for number in chosen]
    for place in reversed(shared):  # "five children and one adult would be left": the "would" is of both
        ranked[place] = max(ranked[place], ranked[place + 1])
    parts_from = _share_with_parts(befores, afters, betweens)
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
            is_part=place >= parts_from,
        )
        for place, (number, rank, before, after) in enumerate(zip(chosen, ranked, befores, afters, strict=True))
    ]


def _lead(text: str, ranks: Ranks, start: int) -> str:
    """The words before the first number; only the nearest of them, where they tell of a number that came or went."""
    lead = text[:start]
    told = any(number.numeral.start < start for number in ranks.numbers)
    return _ALSO.sub("", _OF_OTHERS.sub("", parted_between(lead)[1] if told else lead))


def _phrase(after: str) -> tuple[str, ...]:
    """The words of the thing counted, up to what is said of it; after things comes what they do: "cows graze"."""
    if things := _ARE_THINGS.match(after):
        return tuple(spelled(things["what"]))
    every = spelled(_PAUSE.split(after, maxsplit=1)[0])
    stops = (
        i
        for i, word in enumerate(every)
        if word in _STOPS
        or word.endswith("ing")
        or (i and (is_empty(word) or (names_several(every[i - 1]) and not names_several(word))))
    )
    return tuple(every[: next(stops, len(every))])


def names_several(word: str) -> bool:
    """Whether a word is the name of several things: "cows", "geese"."""
    return word in _PLURALS or (word.endswith("s") and not word.endswith("ss"))


def _joint(between: str) -> str:
    """How two numbers are joined: by "and" or the like, by a comma, or not at all."""
    found = _JOINED.search(between)
    return "" if not found else found.group().strip(" ,") or ","


def parted_between(between: str) -> tuple[str, str]:
    """The words between two numbers: those of the first and those of the second; of both where nothing parts them."""
    if label := _NEXT_LABEL.search(between):
        return between[: label.start()], between[label.end("gap") :]
    if place := _PLACE_FIRST.search(between):
        return between[: place.start()], place["place"]
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
        bare = not has_predicate(afters[place])
        # "Two on the left and one on the right are drinking": a verb behind a place is said of both.
        behind = joined[place] == "and" and not _has_verb(afters[place]) and _has_verb_behind_place(afters[place + 1])
        shared = bool(joined[place]) and (joined[place] != "," or shared) and (bare or behind)
        # "10 chairs, and 6 of them are taken", "2 wear hats and 2 do not"
        shared = shared and not (_SHARE.match(afters[place + 1]) or _DO_NOT.match(afters[place + 1]))
        # "Ten people, and six are seated": what has no name of its own is some of those before it, or is then
        named = _phrase(afters[place + 1]) and not _ARE_THINGS.match(afters[place + 1])
        shared = shared and not (_phrase(afters[place]) and not named)
        if shared:
            afters[place] += f" {predicate(afters[place + 1])}"
            places.append(place)
    for place, is_joined in enumerate(joined):
        if is_joined and not befores[place + 1].strip():
            # "It has 5, 6 and 2", "on the wall hang three big ones and two small ones"
            listed = _is_bare(afters[place]) or (is_joined == "and" and _are_had_by_one(befores[place], afters[place]))
            befores[place + 1] = befores[place] if listed else ""
    return places[::-1]


def _are_had_by_one(before: str, after: str) -> bool:
    """Whether what comes before a number still holds behind an "and": "the rack has two cups in front and"."""
    return not has_predicate(after) or (bool(_HAVING.intersection(spelled(before)[-1:])) and not _has_verb(after))


def _share_with_parts(befores: list[str], afters: list[str], betweens: Sequence[str]) -> int:
    """Parts are where their whole is: in "6 dishes on the table: 4 plates and 2 bowls" the plates are on the table.

    Returns the place of the first part.
    """
    labelled = any(map(_NEXT_LABEL.search, betweens))
    whole = befores[0] if _COLON.search(befores[0]) and not labelled and "=" not in "".join(betweens) else ""
    parts_from = len(befores)
    for place, between in enumerate(betweens):
        adds_up = any("=" in later for later in betweens[place:])  # "three would get one each: 12 - 3 = 9"
        if _COLON.search(between) and not _NEXT_LABEL.search(between) and not adds_up:
            whole = f"{befores[place]} {predicate(afters[place])}"
            parts_from = min(parts_from, place + 1)
        befores[place + 1] = f"{whole} {befores[place + 1]}" if whole else befores[place + 1]
    return parts_from


def _is_bare(after: str) -> bool:
    return not counted_words(after)


def has_predicate(after: str) -> bool:
    return any(word in _STOPS or word.endswith("ing") for word in spelled(after))


def _has_verb(after: str) -> bool:
    return any(word in _VERBS or word.endswith("ing") for word in spelled(after))


def _has_verb_behind_place(after: str) -> bool:
    every = spelled(after)
    verb = next((i for i, word in enumerate(every) if word in _VERBS), 0)
    return any(word in _PREPOSITIONS for word in every[:verb])


def predicate(after: str) -> str:
    every = after.split()
    start = next((i for i, word in enumerate(every) if _opens_a_predicate(i, word.lower())), len(every))
    return " ".join(every[start:])


def _opens_a_predicate(place: int, word: str) -> bool:
    """Whether what is said of a thing begins with a word: "are", "on", "sitting", the "parked" of "cars parked"."""
    return word in _STOPS or word.endswith("ing") or (place > 0 and len(word) > 3 and word.endswith("ed"))
