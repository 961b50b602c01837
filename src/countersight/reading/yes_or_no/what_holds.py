"""What holds a thing, makes it so or shows it, told of the thing itself: "the tree makes the road impassable"."""

import re

from countersight.reading.language.asked import content
from countersight.reading.language.clauses import MODAL, asks_of_now
from countersight.reading.language.opposites import opposed_stems
from countersight.reading.language.rewordings import NOMINATIVE
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import listed

_HOLD = "|".join(listed("yes_no.holding"))
_IS_HOLDING = re.compile(rf"\b(?P<would>would|will) be (?P<does>{_HOLD})(?:ping|ing)\b", re.IGNORECASE)
_TO_HOLD = re.compile(rf"\bthere (?:would|will) be nothing (?:left )?to (?P<does>{_HOLD})\b", re.IGNORECASE)
_HELD_BY_NOTHING = re.compile(
    r"\bnothing would (?:keep|hold) (?P<who>it|him|her|them|the \w+) "
    r"(?P<how>in place|(?!from|out|back|away|off|in|inside)\w+)(?=\W*(?:[.,;]|$)| any)",
    re.IGNORECASE,
)
# "The tree makes the road impassable": the road is. "Not a drop would spill": it would not.
_MAKES = re.compile(
    rf"(?:(?P<would>{MODAL}) )?(?:leaves?|makes?|renders?) (?P<what>the [\w ]{{1,25}}?) "
    r"(?P<how>(?:too )?\w+(?: enough)?)(?=\W*(?:[.,;]|$)| for\b)",
    re.IGNORECASE,
)
_SO = re.compile(r"\w(?:able|ible|ous|ful|less|ive)$|^too | enough$", re.IGNORECASE)
_NOT_A_BIT = re.compile(
    rf"\bnot a(?: single)? (?:drop|crumb|grain|speck|splinter)(?: of (?:it|the \w+))? (?P<would>{MODAL}|is|was)",
    re.IGNORECASE,
)
_ASKS_YOU = re.compile(r"\W*(?:can|do|could) you (?:see|spot|make out|find|notice) (?P<what>[^?]+)", re.IGNORECASE)
_I_SEE = re.compile(
    r"(?:^|(?<=[.!] ))(?=(?:i|you|we|one) (?:can )?(?:\w+ly )?(?:see|spot|make out|notice) (?P<what>(?:\S+ ?){1,4}))",
    re.IGNORECASE,
)
_FAILS = re.compile(r"\b(?:fails?|failed) to(?: do (?:so|that|it))?(?=\s*[.:;,!]|\W*$)[.:;,]?", re.IGNORECASE)
_NO_WAY = re.compile(
    r"\bthere(?:'s| is|'d be| would be) no way (?:that )?(?P<who>it|he|she|they|the \w+(?: \w+)?)"
    r" (?:could|can|would)\b",
    re.IGNORECASE,
)
_IN_THAT_STATE = re.compile(
    r",? with (?:his|her|its|their) (?:back|eyes|head|hands|arms|face)"
    r" (?:turned|closed|shut|full|tied|down|raised|covered)\b",
    re.IGNORECASE,
)
_ABOARD = re.compile(r"\b(?:on board|aboard)\b(?! (?:the|an?|it)\b)", re.IGNORECASE)
_ASKS_OF_A_VESSEL = re.compile(r"\b(?P<where>(?:on|in|inside) the \w+)", re.IGNORECASE)
_ASKS_IF_WITHOUT = re.compile(r"^\W*(?:is|are) [\w ]+ without\b", re.IGNORECASE)
_WEARING = re.compile(r"\b(?:is|are)(?P<not>n't| not)? (?:wearing|carrying|holding)\b", re.IGNORECASE)
_SIGN = re.compile(r"\"[^\"]{1,60}\" (?=sign|sticker|note|label|poster|banner)", re.IGNORECASE)


def of_the_thing(text: str, question: str) -> str:
    """The text with what becomes of things in place of what does it to them."""
    text = _SIGN.sub("", text)
    if sight := _ASKS_YOU.match(question):
        text = _I_SEE.sub(lambda found: "yes, " if content(found["what"]) & content(sight["what"]) else "", text)
    if not asks_of_now(question):
        text = _IN_THAT_STATE.sub("", text)
    text = _NO_WAY.sub(r"\g<who> could not", _FAILS.sub("does not.", text))
    if vessel := _ASKS_OF_A_VESSEL.search(question):
        text = _ABOARD.sub(vessel["where"], text)
    if _ASKS_IF_WITHOUT.match(question):
        text = _WEARING.sub(lambda found: "does not have" if found["not"] else "has", text)
    text = _NOT_A_BIT.sub(r"it \g<would> not", _IS_HOLDING.sub(r"\g<would> \g<does>", text))
    text = _MAKES.sub(lambda found: _made_so(found, question), _TO_HOLD.sub(r"nothing would \g<does>", text))
    return _HELD_BY_NOTHING.sub(
        lambda found: f"{NOMINATIVE.get(found['who'].lower(), found['who'])} would not stay {found['how']}", text
    )


def _made_so(found: re.Match[str], question: str) -> str:
    """What is made so is so, where that tells a state: who makes the bed every day does not."""
    asked, how = content(question), found["how"]
    if not (content(how) & asked or _SO.search(how) or any(opposed_stems(stem(how.lower()), word) for word in asked)):
        return found.group()
    is_so = "is" if asks_of_now(question) else "would be"
    denied = "not " if found["would"] and found["would"].lower().endswith("n't") else ""
    return f", {found['what']} {is_so} {denied}{found['how']}"
