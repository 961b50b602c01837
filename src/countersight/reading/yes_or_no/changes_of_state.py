"""What is now and what would be, where one sentence or one table tells both: a question asks for one of them."""

import re

from countersight.reading.language.asked import Asked
from countersight.reading.language.clauses import MODAL
from countersight.reading.language.opposites import opposed, same_state
from countersight.reading.language.stems import stem
from countersight.reading.language.two_worlds import labelled
from countersight.reading.language.vocabulary import any_of

_NOW = any_of("worlds.now")
_UP_TO_ITS_END = r"(?=\W*(?:$|[.,;!?)]| (?:if|when|once|after|as|because|since|and|then)\b))"
# "Would change from open to closed": it is open, and would be closed.
_CHANGES = re.compile(
    rf"(?:(?P<would>{MODAL}(?<!n't))(?: \w+ly| then)?|\b(?=\w+s\b)) {any_of('states.changing')}"
    rf" from (?:being )?(?P<from>[a-z]+) to (?:being )?(?P<to>[a-z]+){_UP_TO_ITS_END}",
    re.IGNORECASE,
)
# "The door, which is open now, would be …", "the light that is red in the picture would be …"
_WHICH_IS = re.compile(
    rf"(?:, (?:(?:which|who|that) (?P<is>is|are) )?(?P<so>(?!and\b|or\b|but\b)[^,.;!?]{{2,60}}),"
    rf"| (?:that|which|who) (?P<that>is|are) (?P<now>[a-z]+(?: [a-z]+)? {_NOW}))(?= {MODAL})",
    re.IGNORECASE,
)
_WHO_DOES = re.compile(r"(?:which|who) ", re.IGNORECASE)
_TELLS_OF_NOW = re.compile(_NOW, re.IGNORECASE)
_SOMEBODY = r"(?:it|he|she|they|(?:the|his|her|its|their) \w+(?: \w+)?)"
_ALTHOUGH = r"(?:even though|although|though|while|whereas)"
# "It would be off, though it is on now", "although it is on, it would be off"
_THOUGH_IT_IS = re.compile(
    rf"(?:^|(?<=[.!?;] ))[^.!?;]*?{MODAL}[^.!?;]*?,? {_ALTHOUGH} (?P<now>{_SOMEBODY}(?:'s| is| are)\b"
    rf"(?![^.!?;]*{MODAL})[^.!?;]*)",
    re.IGNORECASE,
)
_ALTHOUGH_IT_IS = re.compile(
    rf"(?:^|(?<=[.!?;] )){_ALTHOUGH} (?P<now>{_SOMEBODY}(?:'s| is| are)\b[^,.!?;]*), [^.!?;]*{MODAL}[^.!?;]*",
    re.IGNORECASE,
)
_AND_WOULD = re.compile(
    rf"(?P<now>\b(?:is|are)\b[^.!?;]*?),? (?:and|but) (?:{_SOMEBODY} )?(?:would|will|could)\b[^.!?;]*\bif\b[^.!?;]*",
    re.IGNORECASE,
)
_ONLY_BECAUSE = re.compile(r"(?<!not),? only because [^.!?;]*", re.IGNORECASE)
_AT_FIRST = re.compile(rf"(?:^|(?<=[.!?;] )){_NOW},? (?=(?:the|it|he|she|they|his|her)\b)", re.IGNORECASE)
_INSTEAD = re.compile(
    rf"(?:^|(?<=[.!?;] ))(?:instead of|rather than) (?:being )?(?P<not>[a-z]+), (?P<told>{_SOMEBODY} {MODAL}[^.,!?;]*)",
    re.IGNORECASE,
)
# Where something goes away from is not where it would be.
_ORIGIN = re.compile(
    rf"(?P<goes>{MODAL}(?: \w+ly| then)? {any_of('states.changing')}) from (?:the|his|her|its) \w+(?: \w+)?(?= to\b)",
    re.IGNORECASE,
)
_THE_SO = re.compile(rf"\bthe (?:currently )?(?P<so>[a-z]+) (?P<what>[a-z]+)(?= {MODAL})", re.IGNORECASE)
_REMAINS = re.compile(r"\b(?:remains|stays)(?= \w+ed\b)", re.IGNORECASE)
_MOST = 3  # words beside the label of a world


def as_told_of_one_world(text: str, asked: Asked) -> str:
    """The text with what it tells of the world that was asked about in place of what it tells of both."""
    if told := labelled(text, "now" if asked.of_now else "then", _MOST):
        return f"it is {told}" if asked.of_now else f"it would be {told}"
    text = _INSTEAD.sub(r"\g<told>, not \g<not>", _CHANGES.sub(lambda found: _changed(found, asked), text))
    text = _WHICH_IS.sub(lambda found: _which_is(found, asked), text)
    if not asked.of_now:
        text = text if " from " in asked.text else _ORIGIN.sub(r"\g<goes>", text)
        return _THE_SO.sub(lambda found: _without_what_it_is(found, asked), text)
    text = _ALTHOUGH_IT_IS.sub(r"\g<now>", _THOUGH_IT_IS.sub(r"\g<now>", text))
    text = _ONLY_BECAUSE.sub("", _AND_WOULD.sub(r"\g<now>", text))
    return _REMAINS.sub("is", _AT_FIRST.sub("", text))


def _changed(found: re.Match[str], asked: Asked) -> str:
    was, becomes = found["from"].lower(), found["to"].lower()
    if not opposed(was, becomes) and not {was, becomes} & {*asked.states}:
        return found.group()  # "from left to right" is no change of what it is
    return f" is {was} now" if asked.of_now else f"{found['would'] or ' would'} be {becomes}"


def _which_is(found: re.Match[str], asked: Asked) -> str:
    """Nothing, where it was asked what would be; what the thing is, and no more, where that was asked."""
    so = found["so"] or found["now"]
    if not asked.of_now and _WHO_DOES.match(so):
        return ""
    if not (found["is"] or found["that"] or _TELLS_OF_NOW.search(so)):
        return found.group()
    return f" {found['is'] or found['that'] or 'is'} {so}." if asked.of_now else ""


def _without_what_it_is(found: re.Match[str], asked: Asked) -> str:
    """ "The open door would be closed": that it is open only tells what it is before."""
    so, whole = found["so"].lower(), f"the {found['what']}".lower()
    told = any(opposed(so, state) or same_state(so, state) for state in asked.states)
    named = stem(found["what"].lower()) == asked.subject and whole in asked.whole.lower()
    return whole if told and named else found.group()
