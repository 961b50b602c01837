"""What a reply says beside its choice: which options it rejects, that no other fits, and how sure it is."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from countersight.reading.choices.contrasts import of_two_the_other
from countersight.reading.choices.frames import in_short
from countersight.reading.choices.letters import CAPITAL
from countersight.reading.choices.names import names_in
from countersight.reading.choices.texts import written_out
from countersight.reading.choices.wordings import DENYING, PASSING
from countersight.reading.language.asked import content
from countersight.reading.language.clauses import sentences
from countersight.reading.language.corrections import corrected
from countersight.reading.language.vocabulary import any_of, found

_LEAD = rf"\W*(?:{any_of('options.leads')},? )*"
_OF_THEM = r"(?: of (?:the|these|those) \w+)?"
_REMARK = re.compile(rf"{_LEAD}{any_of('options.remarks')}(?: (?:here|though|at all|now|myself))?\W*$", re.IGNORECASE)
_COURTESY = re.compile(rf"\W*{any_of('options.courtesies')}", re.IGNORECASE)
_NO_OTHER_FITS = re.compile(
    rf"{_LEAD}(?:{any_of('options.the_others')}{_OF_THEM} {any_of('options.unfit')}"
    rf"|{any_of('options.no_other')}{_OF_THEM} {any_of('options.fit')})[^;:]*$",
    re.IGNORECASE,
)
# Around the names of options: "B is wrong", "it can't be D", "some would say B, but I disagree", "all but C are wrong".
_BUT_NOT = rf"(?: at first)?,? (?:but|yet|however)\b[^.;]*(?:{any_of('options.bad')}|\bdisagree\b)[^.;]*"
_BOTH = re.compile(rf"{_LEAD}(?:both )?", re.IGNORECASE)
_UNFIT = re.compile(rf",? (?:{any_of('options.unfit')}|{any_of('options.tempting')}{_BUT_NOT})", re.IGNORECASE)
_REJECTED = re.compile(rf"{_LEAD}{any_of('options.rejected_before')} ", re.IGNORECASE)
_OTHERS_SAY = re.compile(rf"{_LEAD}{any_of('options.others_say')} ", re.IGNORECASE)
_BUT_I_DO_NOT = re.compile(_BUT_NOT, re.IGNORECASE)
_ALL_BUT = re.compile(rf"{_LEAD}{any_of('options.all_but')} ", re.IGNORECASE)
_NONE_BUT = re.compile(rf"{_LEAD}{any_of('options.none_but')} ", re.IGNORECASE)
_FIT = re.compile(rf" {any_of('options.fit')}", re.IGNORECASE)
_CONTRAST = re.compile(rf",? {any_of('options.contrasting')} $", re.IGNORECASE)
_LEAVES = re.compile(
    r",? (?:(?:so|and|which|therefore|thus),? )?(?:(?:only|just) |(?:leaves?|leaving)(?: only| just| us with)? )",
    re.IGNORECASE,
)
_REMAINS = re.compile(r"(?: (?:remains|is left))?\W*$", re.IGNORECASE)
# Behind a rejection may stand its reason, or that one is left; but nothing that comes of it.
_REASON = re.compile(rf"[,\s]*{any_of('options.reasons')}", re.IGNORECASE)
_ONE_IS_LEFT = re.compile(
    r",? (?:so|and|which means)(?: that)? (?:only|just|there is only) one (?:\w+ ){0,3}(?:left|remains)\W*$",
    re.IGNORECASE,
)
_COMES_OF_IT = re.compile(r"\b(?:so|but|leav\w+|therefore|thus|hence|instead|must)\b", re.IGNORECASE)
_WHY = re.compile(r"\W*why\b", re.IGNORECASE)
_GIVES_A_REASON = re.compile(
    r"(?P<what>[^,;:]*?),? (?:because|since|as|due to the fact that) (?P<why>(?!of\b)[^;]*)$", re.IGNORECASE
)
_ASKS_FOR_THE_CONTRARY = found("options.asking_for_the_contrary")


class Choosing(NamedTuple):
    """What is left of a text that chooses, and the letters of the options that it rejects in so many words."""

    text: str
    rejected: frozenset[str]


def without_remarks(text: str, options: Sequence[str], question: str) -> Choosing:
    """The text without the sentences that choose nothing themselves; nothing where it has no others."""
    if _ASKS_FOR_THE_CONTRARY.search(question):
        return Choosing(text, frozenset())
    text, rejected = of_two_the_other(text, tuple(options))
    # What others would say is rejected; what was first said and then taken back is for the corrections to tell.
    own = " ".join(piece for piece in sentences(text) if not _OTHERS_SAY.match(written_out(piece)))
    if corrected(own):
        return Choosing(text, rejected)
    left, at = text, 0
    for piece in sentences(text):
        start = left.find(piece, at)
        if start >= 0:
            plain = written_out(piece)
            short, others = _sorted_out(_reason_asked_for(plain, question), tuple(options))
            # An option may say "cannot".
            short = piece if short == plain else short.replace("can not", "cannot") if "cannot" in piece else short
            rejected |= others
            left, at = left[:start] + short + left[start + len(piece) :], start + len(short)
    return Choosing(left.strip() if re.search(r"\w", left) else "", rejected)


def _sorted_out(piece: str, options: tuple[str, ...]) -> tuple[str, frozenset[str]]:
    """What a sentence says of its choice, and what it rejects."""
    if any(pattern.match(piece) for pattern in (_REMARK, _COURTESY, _NO_OTHER_FITS)):
        return "", frozenset()
    for names in names_in(piece, options):
        before, after = piece[: names.start], piece[names.end :]
        none_but = (_ALL_BUT.fullmatch(before) and _UNFIT.match(after)) or (
            _NONE_BUT.fullmatch(before) and _FIT.match(after)
        )
        if none_but and len(names.letters) == 1:
            return f"{piece[names.start : names.end]}.", frozenset()
        rest = _behind_a_rejection(before, after)
        if rest is not None and (left := _left_alone(rest, options)):
            return f"{left}.", names.letters
        if rest is not None and _says_no_more(rest):
            return "", names.letters
    short = in_short(piece)
    every = names_in(short, options)
    contrast = _CONTRAST.search(short[: every[-1].start]) if every else None
    if not contrast or re.search(r"\w", short[every[-1].end :]) or DENYING.search(short[: contrast.start()]):
        return short, frozenset()
    return f"{short[: contrast.start()]}.", every[-1].letters


def _behind_a_rejection(before: str, after: str) -> str | None:
    """What stands behind the rejection of what is named between these; None where it is not rejected."""
    if _BOTH.fullmatch(before) and (unfit := _UNFIT.match(after)):
        return after[unfit.end() :]
    if _ALL_BUT.fullmatch(before) and (fit := _FIT.match(after)):
        return after[fit.end() :]
    if _OTHERS_SAY.fullmatch(before) and (but := _BUT_I_DO_NOT.match(after)):
        return after[but.end() :]
    return after if _REJECTED.fullmatch(before) else None


def _left_alone(rest: str, options: tuple[str, ...]) -> str | None:
    """The one that is left behind a rejection: ", so only A remains", ", which leaves the old man"."""
    leaves = _LEAVES.match(rest)
    every = names_in(rest[leaves.end() :], options) if leaves else []
    if not leaves or len(every) != 1 or every[0].start or not _REMAINS.fullmatch(rest[leaves.end() :], every[0].end):
        return None
    return rest[leaves.end() :][: every[0].end]


def _says_no_more(rest: str) -> bool:
    if not re.search(r"\w", rest) or _ONE_IS_LEFT.match(rest):
        return True
    return bool(_REASON.match(rest)) and not CAPITAL.search(rest) and not _COMES_OF_IT.search(rest)


def _reason_asked_for(piece: str, question: str) -> str:
    """The reason that a sentence gives, where it was asked why and says nothing else: "it sank because …"."""
    told = _GIVES_A_REASON.match(piece) if _WHY.match(question) else None
    if not told or content(told["what"]) - content(question) - PASSING or DENYING.search(told["what"]):
        return piece
    return f"because {told['why']}"
