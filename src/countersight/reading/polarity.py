"""Reads yes or no."""

import re

from countersight.reading.assertions import Asked, asked_by, asserted, content, denied
from countersight.reading.clauses import (
    MODAL,
    clauses,
    contrasted,
    imagines,
    sentences,
    stated,
    supposes,
    tells_of_now,
)

_ECHO_OF_THE_TASK = re.compile(
    r"\(?\b(?:yes|true|correct)\s*(?:or|/)\s*(?:no|false|incorrect|not)\b\)?\??", re.IGNORECASE
)
_BOTH = re.compile(r"\b(?:yes and no|no and yes|yes\W+no\b|no\W+yes)\b(?!\s+\w)", re.IGNORECASE)
_FILLER = (
    r"(?:well|so|then|however|hmm|ok|okay|actually|in that case|in this case|therefore|thus|hence|oh|ah|honestly"
    r"|obviously|clearly|and|but|most"
    r"|probably|likely|i think|i believe|i would say|i'd say|i guess|it's a|that's a|it is|it's|that is|that's"
    r"|this is|very|definitely"
    r"|absolutely|certainly|surely|of course|wait|correction|the statement is|overall|in conclusion|consequently"
    r"|answer"
    r"|unfortunately|sadly|hell|i'm afraid|i guess|it seems|apparently)"
)
# "No", and not the "no" of "no dye means natural hair" or "no one": it ends there, or a clause begins after it.
_NO = (
    r"no(?=[^\S\n]*(?:$|\n|(?!-\w)[^\w\s])|\s+(?:it|they|there|he|she|this|that|these|those|we|you|i|the|an?|its|his"
    r"|her|their|my|because|since|as|if|when|and|but|not|never|longer|chance|more(?=\W*$)|way(?! to\b)|sir|thanks?"
    r"|would|wouldn't|probably|definitely|absolutely|only|none|nothing|due|unless|after|without|once)(?![\w-]))"
)
# "Of course, no one would turn it off.": the agreeing word answers, and the rest says why.
_AGREEING = re.compile(
    r"\W*(?:(?P<sure>sure)|absolutely|of course|definitely|certainly|surely|undoubtedly|without a doubt|most certainly"
    rf"|exactly)(?:\s*(?P<end>[.!])|\s*[,;:]|\s+--?)\s*(?!{_NO}|no (?:problem|worries|doubt|matter|idea|change)\b)"
    r"(?=(?:no|nobody|nothing|none)\b)",
    re.IGNORECASE,
)
_BEING_THERE = re.compile(
    r"\b(?:be|is|are)\s+(?:there|left|visible|seen|in|on|at|around|present|remaining|any)\b(?! to\b)"
    r"|\b(?:remain|exist|stay|come|show up)\w*\b"
    r"|^no(?:ne|body|thing)?(?: \w+)?(?: (?:on|in|at|there|left|around)\b|\W*$)",
    re.IGNORECASE,
)
_SUBJECT_AND_VERB = re.compile(r"no (?!one\b)\w+ (?!means?\b|makes?\b|is\b|are\b)\w+|no (?!one\b)\w+", re.IGNORECASE)
_NO_DOUBT = re.compile(
    r"^\W*(?:there(?:'s| is) |i have )?(?:no|without (?:a|any)) doubt(?: that| about (?:it|that))?,?\s+"
    r"(?=\w)(?!about\b)",
    re.IGNORECASE,
)
_LEADING = re.compile(
    rf"\W*(?:{_FILLER}\b[\s,:.!-]*)*"
    r"(?:(?P<yes>yes|yeah|yep|yup|aye|true|correct|affirmative|indeed|right(?=\W*$)|y(?=\W*$)"
    r"|i(?:'d| would) (?:say|think|guess|imagine|expect|assume|hope) so(?=\s*(?:[.,;!]|$)))"
    rf"|(?P<no>{_NO}|nope|nah|false|incorrect|wrong"
    r"|negative|never|hardly(?=\s*(?:[.,;!]|$))"
    r"|unlikely|impossible|highly unlikely|n(?=\W*$)"
    r"|not(?!\s+(?:necessarily|sure|certain|clear|enough|only|applicable|specified|given|always|possible to"
    r"|exactly)\b)))\b(?!'\w)",
    re.IGNORECASE,
)
# "I think no cats would be there" denies what "no cats would be there" denies.
_BEFORE_NO = re.compile(rf"^\W*(?:{_FILLER}\b[\s,:.!-]*)+(?=no\b)", re.IGNORECASE)
# "Sure! Let me look." is how assistants clear their throat: these words are a yes only where nothing else is said.
_LEANING = re.compile(
    r"\W*(?:it is |it's |that is |that's |very |most |quite |highly )*"
    r"(?:sure|certainly|of course|absolutely|definitely|probably|likely|surely|exactly|i think so|i believe so"
    r"|i guess so"
    r"|i suppose so|i would think so|so it seems|it seems so|presumably|without a doubt|no doubt|undoubtedly"
    r"|most likely)\b",
    re.IGNORECASE,
)
_DOUBT = re.compile(r"\bi (?:highly |really )?doubt (?:it|that|so)\b", re.IGNORECASE)
_SUPPOSED_NOT = re.compile(
    r"\b(?:guess|seems?|think|believe|afraid|suppose|assume|expect|suspect|hope|say) not\b", re.IGNORECASE
)
_SAID = re.compile(
    r"(?:\b(?:say|says|think|is|be|was|answer|answered|respond|clearly|definitely|probably|therefore|so)\b|:"
    r"|,)\s*[,:]?\s*[\"']?"
    r"(?:(?P<yes>yes|true|correct)|(?P<no>no|false|incorrect|unlikely|impossible))[\"']?\s*(?:[.,!;)]|$)",
    re.IGNORECASE,
)
_CONCLUSION = re.compile(
    r"\b(?:so(?! that| many| much)|therefore|thus|hence|consequently|in conclusion|which means|meaning)\b",
    re.IGNORECASE,
)
_MODAL = re.compile(rf"(?:\b|(?=')){MODAL}\b", re.IGNORECASE)
_IS = re.compile(r"\b(?:is|are|was|were|has|have|does|do)\b|'s\b|'re\b", re.IGNORECASE)
_CONTRAST = re.compile(r"\W*(?:but|however|yet)\b", re.IGNORECASE)


def polarity(text: str, question: str) -> str | None:
    """Yes or no, as a plain text says it, or None. The question is only there to see what a sentence says to it."""
    text = _NO_DOUBT.sub("", _ECHO_OF_THE_TASK.sub(" ", text))
    if _BOTH.match(text.lstrip(" \"'([-")):
        return None
    asked = asked_by(question)
    agreeing = _AGREEING.match(text)
    if agreeing:
        reason, *others = sentences(text[agreeing.end() :])
        answer = _agreed(reason, asked, sure=not (agreeing["sure"] and agreeing["end"]))
        later = _answer(others, asked)
        return None if answer and later and answer != later else answer or later
    pieces = [_BEFORE_NO.sub("", part) for sentence in sentences(text) for part in contrasted(sentence)]
    if asked.of_now:
        kept = [piece for piece in pieces if not supposes(piece)]
    else:
        # Models first say what is there now, and only then what would be: "It is off now, but it would be on."
        kept = [piece for piece in pieces if not tells_of_now(piece)]
    answer = _answer(kept, asked)
    if answer or len(kept) == len(pieces) or any(map(imagines, kept)):
        return answer
    return _leading(pieces[0]) if pieces else None


def opening_polarity(text: str) -> str | None:
    """The yes or no a text begins with."""
    return _leading(text)


def _answer(pieces: list[str], asked: Asked) -> str | None:
    if not pieces:
        return None
    # The first word wins: "Yes, it wouldn't be dry" is a yes.
    answer = _leading(pieces[0])
    if answer:
        return _overruled(answer, pieces, asked) or answer
    imagined = [position for position, piece in enumerate(pieces) if _MODAL.search(stated(piece))]
    for position, piece in reversed(list(enumerate(pieces))):
        if not _CONCLUSION.search(piece):
            continue
        tail = _CONCLUSION.split(piece)[-1]
        # "So it is on. If the power was cut, …" concludes nothing about what would be.
        settled = not imagined or position >= imagined[-1] or _MODAL.search(tail)
        answer = _leading(tail) or _said(tail) or (_claimed(clauses(stated(tail)), asked) if settled else None)
        if answer:
            return answer
    for piece in reversed(pieces):
        answer = _leading(piece) or _leading(stated(piece)) or _said(piece)
        if answer:
            return answer
    if any(_DOUBT.search(piece) or _SUPPOSED_NOT.search(piece) for piece in pieces):
        return "no"
    answer = _claim(pieces, asked)
    return answer or ("yes" if not imagined and _LEANING.match(pieces[0]) else None)


def _agreed(reason: str, asked: Asked, *, sure: bool) -> str | None:
    """Yes, where "no …" after an agreeing word is only a reason; "certainly, no cats would be there" denies cats."""
    claim = next((answer for clause in clauses(stated(reason)) if (answer := asserted(clause, asked))), None)
    if claim:
        return claim
    # "No cleaning removes every stain" is how the world is: it denies nothing of the stains that were asked about.
    always = None if _MODAL.search(reason) else _SUBJECT_AND_VERB.match(reason)
    about = content(always.group() if always else reason) - {"no"}
    # What no rule tells from a denial in other words is left unread: "of course, no one would be on the beach".
    denies = _BEING_THERE.search(reason) or any(
        word == other or (min(len(word), len(other)) > 2 and (word.startswith(other) or other.startswith(word)))
        for word in about
        for other in asked.words
    )
    return "yes" if sure and not denies else None


def _overruled(answer: str, pieces: list[str], asked: Asked) -> str | None:
    """What would be, where the yes or no at the beginning was about what is: "Yes, it is on. But … it wouldn't be."."""
    opening = pieces[0]
    if asked.of_now or _MODAL.search(opening) or not _IS.search(opening):
        return None
    for piece in reversed(pieces[1:]):
        # "No, it needs power. If it had a battery, it would be on" supposes something else than the question does.
        to_the_point = _CONTRAST.match(piece) or content(piece) & asked.supposed
        if to_the_point and _MODAL.search(piece):
            claims = [asserted(clause, asked) for clause in clauses(stated(piece)) if _MODAL.search(clause)]
            said = {claim for claim in claims if claim}
            if said and answer not in said:
                return said.pop()
    return None


def _claim(pieces: list[str], asked: Asked) -> str | None:
    """What the clauses without a yes or no claim about the world that was asked about."""
    every = [clause for piece in pieces for clause in clauses(stated(piece))]
    imagined = [clause for clause in every if _MODAL.search(clause)]
    if imagined and not asked.of_now:
        # What is says nothing once the reply has said what would be. Of several such claims the last is the result.
        return _claimed(imagined[::-1], asked)
    actual = [clause for clause in every if not _MODAL.search(clause)]
    for claims in (actual, imagined):
        for reading in (asserted, denied):
            answers = {answer for clause in claims if (answer := reading(clause, asked))}
            if answers:
                return answers.pop() if len(answers) == 1 else None
    return None


def _claimed(claims: list[str], asked: Asked) -> str | None:
    """The first claim that answers in the question's own words, or else the first that denies something."""
    return next(
        (answer for reading in (asserted, denied) for clause in claims if (answer := reading(clause, asked))), None
    )


def _leading(sentence: str) -> str | None:
    found = _LEADING.match(sentence)
    return None if not found else ("yes" if found["yes"] else "no")


def _said(sentence: str) -> str | None:
    found = _SAID.search(sentence)
    return None if not found else ("yes" if found["yes"] else "no")
