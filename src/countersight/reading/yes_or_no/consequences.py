"""What comes of it, told in a roundabout way: "a push would not be enough to make it fall" says that it would not."""

import re

from countersight.reading.language.asked import Asked, content
from countersight.reading.language.clauses import MODAL
from countersight.reading.language.rewordings import NOMINATIVE, subject_of
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of

_WHO = r"(?P<who>it|him|her|them|the \w+(?: \w+)??)"
_SOMEBODY = r"(?P<whom>it|him|her|them|the \w+(?: \w+)??)"
_HELP = (
    rf"(?P<help>{MODAL}|\b(?:is|are|was|has|have|does|do|can)(?:n't)?)(?P<not> not| never| hardly)?(?: still| even)?"
)
_MAKE = (
    rf"(?:(?!make it {any_of('rewordings.arriving')})(?:(?:make|cause) {_WHO} (?:to )?|get {_SOMEBODY} to )"
    rf"(?!{any_of('rewordings.makes_way')})(?=\w)"
    r"|(?P<verb>\w+)(?P<so>(?: (?:out|up|off|down|over))?) (?P<what>it|them|the \w+(?: \w+)?)(?=\W*(?:$|[.,;])))"
)
_TO_MAKE = rf"(?:to {_MAKE}|for (?P<for>it|him|her|them|the \w+(?: \w+)??) to (?=\w))"
_ENOUGH = re.compile(
    rf"{_HELP}(?: be)? (?:(?:\w+ )?enough|sufficient|suffice)(?: force| weight)? {_TO_MAKE}",
    re.IGNORECASE,
)
_TOO_LITTLE = re.compile(rf"{_HELP}(?: be)? (?:far |much |way )?(?P<too>too) \w+ to {_MAKE}", re.IGNORECASE)
_TAKES_MORE = re.compile(
    rf"\bit would (?:take|need|require) (?P<no>no )?(?:a lot |much |far |rather )?more than [\w' ]{{1,40}}? to {_MAKE}",
    re.IGNORECASE,
)
_LEADS_TO = re.compile(
    rf"{_HELP} (?:lead to|result in|end in|end with) (?P<who>it|him|her|them|the \w+(?: \w+)?) (?=\w+ing\b)",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r"\bthe (?:result|outcome|consequence|end result) (?P<help>would|will|wouldn't)(?P<not> not)? be (?:that )?"
    r"(?P<who>it|he|she|they|the \w+(?: \w+)??) (?:would |will )?(?=(?P<doing>\w+ing\b)?)",
    re.IGNORECASE,
)
_KEPT_BY_NOTHING = re.compile(
    r"(?:\bthere (?:is|would be) no way (?:of|to) |\bnothing (?:would|could|can) (?!keep|stop|prevent))"
    rf"{any_of('yes_no.saving')} {_WHO} from (?=\w+ing\b)",
    re.IGNORECASE,
)
_NOT_SAVED = re.compile(
    rf"{_HELP} (?:(?P<save>save|protect|shield|spare)|keep|stop|prevent) {_WHO} from (?P<doing>\w+ing)\b",
    re.IGNORECASE,
)
_SAFE = rf"(?:(?P<safe>safe|{any_of('yes_no.saved')}|in no danger|far)|in danger)"
_SAFE_FROM = re.compile(rf"{_HELP}(?P<be> be)? {_SAFE} (?:from|of) (?=\w+ing\b)", re.IGNORECASE)
_HAS_NO = re.compile(
    rf"{_HELP} ?(?:have )?(?:(?P<no>no|little) (?:chance|hope|prospect|possibility|means|way) of"
    r"|no (?:way|chance) (?:to (?:keep|refrain)|of keeping) from|no way (?:to avoid|of avoiding)) (?=\w+ing\b)",
    re.IGNORECASE,
)
_ENDS_UP = re.compile(rf"(?P<help>{MODAL}(?: not)?) end up (?=\w+ing\b)", re.IGNORECASE)
_CANNOT_BUT = re.compile(r"\b(?:could|can|would)(?:n't| ?not) (?:help )?but (?=\w)", re.IGNORECASE)
_MUST = re.compile(rf"\bit (?:is|would be) impossible for {_WHO} not to (?=\w)", re.IGNORECASE)
_FAR_ENOUGH = re.compile(
    r"(?P<can>\b(?:could|can|would)(?: ?not|n't)?) (?:get|come|go|jump|climb|stretch|move|swim)"
    r" (?:far|high|close|near) enough to (?=\w)",
    re.IGNORECASE,
)
_HAD_TO_BE = re.compile(
    rf"\b(?:would|will) (?:have|need) to be (?:much |far |a lot )?(?:\w+er|more \w+) (?:for {_WHO} )?to (?=\w)",
    re.IGNORECASE,
)
_ASKS_OF_NEED = re.compile(r"\b(?:have|need) to\b|\bdanger\b|\bsafe\b", re.IGNORECASE)
_FREE_WAY = r"(?:clear|free|open|easy|unobstructed) (?:way|path|route|run|line|shot)"
_TO_WHERE = r"(?:to|out of|into|through|past|across|at) (?P<where>it|(?:the|an?) [\w ]+?)(?=\W*(?:$|[.,;]))"
_CLEAR_WAY = re.compile(
    r"(?:^|(?<=[.!?;,] ))(?P<who>(?:the |its |his |her )?[\w ]+?) (?:would(?: then| still)? have|has|have|'d have)"
    rf" (?:an? )?(?P<no>no )?{_FREE_WAY} {_TO_WHERE}",
    re.IGNORECASE,
)
_NOTHING = re.compile(r"\b(?:nothing|nobody|no \w+)\W*$", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
_HEDGES = ("might", "may", "could")


def told_of_its_end(text: str, asked: Asked) -> str:
    """The text with what would or would not happen in place of what it takes, leads to, or keeps one from it."""
    text = _TAKES_MORE.sub(lambda found: _made(found, asked, denied=not found["no"]), text)
    text = _TOO_LITTLE.sub(lambda found: _made(found, asked, denied=True), text)
    text = _ENOUGH.sub(lambda found: _made(found, asked, denied=_is_denied(found)), text)
    text = _LEADS_TO.sub(lambda found: f", {subject_of(found)} {_would(found, denied=_is_denied(found))} be ", text)
    text = _RESULT.sub(_results, text)
    text = _KEPT_BY_NOTHING.sub(lambda found: f"{subject_of(found)} would be ", text)
    text = _NOT_SAVED.sub(lambda found: _not_saved(found, asked), text)
    text = _CANNOT_BUT.sub("would ", text)
    if not asked.of_ability:
        text = _MUST.sub(lambda found: f"{subject_of(found)} would ", text)
    text = _ENDS_UP.sub(r"\g<help> be ", _FAR_ENOUGH.sub(r"\g<can> ", text))
    if _ASKS_OF_NEED.search(asked.text):
        return text
    text = _HAS_NO.sub(lambda found: f"{_would(found, denied=bool(found['no']))} be ", text)
    text = _SAFE_FROM.sub(_spared, text)
    text = _HAD_TO_BE.sub(lambda found: f", {subject_of(found)} could not " if found["who"] else "could not ", text)
    return _CLEAR_WAY.sub(lambda found: _by_its_way(found, asked), text) if asked.of_ability else text


def _is_denied(found: re.Match[str]) -> bool:
    return bool(found["not"]) or found["help"].lower().endswith("n't")


def _would(found: re.Match[str], *, denied: bool) -> str:
    """The "would" of what was found, which stays a "might" where it was one."""
    help_ = found["help"].lower()
    return f"{help_ if help_ in _HEDGES else 'would'}{' not' if denied else ''}"


def _made(found: re.Match[str], asked: Asked, *, denied: bool) -> str:
    """ "Enough to make the cup fall": the cup would fall. What it takes to break it, to whether it would break."""
    told = found.groupdict()
    if told.get("too") and _is_denied(found):
        return found.group()
    would = _would(found, denied=denied) if "help" in told else f"would{' not' if denied else ''}"
    if told["verb"]:
        deed, what = f"{told['verb']}{told['so']}", told["what"]
        if stem(told["verb"].lower()) not in asked.words | content(told["so"]) or not content(what) <= asked.words:
            return found.group()
        if content(what) <= {asked.subject} and not told["so"]:
            return f", {what} {would} {deed}"
        return found.group() if told.get("too") else f"{'' if 'help' in told else 'it '}{would} {deed} {what}"
    if told.get("for") and asked.of_ability:
        would = f"could{' not' if denied else ''}"
    who = (told["who"] or told["whom"] or told["for"]).lower()
    return f", {NOMINATIVE.get(who, who)} {would} "


def _results(found: re.Match[str]) -> str:
    return f"{found['who']} would {'not ' if _is_denied(found) else ''}{'be ' if found['doing'] else ''}"


def _not_saved(found: re.Match[str], asked: Asked) -> str:
    """ "The tarp would not save him from getting wet": he gets wet. Whom nothing stops need not do it, but he could."""
    denied, would = _is_denied(found), "could" if asked.of_ability else "would"
    certain = found["save"] or (denied and (asked.of_ability or found["doing"].lower() == "getting"))
    if not certain or found["help"].lower() in _HEDGES or _NOTHING.search(found.string[: found.start()]):
        return found.group()
    own = (word for word in _WORD.findall(asked.text) if stem(word.lower()) == stem(found["doing"].lower()))
    return f", {subject_of(found)} {would} {'' if denied else 'not '}{next(own, 'be ' + found['doing'])}"


def _spared(found: re.Match[str]) -> str:
    """ "Not safe from getting wet" gets wet; who is in danger of it may, and may not."""
    if not found["safe"]:
        return f"{_would(found, denied=True)} be " if _is_denied(found) else found.group()
    far = found["safe"].lower() in ("far", "in no danger")
    if far and _is_denied(found):
        return found.group()
    denied = not _is_denied(found)
    return f"{_would(found, denied=denied)} be " if found["be"] else f"is {'not ' if denied else ''}"


def _by_its_way(found: re.Match[str], asked: Asked) -> str:
    """ "The dog would have a clear way out of the yard": it could do what was asked, if that is where to."""
    own = content(found["who"]) <= {asked.subject} and content(found["where"]) <= asked.words
    return f"{found['who']} could{' not' if found['no'] else ''}" if own else found.group()
