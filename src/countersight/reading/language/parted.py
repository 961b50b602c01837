"""Where one statement ends and another begins, though no full stop says so; and what is only thought."""

import re

from countersight.reading.language.asked import Asked, content
from countersight.reading.language.clauses import MODAL_AT, asks_of_now
from countersight.reading.language.vocabulary import any_of

_STARTS = r"(?:^|(?<=[.!?] ))"
_BECAUSE = re.compile(r"(?<=\w)(?<!\bnot)(?<!\bonly)(?<!\bjust)(?<!\bsimply) (?=because\b)", re.IGNORECASE)
# "This is because it is glued.": a reason, whatever words of the question are in it.
_IS_BECAUSE = re.compile(
    r"(?<=[.!?] )(?:this|that|it) is (?:so |mainly |simply )?because [^.!?]*(?:[.!?]+\s*|$)", re.IGNORECASE
)
_AS = re.compile(
    rf"{_STARTS}(?:as(?! {any_of('worlds.no_reasons')})|given that|seeing that) [^,.;]{{3,90}}, (?=\w)", re.IGNORECASE
)
# "The bottle is full, whereas the glass is not": two statements.
_CONTRAST = re.compile(r", (?:while|whereas) (?=\w)|, i\.e\.,? ", re.IGNORECASE)
_BRACKETS = re.compile(r" \((?P<inside>[^()]*? [^()]*? [^()]*)\)")
_IS_SAID = r"[^.!?;:\n]*(?:\b(?:is|are|was|were|has|have|does|do|can|could|would|will|cannot)\b|n't\b)[^.!?;:\n]*"
_DASH = re.compile(rf"{_STARTS}(?P<said>{_IS_SAID}?)(?:\s*\u2014\s*|\s+[-\u2013]+\s+)(?=\w+ \w+ \w)", re.IGNORECASE)
_WHY = re.compile(r"(?:, which|(?:^|(?<=[.!?] ))(?:that|this)) is why (?=\w)(?P<rest>[^.!?]*)", re.IGNORECASE)
# "One might think that it would fall, but this is not the case."
_THOUGHT = re.compile(
    rf"{_STARTS}{any_of('statements.thoughts')} [^.!?]*?(?:, but|[.;] (?:but )?) ?(?:this|that|it) (?:is(?: not|n't)"
    r" (?:the case|so|true|right|correct)|is (?:wrong|false))\s*[.!;,]\s*(?=\w)",
    re.IGNORECASE,
)
_FALSE_CLAIM = re.compile(
    rf"{_STARTS}(?:(?:the|any) (?:claim|idea|statement) that [^.!?]*? (?:is|would be) (?:false|wrong|untrue|not true)"
    r"|it (?:is|would be) a mistake to (?:think|believe|say) (?:that )?[^.!?]*)[.!]\s*(?=\w)",
    re.IGNORECASE,
)
_NOT_BUT = re.compile(
    r"\bnot [\"']?(?:yes|no)[\"']?(?:,? but(?: rather)?| ?[,;] (?:it is|it's|rather)) [\"']?(?P<said>yes|no)\b[\"']?",
    re.IGNORECASE,
)


def parted(text: str, question: str) -> str:
    """The text with a full stop between its statements, and without denied thoughts and reasons of their own."""
    text = _FALSE_CLAIM.sub("", _THOUGHT.sub("", without_the_denied_word(text)))
    text = _AS.sub("", _BECAUSE.sub(", ", _IS_BECAUSE.sub("", text)))
    text = _CONTRAST.sub(". ", _BRACKETS.sub(r". \g<inside>", text))
    text = _DASH.sub(r"\g<said>. ", text)
    return _WHY.sub(lambda why: f". So {why['rest']}" if _is_of_it(why["rest"], question) else why.group(), text)


def _is_of_it(rest: str, question: str) -> bool:
    """Whether a conclusion is about the world that was asked about: what is so now answers nothing imagined."""
    return asks_of_now(question) or bool(MODAL_AT.search(rest))


def without_the_denied_word(text: str) -> str:
    """The text with the word that counts: 'not "no" but "yes"' is a yes."""
    return _NOT_BUT.sub(r"\g<said>", text)


def after_the_question(told: list[str], asked: Asked) -> list[str]:
    """The sentences of a reply without the question, where it begins by saying that again."""
    again = len(told) > 1 and told[0].endswith("?") and asked.words <= content(told[0])
    return told[1:] if again else told
