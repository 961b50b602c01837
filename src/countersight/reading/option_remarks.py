"""What a reply says beside its choice: which options it rejects, that no other fits, and how sure it is."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from countersight.reading.clauses import sentences
from countersight.reading.corrections import corrected
from countersight.reading.letters import CAPITAL
from countersight.reading.option_frames import in_short
from countersight.reading.option_names import named_in, naming, several
from countersight.reading.option_texts import written_out
from countersight.reading.vocabulary import any_of, found

_LEAD = rf"\W*(?:{any_of('options.leads')},? )*"
_OF_THEM = r"(?: of (?:the|these|those) \w+)?"
_REMARK = re.compile(rf"{_LEAD}{any_of('options.remarks')}(?: (?:here|though|at all|now|myself))?\W*$", re.IGNORECASE)
_COURTESY = re.compile(rf"\W*{any_of('options.courtesies')}", re.IGNORECASE)
_NO_OTHER_FITS = re.compile(
    rf"{_LEAD}(?:{any_of('options.the_others')}{_OF_THEM} {any_of('options.unfit')}"
    rf"|{any_of('options.no_other')}{_OF_THEM} {any_of('options.fit')})[^;:]*$",
    re.IGNORECASE,
)
_BUT_NOT = rf"(?: at first)?,? (?:but|yet|however)\b[^.;]*(?:{any_of('options.bad')}|\bdisagree\b)[^.;]*"
# Behind a rejection may stand its reason, or that one is left; but nothing that comes of it.
_REASON = re.compile(rf"[,\s]*{any_of('options.reasons')}", re.IGNORECASE)
_ONE_IS_LEFT = re.compile(
    r",? (?:so|and|which means)(?: that)? (?:only|just|there is only) one (?:\w+ ){0,3}(?:left|remains)\W*$",
    re.IGNORECASE,
)
_COMES_OF_IT = re.compile(r"\b(?:so|but|leav\w+|therefore|thus|hence|instead|must)\b", re.IGNORECASE)
_DENYING = found("options.denying")
_ASKS_FOR_THE_CONTRARY = found("options.asking_for_the_contrary")


class Choosing(NamedTuple):
    """What is left of a text that chooses, and the letters of the options that it rejects in so many words."""

    text: str
    rejected: frozenset[str]


def without_remarks(text: str, options: Sequence[str], question: str) -> Choosing:
    """The text without the sentences that choose nothing themselves; nothing where it has no others."""
    if corrected(text) or _ASKS_FOR_THE_CONTRARY.search(question):
        return Choosing(text, frozenset())
    rejected = frozenset[str]()
    left, at = text, 0
    for piece in sentences(text):
        start = left.find(piece, at)
        if start >= 0:
            plain = written_out(piece)
            short, others = _sorted_out(plain, tuple(options))
            # An option may say "cannot".
            short = piece if short == plain else short.replace("can not", "cannot") if "cannot" in piece else short
            rejected |= others
            left, at = left[:start] + short + left[start + len(piece) :], start + len(short)
    return Choosing(left.strip() if re.search(r"\w", left) else "", rejected)


def _sorted_out(piece: str, options: tuple[str, ...]) -> tuple[str, frozenset[str]]:
    """What a sentence says of its choice, and what it rejects."""
    if any(pattern.match(piece) for pattern in (_REMARK, _COURTESY, _NO_OTHER_FITS)):
        return "", frozenset()
    patterns = _patterns(options)
    if alone := patterns.all_but_one.match(piece):
        return f"{alone['name']}.", frozenset()
    for rejection in patterns.rejections:
        told = rejection.match(piece)
        if told and _says_no_more(piece[told.end() :]):
            return "", named_in(told["names"], options)
    short = in_short(piece)
    others = patterns.contrast.search(short)
    if not others or _DENYING.search(short[: others.start()]):
        return short, frozenset()
    return short[: others.start()] + short[others.end() :], named_in(others["names"], options)


def _says_no_more(rest: str) -> bool:
    if not re.search(r"\w", rest) or _ONE_IS_LEFT.match(rest):
        return True
    return bool(_REASON.match(rest)) and not CAPITAL.search(rest) and not _COMES_OF_IT.search(rest)


class _Patterns(NamedTuple):
    rejections: tuple[re.Pattern[str], ...]
    contrast: re.Pattern[str]
    all_but_one: re.Pattern[str]


@lru_cache(maxsize=256)
def _patterns(options: tuple[str, ...]) -> _Patterns:
    names = rf"(?P<names>{several(options)})"
    return _Patterns(
        rejections=(
            # "B is wrong", "A and C can be ruled out", "D is tempting, but …"
            re.compile(
                rf"{_LEAD}(?:both )?{names},? (?:{any_of('options.unfit')}|{any_of('options.tempting')}{_BUT_NOT})",
                re.IGNORECASE,
            ),
            # "It can't be D", "I ruled out A", "Some would say B, but I disagree"
            re.compile(rf"{_LEAD}{any_of('options.rejected_before')} {names}", re.IGNORECASE),
            re.compile(rf"{_LEAD}{any_of('options.others_say')} {names}{_BUT_NOT}", re.IGNORECASE),
        ),
        contrast=re.compile(rf",? {any_of('options.contrasting')} {names}(?=\W*$)", re.IGNORECASE),
        # "All options except C are wrong."
        all_but_one=re.compile(
            rf"{_LEAD}{any_of('options.all_but')} (?P<name>{naming(options)}) {any_of('options.unfit', 'options.fit')}",
            re.IGNORECASE,
        ),
    )
