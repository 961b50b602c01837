"""Says in plain words what a reply says in a roundabout way, so that the rules for plain words read it."""

import re
from typing import Final

from countersight.reading.language.clauses import MODAL
from countersight.reading.language.parted import parted
from countersight.reading.language.said_around import without_what_is_said_around
from countersight.reading.language.vocabulary import any_of

_HELP = rf"(?P<help>{MODAL}|\b(?:is|are|was|were|does|do|did|can)\b)"
_SOFTLY = r"(?P<softly>(?: (?:\w+ly|still|then|now))?)"
_WHO = r"(?P<who>it|him|her|them|the \w+(?: \w+)?)"
NOMINATIVE: Final = {"him": "he", "her": "she", "them": "they"}

# "It would contain no cookies", "it would show nothing": the verb is denied, though no "not" stands beside it.
_OBJECT_DENIED = re.compile(
    rf"{_HELP}{_SOFTLY} (?P<verb>(?!be\b|not\b|have no\b|have been\b|make no\b)\w+)"
    rf" (?:nothing\b(?! but| else| more)|nobody\b|no one\b|none\b|no (?!{any_of('rewordings.no_denial')}))",
    re.IGNORECASE,
)
_LACKS = re.compile(
    rf"{_HELP}{_SOFTLY} "
    rf"(?:lack|(?:be |have )?(?:left )?(?:{any_of('rewordings.lacking')})|(?:have )?(?:run|ran) out of)(?= \w)",
    re.IGNORECASE,
)
_OUT_OF = re.compile(rf"{_HELP}{_SOFTLY}(?P<be> be)? out of (?P<what>(?:the |his |her |its )?\w+)", re.IGNORECASE)
_NOTHING_BUT = re.compile(r"\bnothing but (?=\w)", re.IGNORECASE)
_SEEN = re.compile(
    r"\bi (?P<can>can |do )?(?P<not>n't |not |can't |don't |cannot )?(?:see|spot|make out) (?P<any>any|an?|some|no)\b",
    re.IGNORECASE,
)
_NOT_AT_ALL = re.compile(r"\b(?:by no means|in no way|not in the (?:least|slightest))\b", re.IGNORECASE)
_ASKS_FOR_SOME = re.compile(r"\W*(?:is|are) there\b|\W*do(?:es)? .{1,60} have\b", re.IGNORECASE)
_EXPECTED = re.compile(rf"\bi(?:'d| would) expect {_WHO} to (?=\w)", re.IGNORECASE)
_NOT_EXPECTED = re.compile(rf"\bi (?:wouldn't|would not|don't|do not) expect {_WHO} to (?=\w)", re.IGNORECASE)
_SEEMS = re.compile(r"(?<!\bwould )\b(?:do(?:es)? )?(?:seems?|appears?) to be\b", re.IGNORECASE)
# "Sure, let me look.", "Certainly! Please upload the image.": no yes to anything that was asked of the picture.
_COURTESY = re.compile(
    rf"^\W*{any_of('rewordings.agreeing_to_help')}[\s,.!:-]*(?:but )?(?={any_of('rewordings.before_an_answer')})",
    re.IGNORECASE,
)
# "If that happened, it would fall": just what was supposed.
_IF_SO = re.compile(
    r"\b(?:if|once|should|were) (?:that|this|it) (?:(?:to )?happen(?:ed|s)?|were (?:to happen|the case|so)|was the case"
    r"|occur(?:red|s)?|came to pass)\b",
    re.IGNORECASE,
)
_ASKS_OF_HAVING_ONE = re.compile(r"\W*do(?:es)? .{1,60}? have (?P<what>(?:an?|any) [\w' -]+?)\W*$", re.IGNORECASE)
_HAS_ONE = re.compile(r"\b(?P<has>has|have|having) (?:one|some|any)\b(?=\W*$|[.,;])", re.IGNORECASE)
_NONE_OF_THEM = re.compile(
    r"\bthere (?P<are>would|are|is|will)(?:n't| not)(?P<be> be)? any(?=\W*$|[.,;])", re.IGNORECASE
)
_SAYS_HOW_IT_IS = r"\b(?:is|are|has|have|can|does|do|would|could|will|stands?)(?:\b|n't|not)|'d\b"
_AS_IF = re.compile(
    r"(?:^|(?<=[.,;!] ))it (?:looks|seems|appears) (?:like|as (?:if|though)) "
    rf"(?={any_of('worlds.subjects')}[^.;]*(?:{_SAYS_HOW_IT_IS}))(?![^.;]*\b(?:but|though|actually)\b)",
    re.IGNORECASE,
)
_NOT_AS_IF = re.compile(r"\bit(?:'s not| is not| isn't|'s hardly) as (?:if|though)\b", re.IGNORECASE)
_NOT_WITHOUT = re.compile(
    r"\b(?:is|are|was|were|would|will)(?: not|n't)(?: be)? (?:without|lacking|missing|devoid of)(?: any)?(?= \w)",
    re.IGNORECASE,
)
_IN_NO = re.compile(r"\b(?P<be>be|is|are|was|were) (?P<in>in|at|under|of) no (?=\w)", re.IGNORECASE)  # danger, use
_IMAGINED_NOT = re.compile(
    rf"\bit(?:'s| is| would be) (?:hard|difficult|impossible) to (?:imagine|see|picture) {_WHO} not (?=\w+ing\b)",
    re.IGNORECASE,
)
_NO_TRACE = re.compile(rf"\bno(?:t a)? (?:trace|sign) of {_WHO} (?P<would>{MODAL}|is|are|can)\b", re.IGNORECASE)
# "The owl has its eyes closed": its eyes are closed. "He has a helmet on": he is wearing a helmet.
_HAS_IT_SO = re.compile(
    r"(?<!not )(?<!n't )\b(?:has|have|with) (?P<what>(?:his|her|its|their) \w+)"
    r" (?=(?:wide )?(?:open|closed|shut)\b)",
    re.IGNORECASE,
)
_HAS_ON = re.compile(
    r"\b(?:has|have) (?P<what>(?:(?:an?|his|her|its|their|the) )?(?:\w+ )?\w+) on(?=\W*(?:[.,;!]|$))", re.IGNORECASE
)
_WEARS = re.compile(r"\bwear", re.IGNORECASE)
_OUTNUMBER = re.compile(
    r"\b(?:the (?P<more>\w+(?: \w+)?)|(?P<other>\w+)) (?P<would>(?:would |will )?)(?:still )?outnumber"
    r" (?:the )?(?P<fewer>\w+)",
    re.IGNORECASE,
)
# An order in time, in words that are not those for a reason: "he would finish before the boy".
_IN_TIME = re.compile(
    r"\b(?:(?P<before>before)|after)(?= (?:the|an?|his|her|its|their|him|them|it|noon|dark|\w+\W*$)\b)", re.IGNORECASE
)
_ASKS_OF_TIME = re.compile(r"^[^,]*?\b(?:before|after) (?:the |an? )?\w+(?: \w+){0,3}(?: if\b.*|\W*)$", re.IGNORECASE)
_CANNOT_BUT = re.compile(
    r" (?:can't|cannot|can not|couldn't|could not|won't be able to) (?:help|avoid) (?=\w+ing\b)", re.IGNORECASE
)
_EXPECTED_TO = re.compile(rf"\bi(?:'d| would) expect {_WHO} to(?=\s*[.,;!]|$)", re.IGNORECASE)
# "It would thus be", "it is therefore": so it would be. "It is indeed" is: it is.
_THUS = re.compile(
    r"(?:^|(?<=[.!?;,] ))(?P<what>[\w' ]{1,60}?) (?P<is>is|are|was|were|has|have|can|cannot|could|would|will|does|do) "
    r"(?:thus|therefore|hence|consequently)(?: (?=\w))",
    re.IGNORECASE,
)
_INDEED = re.compile(
    r"(?<!\bit is)(?:(?<=\bis)|(?<=\bare)|(?<=\bbe)|(?<=\bwould)|(?<=\bhas)|(?<=\bdoes))"
    r" (?:indeed|in fact|actually)(?= (?!not\b)\w|,)",
    re.IGNORECASE,
)
_ROOM = re.compile(r"\W*(?:is|are) there (?:still |enough |any )*(?P<room>room|space)\b", re.IGNORECASE)
_FOR_ANOTHER = re.compile(r"\bfor (?:another|one more)\b", re.IGNORECASE)
_ONE_MORE = r"(?:an?other one|an? (?:second|third|fourth|fifth|sixth)|any(?:one|body) else|(?:one|any) more)"
_LEAVES = re.compile(
    r",? (?:leaving|(?:which |that )?leaves) (?P<no>no)?(?:plenty of|enough|ample)? ?(?:room|space)\b"
    rf"(?P<for> for {_ONE_MORE}(?=\W*(?:[.;!]|$)))?",
    re.IGNORECASE,
)
_SAME = re.compile(r"\bsame (?P<what>\w+)", re.IGNORECASE)
_DIFFER = re.compile(
    r"(?:\b(?:the|their|its) )?(?P<who>\b\w+)(?P<not> don't| do not)? differ(?=\W*(?:[.;!]|$))", re.IGNORECASE
)
_SHOWS_HOW = re.compile(
    r"\bwhich shows how (?P<what>\w+) (?P<they>it|they|he|she|the \w+) (?P<are>is|are)\b", re.IGNORECASE
)
_IS_THERE = re.compile(
    r"\W*(?:is|are) there (?:an? |any |some )?(?P<what>\w+)(?= (?:in|on|at|under|by)\b|\W*$)", re.IGNORECASE
)
_NOT_IT_BUT = re.compile(r"^\W*no (?P<what>\w+)(?:,| --?|:) (?:just|only) (?:an?|the|some) [\w ]+\W*$", re.IGNORECASE)
# "Too tall to pass" does not pass; "too heavy for him to lift" is what he does not lift. "Enough" is the contrary.
_BE = r"(?:\b(?:would|will)(?: (?:still|then|also))?(?P<not> not|n't)? be|\b(?:is|are|was|were)(?P<isnt> not|n't)?)"
_LIKELY = re.compile(
    rf"{_BE} (?P<un>un)?(?:certain|sure|bound|likely|going|expected|guaranteed) to (?=\w)", re.IGNORECASE
)
_FOR = r"(?: for (?P<who>(?:the |a |an )?\w+))?"
_TOO = re.compile(rf"{_BE} (?:far |much |way )?too \w+(?: (?:off|away|up|down))?{_FOR} to (?=\w)", re.IGNORECASE)
_ENOUGH = re.compile(
    rf"{_BE} (?:still |just )?(?:\w+ enough|enough \w+|possible)(?: left)?{_FOR} to (?=\w)", re.IGNORECASE
)
_MADE = re.compile(
    rf"(?<!nothing )(?<!nothing that )(?P<would>{MODAL})(?P<not> not)?(?: (?:very |most )?likely| \w+ly)?"
    rf" (?!make it {any_of('rewordings.arriving')})(?:make|cause|let|allow|enable) {_WHO} (?:to )?"
    rf"(?!{any_of('rewordings.makes_way')})(?=\w)",
    re.IGNORECASE,
)
# "Take it away and the tower falls."
_SURPRISED = re.compile(
    r"\bi(?:'d| would) be (?:\w+ )?surprised if (?:it|he|she|they) (?:(?P<not>\w+n't|\w+ not)|did|would)\b.*",
    re.IGNORECASE,
)
_KEPT = re.compile(
    rf"(?P<would>{MODAL})(?: still| also)? (?:keep|hold) (?!.*\bfrom\b){_WHO}"
    r" (?=(?:in place|(?!away|out|back|off)\w+)\W*$)",
    re.IGNORECASE,
)
_NOTHING_BEFORE = re.compile(r"\b(?:no|nothing|nobody|neither|none)\b[^.,;]*$", re.IGNORECASE)
_MISSED = re.compile(r"\b(?:could|can|would)(?: hardly| scarcely|n't| not|not)(?: possibly)? miss\b", re.IGNORECASE)
_ASKS_TO_SEE = re.compile(r"\b(?P<see>see|notice|spot|hit)\b", re.IGNORECASE)
ORDERED = re.compile(
    rf"(?:^|(?<=[.!?;] ))(?P<order>{any_of('rewordings.orders')}\b[^.,;!?]{{1,60}}?),? and "
    r"(?=(?:the|it|they|he|she|there|you|we|that)\b)",
    re.IGNORECASE,
)


_CALLED = re.compile(
    r"\bcan(?P<not>'t|not| not|) be (?:called|considered|described as|said to be) (?=\w)"
    r"|\bi(?:'d| would) (?:call|consider) (?P<who>it|him|her|this|that|the \w+) (?=\w)",
    re.IGNORECASE,
)
_EXISTS = re.compile(r"\b(?P<what>an? [\w ]{2,40}?) (?:does )?exists?\b", re.IGNORECASE)
_OUT_OF_THE_QUESTION = re.compile(
    r"\b(?P<what>\w+ing) (?:is|would be) (?:out of the question|not an option)\b", re.IGNORECASE
)
_ASKS_IF_POSSIBLE = re.compile(r"\bpossible\b", re.IGNORECASE)
_IMPOSSIBLE = re.compile(
    r"(?:(?<=\bis )|(?<=\bbe )|(?<=\bseems )|(?<=\bwas ))(?<!n't be )(?<!not be )impossible\b", re.IGNORECASE
)
_UN = re.compile(r"(?:(?<=\bis )|(?<=\bbe )|(?<=\bare )|(?<=\bwas ))un(?P<what>[a-z]{4,})\b", re.IGNORECASE)
_SIGN = re.compile(
    r"\b(?:the|a) sign (?:[\w ]{1,30} )?(?:says|reads) \"(?P<says>open|closed)(?: now| 24 hours)?\W?\"", re.IGNORECASE
)
_ASKS_WHETHER_OPEN = re.compile(r"\W*(?:is|are) the [\w ]{1,30} (?:open|closed)\W*$", re.IGNORECASE)


def plainer(text: str, question: str) -> str:
    """The text with its idioms of denying and supposing in plain words."""
    text = parted(_IF_SO.sub("in that case", _COURTESY.sub("", text)), question)
    text = without_what_is_said_around(text)
    text = _NONE_OF_THEM.sub(lambda found: f"there {found['are']}{found['be'] or ''} none", text)
    if having := _ASKS_OF_HAVING_ONE.match(question):
        text = _HAS_ONE.sub(rf"\g<has> {having['what']}", text)
    text = _OUTNUMBER.sub(_more_than, _SEEMS.sub("is", _AS_IF.sub("", text)))
    text = _NOT_AS_IF.sub("it is not the case that", _CANNOT_BUT.sub(" would be ", text))
    text = _NOT_WITHOUT.sub("has", text)
    text = _IN_NO.sub(lambda found: f"{'not be' if found['be'] == 'be' else found['be'] + ' not'} {found['in']} ", text)
    text = _IMAGINED_NOT.sub(lambda found: f"{subject_of(found)} would be ", text)
    text = _NO_TRACE.sub(lambda found: f"{subject_of(found)} {found['would']} not", text)
    text = _CALLED.sub(
        lambda found: f"{subject_of(found)} is " if found["who"] else f"is {found['not'] and 'not '}", text
    )
    text = _OUT_OF_THE_QUESTION.sub(r"it could not \g<what>", _EXISTS.sub(r"there is \g<what>", text))
    if _ASKS_IF_POSSIBLE.search(question):
        text = _IMPOSSIBLE.sub("not possible", text)
    text = _UN.sub(lambda found: f"not {found['what']}" if f" {found['what']}" in question else found.group(), text)
    if _ASKS_WHETHER_OPEN.match(question):
        text = _SIGN.sub(r"it is \g<says>", text)
    text = _HAS_IT_SO.sub(r", \g<what> are ", text)
    if _WEARS.search(question):
        text = _HAS_ON.sub(r"is wearing \g<what>", text)
    text = _INDEED.sub("", _THUS.sub(r"so \g<what> \g<is> ", text))
    if room := _ROOM.match(question):
        text = _LEAVES.sub(lambda found: _there_is_room(found, room["room"], question), text)
    if same := _SAME.search(question):
        text = _DIFFER.sub(lambda found: _differ(found, same["what"]), text)
    text = _SHOWS_HOW.sub(r"which shows that \g<they> \g<are> \g<what>", text)
    none = _NOT_IT_BUT.match(text)
    if none and (there := _IS_THERE.match(question)) and none["what"].lower() == there["what"].lower():
        text = "there are none"  # "no flowers, just a fruit bowl"
    text = _NOTHING_BUT.sub("", text)
    if _ASKS_FOR_SOME.match(question):
        text = _SEEN.sub(lambda found: "there is no" if found["not"] or found["any"] == "no" else "there is a", text)
    text = _LIKELY.sub(lambda found: " would not " if bool(found["un"]) != _is_not(found) else " would ", text)
    text = _TOO.sub(lambda found: _done(found, question, denied=True), text)
    text = _ENOUGH.sub(lambda found: _done(found, question, denied=False), text)
    text = "no" if _NOT_AT_ALL.match(text) else _NOT_AT_ALL.sub("not", text)
    text = _NOT_EXPECTED.sub(lambda found: f"{subject_of(found)} would not ", text)
    text = _EXPECTED_TO.sub(lambda found: f"{subject_of(found)} would", text)
    text = _EXPECTED.sub(lambda found: f"{subject_of(found)} would ", text)
    text = _MADE.sub(_happens, text)
    text = _KEPT.sub(_stays, text)
    if see := _ASKS_TO_SEE.search(question):
        text = _MISSED.sub(f"would {see['see'].lower()}", text)
    text = _SURPRISED.sub(lambda found: "yes" if found["not"] else "no", text)
    text = ORDERED.sub(r"if you \g<order>, ", text)
    text = _OUT_OF.sub(lambda found: _not_in(found, question), text)
    text = _LACKS.sub(r"\g<help>\g<softly> not have", text)
    return _OBJECT_DENIED.sub(r"\g<help>\g<softly> not \g<verb> any ", text)


def in_time(text: str, question: str) -> str:
    """A text, or the question itself, with "prior to" for the "before" of a question that asks what comes first."""
    if not _ASKS_OF_TIME.match(question) or (" after " in question and " if " in question):
        return text
    return _IN_TIME.sub(lambda found: "prior to" if found["before"] else "subsequent to", text)


def _more_than(found: re.Match[str]) -> str:
    are = f"{found['would']}be" if found["would"] else "are"
    return f"there {are} more {found['more'] or found['other']} than {found['fewer']}"


def _there_is_room(found: re.Match[str], room: str, question: str) -> str:
    """ "Leaving no room for a third", to whether there is space for another car: there is no space."""
    if found["for"] and not _FOR_ANOTHER.search(question):
        return found.group()
    return f". There is {'no ' if found['no'] else ''}{room}"


def _differ(found: re.Match[str], what: str) -> str:
    """ "Their shoes differ", to whether they wear the same shoes."""
    if found["who"].lower().rstrip("s") != what.lower().rstrip("s"):
        return found.group()
    return f"they have {'the same' if found['not'] else 'different'} {what}"


def _done(found: re.Match[str], question: str, *, denied: bool) -> str:
    """ "Could pass", or "could not pass", of who or what can do it: "for trucks", where the truck was asked about."""
    such = "the " if found["who"] and f" the {found['who'].lower().removesuffix('s')}" in question.lower() else ""
    who = f", {such}{NOMINATIVE.get(found['who'].lower(), found['who'])}" if found["who"] else ""
    be = "would {}be able to" if "be" in found.group().split() else "can {}"  # "it is possible now" tells of now
    return f"{who} {be.format('not ' if _is_not(found) != denied else '')} ".replace("  ", " ")


def _is_not(found: re.Match[str]) -> bool:
    return bool(found["not"] or found["isnt"])


def _happens(found: re.Match[str]) -> str:
    """ "Would make it fall": it would fall."""
    negated = found["not"] or found["would"].lower().endswith("n't")
    return f", {subject_of(found)} would {'not ' if negated else ''}"


def _stays(found: re.Match[str]) -> str:
    """ "The ropes would hold it up": it would stay up; what nothing would hold is left as it stands."""
    held = found["would"].lower().endswith("n't") or _NOTHING_BEFORE.search(found.string[: found.start()])
    return found.group() if held else f", {subject_of(found)} would stay "


def subject_of(found: re.Match[str]) -> str:
    """Who was found, as the subject of a sentence: "he", of "him"."""
    who = found["who"].lower()
    return NOMINATIVE.get(who, who)


def _not_in(found: re.Match[str], question: str) -> str:
    """ "Out of danger" is not "in danger", where that was asked."""
    if not re.search(rf"\bin {re.escape(found['what'])}\b", question, re.IGNORECASE):
        return found.group()
    return f"{found['help']}{found['softly']} not{found['be'] or ''} in {found['what']}"
