"""A reply in the question's own words, where it has other words for the same: "the bridge", of a footbridge."""

import re
from typing import Final

from countersight.reading.language.rewordings import subject_of
from countersight.reading.language.stems import counted_words
from countersight.reading.language.vocabulary import any_of, listed

_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
_SHORTEST_NAME, _SHORTEST_REST = 4, 3  # letters: "boat" of a sailboat, but not the "rain" of a train
_WHERE = any_of("questions.prepositions")
_ASKS_WHERE = re.compile(
    rf"^\W*(?:is|are|was|were) (?:there )?[\w ]{{3,40}}? (?:be )?{_WHERE} (?:the|an?|its|his|her)\b", re.IGNORECASE
)
_IS_DOING = re.compile(r"^\W*(?:is|are|was|were|would) [\w ]*\w+ing\b", re.IGNORECASE)
# "The cat sits under the chair": it is there.
_STAYS = re.compile(
    rf"\b(?:(?P<is>is|are|be) (?:still |now )?{any_of('states.staying_there')}"
    rf"|(?P<stays>{any_of('states.stays_there')})|{any_of('states.stay_there')})"
    rf"(?= (?:right |just |directly )?{_WHERE}\b)",
    re.IGNORECASE,
)
_HAVE_TO = re.compile(r"\bhave to\b", re.IGNORECASE)
_NEED_TO = re.compile(r"\b(?:need to|be (?:forced|obliged|compelled|required) to)\b(?! be\b)", re.IGNORECASE)
_MADE_OF: Final = {line[0]: line[1] for line in listed("states.materials")}
_MEASURES: Final = tuple(tuple(frozenset(side.split("/")) for side in line) for line in listed("states.measures"))
_MATERIAL = "|".join(_MADE_OF.values())
_ASKS_WHAT_OF = re.compile(rf"\bmade of (?P<what>{_MATERIAL})\b", re.IGNORECASE)
_LIKE = re.compile(
    rf"\b(?P<is>is|are|be)(?: an?)? (?P<like>{'|'.join(_MADE_OF)})(?: \w+)?(?=\W*(?:[.,;]|$))", re.IGNORECASE
)
_OF_WHAT = re.compile(rf"(?<!not )\bmade (?:out )?of (?P<what>{_MATERIAL})(?=\W*(?:[.;]|$))", re.IGNORECASE)
_BEEN_TO = re.compile(r"\bbeen (?P<where>(?:to|in|at|on) .+?)\W*$", re.IGNORECASE)
_BEEN_THERE = re.compile(r"\bbeen there\b", re.IGNORECASE)
_ASKS_IF_INSIDE = re.compile(r"\b(?:inside|in) (?:the|an?|his|her|its|their)\b", re.IGNORECASE)
_OUTSIDE = re.compile(r"\boutside(?=\W*(?:[.,;]|$))", re.IGNORECASE)
_ENOUGH = re.compile(r"\b(?P<what>\w+) enough\b", re.IGNORECASE)
_TOO = re.compile(r"\btoo (?P<what>\w+)\b(?! to\b)", re.IGNORECASE)
_NOTHING = re.compile(
    r"(?P<not>\b(?:not|never|cannot)\b|n't\b)(?P<does>(?: \w+){1,3}?) (?:anything|a thing)(?=\W*(?:[.,;]|$))",
    re.IGNORECASE,
)
_DOES_NOTHING = re.compile(r"\b(?P<does>\w{3,}?)s nothing(?=\W*(?:[.,;]|$))", re.IGNORECASE)

_IE = re.compile(r"ie$")
_HAS_NO = re.compile(
    r"\b(?P<does>wear|hold|carry|show|contain|need|have|use|see|reach|touch)s? no "
    r"(?!doubt|problem|trouble|difficulty|difference|longer|one\b|reason|effect|way\b|idea|other)(?=\w)",
    re.IGNORECASE,
)
# "Nobody could overlook that it is open"; to whether one could, that is an answer.
_UNDENIABLY = re.compile(rf"(?:^|(?<=[.!?;,] )){any_of('rewordings.undeniably')} (?=\w)", re.IGNORECASE)
_ASKS_IF_DENIED = re.compile(r"\b(?:overlook|den[yi]|miss|doubt|dispute|notice)", re.IGNORECASE)
# "Not open but closed" is closed, not open.
_DENIED = r"(?P<not>(?!(?:only|just|merely|simply)\b)[a-z]+(?: [a-z]+)?)"
_NOT_BUT = re.compile(
    rf"\b(?P<is>is|are|be)(?:n't| not) {_DENIED},? but (?:instead |rather )?"
    r"(?P<but>(?!(?:not|also|still|only|nearly|almost)\b)[a-z]+(?: [a-z]+)?)(?=\s*(?:[.;!]|$))",
    re.IGNORECASE,
)
_OWN_VERB = re.compile(r"\b(?:it|he|she|they|is|are|has|have|can|could|would|will|does|do|might|may)\b", re.IGNORECASE)
# "Both doors are open", where one of them was asked for.
_BOTH = re.compile(
    r"(?:^|(?<=[.!?;,] ))both(?: of (?:them|these|those|the (?P<them>\w+))| (?:the )?(?P<both>\w+))?"
    r" (?=(?:are|look|seem|would|will)\b(?! not))",
    re.IGNORECASE,
)
_ASKS_OF_ONE = re.compile(
    r"\W*(?:is|does|was|has|would|will) the (?!.*\b(?:only|both|same|different|together|alone|than|one|as|other)\b)",
    re.IGNORECASE,
)
# "She is dry now and would stay that way": she would stay dry.
_STAYS_SO = r"would (?:still |just )?(?:remain|stay|be) (?:so|th(?:at|is) way|like th(?:at|is))\b"
_AND_STAYS = re.compile(
    r"\b(?:is|are) (?:still |already |now |currently )?(?P<so>[a-z]+(?: [a-z]+){0,2}?)(?: now| currently)?,? and"
    rf" (?:(?:it|he|she|they) )?{_STAYS_SO}",
    re.IGNORECASE,
)
_DONE: Final[dict[str, str]] = listed("states.done")
_ASKS_IF_DONE = re.compile(r"\W*(?:has|have|did)\b", re.IGNORECASE)
_TO_COME = re.compile(
    rf"\b(?:(?:is|are|has|have) (?:only |just |still )?(?:about|yet|going) to (?P<soon>{'|'.join(_DONE)})"
    rf"|(?:will|would) (?:only )?(?P<later>{'|'.join(_DONE)})(?: later| soon| tomorrow)?)\b",
    re.IGNORECASE,
)
_ASKS_IF_STOPPED = re.compile(
    r"\W*(?:(?P<has>has|have)|would|will)\b[^,]*\b(?P<stop>stop(?:ped)? (?P<what>\w+ing))\b", re.IGNORECASE
)
# "No guest would not stay"; "no guest would be without a chair", which by now reads "would not have".
_NONE_WOULD_NOT = re.compile(
    r"(?:^|(?<=[.!?;,] ))(?:(?:no|not a single|not one) (?P<who>(?!one\b)\w+)|nobody|no one) (?:would|will) not (?=\w)",
    re.IGNORECASE,
)
_ASKS_IF_WITHOUT = re.compile(r"\b(?:without|lack|not have)\b", re.IGNORECASE)
_WHOM = r"(?P<who>it|him|her|them|the \w+(?: \w+)??)"
_NO_CHANCE_OF = re.compile(
    rf"\bthere(?:'s| is| would be) no (?:chance|danger|risk|possibility|way) of {_WHOM} (?P<doing>\w+ing)\b",
    re.IGNORECASE,
)
_ASKS_WHO_WINS = re.compile(r"\b(?:win|lose)\b", re.IGNORECASE)
_ENDS_LEVEL = re.compile(
    r"\b(?:the (?:game|match|score|contest|race)|it) would (?:then |still )?(?P<not>not )?(?:end|finish|be|result)"
    r"(?: in)?(?: a)? (?:tied?|draw|level)(?=\s*(?:[.,;!]|$))",
    re.IGNORECASE,
)
# What a sign forbids is forbidden.
_ASKS_IF_ALLOWED = re.compile(r"\b(?:allow|permit|forbid|prohibit|bann)", re.IGNORECASE)
_SIGN = r"\b(?:the|a) (?:sign|notice|rules?|signs)\b(?: (?:on|at|in|by|near) the \w+)?"
_SIGN_SAYS = re.compile(
    rf"{_SIGN} (?:clearly )?(?:says?|states?|indicates?|shows?)(?: that)? (?=[\w ]+ (?:is|are)\b)", re.IGNORECASE
)
_SIGN_FORBIDS = re.compile(
    rf"{_SIGN} (?P<not>(?:does|do)(?:n't| not) )?(?:(?P<allows>allow|permit)|forbid|prohibit|ban)s?"
    r" (?P<what>[\w ]+?)(?=[.,;!]|$)",
    re.IGNORECASE,
)
_BAN_ON = re.compile(r"\bthere(?:'s| is) (?:(?P<no>no)|an?) ban on (?P<what>\w+)", re.IGNORECASE)


def in_its_words(text: str, question: str) -> str:
    """The text with the question's names for things, its "is" for "sits" and "lies", and its "have to"."""
    text = _by_its_name(text if _ASKS_IF_DENIED.search(question) else _UNDENIABLY.sub("", text), question)
    text = _AND_STAYS.sub(r"would stay \g<so>", _NOT_BUT.sub(_rather, text))
    if not _ASKS_IF_WITHOUT.search(question):
        text = _NONE_WOULD_NOT.sub(lambda found: f"every{' ' + found['who'] if found['who'] else 'one'} would ", text)
    text = _NO_CHANCE_OF.sub(lambda found: f"{subject_of(found)} would not be {found['doing']}", text)
    if _ASKS_WHO_WINS.search(question):
        text = _ENDS_LEVEL.sub(lambda found: f"there would {found['not'] or ''}be a tie", text)
    if _ASKS_IF_ALLOWED.search(question):
        text = _BAN_ON.sub(lambda found: f"{found['what']} is {'not ' if found['no'] else ''}forbidden", text)
        text = _SIGN_FORBIDS.sub(_is_allowed, _SIGN_SAYS.sub("", text))
    if stopped := _ASKS_IF_STOPPED.match(question):
        text = _as_stopped(text, stopped)
    if _ASKS_OF_ONE.match(question):
        text = _BOTH.sub(lambda found: "they all " if _is_of_them(found, question) else found.group(), text)
    if _ASKS_IF_DONE.match(question):
        text = _TO_COME.sub(lambda found: f"has not {_DONE[(found['soon'] or found['later']).lower()]}", text)
    if _ASKS_WHERE.match(question) and not _IS_DOING.match(question):
        text = _STAYS.sub(lambda found: found["is"] or ("is" if found["stays"] else "are"), text)
    if _HAVE_TO.search(question):
        text = _NEED_TO.sub("have to", text)
    if asked := _ASKS_WHAT_OF.search(question):
        text = _of_what(text, asked["what"].lower())
    if been := _BEEN_TO.search(question):
        text = _BEEN_THERE.sub(lambda _: been.group(), text)
    if _ASKS_IF_INSIDE.search(question):
        text = _OUTSIDE.sub("outside it", text)
    if enough := _ENOUGH.search(question):
        contraries = _contraries(enough["what"].lower())
        text = _TOO.sub(lambda too: f"not {enough.group()}" if too["what"].lower() in contraries else too.group(), text)
    text = _HAS_NO.sub(r"do not \g<does> any ", text)
    return _DOES_NOTHING.sub(
        lambda found: f"does not {_IE.sub('y', found['does'])}", _NOTHING.sub(r"\g<not>\g<does>", text)
    )


def _rather(found: re.Match[str]) -> str:
    """ "Is not open but closed", the other way round, so that the question's own state is told or denied by itself."""
    return found.group() if _OWN_VERB.search(found["but"]) else f"{found['is']} {found['but']}, not {found['not']}"


def _is_of_them(found: re.Match[str], question: str) -> bool:
    """Whether both, or all, are those of the question; both windows tell nothing of a door."""
    return {*counted_words(found["them"] or found["both"] or "")} <= {*counted_words(question)}


def _as_stopped(text: str, asked: re.Match[str]) -> str:
    """ "Is still crying", to whether she has stopped crying: she has not."""
    help_ = "has" if asked["has"] else "would"
    doing = "(?:is|are)" if asked["has"] else "(?:would|will)"
    goes_on = rf"\b{doing}(?P<not>n't| not| no longer)?(?: still)?(?: be| keep(?: on)?| continue| go on)?"
    told = re.compile(rf"{goes_on} {asked['what']}\b(?: anymore| any more)?", re.IGNORECASE)
    return told.sub(lambda found: f"{help_} {'' if found['not'] else 'not '}{asked['stop']}", text)


def _is_allowed(found: re.Match[str]) -> str:
    """ "The sign forbids smoking": smoking is forbidden."""
    return f"{found['what']} is {'not ' if found['not'] else ''}{'allowed' if found['allows'] else 'forbidden'}"


def _of_what(text: str, wanted: str) -> str:
    """ "A wooden bench" is made of wood, and what is made of metal is not."""
    text = _LIKE.sub(lambda found: f"{found['is']} made of {_MADE_OF[found['like'].lower()]}", text)
    return _OF_WHAT.sub(lambda found: f"{'' if found['what'].lower() == wanted else 'not '}made of {wanted}", text)


def _contraries(measure: str) -> frozenset[str]:
    """The words for what is too little of it: what is too narrow is not wide enough."""
    return frozenset[str]().union(*(line[1 - side] for line in _MEASURES for side in (0, 1) if measure in line[side]))


def _by_its_name(text: str, question: str) -> str:
    """ "The bridge", to a question about a footbridge, is that."""
    asked = {word.lower() for word in _WORD.findall(question)}
    longer = [word for word in asked if len(word) >= _SHORTEST_NAME + _SHORTEST_REST and not word.endswith("ing")]
    for name in {word.lower() for word in _WORD.findall(text)} - asked if longer else ():
        whole = [word for word in longer if word.endswith(name) and len(word) - len(name) >= _SHORTEST_REST]
        if len(name) >= _SHORTEST_NAME and len(whole) == 1:
            text = re.sub(rf"\b[Tt]he {name}\b", f"the {whole[0]}", text)
    return text
