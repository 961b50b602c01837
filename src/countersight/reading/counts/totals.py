"""A whole and its parts: which of them was asked for, where a reply counts both."""

import re

from countersight.reading.counts.company import Quantity
from countersight.reading.counts.fitting import fit, is_contrary, speaks_of_another
from countersight.reading.counts.other_counts import (
    GENERAL,
    is_all_there_is,
    is_beside_the_question,
    is_of_all_kinds,
    is_of_the_kind,
)
from countersight.reading.counts.question import Counted
from countersight.reading.language.numerals import less, numerals
from countersight.reading.language.opposites import SIDES
from countersight.reading.language.ranks import Rank, has_its_would
from countersight.reading.language.stems import counted_words, stem
from countersight.reading.language.vocabulary import any_of
from countersight.text import UNITS

_OUTSIDE = re.compile(r"\b(?:outside|out of|off)\b", re.IGNORECASE)
_ANOTHER_GROUP = re.compile(rf"\banother (?:\d+|{'|'.join(UNITS[2:])})\b", re.IGNORECASE)
_SOME = re.compile(
    rf"(?:\bhalf(?: of)? (?:them|these|those|which|whom)|{any_of('counts.the_rest')})\b(?P<what>[^.;]{{0,60}})",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|no|without|none)\b|n't\b", re.IGNORECASE)
_THE_OTHERS = re.compile(r"\bthe (?:other|remaining)\s*$", re.IGNORECASE)


def parts_of_a_whole(pool: list[Quantity], every: list[Quantity], asked: Counted) -> set[str | None]:
    """What is said of the asked, where a sentence comes to a whole of which that is a part.

    "Six on the shelf, two in his hands, eight overall", to how many are on the shelf.
    """
    whole = pool[-1]
    beside = [n for n in every if n.sentence == whole.sentence and n.start < whole.start and n.value != whole.value]
    parts = [n for n in beside if n.words & asked.qualities and n not in pool]
    others = [n for n in beside if n not in parts and speaks_of_another(n, asked)]
    concluded = whole.rank == Rank.CONCLUDED and not whole.words & asked.qualities
    if concluded and any(has_its_would(n.after) for n in parts):
        return {whole.value, *(n.value for n in parts)}  # "five would stay on their hooks, seven in all"
    of_parts = concluded and parts and whole.value == _sum([parts[-1], *others[-1:]])
    return {n.value for n in parts} if of_parts else set()


def hides_its_part(value: str, every: list[Quantity], asked: Counted) -> bool:
    """Whether a number is a whole, and of the parts that add up to it one has a word of the question that it lacks.

    "Seven players are in the box: four in white and three in blue", to how many of the white team are there.
    """
    if asked.of_now and not asked.joins and _is_all_beside_the_asked(value, every, asked):
        return True
    if not asked.of_now or asked.joins or len(every) < 3 or every[0].value != value:
        return False
    whole, *parts = every
    missing = (asked.nouns | asked.qualities) - whole.words
    return whole.value == _sum(parts) and sum(bool(n.words & missing) for n in parts) == 1


def _is_all_beside_the_asked(value: str, every: list[Quantity], asked: Counted) -> bool:
    """Whether a number is all there is, some of it what was asked and some not: "3 red, 2 yellow, 9 in total"."""
    own = [n for n in every if n.value == value]
    if not own or not all(is_all_there_is(n) for n in own):
        return False
    telling = (asked.kinds | asked.doing) - frozenset[str]().union(*(n.words for n in own))
    others = [n for n in every if less(n.value, value) and n.value != "0"]
    of_the_asked = [n for n in others if n.words & telling]
    return bool(of_the_asked) and any(n not in of_the_asked and fit(n, asked, frozenset()) is None for n in others)


def hides_some_of_it(value: str, text: str, asked: Counted) -> bool:
    """Whether the asked is half of what a reply counts, or the rest: "one faces us, and the others face the wall"."""
    some = _SOME.search(text) if asked.of_now else None
    if not some or _DENIED.search(some["what"]) or value in {n.value for n in numerals(text[some.start("what") :])}:
        return False  # or the rest is counted, or not the asked
    said = (asked.nouns | asked.qualities).intersection(counted_words(some["what"]))
    return bool(said - frozenset(counted_words(text[: some.start()])))


def without_parts(every: list[Quantity], asked: Counted) -> list[Quantity]:
    """The numbers that may count all, where all were asked for: none where parts alone are told.

    "There are 12 stairs. Two look broken." counts all; "One wolf howls while the other two listen" does not.
    """
    wholes = [n for n in every if stem(n.noun) in asked.nouns and asked.nouns.issuperset(counted_words(n.after))]
    if not wholes:
        others = any(_THE_OTHERS.search(n.before) or _ANOTHER_GROUP.search(n.after) for n in every)
        return [] if others and max(n.rank for n in every) <= Rank.STATED else every
    parts = [n for n in every if not n.noun and n.words and n.rank <= Rank.ALONE and less(n.value, wholes[0].value)]
    return [n for n in every if n not in parts] if len(every) == 2 else every


def rest_of_a_whole(every: list[Quantity], asked: Counted) -> str | None:
    """What is left of a whole for what was asked, where its other part is not that.

    "There are 8 pears: five in the bowl and three next to it", to how many are outside.
    """
    if not (asked.negated or _OUTSIDE.search(asked.text)):
        return None
    if not asked.of_now or len(every) != 3 or any(n.noun and stem(n.noun) not in asked.nouns for n in every):
        return None
    whole, *parts = every
    contrary = [n for n in parts if is_contrary(n, asked, n.words & asked.qualities)]
    rest = [n for n in parts if fit(n, asked, frozenset()) is not None]
    return rest[0].value if len(rest) == len(contrary) == 1 and whole.value == _sum(parts) else None


def worked_out(every: list[Quantity], asked: Counted) -> str | None:
    """The one number that would be, where it is what is now with the change that the question supposes."""
    results = [n for n in every if n.rank >= Rank.EXPECTED]
    if not asked.imagined or len({n.value for n in results}) != 1:
        return None
    value = results[0].value
    now = [n.value for n in every if n.rank <= Rank.ALONE and n.value != value and not speaks_of_another(n, asked)]
    known = all(not n.noun or stem(n.noun) in asked.nouns for n in results) and value not in asked.supposed_numbers
    fits = known and all(fit(n, asked, frozenset()) for n in results)
    ways = {way for n in now for by in asked.supposed_numbers for way in more_or_fewer(n, by)}
    return value if fits and value in ways else None


def more_or_fewer(now: str | None, by: str | None) -> tuple[str, ...]:
    """What a count comes to with so many more, and with so many fewer."""
    if not (now and by and now.isdigit() and by.isdigit()):
        return ()
    return str(int(now) + int(by)), str(int(now) - int(by))


def without_others(every: list[Quantity], asked: Counted) -> list[Quantity]:
    """The numbers, less those of other things, and of these and the asked together: "Boys: 9, girls: 11, total: 20"."""
    own = [n for n in every if not is_beside_the_question(n, asked)]
    listed = [n for n in every if n.rank == Rank.STATED]
    named = [n for n in own if stem(n.noun) in asked.nouns]
    mixed = asked.of_now and any(n in named for n in listed) and any(n not in own for n in listed)
    total = _sum(listed) if mixed else None
    return [n for n in own if n.rank != Rank.CONCLUDED or n.value != total or n in named]


def whole_or_part(kept: list[Quantity], rest: list[Quantity], asked: Counted) -> str | None:
    """The number kept, unless a later conclusion says that it was one of several to be added."""
    last = kept[-1]
    values = {n.value for n in kept}
    nouns = {stem(n.noun) for n in kept if n.noun}
    later = [n for n in rest if n.rank == Rank.CONCLUDED and n.value not in values and _stands_after(n, last)]
    later = [n for n in later if not speaks_of_another(n, asked)]
    if all(is_of_the_kind(n, asked) for n in kept):
        later = [n for n in later if not is_of_all_kinds(n, asked)]
    of_the_asked = later and asked.nouns & {*map(stem, later[-1].phrase)}
    if of_the_asked and nouns and not nouns & asked.nouns and not asked.kinds:
        return later[-1].value  # "two women, a man and a boy. That makes 4 people.", to how many people
    if later and fit(later[-1], asked, frozenset()):
        return _total(kept, rest, later[-1], asked)
    whole = [n.value for n in rest if n.rank >= Rank.STATED and n.value == _sum(kept)] if asked.joins else []
    if whole:
        return whole[0]  # "7 cups: 3 on the table and 4 on the shelf", to how many on both
    if len(kept) > 1 and len(nouns) > 1 and len({n.sentence for n in kept}) == 1 and last.rank <= Rank.EXPECTED:
        return None  # "one man and one woman are wearing hats"
    return strongest(kept)


def _stands_after(later: Quantity, kept: Quantity) -> bool:
    return (later.sentence, later.start) > (kept.sentence, kept.start)


def _total(kept: list[Quantity], rest: list[Quantity], conclusion: Quantity, asked: Counted) -> str | None:
    parts = [*kept, *(n for n in rest if n.rank != Rank.CONCLUDED)]
    of_all = _sum(parts)
    if _is_of_all(conclusion, of_all, parts, asked):
        return conclusion.value
    shares = [n for n in rest if n.rank == Rank.SHARE and n.sentence == conclusion.sentence]
    is_whole = not asked.doing or bool(kept[0].words & asked.doing)
    if shares and _sum([*shares, conclusion]) == kept[0].value and is_whole:
        return kept[0].value  # "Ten seats. Six of them are occupied, which leaves four."
    if any(n.rank == Rank.STATED and n.value == _sum([kept[0], conclusion]) for n in rest) and conclusion.words:
        return kept[0].value  # "Nine bulbs. Three are off, so six are lit.", to how many are off
    if len({n.noun for n in kept}) > 1 and _sum(kept) == conclusion.value:
        return conclusion.value  # "one man and one woman wear hats, so two"
    if len({n.value for n in kept}) == 1 and of_all == conclusion.value:
        return kept[0].value  # "2 red, 5 silver, 7 in total"
    return conclusion.value if len(kept) > 1 and _sum(kept) == conclusion.value else None


def _is_of_all(conclusion: Quantity, of_all: str | None, parts: list[Quantity], asked: Counted) -> bool:
    """Whether a total is of parts that differ in what was not asked: by side, or by name where "things" were asked for.

    A list may have a thing without a number: "three apples, two pears and a banana. Total: 6".
    """
    if len(parts) < 2:
        return False
    if not asked.qualities & SIDES and all(n.words & SIDES for n in parts):
        return of_all == conclusion.value
    by_name = bool(asked.nouns & GENERAL) and not asked.kinds and all(_names_things(n) for n in parts)
    return by_name and not less(conclusion.value, of_all)


def _names_things(number: Quantity) -> bool:
    return bool(number.noun) and (number.noun.endswith("s") or number.value == "1" or stem(number.noun) in GENERAL)


def _sum(numbers: list[Quantity]) -> str | None:
    values = [int(n.value) for n in numbers if n.value and n.value.isdigit()]
    return str(sum(values)) if len(values) == len(numbers) else None


def strongest(pool: list[Quantity]) -> str | None:
    """The number that is put forward most strongly, or None where there are several."""
    if not pool:
        return None
    best = max(n.rank for n in pool)
    chosen: dict[int, set[str | None]] = {}
    for quantity in pool:
        if quantity.rank == best:
            chosen.setdefault(quantity.sentence, set()).add(quantity.value)
    # A conclusion, or an imagined count, may be corrected by a later one. Plain statements may not: two that
    # differ are about two things, and nothing here says which was asked for.
    values = chosen[max(chosen)] if best >= Rank.EXPECTED else set[str | None]().union(*chosen.values())
    return values.pop() if len(values) == 1 else None
