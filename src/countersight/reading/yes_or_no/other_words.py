"""Plain words for what a reply tells by its signs, its degrees of likelihood and what is done to things."""

import re

from countersight.reading.language.asked import Asked, content
from countersight.reading.language.clauses import MODAL, MODAL_AT, sentences
from countersight.reading.language.rewordings import subject_of
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of, found
from countersight.reading.yes_or_no.negation import NEGATED

_STARTS = r"(?:^|(?<=[.!?;,:] )|(?<=[,.] so ))"
# "Very likely", "almost certainly": likely and certainly, so far as an answer goes.
_HOW_LIKELY = re.compile(
    r"(?<!not )(?<!the )\b(?:most|very|quite|almost|highly|extremely|fairly|pretty|rather|all but|more than)"
    r" (?=(?:likely|probabl[ey]|certainly|surely|definitely|certain that|safe to)\b)",
    re.IGNORECASE,
)
_IF_OR_THOUGH = r"(?:if|unless|whether|when|while|although|though|even|only|does|do|is|are|what|which)\b"
# "The puddles show that the street is wet": it is. What shows nothing, or only would, leaves it open.
_SHOWN = re.compile(
    rf"{_STARTS}(?!{any_of('yes_no.negation_words')}|little\b|few\b|{_IF_OR_THOUGH})"
    rf"(?:(?!not\b|never\b|{MODAL})[\w'-]+ ){{1,8}}?"
    rf"(?:{any_of('rewordings.showing')}|{any_of('rewordings.suggesting')}(?![^.!?]*[.!?]\s+\w)) (?=\w)"
    r"(?![^.!?]*\b(?:but|however|though|yet)\b)",
    re.IGNORECASE,
)
_NOT_UNABLE = re.compile(r"\b(?P<is>is|are|was|would)(?:n't| not)(?P<be> be)? unable (?=to\b)", re.IGNORECASE)
_WHOM = r"(?P<who>it|him|her|them|the \w+(?: \w+)?)"
_BRINGS_DOWN = re.compile(
    rf"(?P<would>{MODAL})(?P<not>(?: not)?)(?: \w+ly)? (?:bring|pull|knock) (?:{_WHOM} down|down (?P<what>the \w+))\b",
    re.IGNORECASE,
)
_HARMS = re.compile(
    rf"(?P<would>{MODAL})(?P<not>(?: not)?) do {_WHOM} (?:(?P<no>no|not any)|any|some|much|serious|great)? ?harm\b",
    re.IGNORECASE,
)
_COMES_TO_HARM = re.compile(r"\bcome to (?:(?P<no>no)|any|some)? ?harm\b", re.IGNORECASE)
_WITHOUT = re.compile(
    r"(?<!\bnot)(?<!\bis)(?<!\bare)(?<!\bbe)(?<!\bor),? without (?:(?:a single|any|an?) )?"
    r"(?P<what>\w+)(?! (?:is|are|has|was|can)\b)",
    re.IGNORECASE,
)
_PART = re.compile(
    rf"{_STARTS}(?:(?:one|both|all)(?: of)? )?(?P<whose>his|her|its|their) (?:\w+ )?"
    rf"{any_of('rewordings.parts_that_do')} (?P<does>(?:(?:is|are|would|can) (?:\w+ly )?)?"
    rf"{any_of('rewordings.done_by_a_part')})",
    re.IGNORECASE,
)
_DONE_BY_A_PART = found("rewordings.done_by_a_part")
_WHOSE = {"his": "he", "her": "she", "its": "it", "their": "they"}
# "A catch would mean the batter is out", "it would make parking impossible", "it could hardly fail to see it"
_MEANS = re.compile(
    rf"(?P<would>{MODAL}(?<!n't)) mean (?:that )?(?P<who>it|he|she|they|the \w+(?: \w+)?)"
    r" (?:(?P<be>is|are)|would|could|can)\b",
    re.IGNORECASE,
)
_MAKES_IT = re.compile(
    rf"(?:{MODAL}(?: still| also)? make|\bmakes) (?P<what>\w+ing|it(?=.* to\b)) (?P<how>impossible|possible)\b",
    re.IGNORECASE,
)
_NOT_FAIL = re.compile(r"\b(?:could|can|would)(?:n't| not|not| hardly| scarcely) fail to (?=\w)", re.IGNORECASE)
_NO_PLACE = r"(?:nowhere|nothing|no(?: \w+)? (?:place|spot|way|chance|room|space))(?: left| else| more)?"
_NOWHERE = re.compile(
    rf"(?:there(?:'d be| is| {MODAL} be) {_NO_PLACE} for {_WHOM}"
    rf"|(?P<has>(?:{MODAL} have|\b(?:has|have)) {_NO_PLACE}))"
    r" to (?!do\b|fear|worry|lose|say|stop|block|hold|keep|prevent|hinder|support|protect)(?=\w)",
    re.IGNORECASE,
)
_ALLOWING = re.compile(rf", (?:thus |thereby |so )?(?:allowing|enabling|letting) {_WHOM} (?:to )?(?=\w)", re.IGNORECASE)
_LEAVES_ROOM = re.compile(
    rf"\b(?P<who>[\w' ]{{2,40}}?) (?P<would>{MODAL}(?: not)?|(?=leaves)) ?leaves? "
    rf"(?=(?:{any_of('yes_no.some_room')}|{any_of('yes_no.no_room')}) (?:room|space)\b)",
    re.IGNORECASE,
)
_ASKS_OF_TWO = re.compile(
    r"^\W*(?P<is>is|are) (?P<one>the [\w ]+?) (?P<how>next to|beside|near|close to|far from|touching|facing|opposite)"
    r" (?P<other>(?:the|an?|his|her) [\w ]+?)\W*$",
    re.IGNORECASE,
)
_IMPOSSIBLE = re.compile(r"\b(?P<is>is|are|be)(?:n't| not) impossible\b", re.IGNORECASE)
_NOT_WITHOUT = re.compile(r"^\W*not without (?P<what>[\w' ]+)", re.IGNORECASE)
_GOT = re.compile(r"(?:'s|\bhas|'ve|\bhave) got\b(?! to\b)", re.IGNORECASE)
_RAINS = re.compile(r"\b(?P<what>rain|snow|hail) is (?:still )?(?:falling|coming down)", re.IGNORECASE)
_SOMEBODY_HAS = re.compile(
    rf"\b(?:someone|somebody) has (?:just |already )?(?P<done>\w+(?:ed|en)|shut|cut) {_WHOM}(?=\W*(?:[.,;]|$))",
    re.IGNORECASE,
)
# "No taller than it is now": not taller.
_NO_MORE_THAN = re.compile(
    rf"(?P<is>{MODAL}|\b(?:is|are|does|do))(?P<verb>(?: \w+)?) no "
    r"(?=(?:more|less|fewer|(?!other|sooner|rather|later)\w{3,}er)\b[^.,;]*\bthan\b)",
    re.IGNORECASE,
)
_BRINGS = re.compile(
    rf"(?P<would>{MODAL})(?P<not>(?: not)?) (?:bring|put|place|move) {_WHOM}"
    r" (?P<where>with)?(?P<to>in|into|in to|out of|beyond)?"
    r" (?=(?:[\w']+ ){0,2}(?:reach|view|sight)\b)",
    re.IGNORECASE,
)
_WORN = r"(?:head|face|nose|neck|feet|hands|body|shoulders)"
_IS_ON_HIM = re.compile(
    rf"{_STARTS}(?P<what>an? (?:\w+ )?\w+) (?:is|sits) on (?P<whose>his|her|their) {_WORN}\b", re.IGNORECASE
)
_HAS_ON = re.compile(rf"\b(?:has|have) (?P<what>an? (?:\w+ )?\w+) on(?= (?:his|her|their) {_WORN}\b|,)", re.IGNORECASE)
_PLACE = r"(?:in front of|next to|under|on|in|behind|beside|inside|above|at|by|near)"
_LIES_THERE = re.compile(
    rf"^\W*(?P<place>{_PLACE} (?:the|an?|his|her|its) (?:\w+ )??\w+),?"
    r" (?P<is>lies|sits|stands|hangs|is|are|lie|sit|stand)"
    r" (?P<what>(?:an?|the|two|three|several|some) (?:\w+ )?\w+)(?=\W*(?:[.,;]|$))",
    re.IGNORECASE,
)
_DOING = re.compile(r"\W*\w{2,}ing [\w' ]{2,40}, (?=(?:he|she|it|they|the \w+)\b)", re.IGNORECASE)
_NOT_THERE = r"(?!left|right|other|first|second|top|bottom|middle|far|next|back|foreground|background|front)"
_AT_A_PLACE = re.compile(rf"\b{_PLACE}\b", re.IGNORECASE)
_WHO_THERE = re.compile(
    rf"{_STARTS}(?P<who>the (?:\w+ )?(?P<name>\w+)) {_PLACE} the {_NOT_THERE}(?:\w+ )?\w+ "
    r"(?=(?:is|are|has|does|looks)\b)",
    re.IGNORECASE,
)
_NONE = re.compile(r"\W*(?:no|not|without|a lack of)\b", re.IGNORECASE)
_REMOVES = found("yes_no.removing")
_LACKING = found("yes_no.lacking_what_is_asked")
_FREE = re.compile(
    r"(?:\b(?P<is>is|are|was|would|will)|(?P<s>'s))(?P<not>n't| not| no longer)?(?P<be> be)?(?: \w+ly| all)? "
    r"(?:free|clear|empty|rid|devoid)(?P<of> (?:of|from)(?: any)?)?\b",
    re.IGNORECASE,
)


def in_plain_words(text: str, asked: Asked, question: str) -> str:
    """The text with such words in place of its own."""
    text = _GOT.sub(" has", _SHOWN.sub("", _HOW_LIKELY.sub("", text)))
    text = _NO_MORE_THAN.sub(r"\g<is> not\g<verb> ", _SOMEBODY_HAS.sub(r"\g<who> has been \g<done>", text))
    text = _LIES_THERE.sub(r"\g<what> \g<is> \g<place>", _RAINS.sub(r"it is \g<what>ing", text))
    text = _BRINGS.sub(lambda found: _suffers(found, f"be {found['where'] or ''}{_to_be(found['to'])} "), text)
    if "wearing" in question:
        text = _IS_ON_HIM.sub(lambda found: f"{_WHOSE[found['whose'].lower()]} is wearing {found['what']}", text)
        text = _HAS_ON.sub(r"is wearing \g<what>", text)
    if asked.of_now and asked.subject:
        text = _without_its_place(text, asked)
        doing = _DOING.match(text)
        text = text[doing.end() :] if doing and content(doing.group()).isdisjoint(asked.words) else text
    text = _NOT_UNABLE.sub(r"\g<is>\g<be> able ", text)
    text = _COMES_TO_HARM.sub(lambda found: f"{'not ' if found['no'] else ''}be harmed", text)
    text = _BRINGS_DOWN.sub(lambda found: _suffers(found, "come down"), text)
    text = _HARMS.sub(lambda found: _suffers(found, "be harmed"), text)
    if _DONE_BY_A_PART.search(asked.text):
        text = _PART.sub(lambda found: f"{_WHOSE[found['whose'].lower()]} {found['does']}", text)
    if lacking := _LACKING.search(question):
        what = re.split(r"\b(?:if|when|after)\b", question[lacking.end() :])[0].strip(" ?")
        text = _FREE.sub(lambda found: _has(found, what), text)
    elif asked.of_now and "without" not in question:
        text = _WITHOUT.sub(lambda found: _lacks(found, asked), text)
    if "impossible" in question:
        text = _IMPOSSIBLE.sub(r"\g<is> possible", text)
    without = _NOT_WITHOUT.match(text) if "without" in question else None
    if without and content(without["what"]) <= asked.words | asked.supposed:
        return f"no, {text}"
    return _of_what_follows(_of_each_other(text, question), asked)


def _of_what_follows(text: str, asked: Asked) -> str:
    """What something means, makes possible or leaves no place for, told of who can do it, or cannot."""
    if bool(_NONE.match(text)) <= bool(_REMOVES.search(asked.whole)):  # "no rain would mean that it is dry"
        text = _MEANS.sub(
            lambda found: f"{found['would']} mean, {found['who']} would{' be' if found['be'] else ''}", text
        )
    if asked.of_now or MODAL_AT.search(_ALLOWING.split(text)[0]):
        text = _ALLOWING.sub(lambda found: f", so {subject_of(found)} {'can' if asked.of_now else 'could'} ", text)
    text = _LEAVES_ROOM.sub(lambda found: f"there {found['would'] or 'is'}{' be' if found['would'] else ''} ", text)
    for pattern in (_MAKES_IT, _NOWHERE):
        text = pattern.sub(lambda found: _enabled(found, asked), text)
    return _NOT_FAIL.sub("would ", text)


def _enabled(found: re.Match[str], asked: Asked) -> str:
    """Who could not do it, or what would be impossible; what is so now says nothing to what would be."""
    imagined = bool(MODAL_AT.search(found.group()))
    if not imagined and not asked.of_now:
        return found.group()
    can = "could" if imagined else "can"
    if found.re is _MAKES_IT:
        return f"{can} make, {found['what']} {'would be' if imagined else 'is'} {found['how']}"
    return f"{can} not " if found["has"] else f"{subject_of(found)} {can} not "


def _of_each_other(text: str, question: str) -> str:
    """ "They are not next to each other", told of the one that was asked about."""
    two = _ASKS_OF_TWO.match(question)
    if not two:
        return text
    told = rf"\b(?:they|the two|both) are(?P<not>n't| not)? (?:\w+ )??{two['how']} (?:each other|one another)"
    said = f"{two['one']} {two['is']}{{}} {two['how']} {two['other']}"
    return re.sub(told, lambda found: said.format(" not" if found["not"] else ""), text, flags=re.IGNORECASE)


def _to_be(to: str | None) -> str:
    return "in" if to in (None, "into", "in to") else to


def _without_its_place(text: str, asked: Asked) -> str:
    """The text with "the woman" for "the woman by the door", where the question tells of no place."""
    if _AT_A_PLACE.search(asked.text):
        return text
    return _WHO_THERE.sub(
        lambda told: f"{told['who']} " if stem(told["name"].lower()) == asked.subject else told.group(), text
    )


def _suffers(found: re.Match[str], fate: str) -> str:
    """ "Would bring the tent down": the tent would come down."""
    told = found.groupdict()
    negated = told["not"] or told.get("no") or told["would"].lower().endswith("n't")
    who = subject_of(found) if told["who"] else told["what"]
    return f"{told['would']} make {who}, {who} would {'not ' if negated else ''}{fate}"


def _has(found: re.Match[str], what: str) -> str:
    """ "It isn't free", to whether it is free of obstacles: it has obstacles."""
    has = "would have" if found["be"] else "has"
    lacks = "would not have" if found["be"] else "does not have"
    return f" {has if found['not'] else lacks} {'' if found['of'] else what}".rstrip()


def _lacks(found: re.Match[str], asked: Asked) -> str:
    """ "The sky is clear, without a single cloud", to whether there are any clouds: there are none."""
    before = sentences(found.string[: found.start()] or " ")[-1:]
    if any(map(NEGATED.search, before)) or stem(found["what"].lower()) not in asked.words - (
        frozenset() if asked.of_being else {asked.subject}
    ):
        return found.group()
    return f". There are no {found['what']}" if asked.of_being else f", not {found['what']}"
