"""The course of a story about what was supposed: the picture as it is, what happens, and what comes of it."""

import re

from msgspec.structs import replace

from countersight.reading.counts.company import Quantity
from countersight.reading.counts.other_counts import is_all_there_is
from countersight.reading.counts.question import Counted
from countersight.reading.counts.totals import more_or_fewer
from countersight.reading.language.clauses import MODAL_AT, imagines, supposed, supposes_first
from countersight.reading.language.numerals import numerals
from countersight.reading.language.ranks import FINITE, Rank, has_its_would
from countersight.reading.language.stems import counted_words, stem
from countersight.reading.language.vocabulary import found
from countersight.text import UNITS

_CLAUSE = re.compile(r"[,;:]|\b(?:and|so)\b", re.IGNORECASE)
_HAPPENS = found("counts.changes", "counts.came_or_went")
# "She lays down two", "the gate swings open": somebody does something, and it is not said what is or has something
_DOES = re.compile(
    r"\W*(?:then |now )?(?:he|she|it|one|(?:the|an?|his|her|its|their) \w+(?: \w+)?) (?:then )?[a-z]+s\b", re.IGNORECASE
)
_LEAVES = re.compile(r"\W*(?:so |and |then )?(?:that|this|it|which)(?:'d| would| will)? leaves?\b", re.IGNORECASE)
_IS_DONE = re.compile(rf"\b(?:has|have) (?!{'|'.join(UNITS)})[a-z]+(?:ed|t|n)\b", re.IGNORECASE)
_IS = re.compile(r"\b(?:is|are|was|were|has|have|there)\b", re.IGNORECASE)
_WAS = re.compile(r"(?: \w+)? (?:was|were|had)\b", re.IGNORECASE)
_NOW = re.compile(r"(?<!right )\bnow\b", re.IGNORECASE)
_OUTCOME = found("counts.outcomes")
_OTHERWISE = re.compile(r"\b(?:instead(?! of)|otherwise|on the other hand)\b", re.IGNORECASE)
_AS_IT_IS = re.compile(r"\W*(?:before|now|currently|originally|initially|at present)\s*:", re.IGNORECASE)
_RIGHT_NOW = re.compile(
    r"\b(?:right now|at the moment|at present|currently),? (?:it's|it is|there's|there are|there is)\s*$", re.IGNORECASE
)
_ONE_MIGHT = re.compile(r"\b(?:one|you) (?:could|might|may)\b", re.IGNORECASE)  # and of nothing that would be
# "he would light those three"
_TO_THOSE = re.compile(r"\b(?!have|hold|keep|be\b|see)[a-z]+ (?:those|these)\s*$", re.IGNORECASE)
_LAST_WORD = re.compile(r"([a-z]+)\s*$", re.IGNORECASE)
STAY = re.compile(r"(?:\s+(?!would|will)[a-z]+)?\s+(?:stays?|keeps?|(?:goes|go|carry|carries) on)\b", re.IGNORECASE)
REMAINING = re.compile(r"\b(?:remaining|other)\s*$", re.IGNORECASE)


def of_the_supposed(every: list[Quantity], pieces: list[str], asked: Counted) -> list[Quantity]:
    """The numbers, with what was concluded before the first supposition taken for the count as it is.

    "There are 11 in total. If 7 left, there would be 4." and "5 + 6 = 11. After 7 leave: 4." both count first.
    """
    every = _come_of_it(_without_other_suppositions(every, pieces, asked), pieces, asked)
    supposing = {n.sentence for n in every if n.rank >= Rank.STATED and supposes_first(pieces[n.sentence])}
    first = min(supposing, default=0)
    levelled = []
    for quantity in every:
        rank = quantity.rank
        if _AS_IT_IS.match(pieces[quantity.sentence]) or _RIGHT_NOW.search(quantity.before):
            rank = Rank.BEFORE
        elif is_all_there_is(quantity) and any(
            n.sentence > quantity.sentence and has_its_would(n.after) for n in every
        ):
            rank = Rank.BEFORE  # "There are ten in total. … the remaining seven would stand."
        elif rank == Rank.SHARE and REMAINING.search(quantity.before) and has_its_would(quantity.after):
            rank = Rank.EXPECTED if quantity.words & asked.qualities else rank
        elif rank in (Rank.SHARE, Rank.STATED) and STAY.match(quantity.after) and _is_only_told(quantity, every, asked):
            rank = Rank.EXPECTED
        elif quantity.sentence < first and not MODAL_AT.search(pieces[quantity.sentence]):
            rank = min(rank, Rank.ALONE)
        elif quantity.sentence in supposing and rank in (Rank.STATED, Rank.ALONE):
            rank = Rank.EXPECTED
        if not _is_of_the_supposition(quantity, asked):
            levelled.append(replace(quantity, rank=rank))
    return levelled


def _is_only_told(quantity: Quantity, every: list[Quantity], asked: Counted) -> bool:
    """Whether a reply tells what happens, without a "would", and does not say just what was asked of another number."""
    told = asked.doing
    others = [n for n in every if n.value != quantity.value]
    return not _HAPPENS.search(asked.text) and all(n.rank <= Rank.ALONE and not n.words & told for n in others)


def _without_other_suppositions(every: list[Quantity], pieces: list[str], asked: Counted) -> list[Quantity]:
    """The numbers, less those of what is supposed instead: "… 3 are left. If two had come instead, it would be 7."."""
    others = {place for place, piece in enumerate(pieces) if _supposes_otherwise(piece, asked, first=not place)}
    return [n for n in every if n.sentence not in others]


def _supposes_otherwise(piece: str, asked: Counted, *, first: bool) -> bool:
    """Whether a sentence supposes something else than the question: in other numbers, or "instead"."""
    numbers = {numeral.value for numeral in numerals(supposed(piece))}
    others = bool(numbers and asked.supposed_numbers) and not numbers & asked.supposed_numbers
    own = asked.words.issuperset(counted_words(supposed(piece)))  # "instead", as the question has it
    instead = _OTHERWISE.search(supposed(piece) if first else piece) and not own
    return imagines(piece) and ((others and not first) or bool(instead))


def _is_of_the_supposition(quantity: Quantity, asked: Counted) -> bool:
    """Whether a number only repeats what the question supposes: "the wind would blow out two"."""
    verb = _LAST_WORD.search(quantity.before)
    if (verb and stem(verb[1].lower()) in asked.supposition) or _TO_THOSE.search(quantity.before):
        return True  # "they would take six in total", to what is left if they took them
    if quantity.rank == Rank.CONCLUDED or quantity.value not in asked.supposed_numbers:
        return False
    return bool(quantity.words & asked.supposition)


def _is_event(piece: str, asked: Counted) -> bool:
    """Whether a sentence tells that what was supposed happens: "One creeps out into the open."."""
    clause = _CLAUSE.split(piece, maxsplit=1)[0]
    if imagines(piece) or supposes_first(piece) or (_IS.search(clause) and not _IS_DONE.search(clause)):
        return False
    if _LEAVES.match(piece):
        return False  # "that leaves us with three" is what comes of it
    taken_up = asked.supposition.intersection(counted_words(clause))
    if len(taken_up) < 2 and FINITE.search(clause) and not _IS_DONE.search(clause):
        return False  # "the man carries two bags"; but "the man carries one off", if that was supposed
    supposed_first = any(
        n.start == 0 and n.value in asked.supposed_numbers for n in numerals(clause)[:1]
    )  # "Two give up."
    return bool(taken_up or supposed_first or _HAPPENS.search(clause) or _DOES.match(clause))


def _come_of_it(every: list[Quantity], pieces: list[str], asked: Counted) -> list[Quantity]:
    """The numbers, with those before the last event of a story taken for counts as it is; none where no more is told.

    A count before an event never tells what is after it, unless it says itself what would be, or opens the reply.
    """
    events = [place for place, piece in enumerate(pieces) if _is_event(piece, asked)] if asked.imagined else []
    if not events or all(n.sentence >= events[-1] for n in every):
        return every
    before = [n for n in every if n.sentence < events[-1] and not _tells_the_supposed(n, pieces, asked)]
    changes = {n.value for place in events for n in numerals(pieces[place])} | asked.supposed_numbers
    known = {way for n in before for by in changes for way in more_or_fewer(n.value, by)}
    told = [_as_outcome(n, pieces, known, asked) for n in every if n not in before]
    if any(n.rank > Rank.STATED for n in told):
        later = any(n.rank > Rank.STATED and n.sentence > events[-1] for n in told)
        on_the_way = [n for n in told if later and n.sentence == events[-1]]  # "…, so three are down. Six keep on."
        as_it_is = [replace(n, rank=min(n.rank, Rank.BEFORE)) for n in before + on_the_way]
        return as_it_is + [n for n in told if n not in on_the_way]
    return [n for n in before if n.sentence < events[0] and _OUTCOME.search(pieces[n.sentence])]


def _tells_the_supposed(number: Quantity, pieces: list[str], asked: Counted) -> bool:
    """Whether a number is told of what would be, or is all that a reply opens with: "Three spoons."."""
    if number.rank == Rank.ALONE:
        return number.sentence == 0 and number.words <= asked.nouns
    piece = _ONE_MIGHT.sub("", pieces[number.sentence])
    return number.rank >= Rank.EXPECTED and bool(MODAL_AT.search(piece))


def _as_outcome(number: Quantity, pieces: list[str], known: set[str], asked: Counted) -> Quantity:
    """The number, as what would be where its sentence tells an outcome, the change gives it, or it is just the asked.

    What only came or went is none: "Two tents collapse.".
    """
    piece = pieces[number.sentence]
    happens = _is_event(piece, asked)
    if happens and number.value in asked.supposed_numbers and not _CLAUSE.search(piece[: number.start]):
        return replace(number, rank=Rank.BEFORE)  # "he gives two away"
    if not Rank.SHARE <= number.rank <= Rank.ALONE:
        return number
    was = number.rank == Rank.BEFORE or _WAS.match(number.after)
    of_the_asked = number.words <= asked.words - asked.supposition
    just_the_asked = of_the_asked and (number.words & asked.qualities or number.rank == Rank.ALONE)
    if (
        _OUTCOME.search(piece)
        or (not happens and _NOW.search(piece))
        or (not was and (number.value in known or just_the_asked))
    ):
        return replace(number, rank=Rank.EXPECTED)
    return replace(number, rank=min(number.rank, Rank.STATED))
