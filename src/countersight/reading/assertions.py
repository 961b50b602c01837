"""What a clause without a yes or a no in it says to a yes-or-no question."""

import re

import msgspec

from countersight.reading.clauses import MODAL, asks_of_now, stated
from countersight.reading.numerals import numerals
from countersight.reading.opposites import one_or_the_other, opposed, same_state, states

_AUXILIARY = r"(?:would|could|should|will|can|do|does|did|is|are|was|were|has|have|had|must|be|it'd|they'd|'d|'s|'re)"
_NEGATED = re.compile(
    rf"\b(?:{_AUXILIARY}(?:\s+(?:\w+ly|still|then|most likely|likely|also|just|now))?\s+"
    r"(?:not(?! only| necessarily| sure| just)|never|no(?! doubt| problem)|nothing|nobody|none|neither|unlikely"
    r"|impossible)\b"
    r"|\w+n't\b|cannot\b|can not\b|no longer\b|ceases? to\b|stops? being\b|unable to\b)"
    r"|^\W*(?:no(?! (?:doubt|problem|change|matter))|none|nobody|nothing|neither|never)\b",
    re.IGNORECASE,
)
_IF = re.compile(r"\b(?:if|when|unless|after|without)\b", re.IGNORECASE)
_NEGATIVE_QUESTION = re.compile(r"\b(?:not|never|no|no longer)\b", re.IGNORECASE)
_NEGATION_WORD = re.compile(r"\b(?:not|never|no longer|no|cannot|anymore|any ?more|unable)\b", re.IGNORECASE)
_SHORT_NOT = re.compile(r"n't\b", re.IGNORECASE)
_VERB = re.compile(rf"\b{_AUXILIARY}\b|'d\b|n't\b", re.IGNORECASE)
_FIRST_VERB = re.compile(
    rf"(?:\b|(?=')){MODAL}\b|\b(?:is|are|was|were|has|have|had|turns?|goes|shuts?|stays?|remains?|becomes?)\b"
    r"|'s\b|'re\b|n't\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(r"\b(?:might|may|could|can|possibl[ey]|maybe|perhaps|either|whether)\b", re.IGNORECASE)
# The word right before a state, where the state is what the verb says of its subject.
_LINK = re.compile(
    r"(?:\b(?:be|being|been|is|are|was|were|turn\w*|go|goes|going|went|become\w*|stay\w*|remain\w*|get\w*|got|look\w*"
    r"|appear\w*|switch\w*|come\w*|shut\w*|power\w*|still|also|then|again|now|and|or|nor|not|longer|never|both|all|very|quite|just|pitch"
    r"|the|an?|\w+ly|light|dark|bright|pale)|'s|'re|n't)\s+$",
    re.IGNORECASE,
)
# "Pressing the switch would turn it on": "it" is what was asked about, whoever turns it on.
_CAUSE = re.compile(r"\b(?:turn|switch|make|keep|leave|put)\w*\s+(?:it|them)\s+$", re.IGNORECASE)
_THEN = re.compile(
    r"\W*(?:at|in|during|on|under|with)\s+(?P<then>[\w ]{1,30}?),?\s+(?=(?:it|they|there|he|she|the)\b)", re.IGNORECASE
)
_ELLIPSIS = re.compile(
    r"^\W*(?:(?:then|so|but|however|i (?:think|believe))\W+)*"
    r"(?P<subject>it|they|he|she|there|this|that|these|those|we|you|i|(?:the|a|an|his|her|its|their|my)\s\w+"
    r"(?: \w+){0,3}?)"
    r"(?:'d|\s+(?:\w+ly\s+|still\s+|then\s+)?(?:would|will|is|are|does|do|did|was|were|has|have|can|should))"
    r"(?:\s+(?:\w+ly|still))?(?:\s+(?:be|have|do))?(?P<some>\s+(?:one|some|ones)(?: there)?)?"
    r"(?:\s+(?:so|still|the case|correct|right|true|likely|possible to))?\W*$",
    re.IGNORECASE,
)
_CONTRARY = re.compile(
    r"(?:(?:,|\s--?|\bbut|\band)\s+(?:\w+ly )?not|,?\s(?:rather than|instead of))\s+(?P<denied>[^,.;]{1,60})",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z]+")
_EMPTY_WORD = re.compile(
    r"the|an?|it|they|s?he|there|th(?:is|at|ese|ose)|be(?:en|ing)?|is|are|was|were|would|will|have|has|had|do|does|did"
    r"|still|then|also|in|on|of|to|with|at|and|or|so|as|by|its|his|her|their|my|any|some|all|very|just|too|can|should"
    r"|now|indeed|we|you|i|s|d|ll|re|image|picture|photo|scene|case|but|however|yet|thus|therefore|hence|probably|likely"
    r"|definitely|certainly|surely|most|again"
)
_ENDINGS = ("", "s", "es", "d", "ed", "ing", "n", "en", "ly")


class Asked(msgspec.Struct, frozen=True):
    """What a yes-or-no question asks for, so far as its words tell."""

    words: frozenset[str]
    supposed: frozenset[str]
    """The words of its "if"."""
    states: tuple[str, ...]
    negated: bool
    compares: bool
    counts: bool
    of_now: bool


def asked_by(question: str) -> Asked:
    """Reads a question once, for all the clauses it is held against."""
    opening = _IF.split(question, maxsplit=1)[0]
    main = opening if content(opening) else stated(question)
    words = content(main)
    return Asked(
        words=words,
        supposed=content(question) - words,
        states=tuple(found.group().lower() for found in states(main)),
        negated=bool(_NEGATIVE_QUESTION.search(main)),
        compares=bool(_CONTRARY.search(main)),
        counts=bool(numerals(main)),
        of_now=asks_of_now(question),
    )


def content(text: str) -> frozenset[str]:
    """The words of a text that mean something by themselves, and the states it tells."""
    text = text.lower()
    words = {word for word in _WORD.findall(text) if not _EMPTY_WORD.fullmatch(word)}
    return frozenset(words | {found.group() for found in states(text)})


def asserted(clause: str, asked: Asked) -> str | None:
    """Yes or no, where a clause affirms or denies just what was asked; None where it says something else."""
    if clause.endswith("?"):
        return None
    then = _THEN.match(clause)
    if then and content(then["then"]) <= asked.supposed:
        clause = clause[then.end() :]  # "at night it would be", to "if it was night"
    contrary = None if asked.compares else _CONTRARY.search(clause)
    if contrary:
        # "Blue, not yellow" denies what was asked; "yellow, not blue" affirms it.
        denied = content(contrary["denied"])
        if denied and _within(denied, asked):
            return "yes" if asked.negated else "no"
        clause = clause[: contrary.start()]
    negated = bool(_NEGATED.search(clause))
    if _HEDGE.search(clause) and not negated:
        return None
    told = _told(clause, asked)
    if told is None and (_is_short_answer(clause, asked) or _repeats(clause, asked)):
        told = not negated
    return None if told is None else ("yes" if told != asked.negated else "no")


def denied(clause: str, asked: Asked) -> str | None:
    """No, where a clause denies something that was not asked in these words: the weakest reading."""
    if clause.endswith("?") or asked.negated or not _NEGATED.search(clause):
        return None
    # "It would not be blue" says neither that it would be yellow nor that it would not.
    other = any(opposed(found.group().lower(), state) for found in states(clause) for state in asked.states)
    return None if other else "no"


def _told(clause: str, asked: Asked) -> bool | None:
    """Whether a clause tells the state that was asked for, or the opposite of it."""
    verb = _FIRST_VERB.search(clause)
    if not verb or not asked.states:
        return None
    leads = [(state.group().lower(), clause[max(0, state.start() - 20) : state.start()]) for state in states(clause)]
    of_the_asked = _within(content(_SHORT_NOT.sub("", clause[: verb.start()])), asked)
    found = [word for word, lead in leads if _CAUSE.search(lead) or (of_the_asked and _LINK.search(lead))]
    same = [word for word in found if any(same_state(word, state) for state in asked.states)]
    other = [(word, state) for word in found for state in asked.states if opposed(word, state)]
    if bool(same) == bool(other):
        return None
    negated = bool(_NEGATED.search(clause))
    if same:
        return not negated
    return (True if all(one_or_the_other(*pair) for pair in other) else None) if negated else False


def _is_short_answer(clause: str, asked: Asked) -> bool:
    """Whether the rest of a clause is in the question: "It would not be.", "There would be one."."""
    # "It would", to "would it not be wide?", may mean either.
    found = _ELLIPSIS.match(_NEGATION_WORD.sub("", _SHORT_NOT.sub("", clause)).replace("  ", " "))
    if not found or asked.negated or (found["some"] and (asked.counts or found["subject"].lower() != "there")):
        return False
    return _within(content(found["subject"]), asked)


def _repeats(clause: str, asked: Asked) -> bool:
    """Whether a clause says nothing that the question did not ask: "the trees would be bare" is no "snowy"."""
    said = content(_NEGATION_WORD.sub(" ", _SHORT_NOT.sub(" ", clause)))
    return bool(said and _VERB.search(clause)) and _within(said, asked)


def _within(said: frozenset[str], asked: Asked) -> bool:
    return all(any(_same(word, other) for other in asked.words) for word in said)


def _same(first: str, second: str) -> bool:
    short, long = sorted((first, second), key=len)
    return long.startswith(short) and (long[len(short) :] in _ENDINGS)
