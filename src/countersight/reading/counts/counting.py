"""Reads the answer to a how-many question."""

import re

from countersight.reading.counts.accounts import accounts_for, are_to_be_added, is_of_any_kind
from countersight.reading.counts.as_counts import in_things
from countersight.reading.counts.company import Quantity, quantities
from countersight.reading.counts.course import REMAINING, STAY, of_the_supposed
from countersight.reading.counts.first_or_last import comes_to, opened_and_remarked, told_at_last
from countersight.reading.counts.fitting import Fit, does_just_the_asked, fit, is_of_he_or_she, speaks_of_another
from countersight.reading.counts.labels import best_of
from countersight.reading.counts.of_each import not_of_each
from countersight.reading.counts.openings import first_alone, opened_with
from countersight.reading.counts.other_counts import (
    are_the_asked,
    is_all_there_is,
    is_nowhere,
    is_of_two_together,
    is_one_of_a_list,
)
from countersight.reading.counts.question import Counted, counted_by
from countersight.reading.counts.second_look import goes_on_to_another, is_said_otherwise, is_taken_for_the_asked
from countersight.reading.counts.short_counts import difference, short_count
from countersight.reading.counts.tallies import entries_in
from countersight.reading.counts.totals import (
    hides_its_part,
    hides_some_of_it,
    parts_of_a_whole,
    rest_of_a_whole,
    strongest,
    whole_or_part,
    without_others,
    without_parts,
    worked_out,
)
from countersight.reading.counts.unfinished import (
    leaves_its_result_untold,
    repeats_the_supposition,
    stops_before_its_result,
    stops_halfway,
    tells_another_number,
    tells_only_what_is,
)
from countersight.reading.language.clauses import contrasted, sentences, supposes
from countersight.reading.language.numerals import numerals
from countersight.reading.language.ranks import Rank, ranks_in
from countersight.reading.language.stems import counted_words, stem
from countersight.reading.language.vocabulary import any_of

_SUM = re.compile(r"^\W*\d+(?: [a-z]+)? ?[-+*/] ?\d+(?: [a-z]+)?\W*$", re.IGNORECASE)  # and no result
_WOULD = re.compile(r"\b(?:would|could|might)\b|'d\b", re.IGNORECASE)
# "4 would be wrong", and no word of what would be right
_CALLED_WRONG = re.compile(
    r"\W*[\w-]+(?: \w+)? (?:is|are|would be|seems|sounds|can't be|cannot be|isn't|aren't)(?: not)?"
    r" (?:wrong|incorrect|false|right|correct|too (?:many|few|high|low|much|little))\W*$",
    re.IGNORECASE,
)
_CALLED_RIGHT = re.compile(r"\b(?:is|are|would be|seems|sounds) (?:right|correct)\W*$", re.IGNORECASE)
_MORE_OR_NOT = re.compile(r"\b(?:possibly|maybe|perhaps) (?:another|more|one more|others)\b", re.IGNORECASE)
_IN_THE_PICTURE = re.compile(r"\b(?:in|on) th(?:e|is) (?:image|picture|photo|photograph|scene)\W*$", re.IGNORECASE)
_NOT_SAID_TO_BE_SO = re.compile(rf"\W*(?:(?:but|so|well),? )?{any_of('counts.denied_claims')}", re.IGNORECASE)
_MOST = 200  # numbers of a reply that are held against the question; of more, the last


def count(text: str, question: str) -> str | None:
    """The number a plain text gives as its answer, or None where it gives none or more than one."""
    answer = _counted(text, question)
    asked = counted_by(question)
    if answer is None or is_taken_for_the_asked(answer, text, asked) or is_said_otherwise(answer, text, asked):
        return None
    return None if goes_on_to_another(answer, text, question, _counted) else answer


def _counted(text: str, question: str) -> str | None:
    asked = counted_by(question)
    if repeats_the_supposition(text, question) or tells_another_number(text, question):
        return None
    if _MORE_OR_NOT.search(text) or _SUM.match(text) or _is_called_wrong(text) or leaves_its_result_untold(text):
        return None
    if at_once := short_count(text, asked) or told_at_last(text, asked):
        return at_once
    if asked.difference:
        return difference(text)
    text = in_things(text.replace("_", " "), question)
    if entries := entries_in(text, asked):
        labelled = best_of(entries, asked, frozenset(counted_words(text)))
        if labelled or asked.of_now:
            return labelled
    return _weighed(text, asked) or comes_to(text, _numbers(sentences(text), asked), asked)


def _is_called_wrong(text: str) -> bool:
    called = _CALLED_WRONG.match(text)
    return bool(called) and not _CALLED_RIGHT.search(text)


def _weighed(text: str, asked: Counted) -> str | None:
    """The number that answers, of all the numbers of a reply held against the question and each other."""
    pieces = _parts_of_now(text) if asked.of_now else sentences(text)
    told = _numbers(pieces, asked)
    if stops_halfway(pieces, asked) or is_nowhere(told, asked) or are_to_be_added(told):
        return None
    every = without_others(told, asked)[-_MOST:]
    if asked.of_now and not asked.qualities | asked.owner:
        every = without_parts(every, asked)
    every = _of_now(every, pieces) if asked.of_now else of_the_supposed(every, pieces, asked)
    if not asked.of_now and stops_before_its_result(every, pieces, asked):
        return None
    if asked.imagined and (first := first_alone(text, every, asked)):
        return first
    opened = opened_with(text)
    if opened and _is_strongest(opened, every, asked):
        return opened
    if at_one_end := rest_of_a_whole(every, asked) or opened_and_remarked(text, every, asked):
        return at_one_end
    said = frozenset(counted_words(text))
    counts_from = min((n.sentence for n in every), default=0)
    since = frozenset(counted_words(" ".join(pieces[counts_from:]))) if counts_from else said
    chosen = _chosen(every, asked, said, since) or worked_out(every, asked)
    if opened and chosen != opened and max(n.rank for n in every) <= Rank.ALONE:
        return None  # "5: 4 on the ground and the spare", to how many there are with the spare
    if chosen is None or _is_ruled_out(chosen, every, text, asked) or hides_its_part(chosen, told, asked):
        return None
    if asked.imagined and tells_only_what_is(chosen, every, pieces, asked):
        return None
    mentioned = [n.value for n in numerals(text)]
    return chosen if accounts_for(chosen, every, mentioned, asked) else _another(chosen, every, text, asked)


def _numbers(pieces: list[str], asked: Counted) -> list[Quantity]:
    """The numbers of all sentences, less those that hold of each of several things."""
    last = len(pieces) - 1
    denied = {place for place, piece in enumerate(pieces) if _NOT_SAID_TO_BE_SO.match(piece)}
    ranked = [
        ranks_in(piece, first=place == 0, last=place == last, asked=asked.predicate)
        for place, piece in enumerate(pieces)
    ]
    every = [n for place, ranks in enumerate(ranked) for n in not_of_each(quantities(ranks, place), ranks.text, asked)]
    return [n for n in every if n.sentence not in denied or n.value == "0"]  # "I don't think there are five"


def _is_ruled_out(value: str, every: list[Quantity], text: str, asked: Counted) -> bool:
    """Whether a number is of things of any kind, of some of a list, or of other things besides."""
    return (
        is_of_any_kind(value, every, asked)
        or is_one_of_a_list(value, text, every, asked)
        or is_of_two_together(value, text, asked)
        or hides_some_of_it(value, text, asked)
    )


def _another(chosen: str, every: list[Quantity], text: str, asked: Counted) -> str | None:
    """The one number that leaves no other unexplained, where the chosen one does leave some."""
    if chosen == "0" or (asked.imagined and max(n.rank for n in every) <= Rank.STATED):
        return None  # "There is no boat. I see 3 people.", to how many would be in the boat
    mentioned = [n.value for n in numerals(text)]
    others = {
        n.value
        for n in every
        if n.value not in (None, "0")
        and not (asked.imagined and n.rank == Rank.BEFORE)
        and (not n.noun or not n.noun.endswith("s") or stem(n.noun) in asked.nouns)
        and fit(n, asked, frozenset())
        and not speaks_of_another(n, asked)
        and not is_of_two_together(n.value, text, asked)
        and accounts_for(n.value, every, mentioned, asked)
    }
    return others.pop() if len(others) == 1 else None


def _parts_of_now(text: str) -> list[str]:
    """The sentences, and of one that supposes something the parts: "if one came there would be 4, but there are 3"."""
    return [part for piece in sentences(text) for part in (contrasted(piece) if supposes(piece) else [piece])]


def _is_strongest(value: str, every: list[Quantity], asked: Counted) -> bool:
    """Whether nothing else in a reply is put forward more strongly, or is said of what was asked."""
    return all(n.rank <= Rank.STATED and not n.words & asked.qualities for n in every if n.value != value)


def _of_now(every: list[Quantity], pieces: list[str]) -> list[Quantity]:
    """The numbers, without those of sentences that suppose something, where the question supposes nothing."""
    return [
        quantity
        for quantity in every
        # "Eleven can be seen if the half one is counted, as it should be" supposes nothing.
        if not (supposes(piece := pieces[quantity.sentence]) and _WOULD.search(piece))
    ]


def _chosen(every: list[Quantity], asked: Counted, mentioned: frozenset[str], since: frozenset[str]) -> str | None:
    """The number that the question's own words qualify; where they qualify none, the one put forward most strongly.

    What is said before all numbers sets the scene; what is said `since` may be said of others.
    """
    if not every or not (asked.nouns or asked.qualities):
        return strongest(every)
    if not asked.of_now and every and max(n.rank for n in every) <= Rank.BEFORE and not _are_shares(every):
        return None  # "there are 6 now" says nothing of what would be
    pool = every if asked.of_now else [n for n in every if n.rank >= Rank.EXPECTED] or every
    if parts := parts_of_a_whole(pool, every, asked):
        return parts.pop() if len(parts) == 1 else None
    to_the_point = _fitting(pool, asked) or [each for each in _fitting(every, asked) if each[1].rank != Rank.BEFORE]
    if not to_the_point:
        return None
    best = max(found.qualities for found, _ in to_the_point)
    if best == 0 and asked.of_now and asked.qualities and all(_IN_THE_PICTURE.search(n.after) for _, n in to_the_point):
        return None  # "there are four men in the image", to how many wear glasses
    if len(every) == 1 and is_all_there_is(every[0]) and not are_the_asked(every[0], asked, mentioned):
        return None
    told = (asked.qualities - asked.places) & since
    if best == 0 and told and max(n.rank for _, n in to_the_point) == Rank.STATED:
        return None  # "there are six women, and half of them carry bags"
    if best == 0:
        return _unqualified([n for _, n in to_the_point], every, asked, mentioned)
    # "nine apples in the bowl, the other four are red": the kind tells more than the place does
    of_the_kind = [place for place, (_, n) in enumerate(to_the_point) if n.words & asked.kinds]
    to_the_point = [
        each
        for place, each in enumerate(to_the_point)
        if not of_the_kind or place in of_the_kind or (place > of_the_kind[0] and each[0].qualities > len(asked.kinds))
    ]
    if any(does_just_the_asked(n, asked) for _, n in to_the_point):
        to_the_point = [each for each in to_the_point if each[1].words & asked.doing]
    fits = max(found for found, _ in to_the_point)
    kept = [n for found, n in to_the_point if found == fits or (asked.joins and found.qualities)]
    # "four hot air balloons, three of them in the air": what fits as well as some of it does is the whole
    kept = [n for n in kept if asked.of_now and n.is_share and n.words & asked.predicate] or kept
    wholes = {n.sentence for n in kept if not n.is_part}
    kept = [n for n in kept if not (n.is_part and n.sentence in wholes)]
    return whole_or_part(kept, [n for n in pool if n not in kept], asked)


def _are_shares(every: list[Quantity]) -> bool:
    return any(n.rank == Rank.SHARE for n in every)


def _fitting(pool: list[Quantity], asked: Counted) -> list[tuple[Fit, Quantity]]:
    """The numbers that may be meant, each with how well it fits."""
    inherited: frozenset[str] = frozenset()
    found = []
    for quantity in pool:
        how = fit(quantity, asked, inherited)
        inherited = quantity.words if quantity.noun else quantity.words | (inherited & asked.kinds)
        goes_on = STAY.match(quantity.after) and (  # "the other four keep trotting", "two stay below"
            REMAINING.search(quantity.before) or (quantity.rank == Rank.EXPECTED and len(quantity.after.split()) <= 4)
        )
        weak = how and how.qualities == 0 and quantity.rank < Rank.CONCLUDED and not goes_on
        if how and not (weak and speaks_of_another(quantity, asked)):
            found.append((how, quantity))
    return found


def _unqualified(pool: list[Quantity], every: list[Quantity], asked: Counted, mentioned: frozenset[str]) -> str | None:
    """The answer where no number is said of what was asked: the noun decides, then the strength of the words."""
    strange = any(fit(n, asked, frozenset()) is None and not is_of_he_or_she(n, asked) for n in every)
    if strange and not any(n.rank == Rank.CONCLUDED for n in pool):
        return None
    best = max(n.rank for n in pool)
    named = [n for n in pool if n.words & asked.nouns]
    if named and named == [n for n in pool if n.is_share]:
        return strongest(named)  # "there would be nine singers, of whom four are girls"
    others = [n for n in pool if n.noun and stem(n.noun) not in asked.nouns]
    if best != Rank.CONCLUDED and others and not named and asked.nouns & mentioned:
        return None  # "a dog and two cats", to how many dogs
    if named and others and (best != Rank.CONCLUDED or any(n.rank == best for n in others)):
        pool = named
    return None if best <= Rank.STATED and _adds_up(pool, asked) else strongest(pool)


def _adds_up(pool: list[Quantity], asked: Counted) -> bool:
    """Whether a list counts parts of what was asked: "one man and one woman", to how many people."""
    nouns = {stem(n.noun) for n in pool if n.noun and n.rank <= Rank.STATED}
    return len(nouns) > 1 and not nouns & asked.nouns and len({n.sentence for n in pool}) == 1
