"""Whether a count leaves no other number of its reply unexplained: what is not accounted for may be the answer."""

import re
from collections.abc import Iterable

from countersight.reading.counts.company import Quantity
from countersight.reading.counts.fitting import does_just_the_asked, fit
from countersight.reading.counts.other_counts import GENERAL
from countersight.reading.counts.question import Counted
from countersight.reading.language.numerals import less
from countersight.reading.language.ranks import FINITE, Rank
from countersight.reading.language.stems import is_empty, stem
from countersight.reading.language.vocabulary import words

_DENIED = re.compile(r"\bnot(?: the| just)?\s*$", re.IGNORECASE)  # "5, not 8"
_THERE_ARE = re.compile(r"\b(?:there (?:is|are)|shows?|see)\s*$", re.IGNORECASE)
_THE = re.compile(r"\bthe\s*$", re.IGNORECASE)
_SUBJECT = re.compile(r"\W*(?:the|his|her|their|its) ([a-z]+)", re.IGNORECASE)
PARTS_OF_NAMES = frozenset(map(stem, words("questions.parts_of_names")))
_NOWHERE: frozenset[str] = frozenset()


def accounts_for(value: str, every: list[Quantity], mentioned: Iterable[str | None], asked: Counted) -> bool:
    """Whether all other numbers of a reply are explained, where `value` is its answer.

    `mentioned` are the numbers that the reply only mentions: those it adds, takes away or supposes.
    """
    own = [n for n in every if n.value == value]
    if not own:
        return True
    if all(_counts_other_things(n, every, asked) for n in own):
        return False
    if asked.negated and len({n.value for n in every}) > 1 and not any(_is_of_the_asked(n, asked) for n in own):
        return False  # "5 birds, 3 on the branch, 2 flying", to how many are not on the branch
    told_only = not asked.of_now and asked.nouns and max(n.rank for n in every) <= Rank.STATED
    if told_only and all(_is_told_of_another(n, asked) for n in own):
        return False
    told_only = told_only and any(FINITE.search(f"{n.before} {n.after}") for n in own)  # not "4 clean, 3 dirty"
    total = str(sum(int(n.value) for n in every if n.value != value and n.value and n.value.isdigit()))
    known = [int(n) for n in (*mentioned, *asked.supposed_numbers, *(n.value for n in every)) if n and n.isdigit()]
    return all(
        _is_named_otherwise(other, own, asked)
        or _is_worked_out(other, own, known)
        or (value == total and not (told_only and asked.imagined))
        or (other.rank == Rank.BEFORE < own[-1].rank and _after(own[-1], other))
        or (other.value or "").startswith("-")
        or (other.value is None and bool(_DENIED.search(other.before)))
        or (other.value == "0" and bool(other.words) and not other.words & (asked.nouns | asked.qualities))
        # "5 chairs are taken and 3 are empty" says nothing of what would be
        or (not told_only and _is_explained(other, own, asked))
        for other in every
        if other.value != value
    )


def are_to_be_added(every: list[Quantity]) -> bool:
    """Whether known groups would be there together: "it would be the nine in the pen and the four behind them"."""
    definite = [n.sentence for n in every if n.rank == Rank.SUPPOSED and _THE.search(n.before)]
    return len(definite) > len({*definite}) and all(n.rank <= Rank.SUPPOSED for n in every)


def _is_of_the_asked(number: Quantity, asked: Counted) -> bool:
    found = fit(number, asked, _NOWHERE)
    return number.negated or (found is not None and found.qualities > 0)


def _counts_other_things(number: Quantity, every: list[Quantity], asked: Counted) -> bool:
    """Whether a number counts things of another name beside one that counts the asked: "4 balloons at the 12 posts"."""
    named = any({*map(stem, n.phrase)} & asked.nouns for n in every)
    things = number.noun.endswith("s") or (number.noun and number.value == "1")
    return bool(named and things) and not {*map(stem, number.phrase)} & (asked.words | GENERAL)


def _is_told_of_another(number: Quantity, asked: Counted) -> bool:
    """Whether a number is told of something that was not asked for: "the hats cost 30", to how much would be left."""
    subject = _SUBJECT.match(number.before)
    known = asked.nouns | asked.qualities | asked.owner
    return subject is not None and not is_empty(subject[1].lower()) and stem(subject[1].lower()) not in known


def is_of_any_kind(value: str, every: list[Quantity], asked: Counted) -> bool:
    """Whether a number is of all things of a name, where one kind of them was asked for: "9 balloons", to red ones."""
    named = [n for n in every if n.value == value]
    of_all = all(n.rank in (Rank.STATED, Rank.CONCLUDED) and stem(n.noun) in asked.nouns for n in named)
    told = frozenset[str]().union(*(n.words for n in every))
    alone = len({n.value for n in every}) == 1 and all(len(n.phrase) == 1 for n in named)
    kinds = asked.kinds - PARTS_OF_NAMES if alone else asked.kinds
    of_another_kind = bool(kinds) and not told & kinds
    only_there = all(_THERE_ARE.search(n.before) and n.words & asked.qualities for n in named)
    only_placed = only_there and bool(asked.predicate) and not told & (asked.predicate | asked.kinds)
    # "eight boys in the front row, and two in the back row are smiling"
    doing = [n for n in every if n.words & asked.doing] if not asked.negated else []
    plain = all(n.rank == Rank.STATED and not n.words & asked.kinds for n in named)
    others_do = plain and bool(doing) and not any(n in named for n in doing)
    return value != "0" and asked.of_now and of_all and (of_another_kind or only_placed or others_do)


def _is_explained(other: Quantity, own: list[Quantity], asked: Counted) -> bool:
    return (
        fit(other, asked, _NOWHERE) is None
        or _is_of_now(other, own, asked)
        or _is_concluded_from(other, own[-1])
        or _fits_less(other, own, asked)
        or _is_part(other, own, asked)
        or _is_whole(other, own, asked)
    )


def _is_of_now(other: Quantity, own: list[Quantity], asked: Counted) -> bool:
    """Whether a number is what is or is supposed, where the answer is what would be."""
    if asked.of_now:
        return False
    best = max(n.rank for n in own)
    return other.value in asked.supposed_numbers or (other.rank <= Rank.ALONE and best >= Rank.EXPECTED)


def _is_concluded_from(other: Quantity, answer: Quantity) -> bool:
    """Whether the answer is the conclusion that a reply comes to, and the other is on the way to it."""
    return answer.rank == Rank.CONCLUDED > other.rank and _after(answer, other)


def _fits_less(other: Quantity, own: list[Quantity], asked: Counted) -> bool:
    """Whether the answer is said to be all that the other is, of what was asked, and more."""
    if not asked.of_now and all(n.rank < other.rank and n.sentence != other.sentence for n in own):
        return False
    of_the_kind = any(n.words & asked.kinds for n in own) and not other.words & asked.kinds
    if any(does_just_the_asked(n, asked) and less(n.value, other.value) for n in own) and not other.words & asked.doing:
        return True  # "three wear hats", of five in the queue
    return of_the_kind or any(n.words & asked.qualities > other.words & asked.qualities for n in own)


def _is_part(other: Quantity, own: list[Quantity], asked: Counted) -> bool:
    """Whether a number is said of some of those in the answer: "7 windows, 2 of which are open"."""
    closer = (other.words - own[0].words) & asked.qualities
    return (other.is_share or other.rank == Rank.SHARE or other.is_part) and _after(other, own[0]) and not closer


def _is_whole(other: Quantity, own: list[Quantity], asked: Counted) -> bool:
    """Whether the answer is said of some of the others: "9 balloons are tied to the fence, of which four are red"."""
    shares = [n for n in own if (n.is_share or n.rank == Rank.SHARE) and n.words & (asked.qualities | asked.nouns)]
    return any(_after(share, other) for share in shares)


def _is_named_otherwise(other: Quantity, own: list[Quantity], asked: Counted) -> bool:
    """Whether the other counts things of another name: the dog of "two cats and one dog", to how many cats."""
    things = other.noun.endswith("s") or other.value == "1" or stem(other.noun) in GENERAL
    named = any(n.words & asked.nouns for n in own)
    return things and other.noun.isalpha() and not is_empty(other.noun) and named and not other.words & asked.nouns


def _is_worked_out(other: Quantity, own: list[Quantity], known: list[int]) -> bool:
    """Whether the answer is the sum or the difference of the other and a number that is known."""
    if not (other.value and other.value.isdigit() and own[0].value and own[0].value.isdigit()):
        return False
    first, result = int(other.value), int(own[0].value)
    precedes = not _after(other, own[-1]) or own[0].rank == Rank.ALONE
    results = {way for second in known for way in (first + second, first - second, second - first)}
    return precedes and result in results


def _after(later: Quantity, earlier: Quantity) -> bool:
    return (later.sentence, later.start) > (earlier.sentence, earlier.start)
