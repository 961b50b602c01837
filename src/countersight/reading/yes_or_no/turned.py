"""Questions for what hinders: whether it is too heavy for him to lift is whether he is not able to lift it.

A reply to them that names the deed ("he cannot lift it", "it is too heavy to lift") says nothing to the hindrance by
its own "not": it is held against the deed, denied. One that names only the hindrance ("it is too heavy") is not.
"""

import re
from collections.abc import Callable
from typing import Final

from countersight.reading.language.asked import content
from countersight.reading.language.opposites import states
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of, found
from countersight.reading.yes_or_no.negation import NEGATED

_THING = r"(?:it|he|she|they|(?:the|a|an|his|her|its|their|this|that|these|those) (?:[\w'-]+ ){0,3}?[\w'-]+|\w+)"
_BEING = r"(?P<is>is|are|was|were|would|will)"
_REST = r"(?P<rest>(?: (?:if|when|without|in|after|with|unless)\b.*)?)\W*$"
_TOO = re.compile(
    rf"^\W*{_BEING} (?P<what>(?!there\b){_THING})(?: (?:still|then|now))?(?P<be> be)? (?:far |much |way )?too"
    rf" (?P<how>[\w-]+)(?: (?:up|away|down))?(?: for (?P<who>{_THING}))? to (?P<deed>[\w' -]+?){_REST}",
    re.IGNORECASE,
)
_FROM_DOING = rf"from (?P<deed>\w+ing\b[\w' -]*?){_REST}"
_KEPT = re.compile(
    rf"^\W*(?P<is>does|do|did|would|will|can|could) (?:\w+ing )?{_THING} (?:still |then )?"
    rf"{any_of('yes_no.keeping_from')} (?P<who>{_THING}) {_FROM_DOING}",
    re.IGNORECASE,
)
_IS_KEPT = re.compile(
    rf"^\W*{_BEING} (?P<who>{_THING})(?: (?:still|then))? (?:be |being )?{any_of('yes_no.kept_from')} {_FROM_DOING}",
    re.IGNORECASE,
)
_HARD = re.compile(
    rf"^\W*{_BEING} it (?:still |then )?(?P<be>be )?(?:very |too )?(?:hard|difficult|tough|tricky)"
    rf" for (?P<who>{_THING}) to (?P<deed>[\w' -]+?){_REST}",
    re.IGNORECASE,
)
_TROUBLE = re.compile(
    rf"^\W*(?P<is>would|will|does|do|did) (?P<who>{_THING})(?: still)? have (?:any )?"
    rf"(?:trouble|difficulty|difficulties|problems?) (?P<deed>\w+ing\b[\w' -]*?){_REST}",
    re.IGNORECASE,
)
_LETS = re.compile(
    rf"^\W*(?P<is>would|will) (?:\w+ing )?{_THING} (?:let|allow|enable)"
    rf" (?P<who>{_THING}) (?:to )?(?P<deed>[\w' -]+?){_REST}",
    re.IGNORECASE,
)
_RUNS_OUT = re.compile(
    rf"^\W*(?P<is>would|will|does|do|did|has|have) (?P<who>{_THING}) run out of (?P<deed>[\w' -]+?){_REST}",
    re.IGNORECASE,
)
_LETTING = re.compile(r"\b(?:let|allow|enabl|help)", re.IGNORECASE)
_NOT_KEPT = re.compile(rf"(?:\bnot|n't|\bnever) (?:\w+ly )?{any_of('yes_no.keeping_from')}", re.IGNORECASE)
_ENOUGH = re.compile(r"\b(?:enough|plenty)\b", re.IGNORECASE)
_LEFT = re.compile(r"\b(?:left|remain\w*)\b", re.IGNORECASE)
_HOW_HARD = found("yes_no.done_with_ease", "yes_no.hardly_done")
_OBSTACLE = found("yes_no.obstacles")
_NO_OBSTACLE = re.compile(rf"\b(?:no|without|not \w+ any)(?: any| much)? {any_of('yes_no.obstacles')}", re.IGNORECASE)


def turned(question: str, text: str) -> str:
    """The question for the deed, denied, where it asks for what hinders that and a text speaks of the deed."""
    too = _TOO.match(question)
    if too and re.search(rf"(?:n't|not)(?: be)? too {too['how']}\W*(?:$|[.;,])", text, re.IGNORECASE):
        return f"{too['is']} {too['what']}{too['be'] or ''} too {too['how']}{too['rest']}?"  # "so it is not too heavy"
    if too and _ENOUGH.search(text) and " too " not in text and not content(too["deed"]) & content(text):
        return f"{too['is']} {too['what']}{too['be'] or ''} too much{too['rest']}?"  # "she is not strong enough"
    for pattern, way in _WAYS.items():
        asked = pattern.match(question)
        if asked and (_is_named(asked["deed"], text) or (states(asked["deed"]) and states(text))):
            return way(asked, text)
    return question


def _is_named(deed: str, text: str) -> bool:
    """Whether a text speaks of a deed, if only by a verb that means little by itself: "it would turn"."""
    verb, told = (
        stem(deed.split()[0].lower()),
        {stem(word.lower()) for word in re.findall(r"[a-z]+", text, re.IGNORECASE)},
    )
    return bool(content(deed) & content(text)) or verb in told


def _not_able(asked: re.Match[str], _: str) -> str:
    who, what = asked["who"], f" {asked['what']}"
    able = "not be able to" if asked["be"] else "not able to"
    return f"{asked['is']} {who or what} {able} {asked['deed']}{what if who else ''}{asked['rest']}?"


def _not_done(asked: re.Match[str], text: str) -> str:
    if _NOT_KEPT.search(text):
        return asked.string  # "it would not stop her from falling"
    return f"{asked['is']} {asked['who']} not be able to {_in_the_form_of(text, asked['deed'])}{asked['rest']}?"


def _in_the_form_of(text: str, deed: str) -> str:
    """A deed with its verb as a text has it: "turn", of "turning", where the text says "turn"."""
    verb, _, rest = deed.partition(" ")
    forms = (verb[:-3], f"{verb[:-3]}e", verb[:-4]) if verb.endswith("ing") else ()
    plain = next((form for form in forms if re.search(rf"\b{form}\b", text, re.IGNORECASE)), verb)
    return f"{plain} {rest}".strip()


def _not_done_with_ease(asked: re.Match[str], text: str) -> str:
    """To do something is nothing to whether it is hard: only how it is done, or that it cannot be, is."""
    if _OBSTACLE.search(_NO_OBSTACLE.sub("", text)):
        return asked.string
    return _not_done(asked, text) if _HOW_HARD.search(text) else f"{asked['is']} it be hard{asked['rest']}?"


def _able(asked: re.Match[str], text: str) -> str:
    """Whether a longer cable would let the lamp stand there is whether it could, where a text speaks of the lamp."""
    named = content(text) & content(asked["who"]) and not _LETTING.search(text)
    return f"{asked['is']} {asked['who']} be able to {asked['deed']}{asked['rest']}?" if named else asked.string


def _none_left(asked: re.Match[str], text: str) -> str:
    if " run out" in text or (_ENOUGH.search(text) and not NEGATED.search(text)):
        return asked.string
    if _LEFT.search(text):
        return f"{asked['is']} there be no {asked['deed']} left{asked['rest']}?"
    return f"{asked['is']} {asked['who']} not have {asked['deed']}{asked['rest']}?"


_WAYS: Final[dict[re.Pattern[str], Callable[[re.Match[str], str], str]]] = {
    _TOO: _not_able,
    _KEPT: _not_done,
    _IS_KEPT: _not_done,
    _HARD: _not_done_with_ease,
    _TROUBLE: _not_done_with_ease,
    _RUNS_OUT: _none_left,
    _LETS: _able,
}
