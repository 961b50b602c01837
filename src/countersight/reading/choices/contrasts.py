"""Sentences that hold one option against another, and by denying the one affirm the other: "B is wrong, C isn't"."""

import re
from typing import Final, NamedTuple

from countersight.reading.choices.names import names_in
from countersight.reading.choices.texts import written_out
from countersight.reading.language.vocabulary import any_of

_STRETCH: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_FIRST_SIGN: Final = 0xE000  # of those that no text has: one stands for each name of an option, "A and C" too
_MOST: Final = 4  # names in one sentence
_NO: Final = "(?P<no>[\ue000-\ue003])"
_YES: Final = "(?P<yes>[\ue000-\ue003])"
_LEAD: Final = rf"\W*(?:(?:{any_of('options.leads', 'options.said_first')}|no|certainly|definitely),? )*"
_SEEN: Final = r"(?: (?:with )?(?:the|this) (?:\w+ )?\w+| (?:with )?what (?:is shown|i see))?"
_FITS: Final = rf"(?: (?:{any_of('options.fit', 'options.choosing_after', 'options.stays')})(?: better| best)?{_SEEN})"
_FAILS: Final = rf"(?: (?:{any_of('options.unfit', 'options.clashes')}){_SEEN})"
_WRONG: Final = any_of("options.called_wrong")
_JOINT: Final = r"(?:,? (?:(?:and|but|so|while|whereas|therefore|which means|however),? )*|, )"
_EARLIER: Final = rf"my {any_of('options.earlier')}(?: {any_of('options.own_choice')})?"
_I_SAID: Final = rf"i (?:{any_of('options.at_first')} )?{any_of('options.said', 'statements.first_thoughts')}"
_THE_ANSWER: Final = r"(?:(?:it|that|this|the (?:correct |right )?answer) is )?"
_CHOOSING: Final = rf"(?:(?:now )?{any_of('options.choosing_before', 'options.changing_to')} )"
_CHANGING: Final = rf"(?:{any_of('options.changing')} )"
# Of two options the one that is left, by how a sentence speaks of both.
_FRAMES: Final = [
    re.compile(rf"{_LEAD}(?:{frame})\W*$", re.IGNORECASE)
    for frame in (
        rf"{_THE_ANSWER}not {_NO}(?:,| but|, but)(?: rather)? {_YES}",
        rf"{_NO}{_FAILS}{_JOINT}{_YES} (?:is|does|do|was) not",
        rf"{_YES} is not {_WRONG}{_JOINT}{_NO} is",
        rf"it is {_NO} that is {_WRONG}, not {_YES}",
        rf"{_NO} is {_WRONG}, not {_YES}",
        rf"unlike {_NO}, {_YES}{_FITS}",
        rf"{_NO}{_FAILS}, unlike {_YES}(?:, which{_FITS})?",
        rf"{_YES}{_FITS}, unlike {_NO}(?:, which{_FAILS})?",
        rf"{_YES}{_FITS}{_JOINT}(?:{_EARLIER},? )?{_NO},?(?:{_FAILS}| (?:is|does|do|was) not)",
        rf"(?:{any_of('options.all_considered')},? )?{_NO}{_FAILS}{_JOINT}{_YES}{_FITS}",
        rf"(?:once|with|after|since|as) {_NO}(?:{_FAILS}| (?:being )?{any_of('options.put_aside')}), {_YES}{_FITS}",
        rf"{_CHANGING}(?:from )?{_NO} to {_YES}",
        rf"(?:{_EARLIER} was|{_I_SAID}) {_NO},? (?:but|however|yet),? {_CHOOSING}?{_YES}{_FITS}?",
    )
]
# What was chosen before, and is called wrong, or only told.
_TOLD_BEFORE: Final = re.compile(
    rf"{_LEAD}(?:{_EARLIER},?(?: was| of)?|{_I_SAID}) {_NO}"
    rf"(?P<taken_back>,? (?:(?:but )?(?:that|this|it|which)? ?was (?:not(?: right| correct)?|{_WRONG})"
    rf"|but (?:that|this|it) is (?:not (?:right|correct)|{_WRONG})|by mistake|in error|mistakenly))?\W*$",
    re.IGNORECASE,
)


class Told(NamedTuple):
    """A text with every such sentence put as the option that it leaves, and the letters that it takes back."""

    text: str
    taken_back: frozenset[str]


def of_two_the_other(text: str, options: tuple[str, ...]) -> Told:
    """The text with the one option left that a sentence about two comes to, and without what was chosen before.

    Only whole sentences are put so: what goes on with a reason, or speaks of a third option, is left as it stands.
    """
    pieces = [piece for piece in _STRETCH.split(text) if piece.strip()]
    told = [_told(piece, options) for piece in pieces]
    if all(new.text == piece for new, piece in zip(told, pieces, strict=True)):
        return Told(text, frozenset())
    left = " ".join(new.text for new in told if new.text)
    return Told(left, frozenset[str]().union(*(new.taken_back for new in told)))


def _told(piece: str, options: tuple[str, ...]) -> Told:
    plain = written_out(piece).replace(";", ",")
    names = names_in(plain, options)
    if not 0 < len(names) <= _MOST:
        return Told(piece, frozenset())
    signed = plain
    for place, name in reversed(list(enumerate(names))):
        signed = f"{signed[: name.start]}{chr(_FIRST_SIGN + place)}{signed[name.end :]}"
    for frame in _FRAMES if len(names) == 2 else ():
        if (found := frame.match(signed)) and len((chosen := names[_place(found, "yes")]).letters) == 1:
            return Told(f"{plain[chosen.start : chosen.end]}.", names[_place(found, "no")].letters)
    if len(names) == 1 and (before := _TOLD_BEFORE.match(signed)):
        return Told("", names[0].letters if before["taken_back"] else frozenset())
    return Told(piece, frozenset())


def _place(found: re.Match[str], group: str) -> int:
    return ord(found[group]) - _FIRST_SIGN
