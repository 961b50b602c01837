"""Reads yes or no."""

import re

from msgspec.structs import replace

from countersight.reading.language.asked import Asked, asked_by, content, in_reach
from countersight.reading.language.clauses import (
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
from countersight.reading.language.idioms import meant, without_the_rest
from countersight.reading.language.parted import after_the_question
from countersight.reading.language.rewordings import in_time, plainer
from countersight.reading.language.verdicts import judged_in, verdict
from countersight.reading.language.vocabulary import any_of, found
from countersight.reading.yes_or_no.claims import asserted, denied
from countersight.reading.yes_or_no.contradictions import contradicts_itself, leaves_both_open
from countersight.reading.yes_or_no.obstacles import named_hindrance
from countersight.reading.yes_or_no.other_words import in_plain_words
from countersight.reading.yes_or_no.outright import agreed, reason_of, said_in_full, short_answer, unchanged
from countersight.reading.yes_or_no.own_words import in_its_words
from countersight.reading.yes_or_no.plain_speech import in_plain_speech
from countersight.reading.yes_or_no.repetitions import supposes_another, taken_up
from countersight.reading.yes_or_no.shown import shown
from countersight.reading.yes_or_no.subjects import takes_up_another, with_subjects
from countersight.reading.yes_or_no.turned import turned
from countersight.reading.yes_or_no.upheld import CONCLUSION, CONTRAST, IS, upheld
from countersight.reading.yes_or_no.what_holds import of_the_thing
from countersight.reading.yes_or_no.yes_words import FILLER, NO, is_left_open, opening_polarity, said, says_both

_ECHO_OF_THE_TASK = re.compile(
    r"\(?\b(?:yes|true|correct)\s*(?:or|/)\s*(?:no|false|incorrect|not)\b\)?\??", re.IGNORECASE
)
# "Of course, no one would turn it off.": the agreeing word answers, and the rest says why.
_AGREEING = re.compile(
    rf"\W*(?P<word>{any_of('yes_no.agreeing')})(?:\s*(?P<end>[.!])|\s*[,;:]|\s+--?)\s*"
    rf"(?!{NO}|no (?:problem|worries|doubt|matter|idea|change)\b)(?=(?:no|nobody|nothing|none)\b)",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(r"\W*(?:yes|no)\b(?! one)", re.IGNORECASE)
_WITHOUT_ANY = r"(?:without|beyond)(?: a| any| all)?"
_NO_DOUBT = re.compile(
    rf"^\W*(?:(?:there(?:'s| is) |i have )?(?:no|{_WITHOUT_ANY}) doubt(?: that| about (?:it|that))?"
    rf"|{_WITHOUT_ANY} question),?\s+"
    r"(?=\w)(?!about\b)"
    r"|^\W*no (?:problems?|trouble|worries)(?: here| there| at all)?\s*[,.!:-]+\s*(?=\w)",
    re.IGNORECASE,
)
# "I think no cats would be there" denies what "no cats would be there" denies.
_BEFORE_NO = re.compile(rf"^\W*(?:{FILLER}[\s,:.!-]*)+(?=no\b)", re.IGNORECASE)
# "Sure! Let me look." is how assistants begin: these words are a yes only where nothing else is said.
_LEANING = re.compile(
    rf"\W*(?:(?:it is|it's|that is|that's|very|most|quite) )*{any_of('yes_no.leaning')}(?! that\b)", re.IGNORECASE
)
_CERTAIN = re.compile(rf"\W*{any_of('yes_no.certain')}(?:\s*[,:]\s+(?!but\b)|\W*$)", re.IGNORECASE)
_SURE = re.compile(r"\W*sure\b", re.IGNORECASE)
_DENIES = re.compile(r"\b(?:no|not|never|none|nobody|nothing|neither|without|hardly|un\w+|less)\b|n't\b", re.IGNORECASE)
_AT_THE_MOMENT = re.compile(
    r",? (?:at (?:the moment|present)|right now|in (?:the|this) (?P<shown>picture|image|photo(?:graph)?|scene))"
    r"(?=\W*$)",
    re.IGNORECASE,
)
_PAST = re.compile(r"\b(?:was|were|had been)\b.*\b(?:earlier|previously|ago|yesterday)\b", re.IGNORECASE)
_NOT_SO = found("yes_no.doubts", "yes_no.supposed_not")
_NOT_ONE = re.compile(r"\W*not (?:an?|one|a single) (?!chance|bit|thing\W*$)(?P<what>\w+)", re.IGNORECASE)
_ASKS_FOR_ANY = re.compile(r"\b(?:any\w*|some\w*|have|has|there an?)\b", re.IGNORECASE)
_NOT = re.compile(r"\W*not\b", re.IGNORECASE)
# What a reply calls a statement of its own says only to that statement that it holds, or does not.
_CALLED = re.compile(
    rf"\W*(?:{FILLER}[\s,:.!-]*)*(?:(?P<right>true|correct)|false|wrong|incorrect|(?:\w+ )?unlikely|impossible)"
    r" that\b(?P<what>.*)",
    re.IGNORECASE,
)
_ALONE = re.compile(r"\W*(?:yes|no)\W*$", re.IGNORECASE)  # what a reply ends in says what all before it comes to
_ASKS = re.compile(r"\W*(?:and |but |so )?(?:is|are|does|do|did|has|have|can|could|would|will)\b", re.IGNORECASE)
_LABELLED = re.compile(r"\W*(?P<what>\w+(?: \w+)?), (?P<answer>yes|no)\W*$", re.IGNORECASE)  # "visible, yes; clear, no"
_SUPPOSED_BY_IF = re.compile(r"\b(?:if|unless|in case)\b", re.IGNORECASE)
_COULD = re.compile(r"\W*(?:can|could)\b(?!.*\bif\b)", re.IGNORECASE)  # "could he reach it without the ladder?"
# "It is empty now, although it would not be if she sat down."
_CONCEDED = re.compile(r",? (?:although|though|even though|whereas|while)\b.*\bif\b.*", re.IGNORECASE)
_SEEMS = re.compile(r"\b(?:seem|look|appear)(?:s|ed)?\b", re.IGNORECASE)
_BUT_ONLY = re.compile(r"\W*but only (?:if|with|when|after|by|for|until)\b", re.IGNORECASE)


def polarity(text: str, question: str) -> str | None:
    """Yes or no, as a plain text says it, or None. The question is only there to see what a sentence says to it."""
    if is_left_open(text) or leaves_both_open(text, question):
        return None
    text = _NO_DOUBT.sub("", _ECHO_OF_THE_TASK.sub(" ", text))
    if says_both(text):
        return None
    statement = judged_in(question)
    if statement and not _YES_OR_NO.match(text) and (called := verdict(text, statement)):
        return called
    if not _YES_OR_NO.match(text) and (hindered := named_hindrance(text, question)):
        return hindered
    text, question = in_plain_speech(text, question)
    text = in_plain_words(meant(text, asked_by(question), question), asked_by(question), question)
    text = plainer(in_reach(text) if in_reach(question) != question else text, question)
    text, question = (
        in_time(in_its_words(of_the_thing(text, question), question), question),
        in_time(question, question),
    )
    question = turned(question, text)
    asked = asked_by(question)
    agreeing = _AGREEING.match(text)
    if agreeing:
        return _agreement(text, agreeing, asked)
    every = without_the_rest(after_the_question(sentences(text), asked), asked, question)
    pieces = [_BEFORE_NO.sub("", part) for sentence in every for part in contrasted(sentence)]
    if asked.of_now:
        pieces = [_CONCEDED.sub("", piece) for piece in pieces]
        kept = [_as_of_now(piece, asked) for piece in pieces if not supposes(piece) and not _PAST.search(piece)]
    else:
        # Models first say what is there now, and only then what would be: "It is off now, but it would be on."
        kept = [told for piece in pieces if (told := _of_what_would_be(piece))]
    if any(map(_BUT_ONLY.match, kept)) or contradicts_itself(kept, asked):
        return None
    if asked.would_do and any(map(CONTRAST.match, kept[1:])):
        asked = replace(asked, of_ability=False)  # "it could get out, but it would stay"
    answer = _answer(kept, asked) or unchanged(pieces, asked) or (shown(text, question) if asked.of_now else None)
    if answer or len(kept) == len(pieces) or any(map(imagines, kept)):
        return answer
    return opening_polarity(pieces[0]) if pieces else None


def asks_another(text: str, question: str) -> bool:
    """Whether a text ends in a question of its own: a "no" to "is it closed?" says nothing to whether it is open."""
    last = sentences(text)[-1] if text.rstrip().endswith("?") else ""
    own, asked = content(last) if _ASKS.match(last) else frozenset[str](), asked_by(question)
    return bool(own - {asked.subject}) and own.isdisjoint(asked.words - {asked.subject})


def _as_of_now(piece: str, asked: Asked) -> str:
    """A piece without its "at the moment" or "in this picture", unless what is in the picture was asked."""
    at = _AT_THE_MOMENT.search(piece)
    asks_for_it = at and at["shown"] and at["shown"].lower() in asked.text.lower()
    return piece[: at.start()] if at and not asks_for_it else piece


def _of_what_would_be(piece: str) -> str:
    """What a piece says beyond the picture as it is: the conclusion of "it is off now, so no", or all of it."""
    if not tells_of_now(piece):
        return piece
    conclusion = CONCLUSION.search(piece)
    return piece[conclusion.start() :] if conclusion else ""


def _opening(piece: str, asked: Asked) -> str | None:
    """The yes or no a piece begins with, or what comes of calling something true: "it's unlikely that it would"."""
    none = _NOT_ONE.match(piece)
    if none and (asked.negated or not (_ASKS_FOR_ANY.search(asked.text) or content(none["what"]) & asked.words)):
        return None  # "not a drop in it", to whether the glass is empty
    called = _CALLED.match(piece)
    claim = _first(clauses(stated(called["what"])), asked) if called else None
    if called and (called["right"] or claim):
        return claim if called["right"] else "no" if claim == "yes" else "yes"
    return opening_polarity(piece)


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
    answer = _opening(pieces[0], asked) or short_answer(pieces, asked)
    if answer:
        return upheld(answer, pieces, asked)
    labelled = [found for piece in pieces if (found := _LABELLED.match(piece))]
    if said := {found["answer"].lower() for found in labelled if found["what"].lower() in asked.text.lower()}:
        return said.pop() if len(said) == 1 else None
    if len(pieces) > 1 and _ALONE.match(pieces[-1]) and not pieces[-2].endswith("?"):
        return opening_polarity(pieces[-1])
    imagined = [position for position, piece in enumerate(pieces) if MODAL_AT.search(stated(piece))]
    concluded, answer = _concluded(pieces, imagined, asked)
    if answer:
        return answer
    told = [(piece, answer) for piece in pieces if (answer := _opening(piece, asked) or _said_after_all(piece))]
    if len({answer for piece, answer in told if _SUPPOSED_BY_IF.search(piece)}) > 1:
        return None  # "if the hive fell, yes; if the bear fell, no"
    for piece, answer in reversed(told):
        if _opening(piece, asked) or not supposes_another(piece, asked):
            return answer
    if concluded:
        return said_in_full(pieces, asked)  # what a reply concludes is its answer; what it concludes it from is none
    if any(_NOT_SO.search(stated(piece)) for piece in pieces):
        return "no"
    claim = _claim(pieces, asked)
    if claim and any(_takes_away(piece, claim, asked) for piece in pieces[1:]):
        return None
    claim = claim or _claim([reason for piece in pieces if (reason := reason_of(piece))], asked)
    return claim or ("yes" if _leans_to_yes(pieces, asked, imagined=bool(imagined)) else None)


def _takes_away(piece: str, claim: str, asked: Asked) -> bool:
    """Whether a "but" in the present denies what would be: "it would hop out, but it can't fly"."""
    if asked.of_now or not CONTRAST.match(piece) or MODAL_AT.search(piece):
        return False
    told = {denied(clause, asked) or asserted(clause, replace(asked, of_now=True)) for clause in clauses(piece)}
    return bool(told - {None, claim})


def _said_after_all(piece: str) -> str | None:
    """The yes or no after a supposition, or at the end; "not unless …" is no plain "not"."""
    return (None if _NOT.match(piece) else opening_polarity(stated(piece))) or said(piece)


def _leans_to_yes(pieces: list[str], asked: Asked, *, imagined: bool) -> bool:
    """Whether a reply says "certainly" and nothing against it: "Absolutely, the beach would be packed."."""
    if imagined:
        against = any(map(CONTRAST.match, pieces[1:]))  # "sure, it would be tight, but …"
        denies = any(found.group().lower() not in asked.whole.lower() for found in _DENIES.finditer(pieces[0]))
        against = against or (len(pieces) > 1 and bool(_SURE.match(pieces[0])))  # "sure, it would be lit. Still, …"
        return bool(_CERTAIN.match(pieces[0])) and not denies and not against
    return bool(_LEANING.match(pieces[0]))


def _concluded(pieces: list[str], imagined: list[int], asked: Asked) -> tuple[bool, str | None]:
    """Whether a reply comes to a conclusion about what was asked, and which, so far as it can be read."""
    concluded = False
    for position, piece in reversed(list(enumerate(pieces))):
        if not CONCLUSION.search(piece):
            continue
        tail = CONCLUSION.split(piece)[-1].strip()
        if not re.search(r"\w", tail):
            continue  # "I think so"
        if takes_up_another(tail, piece[: -len(tail)], asked):
            return True, None
        # "So it is on. If the power was cut, …" concludes nothing about what would be.
        settled = not imagined or position >= imagined[-1] or bool(MODAL_AT.search(tail))
        answer = _opening(tail, asked) or said(tail) or (_first(clauses(stated(tail)), asked) if settled else None)
        if answer:
            return True, answer
        concluded = concluded or (settled and position == len(pieces) - 1)
    return concluded, None


def _claim(pieces: list[str], asked: Asked) -> str | None:
    """What the clauses without a yes or no claim about the world that was asked about."""
    if not pieces:
        return None
    told = [piece for piece in _without_looks(pieces, asked) if not supposes_another(piece, asked)]
    every = [(piece, clause) for piece in told for clause in with_subjects(clauses(stated(piece)))]
    imagined = [clause for _, clause in every if MODAL_AT.search(clause)]
    if imagined and not asked.of_now:
        # What is says nothing once the reply has said what would be. Of several such claims the last is the result.
        whole = [taken_up(before, clause, asked) for before, clause in zip(["", *imagined], imagined, strict=False)]
        told_so = _first(whole[::-1], asked)
        if told_so or asked.supposed or " too " not in asked.text:  # "it isn't too big: it would slide in"
            return told_so
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


def _without_looks(pieces: list[str], asked: Asked) -> list[str]:
    """The pieces without what only seems so, before a "but" that tells how it is: "it looks dry, but it is wet"."""
    belied = (
        CONTRAST.match(after) is not None and any(asserted(clause, asked) for clause in clauses(after))
        for after in [*pieces[1:], ""]
    )
    return [piece for piece, is_so in zip(pieces, belied, strict=True) if not (is_so and _SEEMS.search(piece))]


def _tells(piece: str, clause: str, asked: Asked) -> bool:
    """Whether a clause in the present speaks of the world asked about: "when the power is cut, it turns off"."""
    same_world = asked.of_now or not asked.supposed or supposes_first(piece) or bool(_COULD.match(asked.whole))
    return same_world or not IS.search(clause) or len(piece.split()) <= 3


def _first(claims: list[str], asked: Asked) -> str | None:
    """The first claim that answers in the question's own words, or else the first that denies something."""
    return next(
        (answer for reading in (asserted, denied) for clause in claims if (answer := reading(clause, asked))), None
    )
