"""What stands around a choice and leaves it as it is: "I have little doubt that …", "… gets my vote, hands down"."""

import re

from countersight.reading.language.vocabulary import any_of

_THE_PICTURE = rf"{any_of('options.judging_by')} th(?:e|is|ese) {any_of('options.pictures')}"
_BEFORE = re.compile(
    rf"(?P<lead>\W*(?:(?:so|but|and),? )?)(?:{any_of('options.said_before')},? "
    rf"|{any_of('options.said_first')}(?:(?:,|:|\?|\.\.\.| -+) (?=\S)| (?=[\"']))|{_THE_PICTURE}, )",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"(?<=[\w)\"'])(?:,| --?)? (?:{any_of('options.said_after')}|{_THE_PICTURE})(?=\s*(?:[.!]|$))", re.IGNORECASE
)
_CHOSEN_BEFORE = re.compile(
    rf"\W*(?:(?:so|therefore|then),? )?{any_of('options.choosing_before')}:? (?P<what>[^.;]*?)[.!?]?$", re.IGNORECASE
)
_CHOSEN_AFTER = re.compile(
    rf"(?:{any_of('options.of_them')},? )?(?!(?:it|that|this|he|she|they|which|what|who|none|nothing|neither)\b)"
    rf"(?P<what>[^.,;:]{{1,60}}?)(?:,? |\s-+ |: ){any_of('options.choosing_after')}[.!]?$",
    re.IGNORECASE,
)
_A_CLEAR_NO = re.compile(rf"(?<!not )\ban? (?:{any_of('options.clear')} )?(?P<what>yes|no)(?=\W*$)", re.IGNORECASE)
_MOST = 3  # openings, and endings, of one sentence


def in_short(sentence: str) -> str:
    """A sentence without what only says that it holds, or that it is the choice: "the boy", of "the boy is my pick"."""
    for _ in range(_MOST):
        sentence = _AFTER.sub("", _BEFORE.sub(r"\g<lead>", sentence, count=1) if _BEFORE.match(sentence) else sentence)
    if chosen := _CHOSEN_BEFORE.match(sentence) or _CHOSEN_AFTER.match(sentence):
        sentence = f"{chosen['what']}."
    return _A_CLEAR_NO.sub(r"\g<what>", sentence)
