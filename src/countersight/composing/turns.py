"""Turns of phrase, said plainly: "one and then another" is two, "all bar one" is all except one."""

import re
from typing import Final

from countersight.composing.asked import Asked
from countersight.composing.paraphrases import NUMBER
from countersight.composing.vocabulary import KINDS, is_verb, number_of, plural, thing_of

_NOT: Final = re.compile(r"\b(was|were|did)n['’]t (?=(?:replaced|(?:brought|put|come) back|return(?:ed)?)$)")
_NOT_REPLACED: Final = re.compile(
    r" (?:and|but) (?:(?:was|were|did) )?(?:not|never) (?:replaced|(?:brought|put|come|came) back|return(?:ed)?)$"
)
_MORE: Final = rf"(?:another(?: one)?|(?P<more>{NUMBER}) more)"
_THEN: Final = r"and then "
_DID: Final = rf"(?P<did>(?:(?!\b(?:{NUMBER}|a|an)\b)[a-z ])+?)"
_ONE_THEN_ANOTHER: Final = (
    re.compile(rf"\b(?P<many>one) {_THEN}{_MORE}$"),
    re.compile(rf"\b(?P<many>{NUMBER}|a|an) (?P<what>(?!of\b)\w+) {_THEN}{_MORE}$"),
    re.compile(rf"^(?P<many>{NUMBER}) (?=of ){_DID} {_THEN}{_MORE}$"),
    re.compile(rf"^(?P<many>{NUMBER}|a|an) (?P<what>(?!of\b)\w+) {_DID} {_THEN}{_MORE}$"),
    re.compile(rf"^(?:first )?(?P<many>one) {_THEN}another (?P<did>.+)$"),
)
_SHARE: Final = rf"(?:half|(?:a|one) (?:third|quarter)|only (?:{NUMBER}))"
_WERE_THERE: Final = re.compile(
    rf"^(?P<only>only )?(?P<who>{_SHARE} of (?:them|the \w+)) (?:was|were) "
    r"(?P<where>there|here|(?:in|on|at|under) (?:it|the [\w ]+))$"
)
_BAR: Final = re.compile(
    rf"\b(?P<all>every \w+|all(?: of)? the \w+)(?P<at> (?:in|on|at) (?:it|the \w+))? (?P<did>[a-z ]+?),? "
    rf"(?:bar|save|except(?: for)?) (?P<but>{NUMBER})(?: of them)?$"
)
_WON_BACK: Final = re.compile(rf"\b(?:won|got|bought) ({NUMBER})(?: of them)? back and put (?:them|it) (?=in|on)")
_LOST_FROM: Final = re.compile(rf"\blost (?=(?:{NUMBER}) \w+ (?:out of|from) )")
_ONLY_BACK: Final = re.compile(rf"(?P<all>\ball\b.* and )(?:then )?only ({NUMBER})(?: of them)? (\w+) back in$")
_USED_FOR: Final = re.compile(r"(\bused(?: up)? .+) for (?:a|an|the|his|her|their|my|our) (\w+)$")
_NONE_AT_ALL: Final = re.compile(
    r"^there was nothing(?: at all| whatsoever| left)*(?P<at> (?:in|on|at|under) (?:it|(?:the|this)(?: \w+){1,2}))$"
)
_NOT_A_SINGLE: Final = re.compile(r"\bthere (?:was|were) not a single (\w+)\b")


def in_few_words(text: str, asked: Asked) -> str:
    """A supposition without the turns of phrase that say a number in a roundabout way."""
    told = _NOT_REPLACED.sub("", _NOT.sub(r"\1 not ", text))
    told = _BAR.sub(r"\g<all> except \g<but>\g<at> \g<did>", _WERE_THERE.sub(_remained, told))
    told = _WON_BACK.sub(r"put \1 more ", _LOST_FROM.sub("took ", told))
    told = _ONLY_BACK.sub(r"\g<all>\2 more \3 in", _USED_FOR.sub(lambda found: _used(found, asked), told))
    for pattern in _ONE_THEN_ANOTHER:
        told = pattern.sub(_together, told)
    told = _NONE_AT_ALL.sub(lambda found: _nothing(found, asked), told)
    return _NOT_A_SINGLE.sub(lambda found: _none(found, asked), told)


def _nothing(found: re.Match[str], asked: Asked) -> str:
    """Where there is nothing there are none of them; what is in them does not matter."""
    side, *where = found["at"].split()
    is_there = side in asked.words and asked.head not in map(thing_of, where)
    return found[0] if not is_there else f"there were no {asked.name[-1]}{found['at']}"


def _remained(found: re.Match[str]) -> str:
    """Those who were there, of them, are those who remained."""
    return f"{found['only'] or ''}{found['who']} remained {found['where']}"


def _together(found: re.Match[str]) -> str:
    """One and another are two."""
    told = found.groupdict()
    many = (number_of(told["many"]) or 0) + (number_of(told.get("more") or "one") or 0)
    what = told.get("what") or ""
    return " ".join(filter(None, (str(many), plural(what) if what and not is_verb(what) else what, told.get("did"))))


def _used(found: re.Match[str], asked: Asked) -> str:
    """What they were used for need not be known, unless it is what is asked for."""
    return found[0] if thing_of(found[2]) in asked.words else found[1]


def _none(found: re.Match[str], asked: Asked) -> str:
    """Where there is no animal there are no sheep."""
    thing = thing_of(found[1])
    is_theirs = thing == asked.head or asked.head in KINDS.get(thing, ())
    return f"there were no {asked.name[-1]}" if is_theirs else found[0]
