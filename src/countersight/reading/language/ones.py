"""Whether "one" counts, or stands for a thing: "the one on the left", "a brown one", "three are holding one"."""

import re

from countersight.reading.language.numerals import Numeral, numerals
from countersight.reading.language.vocabulary import any_of
from countersight.text import UNITS

_JUST_ONE = re.compile(rf"(?:{any_of('counts.just_one_before')}|[:=(]|\b(?:just|only) the)\s*$", re.IGNORECASE)
_ONE_OF_SOME = re.compile(rf"\s+{any_of('counts.one_of_some_after')}", re.IGNORECASE)
_THE_ONLY = re.compile(rf"{any_of('counts.the_only_one')}\s+$", re.IGNORECASE)
_ONE_BEFORE = re.compile(rf"{any_of('counts.one_of_some_before')}\s+$", re.IGNORECASE)
# "a brown one", "a big steel one", "one blue one"
_ADJECTIVE = rf"(?!{any_of('counts.no_adjectives')})[a-z-]{{3,}}(?<!s) "
_SUCH_A_ONE = re.compile(rf"\b(?:(?:an?|one|another) (?:{_ADJECTIVE}){{1,2}}|(?:the|no) {_ADJECTIVE})$", re.IGNORECASE)
# "One is in the tree and two are on the ground"
_ONE_AND_OTHERS = re.compile(
    r"\s+(?:is|was|has)\b[^;]{1,60}?\b(?:and|while|but|whereas) "
    rf"(?:\d|(?:{'|'.join(UNITS[2:11])})\b)",
    re.IGNORECASE,
)
_LISTED = re.compile(r"(?:,|\band|\bwhile|\bwhereas|\bbut|:)\s*$", re.IGNORECASE)
_SAID_OF_ONE = re.compile(rf"\s+(?:{any_of('questions.prepositions')}|(?:is|was|has)\b)", re.IGNORECASE)
_HAD_BEFORE = re.compile(rf"{any_of('counts.having')}\s+$", re.IGNORECASE)
_SO_HAS = re.compile(
    r"\bso (?:he|she|it|they|the \w+)(?: would|'d)(?: \w+){1,2} $", re.IGNORECASE
)  # "so he'd have one"
_NOTHING = re.compile(r"\W*$")


def is_a_thing(before: str, after: str) -> bool:
    """Whether "one" stands for a thing by the words on either side of it."""
    if _THE_ONLY.search(before):
        return True
    pronoun = _ONE_OF_SOME.match(after) or _ONE_BEFORE.search(before) or _SUCH_A_ONE.search(before)
    # "two on the left and one on the right", "seven are open and one is shut"
    listed = _LISTED.search(before) and _SAID_OF_ONE.match(after) and any(n.word != "one" for n in numerals(before))
    opens = not before.strip() and _ONE_AND_OTHERS.match(after)
    return bool(pronoun) and not (_JUST_ONE.search(before) or listed or opens)


def is_one_of_these(text: str, numbers: list[Numeral], place: int) -> bool:
    """Whether "one" stands for a thing that so many have, or nobody: "three would be holding one"."""
    one = numbers[place]
    if one.word != "one" or place == 0 or not _NOTHING.match(text, one.end):
        return False
    return bool(_HAD_BEFORE.search(text, 0, one.start)) and not _SO_HAS.search(text, 0, one.start)
