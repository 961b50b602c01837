"""Whether a place is clear of something, and whether something bars a way, told of the one or of the other."""

import re

from countersight.reading.language.asked import content
from countersight.reading.language.stems import counted_words
from countersight.reading.language.vocabulary import any_of, found

_LACKING = found("yes_no.lacking_what_is_asked")
_ASKS_FOR_ANY = re.compile(
    r"^\W*(?:is|are) there (?:any|an?|some) (?P<what>[\w ]+?)"
    r" (?P<where>(?:on|in|at|inside|along) (?P<place>(?:the|his|her|this) [\w ]+?))\W*$",
    re.IGNORECASE,
)
_FAR_FROM = re.compile(
    r"\b(?:is|are|would be|be) (?:far from|anything but)(?= (?:free|clear|empty|easy)\b)", re.IGNORECASE
)
_HOW_FULL = rf"(?:(?P<free>free|clear|cleared|empty|devoid|rid|swept clean)|{any_of('states.full')})"
_OF_WHAT = r"(?:of|from|in|with|by)(?: any| many| all)? (?P<what>[\w ]+?)(?=\W*(?:$|[.,;]))"
_FULL_OF = re.compile(
    r"\b(?P<who>it|(?:the|his|her) [\w ]+?) (?:is|are|has been)(?P<not>n't| not| no longer)?(?: \w+ly| all)? "
    rf"{_HOW_FULL} {_OF_WHAT}",
    re.IGNORECASE,
)
_ASKS_IF_BARRED = re.compile(
    r"^\W*(?:is|are) (?P<what>the [\w ]+?) (?:still )?(?:blocked|obstructed|barred)(?: by (?P<by>the [\w ]+?))?\W*$",
    re.IGNORECASE,
)
_IS_THERE = r"(?: (?:is|are|stands|lies|being))?(?P<not>n't| not| no longer)?(?: (?:standing|lying|left))?"
_IN_THE_WAY = re.compile(
    r"(?:^|(?<=[.!?;,] ))(?:there (?:is|are) )?(?P<by>nothing|(?:the|an?|some) [\w ]+?)"
    rf"{_IS_THERE} in (?:the|its) way(?=\W*(?:$|[.,;]))",
    re.IGNORECASE,
)
_ASKS_IF_STOPPED = re.compile(
    r"^\W*(?P<is>would|will|could|does) (?P<what>the [\w ]+?) (?:stop|block|hinder|hold up|hold back) "
    r"(?P<whom>the [\w ]+?)(?:'s (?:way|path|passage))?(?P<rest>(?:,? if .*)?)\W*$",
    re.IGNORECASE,
)
_GETS_PAST = re.compile(
    r"\b(?:get|go|walk|run|squeeze|slip|step)(?P<ing>ting|ping|ning|ing)?"
    r"(?: right| straight| easily)? (?:past|around|by) (?=(?:it|the \w+)\b)",
    re.IGNORECASE,
)


def of_free_ways(text: str, question: str) -> tuple[str, str]:
    """A text and a question in the same words: "there are no toys on the floor" for a floor that is clear of toys."""
    text = _FAR_FROM.sub(lambda found: f"{'would not be' if found.group().startswith('would') else 'is not'}", text)
    there = _ASKS_FOR_ANY.match(question)
    if there:
        text = _FULL_OF.sub(lambda found: _is_there(found, there), text)
    elif _LACKING.search(question):
        text = _FULL_OF.sub(lambda found: found.group() if found["free"] else _has(found), text)
    if barred := _ASKS_IF_BARRED.match(question):
        text = _IN_THE_WAY.sub(lambda found: _is_barred(found, barred), text)
    stopped = _ASKS_IF_STOPPED.match(question)
    if stopped and _GETS_PAST.search(text) and not content(stopped["what"]) & content(stopped["whom"]):
        text = _GETS_PAST.sub(lambda found: "getting past " if found["ing"] else "get past ", text)
        question = f"{stopped['is']} {stopped['whom']} not be able to get past {stopped['what']}{stopped['rest']}?"
    return text, question


def _is_there(found: re.Match[str], there: re.Match[str]) -> str:
    """ "The floor is not free of toys": there are toys on the floor, if that is where they were asked for."""
    own = {*counted_words(there["what"])} == {*counted_words(found["what"])}
    if not own or not content(found["who"]) <= content(there["place"]):
        return found.group()
    none = bool(found["free"]) != bool(found["not"])
    return f"there are {'no ' if none else ''}{there['what']} {there['where']}"


def _has(found: re.Match[str]) -> str:
    return f"{found['who']} {'does not have' if found['not'] else 'has'} {found['what']}"


def _is_barred(found: re.Match[str], barred: re.Match[str]) -> str:
    """ "There is nothing in the way": it is not blocked. What blocks it is the asked one, or anything."""
    by, wanted = found["by"], barred["by"] or ""
    if by.lower() == "nothing":
        return f"{barred['what']} is not blocked"
    if (wanted and not content(wanted) <= content(by)) or (found["not"] and not wanted):
        return found.group()
    return f"{barred['what']} is {'not ' if found['not'] else ''}blocked{' by ' + wanted if wanted else ''}"
