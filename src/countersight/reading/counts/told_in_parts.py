"""What a reply that only parts a whole tells of what was asked: the whole, a part, or nothing."""

import re

from countersight.reading.counts.by_place import Told
from countersight.reading.counts.parted_whole import NOT, OTHERS, Part, Parted, Said, parted, said_in
from countersight.reading.counts.places_told import ROOMY, UnclearError
from countersight.reading.counts.question import Counted, counted_by
from countersight.reading.language.opposites import opposed_stems
from countersight.reading.language.prepositions import say_the_same
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import found, words

_HAVING = frozenset({stem("wear"), "on"})
_COLOURS = frozenset(map(stem, words("open.colours")))
_PLACING = found("counts.placing")
_LONGEST = 400  # characters; what is longer does more than that
_OF_OTHERS = re.compile(r"\b(?:(?<!the )left|or|remain\w*|other|others|more|only)\b", re.IGNORECASE)
_HAS_OR_NOT = re.compile(r"\b(?:with|without|no|have|has|had)\b", re.IGNORECASE)


def told_in_parts(text: str, question: str) -> Told | None:
    """What such a reply tells of what was asked; None where it is no such reply, or does not tell it."""
    asked = counted_by(question)
    if len(asked.nouns) != 1 or not asked.of_now or asked.imagined or len(text) > _LONGEST:
        return None
    if asked.difference or asked.of_each or asked.joins or _OF_OTHERS.search(asked.text):
        return None
    try:
        return _told(parted(text), asked)
    except UnclearError:
        return None


def _told(account: Parted, asked: Counted) -> Told:
    wanted = _wanted(account, asked)
    if not wanted.words and not wanted.place:
        if wanted.negated or account.whole is None or account.of.words - asked.words:
            raise UnclearError
        return Told(str(account.whole))
    verdicts = [_is_so(part, wanted, account) for part in account.parts]
    so, not_so = (
        [p.value for p, v in zip(account.parts, verdicts, strict=True) if v is is_so] for is_so in (True, False)
    )
    same, other = (not_so, so) if wanted.negated else (so, not_so)
    if other == [account.whole]:
        return Told("0")  # "all four are wearing helmets", to how many are not
    if len(same) == 1 and not (wanted.negated and None in verdicts):
        return Told(str(same[0]))
    if account.whole is not None and len(other) == 1 and (wanted.negated or len(verdicts) == 1):
        # "12 men and 8 women", to how many are not men; but the reader takes nothing away by itself
        rest = str(account.whole - other[0])
        return Told(rest if rest in account.mentioned else None)
    owned = all(part.owner for part in account.parts)
    said = frozenset[str]().union(*(part.owner if owned else part.said.words for part in account.parts))
    of_others = owned or any(map(_is_told_where_so, wanted.words))
    untold = len(verdicts) > 1 and of_others and not wanted.words & said
    if not same and (len(other) == len(verdicts) or untold):
        return Told(None)  # "9 cats: 4 black, 3 grey and 2 ginger", to how many are white
    raise UnclearError


def _is_told_where_so(word: str) -> bool:
    """Whether a word is of a kind that nobody leaves untold of all: "white", "bareheaded", "hatless"."""
    return word in _COLOURS or word.startswith("bare") or word.endswith("less")


def _wanted(account: Parted, asked: Counted) -> Said:
    """What was asked of the things, less what holds of the whole."""
    told = said_in(asked.text)
    names = {part.name for part in account.parts} - {"", OTHERS}
    general = asked.nouns & account.of.words or (names == asked.nouns and not account.of.words)
    place = asked.qualities - asked.predicate - asked.kinds or told.place
    said = (asked.qualities | asked.owner) - place - {"without", stem(told.how)}
    said |= told.words & (asked.qualities | asked.owner) - {"without"} if place == told.place else frozenset()
    said = said if general else said | asked.nouns
    of_parts = frozenset[str]().union(*(part.said.words for part in account.parts))
    said -= account.of.words - of_parts
    if place <= account.of.place:
        place = frozenset()
    elif place and (said or not told.negated):
        if account.of.place or not place & ROOMY or any(_PLACING.search(part.said.text) for part in account.parts):
            raise UnclearError  # another place
        place = frozenset()
    return Said(said, place, told.how, bool(NOT.search(asked.text)), told.text)


def _is_so(part: Part, wanted: Said, account: Parted) -> bool | None:
    """Whether a part is what was asked, without the "not" of the question; None where that is not said."""
    said = part.said
    named = account.of.words.union(other.name for other in account.parts) - wanted.words
    if wanted.place and not (wanted.place == said.place and say_the_same(said.how, wanted.how)):
        return None
    known = said.words - named
    idle = _HAVING | ({stem("hold")} if _HAS_OR_NOT.search(f"{said.text} {wanted.text}") else frozenset[str]())
    looked_for = wanted.words - idle or wanted.words
    if part.owner:
        known |= looked_for & account.parts[0].said.words - account.parts[0].owner  # "and the woman three"
    if looked_for <= known:
        if known - looked_for - idle:
            raise UnclearError  # "three in red hats", to how many wear hats
        return not said.negated
    opposed = any(opposed_stems(one, other) for one in looked_for for other in known)
    return False if opposed and not said.negated else None
