"""Reads yes or no."""

import re

from msgspec.structs import replace

from countersight.reading.asked import Asked, asked_by, content
from countersight.reading.claims import asserted, denied
from countersight.reading.clauses import (
    MODAL,
    MODAL_AT,
    clauses,
    contrasted,
    imagines,
    sentences,
    stated,
    supposes,
    supposes_first,
    tells_of_now,
)
from countersight.reading.outright import agreed, said_in_full, short_answer, unchanged
from countersight.reading.repetitions import says_it_all, supposes_another, taken_up
from countersight.reading.rewordings import plainer
from countersight.reading.vocabulary import any_of, found

_OPENING = 30  # characters in which a reply says "yes and no"
_ECHO_OF_THE_TASK = re.compile(
    r"\(?\b(?:yes|true|correct)\s*(?:or|/)\s*(?:no|false|incorrect|not)\b\)?\??", re.IGNORECASE
)
_BOTH = re.compile(r"\b(?:yes and no|no and yes|yes\W+no\b|no\W+yes)\b(?!\s+\w)", re.IGNORECASE)
_EITHER_WAY = re.compile(r"\W*(?:yes|no)\b[^.;]*\bif\b[^.;]*[,;] (?:and |but )?(?:yes|no)\b[^.;]*\bif\b", re.IGNORECASE)
_FILLER = any_of("yes_no.fillers")
# "No", and not the "no" of "no dye means natural hair" or "no one": it ends there, or a clause begins after it.
_NO = (
    rf"no(?=[^\S\n]*(?:$|\n|(?!-\w)[^\w\s])|\s+(?:{any_of('yes_no.after_no')}"
    r"|longer(?=\W*$)|more(?=\W*$)|way(?! to\b))(?![\w-]))"
)
# "Of course, no one would turn it off.": the agreeing word answers, and the rest says why.
_AGREEING = re.compile(
    rf"\W*(?P<word>{any_of('yes_no.agreeing')})(?:\s*(?P<end>[.!])|\s*[,;:]|\s+--?)\s*"
    rf"(?!{_NO}|no (?:problem|worries|doubt|matter|idea|change)\b)(?=(?:no|nobody|nothing|none)\b)",
    re.IGNORECASE,
)
_NO_DOUBT = re.compile(
    r"^\W*(?:there(?:'s| is) |i have )?(?:no|without (?:a|any)) doubt(?: that| about (?:it|that))?,?\s+"
    r"(?=\w)(?!about\b)"
    r"|^\W*no (?:problem|trouble|worries)\s*[,.!-]+\s*(?=\w)",
    re.IGNORECASE,
)
_SAY_SO = r"i(?:'d| would) (?:say|think|guess|imagine|expect|assume|hope) so(?=\s*(?:[.,;!]|$))"
_LEADING = re.compile(
    rf"\W*(?:{_FILLER}[\s,:.!-]*)*"
    rf"(?:(?P<yes>{any_of('yes_no.yes')}|right(?=\W*$)|y(?=\W*$)|{_SAY_SO})"
    rf"|(?P<no>{_NO}|{any_of('yes_no.no')}|hardly(?=\s*(?:[.,;!]|$))|n(?=\W*$)"
    rf"|not(?!\s+{any_of('yes_no.not_quite_no')})(?!\s+(?:an?|one) \w+(?: \w+)? {MODAL})))\b(?!'\w)",
    re.IGNORECASE,
)
# "I think no cats would be there" denies what "no cats would be there" denies.
_BEFORE_NO = re.compile(rf"^\W*(?:{_FILLER}[\s,:.!-]*)+(?=no\b)", re.IGNORECASE)
# "Sure! Let me look." is how assistants clear their throat: these words are a yes only where nothing else is said.
_LEANING = re.compile(
    rf"\W*(?:(?:it is|it's|that is|that's|very|most|quite|highly) )*{any_of('yes_no.leaning')}", re.IGNORECASE
)
_CERTAIN = re.compile(rf"\W*{any_of('yes_no.certain')}(?:\s*,\s+(?!but\b)|\W*$)", re.IGNORECASE)
_DENIES = re.compile(r"\b(?:no|not|never|none|nobody|nothing|neither|without|hardly|un\w+|less)\b|n't\b", re.IGNORECASE)
_NOT_SO = found("yes_no.doubts", "yes_no.supposed_not")
_SAYING = rf"(?:{any_of('yes_no.saying')}|[:,])"
_SAID = re.compile(
    rf"{_SAYING}\s*[,:]?\s*[\"']?(?:(?P<yes>yes|true|correct)|(?P<no>no|false|incorrect|unlikely|impossible))[\"']?"
    r"\s*(?:[.,!;)]|$)",
    re.IGNORECASE,
)
_CONCLUSION = found("yes_no.conclusions")
_IS = re.compile(r"\b(?:is|are|was|were|has|have|does|do)\b|'s\b|'re\b", re.IGNORECASE)
_IS_NOT = re.compile(r"(?:\bis|'s)\s+not$", re.IGNORECASE)
_GOES_ON_TO_SAY = re.compile(rf"\s+(?!{any_of('yes_no.after_it_is_not')})\w", re.IGNORECASE)
_DENIES_A_DENIAL = re.compile(
    r"[^.,;:]{0,30}\b(?:unlikely|impossible|doubtful|not (?:likely|possible|true|the case))(?: that\b| for\b)"
    r"[^.,;:]*(?:\b(?:not|never|fail\w*)\b|n't\b)",
    re.IGNORECASE,
)
_NONE_OF_IT = re.compile(r"\W*(?:not (?:an?|one|a single)|no) [a-z]", re.IGNORECASE)
_NOT = re.compile(r"\W*not\b", re.IGNORECASE)
_LABELLED = re.compile(r"\W*(?P<what>\w+(?: \w+)?), (?P<answer>yes|no)\W*$", re.IGNORECASE)  # "visible, yes; clear, no"
_SUPPOSED = re.compile(r"\b(?:if|unless|otherwise|without)\b", re.IGNORECASE)
_BUT_ONLY = re.compile(r"\W*but only (?:if|with|when|after|by|for|until)\b", re.IGNORECASE)  # "he could, but only …"
_CONTRAST = re.compile(r"\W*(?:but|however|yet)\b", re.IGNORECASE)


def polarity(text: str, question: str) -> str | None:
    """Yes or no, as a plain text says it, or None. The question is only there to see what a sentence says to it."""
    text = _NO_DOUBT.sub("", _ECHO_OF_THE_TASK.sub(" ", text))
    if _BOTH.search(text[:_OPENING]) or _EITHER_WAY.match(text):
        return None
    text = plainer(text, question)
    asked = asked_by(question)
    agreeing = _AGREEING.match(text)
    if agreeing:
        return _agreement(text, agreeing, asked)
    pieces = [_BEFORE_NO.sub("", part) for sentence in sentences(text) for part in contrasted(sentence)]
    if asked.of_now:
        kept = [piece for piece in pieces if not supposes(piece)]
    else:
        # Models first say what is there now, and only then what would be: "It is off now, but it would be on."
        kept = [told for piece in pieces if (told := _of_what_would_be(piece))]
    if any(map(_BUT_ONLY.match, kept)):
        return None
    if asked.would_do and any(map(_CONTRAST.match, kept[1:])):
        asked = replace(asked, of_ability=False)  # "it could get out, but it would stay"
    answer = _answer(kept, asked) or unchanged(pieces, asked)
    if answer or len(kept) == len(pieces) or any(map(imagines, kept)):
        return answer
    return opening_polarity(pieces[0]) if pieces else None


def _of_what_would_be(piece: str) -> str:
    """What a piece says beyond the picture as it is: the conclusion of "it is off now, so no", or all of it."""
    if not tells_of_now(piece):
        return piece
    conclusion = _CONCLUSION.search(piece)
    return piece[conclusion.start() :] if conclusion else ""


def opening_polarity(text: str) -> str | None:
    """The yes or no a text begins with."""
    found = _LEADING.match(text)
    if found and _IS_NOT.search(text[: found.end()]) and _GOES_ON_TO_SAY.match(text[found.end() :]):
        return None  # "it is not snowing" is no "no" by itself
    if found and found["no"] and _DENIES_A_DENIAL.match(text):
        return None  # "it's unlikely that she wouldn't" is no "no" at all
    return None if not found else ("yes" if found["yes"] else "no")


def _agreement(text: str, agreeing: re.Match[str], asked: Asked) -> str | None:
    reason, *others = sentences(text[agreeing.end() :])
    sure = not (agreeing["word"].lower() == "sure" and agreeing["end"])
    answer = agreed(reason, asked, sure=sure)
    later = _answer(others, asked)
    return None if answer and later and answer != later else answer or later


def _answer(pieces: list[str], asked: Asked) -> str | None:
    if not pieces:
        return None
    # The first word wins: "Yes, it wouldn't be dry" is a yes.
    answer = opening_polarity(pieces[0]) or short_answer(pieces, asked)
    if answer:
        if _contradicts_itself(answer, pieces[0], asked) or _depends(answer, pieces):
            return None
        if _is_taken_back(answer, pieces, asked):
            return None
        return _concluded_otherwise(answer, pieces) or _overruled(answer, pieces, asked) or answer
    labelled = [found for piece in pieces if (found := _LABELLED.match(piece))]
    if said := {found["answer"].lower() for found in labelled if found["what"].lower() in asked.text.lower()}:
        return said.pop() if len(said) == 1 else None
    imagined = [position for position, piece in enumerate(pieces) if MODAL_AT.search(stated(piece))]
    concluded, answer = _concluded(pieces, imagined, asked)
    if answer:
        return answer
    for piece in reversed(pieces):
        answer = opening_polarity(piece) or (None if supposes_another(piece, asked) else _said_after_all(piece))
        if answer:
            return answer
    if concluded:
        return said_in_full(pieces, asked)  # what a reply concludes is its answer; what it concludes it from is none
    if any(_NOT_SO.search(stated(piece)) for piece in pieces):
        return "no"
    claim = _claim(pieces, asked)
    if claim and any(_takes_away(piece, claim, asked) for piece in pieces[1:]):
        return None
    return claim or ("yes" if _leans_to_yes(pieces[0], imagined=bool(imagined)) else None)


def _takes_away(piece: str, claim: str, asked: Asked) -> bool:
    """Whether a "but" in the present denies what would be: "it would hop out, but it can't fly"."""
    if asked.of_now or not _CONTRAST.match(piece) or MODAL_AT.search(piece):
        return False
    told = {denied(clause, asked) or asserted(clause, replace(asked, of_now=True)) for clause in clauses(piece)}
    return bool(told - {None, claim})


def _said_after_all(piece: str) -> str | None:
    """The yes or no after a supposition, or at the end; "not unless …" is no plain "not"."""
    return (None if _NOT.match(piece) else opening_polarity(stated(piece))) or _said(piece)


def _leans_to_yes(piece: str, *, imagined: bool) -> bool:
    """Whether a reply says "certainly" and nothing against it: "Absolutely, the beach would be packed."."""
    if imagined:
        return bool(_CERTAIN.match(piece)) and not _DENIES.search(piece)
    return bool(_LEANING.match(piece))


def _depends(answer: str, pieces: list[str]) -> bool:
    """Whether a reply says one thing on one condition and the other on another: "Yes, if it was loud; no, if not."."""
    others = [piece for piece in pieces[1:] if opening_polarity(piece) not in (None, answer)]
    return imagines(pieces[0]) and any(map(imagines, others))


def _contradicts_itself(answer: str, piece: str, asked: Asked) -> bool:
    """Whether a sentence says the other thing than its first word: "No, it would not go out", to "stay lit"."""
    opening = _LEADING.match(piece)
    rest = piece[opening.end() :] if opening else ""
    if rest[:1] not in (",", ":", " -") or not MODAL_AT.search(rest) or asked.of_now:
        return False  # "unlikely that it would" is one statement
    claims = {claim for clause in clauses(stated(rest[1:])) if content(clause) and (claim := asserted(clause, asked))}
    return bool(claims) and answer not in claims


def _is_taken_back(answer: str, pieces: list[str], asked: Asked) -> bool:
    """Whether a later sentence says all that was asked, and the other way: "Yes, it would be whole. It would not."."""
    later = [clause for piece in pieces[1:] if not _SUPPOSED.search(piece) for clause in clauses(piece)]
    said = {asserted(clause, asked) for clause in later if MODAL_AT.search(clause) and says_it_all(clause, asked)}
    return MODAL_AT.search(pieces[0]) is not None and bool(said - {None, answer})


def _concluded_otherwise(answer: str, pieces: list[str]) -> str | None:
    """The other word, where a reply ends in it after all: "I would say yes, but there is no wind, so no"."""
    several = len(pieces) > 1 or _NONE_OF_IT.match(pieces[0])  # "not a single car is on it, so yes, it is empty"
    last = opening_polarity(_CONCLUSION.split(pieces[-1])[-1]) if several and _CONCLUSION.search(pieces[-1]) else None
    return last if last != answer else None


def _concluded(pieces: list[str], imagined: list[int], asked: Asked) -> tuple[bool, str | None]:
    """Whether a reply comes to a conclusion about what was asked, and which, so far as it can be read."""
    concluded = False
    for position, piece in reversed(list(enumerate(pieces))):
        if not _CONCLUSION.search(piece):
            continue
        tail = _CONCLUSION.split(piece)[-1]
        if not re.search(r"\w", tail):
            continue  # "I think so"
        # "So it is on. If the power was cut, …" concludes nothing about what would be.
        settled = not imagined or position >= imagined[-1] or bool(MODAL_AT.search(tail))
        answer = opening_polarity(tail) or _said(tail) or (_first(clauses(stated(tail)), asked) if settled else None)
        if answer:
            return True, answer
        concluded = concluded or (settled and position == len(pieces) - 1)
    return concluded, None


def _overruled(answer: str, pieces: list[str], asked: Asked) -> str | None:
    """What would be, where the yes or no at the beginning was about what is: "Yes, it is on. But … it wouldn't be."."""
    opening = pieces[0]
    if asked.of_now or MODAL_AT.search(opening) or not _IS.search(opening):
        return None
    for piece in reversed(pieces[1:]):
        # "No, it needs power. If it had a battery, it would be on" supposes something else than the question does.
        to_the_point = _CONTRAST.match(piece) or content(piece) & asked.supposed
        if to_the_point and MODAL_AT.search(piece):
            claims = [asserted(clause, asked) for clause in clauses(stated(piece)) if MODAL_AT.search(clause)]
            said = {claim for claim in claims if claim}
            if said and answer not in said:
                return said.pop()
    return None


def _claim(pieces: list[str], asked: Asked) -> str | None:
    """What the clauses without a yes or no claim about the world that was asked about."""
    told = [piece for piece in pieces if not supposes_another(piece, asked)]
    every = [(piece, clause) for piece in told for clause in clauses(stated(piece))]
    imagined = [clause for _, clause in every if MODAL_AT.search(clause)]
    if imagined and not asked.of_now:
        # What is says nothing once the reply has said what would be. Of several such claims the last is the result.
        whole = [taken_up(before, clause, asked) for before, clause in zip(["", *imagined], imagined, strict=False)]
        return _first(whole[::-1], asked)
    actual = [
        # "Let go of it and it crashes": the present, of the world that was asked about.
        (clause, replace(asked, of_now=True) if supposes_first(piece) else asked)
        for piece, clause in every
        if not MODAL_AT.search(clause) and _tells(piece, clause, asked)
    ]
    for claims in (actual, [(clause, asked) for clause in imagined]):
        for reading in (asserted, denied):
            answers = {answer for clause, of_what in claims if (answer := reading(clause, of_what))}
            if answers:
                return answers.pop() if len(answers) == 1 else said_in_full(told, asked)
    return None


def _tells(piece: str, clause: str, asked: Asked) -> bool:
    """Whether a clause in the present speaks of the world asked about: "when the power is cut, it turns off"."""
    same_world = asked.of_now or not asked.supposed or supposes_first(piece)
    return same_world or not _IS.search(clause) or len(piece.split()) <= 3


def _first(claims: list[str], asked: Asked) -> str | None:
    """The first claim that answers in the question's own words, or else the first that denies something."""
    return next(
        (answer for reading in (asserted, denied) for clause in claims if (answer := reading(clause, asked))), None
    )


def _said(sentence: str) -> str | None:
    found = _SAID.search(sentence)
    return None if not found else ("yes" if found["yes"] else "no")
