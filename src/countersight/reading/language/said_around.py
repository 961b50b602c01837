"""What is said around a statement and changes nothing of it: "all this suggests that it would fall, no question"."""

import re

from countersight.reading.language.vocabulary import any_of

_STARTS = r"(?:^|(?<=[.!?;,] )|(?<=\bso )|(?<=\bbut )|(?<=\band ))"
# "I would expect that it falls", "in short, it falls"
_BEFORE = re.compile(
    rf"{_STARTS}(?:{any_of('rewordings.said_before')},? (?!so\b)"
    rf"|{any_of('rewordings.then')}(?:, (?=\w)| (?={any_of('worlds.subjects')}\b)))",
    re.IGNORECASE,
)
# "Apparently it is on", "judging by the picture, all are open"
_SEEMINGLY = re.compile(
    rf"(?:^|(?<=[.!?;] ))(?:{any_of('rewordings.as_it_seems')},? (?!so\b|yes\b|no\b|not\b)(?=\w)"
    rf"|{any_of('rewordings.judging_by')} th(?:e|is) (?:image|picture|photo(?:graph)?|scene), )",
    re.IGNORECASE,
)
_SURELY = re.compile(rf"{any_of('rewordings.surely')}[\s,:.-]*(?=\w)", re.IGNORECASE)
_AFTER = re.compile(rf",?(?<=\w| |,) {any_of('rewordings.said_after')}(?=\s*(?:[.!;]|$))", re.IGNORECASE)
_WHO = r"(?:it|he|she|they|there|the \w+(?: \w+)?)"
_HELPS = r"(?:is|are|was|were|has|have|does|do|did|can|could|would|will)(?:n't| not|not)?"
# "It won't: the roof …", "it is - by far", "they wouldn't, the gap …": an answer by itself, and then its reasons.
_SHORT = re.compile(
    rf"(?:^|(?<=[.!?] ))(?P<said>(?:(?:so|then|but|no|yes|well|and|i think),? )?{_WHO} {_HELPS}(?: indeed)?)"
    r"(?:\s*:|\s+[-\u2013\u2014]+|,(?= (?:the|they|it|he|she|there|its|his|her|their)\b))\s+(?=\w)",
    re.IGNORECASE,
)
_WHICH_MEANS = re.compile(
    r",? (?:and )?(?:(?:which|this|that) (?:also )?means|meaning)(?: that)? (?=\w)", re.IGNORECASE
)
# "…, so even without them it would": a statement begins there. "It would fit - yes": so it does.
_BEGINS = re.compile(r", so (?=(?:even )?(?:with|without|if|once)\b)", re.IGNORECASE)
_AT_LAST = re.compile(r"\s+(?:[-=]>|[-=\u2013\u2014])\s*(?P<said>yes|no)(?=\W*$)", re.IGNORECASE)
_BETWEEN = re.compile(rf"(?<=\w), {any_of('rewordings.said_between')}, (?=\w)", re.IGNORECASE)
_WONT = re.compile(r"\bwon't\b", re.IGNORECASE)


def without_what_is_said_around(text: str) -> str:
    """The text without its openings ("I'd argue that") and endings ("either way") that leave a statement as it is."""
    text = _AT_LAST.sub(r". \g<said>", _BETWEEN.sub(" ", _BEGINS.sub(". So ", _WONT.sub("will not", text))))
    text = _WHICH_MEANS.sub(". So ", text)
    return bare(_SHORT.sub(r"\g<said>. ", text))


def bare(text: str) -> str:
    """The text without what only opens or closes its statements."""
    return _SURELY.sub("", _AFTER.sub("", _SEEMINGLY.sub("", _BEFORE.sub("", text))))
