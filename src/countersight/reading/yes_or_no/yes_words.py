"""The yes or no that stands in a reply, as its first word or as what is said at the end."""

import re

from countersight.reading.language.clauses import MODAL
from countersight.reading.language.vocabulary import any_of

FILLER = any_of("yes_no.fillers")
# "No", and not the "no" of "no dye means natural hair" or "no one": it ends there, or a clause begins after it.
NO = (
    rf"no(?=[^\S\n]*(?:$|\n|(?!-\w)[^\w\s])|\s+(?:{any_of('yes_no.after_no')}"
    r"|longer(?=\W*$)|more(?=\W*$)|way(?! to\b))(?![\w-]))"
)
_SAY_SO = r"i(?:'d| would) (?:say|think|guess|imagine|expect|assume|hope) so(?=\s*(?:[.,;!]|$))"
_YES = rf"{any_of('yes_no.yes')}(?! that\b)|right(?=\W*$)|y(?=\W*$)"
LEADING = re.compile(
    rf"\W*(?:{FILLER}[\s,:.!-]*)*"
    rf"(?:(?P<yes>{_YES}|{_SAY_SO})"
    rf"|(?P<no>{NO}|{any_of('yes_no.no')}|hardly(?=\s*(?:[.,;!]|$))|n(?=\W*$)"
    rf"|not(?!\s+{any_of('yes_no.not_quite_no')})(?!\s+(?:an?|one) \w+(?: \w+)? {MODAL})))\b(?!'\w)",
    re.IGNORECASE,
)
_SAYING = rf"(?:{any_of('yes_no.saying')}|[:,])"
_SAID = re.compile(
    rf"{_SAYING}\s*[,:]?\s*[\"']?(?:(?P<yes>yes|true|correct)|(?P<no>no|false|incorrect|unlikely|impossible))[\"']?"
    r"\s*(?:[.,!;)]|$)",
    re.IGNORECASE,
)
# "Could be yes", "not be impossible", "one would be tempted to say yes": no answer of who speaks.
_SAID_OTHERWISE = re.compile(
    r"(?:\b(?:could|may|might|not|never|tempted to|tempting to|easy to|seems? to)|n't"
    r"|\b(?:some|many|most|others|people|one|you|anyone|everyone) (?:\w+ )?(?:would|might|may|could|will)\b[^,;:]*)$",
    re.IGNORECASE,
)
_IS_NOT = re.compile(r"(?:\bis|'s)\s+not$", re.IGNORECASE)
_GOES_ON_TO_SAY = re.compile(rf"\s+(?!{any_of('yes_no.after_it_is_not')})\w", re.IGNORECASE)
_DENIES_A_DENIAL = re.compile(
    r"[^.,;:]{0,30}\b(?:unlikely|impossible|doubtful|not (?:likely|possible|true|the case))(?: that\b| for\b)"
    r"[^.,;:]*(?:\b(?:not|never|fail\w*)\b|n't\b)",
    re.IGNORECASE,
)
# "'Yes' is wrong.", "No would be a guess."
_CALLED_WRONG = re.compile(
    r"\W*(?:yes|no)[\"'*]*\s+(?:(?:is|was|would be|seems|can be)"
    r"(?:(?: not|n't)\b| (?:the |an? )?(?:wrong|incorrect|false|mistaken|ruled out|guess)\b)"
    r"|(?:would not|wouldn't|cannot|can't) be\b)",
    re.IGNORECASE,
)
_OPENING = 30  # characters in which a reply says "yes and no"
_BOTH = re.compile(r"\b(?:yes and no|no and yes|yes\W+no\b|no\W+yes)\b(?!\s+\w)", re.IGNORECASE)
_EITHER = re.compile(
    r"\b(?:be|either|maybe|perhaps)(?: an?)? (?:yes or (?:an? )?no|no or (?:an? )?yes)\b", re.IGNORECASE
)
_EITHER_WAY = re.compile(r"\W*(?:yes|no)\b[^.;]*\bif\b[^.;]*[,;] (?:and |but )?(?:yes|no)\b[^.;]*\bif\b", re.IGNORECASE)


def is_left_open(text: str) -> bool:
    """Whether a text says that it may be yes or no, or only of one of them that it is wrong."""
    return bool(_EITHER.search(text) or _CALLED_WRONG.match(text))


def says_both(text: str) -> bool:
    """Whether a text says "yes and no", or one of them under one condition and one under another."""
    return bool(_BOTH.search(text[:_OPENING]) or _EITHER_WAY.match(text))


def opening_polarity(text: str) -> str | None:
    """The yes or no a text begins with."""
    found = None if _BOTH.match(text) else LEADING.match(text)  # "Yes / No"
    if found and _IS_NOT.search(text[: found.end()]) and _GOES_ON_TO_SAY.match(text[found.end() :]):
        return None  # "it is not snowing" is no "no" by itself
    if found and found["no"] and _DENIES_A_DENIAL.match(text):
        return None  # "it's unlikely that she wouldn't" is no "no" at all
    return None if not found else ("yes" if found["yes"] else "no")


def said(sentence: str) -> str | None:
    """The yes or no that a sentence says somewhere in it: "I would say yes"."""
    found = _SAID.search(sentence)
    # "So one would be left, yes": what stands before a comma is a statement of its own.
    if not found or (found.group()[0] != "," and _SAID_OTHERWISE.search(sentence[: found.start()].rstrip())):
        return None
    return "yes" if found["yes"] else "no"
