"""Reads the answer to a how-many question."""

import re

from msgspec.structs import replace

from countersight.reading.as_counts import in_things
from countersight.reading.clauses import MODAL_AT, imagines, sentences, supposed, supposes, supposes_first
from countersight.reading.company import Fit, Quantity, fit, quantities, speaks_of_another
from countersight.reading.numerals import numerals
from countersight.reading.other_counts import are_parts, is_beside_the_question
from countersight.reading.question import Counted, counted_by
from countersight.reading.ranks import Rank, ranks_in
from countersight.reading.stems import counted_words, stem
from countersight.reading.unfinished import repeats_the_supposition, stops_before_its_result, stops_halfway
from countersight.reading.vocabulary import any_of

_INTERJECTION = re.compile(r"^\W*(?:yes|no|yeah|nope|sure|okay|ok|well|right)\s*[,.!;:-]+\s+(?=\S)", re.IGNORECASE)
_ONLY_NO = re.compile(rf"^\W*(?:no|nope|{any_of('numbers.noughts_alone')})\W*$", re.IGNORECASE)
_NONE_FIRST = re.compile(
    rf"^\W*(?:{any_of('numbers.noughts_alone')}|zero)\s*(?:[,.;:!]|--)(?!\s*(?:but|however)\b)", re.IGNORECASE
)
_SUM = re.compile(r"^\W*\d+(?: [a-z]+)? ?[-+*/] ?\d+(?: [a-z]+)?\W*$", re.IGNORECASE)  # and no result
_OTHERWISE = re.compile(r"\b(?:instead(?! of)|otherwise|on the other hand)\b", re.IGNORECASE)
_MORE_OR_NOT = re.compile(r"\b(?:possibly|maybe|perhaps) (?:another|more|one more|others)\b", re.IGNORECASE)
_IN_THE_PICTURE = re.compile(r"\b(?:in|on) th(?:e|is) (?:image|picture|photo|photograph|scene)\W*$", re.IGNORECASE)
_IN_TOTAL = re.compile(r"\b(?:in total|in all|altogether)\W*$", re.IGNORECASE)
_COUNTING_UP = re.compile(r"\b1,? 2(?:,? (?:and )?\d{1,3}\b){1,40}(?! [-+=*/])")
_DIGITS = re.compile(r"\d+")
_MORE = re.compile(r"(?: \w+)? (?:more|fewer|less|additional|extra)\b", re.IGNORECASE)
_RESULT = re.compile(r"(?:=|\bis|\bby|\bso|\bdifference of)\s*$", re.IGNORECASE)
_PERCENTAGE = re.compile(r"^\W*(\d{1,9})\s*(?:%|percent)\W*$", re.IGNORECASE)
_JUST_A = re.compile(
    r"\W*(?:(?:there(?:'s| is|'d be| would(?: still| only| just)? be| will be)|i (?:can )?see)\s+)?(?:just |only )?"
    r"an? (?:\w+ )??"
    r"(?P<noun>\w+)(?: left| remaining| visible)?(?P<rest> [^.!?]*)?\W*$",
    re.IGNORECASE,
)
# "1 animal now, 3 then"; the other way round, "then" may be what was.
_COUNT = r"(?:\d+|[a-z]+(?:-[a-z]+)?)(?: [a-z]+)?"
_NOW = "(?:now|currently|at present)"
_THEN = "(?:then|afterwards?|after that)"
_NOW_AND_THEN = re.compile(
    rf"\W*(?:{_NOW}[:,]? {_COUNT}|{_COUNT} {_NOW})\s*[.,;]?\s+(?:and |but )?"
    rf"(?P<then>{_THEN}[:,]? {_COUNT}|{_COUNT} {_THEN})\W*$",
    re.IGNORECASE,
)
_EACH = re.compile(r"\b(?:each|apiece|every(?! (?:one|single|time|other))|per(?! cent))\b", re.IGNORECASE)
_NUMBER_AS_A_NAME = re.compile(r"\b(?<=the number )\d+(?= [a-z])", re.IGNORECASE)  # "the number 7 bus"
# "3 tables, and each has 2 chairs", "3 clocks, one on each wall"; "3 tables with 2 chairs each".
_EACH_OF_THESE = re.compile(r"(?:[,:]|--|\band|\bwhere|,\s+one \w+)\s*$", re.IGNORECASE)
_EACH_LAST = re.compile(r"\w+\s*(?:[^\w\s]|$)")
_MOST = 200  # numbers of a reply that are held against the question; of more, the last


def count(text: str, question: str) -> str | None:
    """The number a plain text gives as its answer, or None where it gives none or more than one."""
    asked = counted_by(question)
    if _ONLY_NO.match(text) or _NONE_FIRST.match(text):
        return "0"
    if repeats_the_supposition(text, question) or _MORE_OR_NOT.search(text) or _SUM.match(text):
        return None
    if _is_just_one(text, asked):
        return "1"
    if percentage := _PERCENTAGE.match(text):
        return percentage[1]
    if asked.difference:
        return _difference(text)
    text = _COUNTING_UP.sub(_last_of_counting, _INTERJECTION.sub("", in_things(text, question)))
    text = _NUMBER_AS_A_NAME.sub("", text) if asked.nouns else text
    both = None if asked.of_now else _NOW_AND_THEN.match(text)
    if both and len(numerals(text)) == 2 and len(then := numerals(both["then"])) == 1:
        return then[0].value
    pieces = sentences(text)
    if stops_halfway(pieces, asked):
        return None
    last = len(pieces) - 1
    found = [
        _not_of_each(quantities(ranks, position), ranks.text, asked)
        for position, piece in enumerate(pieces)
        if (ranks := ranks_in(piece, first=position == 0, last=position == last))
    ]
    every = [n for numbers in found for n in numbers if not is_beside_the_question(n, asked)][-_MOST:]
    every = _of_now(every, pieces) if asked.of_now else _of_the_supposed(every, pieces, asked)
    if not asked.of_now and stops_before_its_result(every, pieces, asked):
        return None
    return _chosen(every, asked, frozenset(counted_words(text)))


def _not_of_each(every: list[Quantity], text: str, asked: Counted) -> list[Quantity]:
    """The numbers, less those that hold of each of several things: "2 chairs at each table" does not count the chairs.

    What is left is how many of these there are ("3 tables with 2 chairs each") and what the sentence comes to.
    """
    each = None if asked.of_each else _EACH.search(text)
    if not each:
        return every
    return [
        n
        for n in every
        if n.rank == Rank.CONCLUDED
        or n.value == "0"
        or (n is every[0] and _is_shared_out(n, text, each.start(), asked))
    ]


def _is_shared_out(number: Quantity, text: str, each: int, asked: Counted) -> bool:
    """Whether a number is that of the things which have something each, and those were asked for."""
    between = text[number.start : each]
    parted = _EACH_OF_THESE.search(between) or (_EACH_LAST.match(text[each:]) and len(numerals(between)) > 1)
    return bool(parted) and (not asked.nouns or bool({*map(stem, number.phrase)} & asked.nouns))


def _difference(text: str) -> str | None:
    """By how many one thing outnumbers another: "2 more", "5 - 3 = 2", or a number by itself."""
    every = numerals(text)
    said = {n.value for n in every if _MORE.match(text[n.end :])} or {
        n.value for n in every if _RESULT.search(text[: n.start])
    }
    values = said or {n.value for n in every}
    return values.pop() if len(values) == 1 else None


def _last_of_counting(counting: re.Match[str]) -> str:
    """The last number of "1, 2, 3", where it counts up; the text as it is where it does not."""
    values = [int(value) for value in _DIGITS.findall(counting.group())]
    return str(values[-1]) if values == list(range(1, len(values) + 1)) else counting.group()


def _is_just_one(text: str, asked: Counted) -> bool:
    """Whether "a cow" is all that a reply says to "how many cows": anywhere else "a" only names a thing."""
    found = _JUST_A.match(text)
    noun = found["noun"].lower() if found else ""
    rest = counted_words((found["rest"] or "") if found else "")
    return bool(noun) and not noun.endswith("s") and stem(noun) in asked.nouns and asked.words.issuperset(rest)


def _of_the_supposed(every: list[Quantity], pieces: list[str], asked: Counted) -> list[Quantity]:
    """The numbers, with what was concluded before the first supposition taken for the count as it is.

    "There are 11 in total. If 7 left, there would be 4." and "5 + 6 = 11. After 7 leave: 4." both count first.
    """
    every = _without_other_suppositions(every, pieces, asked)
    supposing = {n.sentence for n in every if n.rank >= Rank.STATED and supposes_first(pieces[n.sentence])}
    first = min(supposing, default=0)
    levelled = []
    for quantity in every:
        rank = quantity.rank
        if quantity.sentence < first and not MODAL_AT.search(pieces[quantity.sentence]):
            rank = min(rank, Rank.ALONE)
        elif quantity.sentence in supposing and rank in (Rank.STATED, Rank.ALONE):
            rank = Rank.EXPECTED
        if not _is_of_the_supposition(quantity, asked):
            levelled.append(replace(quantity, rank=rank))
    return levelled


def _without_other_suppositions(every: list[Quantity], pieces: list[str], asked: Counted) -> list[Quantity]:
    """The numbers, less those of what is supposed instead: "… 3 are left. If two had come instead, it would be 7."."""
    others = {place for place, piece in enumerate(pieces) if place and _supposes_otherwise(piece, asked)}
    return [n for n in every if n.sentence not in others] or every


def _supposes_otherwise(piece: str, asked: Counted) -> bool:
    """Whether a sentence supposes something else than the question: in other numbers, or "instead"."""
    numbers = {numeral.value for numeral in numerals(supposed(piece))}
    others = bool(numbers and asked.supposed_numbers) and not numbers & asked.supposed_numbers
    return imagines(piece) and (others or bool(_OTHERWISE.search(piece)))


def _is_of_the_supposition(quantity: Quantity, asked: Counted) -> bool:
    """Whether a number only repeats what the question supposes: "the wind would blow out two"."""
    if quantity.rank == Rank.CONCLUDED or quantity.value not in asked.supposed_numbers:
        return False
    return bool(quantity.words & asked.supposition)


def _of_now(every: list[Quantity], pieces: list[str]) -> list[Quantity]:
    """The numbers, without those of sentences that suppose something, where the question supposes nothing."""
    return [quantity for quantity in every if not supposes(pieces[quantity.sentence])] or every


def _chosen(every: list[Quantity], asked: Counted, mentioned: frozenset[str]) -> str | None:
    """The number that the question's own words qualify; where they qualify none, the one put forward most strongly."""
    if not asked.nouns and not asked.qualities:
        return _strongest(every)
    if not asked.of_now and every and max(n.rank for n in every) <= Rank.BEFORE and not _are_shares(every):
        return None  # "there are 6 now" says nothing of what would be
    pool = every if asked.of_now else [n for n in every if n.rank >= Rank.EXPECTED] or every
    to_the_point = _fitting(pool, asked) or _fitting(every, asked)
    if not to_the_point:
        return None
    best = max(found.qualities for found, _ in to_the_point)
    if best == 0 and asked.of_now and asked.qualities and all(_IN_THE_PICTURE.search(n.after) for _, n in to_the_point):
        return None  # "there are four men in the image", to how many wear glasses
    if best == 0 and asked.qualities and len(every) == 1 and _IN_TOTAL.search(every[0].after):
        return None  # nothing says that these are the ones asked for
    if best == 0 and asked.qualities & mentioned and max(n.rank for _, n in to_the_point) == Rank.STATED:
        return None  # "there are six women, and half of them carry bags"
    if best == 0:
        return _unqualified([n for _, n in to_the_point], every, asked, mentioned)
    fits = max(found for found, _ in to_the_point)
    kept = [n for found, n in to_the_point if found == fits]
    if _is_of_another_noun(kept, every, asked):
        return None
    return _with_its_total(kept, [n for n in pool if n not in kept], joins=asked.joins)


def _is_of_another_noun(kept: list[Quantity], every: list[Quantity], asked: Counted) -> bool:
    """Whether what fits counts something else than was asked, and that is counted too: "3 cups, and 4 plates there"."""
    others = [n for n in kept if n.noun.endswith("s") and not n.is_share and not n.words & asked.nouns]
    return len(others) == len(kept) and any(n.words & asked.nouns for n in every)


def _are_shares(every: list[Quantity]) -> bool:
    return any(n.rank == Rank.SHARE for n in every)


def _fitting(pool: list[Quantity], asked: Counted) -> list[tuple[Fit, Quantity]]:
    """The numbers that may be meant, each with how well it fits."""
    inherited: frozenset[str] = frozenset()
    found = []
    for quantity in pool:
        how = fit(quantity, asked, inherited)
        inherited = quantity.words
        if how and not (how.qualities == 0 and quantity.rank < Rank.CONCLUDED and speaks_of_another(quantity, asked)):
            found.append((how, quantity))
    return found


def _unqualified(pool: list[Quantity], every: list[Quantity], asked: Counted, mentioned: frozenset[str]) -> str | None:
    """The answer where no number is said of what was asked: the noun decides, then the strength of the words."""
    if any(fit(n, asked, frozenset()) is None for n in every) and not any(n.rank == Rank.CONCLUDED for n in pool):
        return None
    strongest = max(n.rank for n in pool)
    named = [n for n in pool if n.words & asked.nouns]
    if strongest <= Rank.STATED and any(are_parts(n, other) for n in named for other in pool):
        return None  # "five red, four green and three blue flags"
    others = [n for n in pool if n.noun and stem(n.noun) not in asked.nouns]
    if strongest != Rank.CONCLUDED and others and not named and asked.nouns & mentioned:
        return None  # "a dog and two cats", to how many dogs
    if named and others and (strongest != Rank.CONCLUDED or any(n.rank == strongest for n in others)):
        pool = named
    return None if strongest <= Rank.STATED and _adds_up(pool, asked) else _strongest(pool)


def _adds_up(pool: list[Quantity], asked: Counted) -> bool:
    """Whether a list counts parts of what was asked: "one man and one woman", to how many people."""
    nouns = {stem(n.noun) for n in pool if n.noun and n.rank <= Rank.STATED}
    return len(nouns) > 1 and not nouns & asked.nouns and len({n.sentence for n in pool}) == 1


def _with_its_total(kept: list[Quantity], rest: list[Quantity], *, joins: bool) -> str | None:
    """The number kept, unless a later conclusion says that it was one of several to be added."""
    last = kept[-1]
    values = {n.value for n in kept}
    nouns = {stem(n.noun) for n in kept if n.noun}
    later = [n for n in rest if n.rank == Rank.CONCLUDED and n.value not in values and _stands_after(n, last)]
    if later:
        return _total(kept, rest, later[-1])
    whole = [n.value for n in rest if n.rank >= Rank.STATED and n.value == _sum(kept)] if joins else []
    if whole:
        return whole[0]  # "7 cups: 3 on the table and 4 on the shelf", to how many on both
    if len(kept) > 1 and len(nouns) > 1 and len({n.sentence for n in kept}) == 1 and last.rank <= Rank.EXPECTED:
        return None  # "one man and one woman are wearing hats"
    return _strongest(kept)


def _stands_after(later: Quantity, kept: Quantity) -> bool:
    return (later.sentence, later.start) > (kept.sentence, kept.start)


def _total(kept: list[Quantity], rest: list[Quantity], conclusion: Quantity) -> str | None:
    of_all = _sum([*kept, *(n for n in rest if n.rank != Rank.CONCLUDED)])
    if len({n.value for n in kept}) == 1 and of_all == conclusion.value:
        return kept[0].value  # "2 red, 5 silver, 7 in total"
    return conclusion.value if len(kept) > 1 and _sum(kept) == conclusion.value else None


def _sum(numbers: list[Quantity]) -> str | None:
    values = [int(n.value) for n in numbers if n.value and n.value.isdigit()]
    return str(sum(values)) if len(values) == len(numbers) else None


def _strongest(pool: list[Quantity]) -> str | None:
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
