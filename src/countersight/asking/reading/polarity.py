"""Reads yes or no."""

import re

from countersight.asking.reading.clauses import MODAL, sentences, stated

_ECHO_OF_THE_TASK = re.compile(
    r"\(?\b(?:yes|true|correct)\s*(?:or|/)\s*(?:no|false|incorrect|not)\b\)?\??", re.IGNORECASE
)
_BOTH = re.compile(r"\b(?:yes and no|no and yes|yes\W+no\b|no\W+yes)\b(?!\s+\w)", re.IGNORECASE)
_FILLER = (
    r"(?:well|so|then|hmm|ok|okay|actually|in that case|in this case|therefore|thus|hence|oh|ah|honestly"
    r"|obviously|clearly|and|but|most"
    r"|probably|likely|i think|i believe|i would say|i'd say|i guess|it's a|that's a|it is|it's|that is|that's"
    r"|this is|very|definitely"
    r"|absolutely|certainly|surely|of course|wait|correction|the statement is|overall|in conclusion|consequently"
    r"|answer"
    r"|unfortunately|sadly|hell|i'm afraid|i guess|it seems|apparently)"
)
_LEADING = re.compile(
    rf"\W*(?:{_FILLER}\b[\s,:.!-]*)*"
    r"(?:(?P<yes>yes|yeah|yep|yup|aye|true|correct|affirmative|indeed|right(?=\W*$)|y(?=\W*$))"
    r"|(?P<no>no(?!\s+(?:doubt|problem|matter|change|idea|worries|way to)\b)|nope|nah|false|incorrect|wrong"
    r"|negative|never"
    r"|unlikely|impossible|highly unlikely|n(?=\W*$)"
    r"|not(?!\s+(?:necessarily|sure|certain|clear|enough|only|applicable|specified|given|always|possible to"
    r"|exactly)\b)))\b(?!'\w)",
    re.IGNORECASE,
)
# "Sure! Let me look." is how assistants clear their throat: these words are a yes only where nothing else is said.
_LEANING = re.compile(
    r"\W*(?:it is |it's |that is |that's |very |most |quite |highly )*"
    r"(?:sure|certainly|of course|absolutely|definitely|probably|likely|surely|exactly|i think so|i believe so"
    r"|i guess so"
    r"|i suppose so|i would think so|so it seems|it seems so|presumably|without a doubt|no doubt|undoubtedly"
    r"|most likely)\b",
    re.IGNORECASE,
)
_DOUBT = re.compile(r"\bi (?:highly |really )?doubt (?:it|that|so)\b", re.IGNORECASE)
_SUPPOSED_NOT = re.compile(
    r"\b(?:guess|seems?|think|believe|afraid|suppose|assume|expect|suspect|hope|say) not\b", re.IGNORECASE
)
_SAID = re.compile(
    r"(?:\b(?:say|says|think|is|be|was|answer|answered|respond|clearly|definitely|probably|therefore|so)\b|:"
    r"|,)\s*[,:]?\s*[\"']?"
    r"(?:(?P<yes>yes|true|correct)|(?P<no>no|false|incorrect|unlikely|impossible))[\"']?\s*(?:[.,!;)]|$)",
    re.IGNORECASE,
)
_AUXILIARY = r"(?:would|could|should|will|can|do|does|did|is|are|was|were|has|have|had|must|be|it'd|they'd|'d|'s|'re)"
_NEGATED = re.compile(
    rf"\b(?:{_AUXILIARY}(?:\s+(?:\w+ly|still|then|most likely|likely|also|just|now))?\s+"
    r"(?:not(?! only| necessarily| sure| just)|never|no(?! doubt| problem)|nothing|nobody|none|neither|unlikely"
    r"|impossible)\b"
    r"|\w+n't\b|cannot\b|can not\b|no longer\b|ceases? to\b|stops? being\b)"
    r"|^\W*(?:no(?! (?:doubt|problem|change|matter))|none|nobody|nothing|neither|never)\b",
    re.IGNORECASE,
)
_VERB = re.compile(rf"\b{_AUXILIARY}\b|'d\b", re.IGNORECASE)
_ELLIPSIS = re.compile(
    r"^\W*(?:then\W+|so\W+|i (?:think|believe) )?(?:it|they|he|she|there|this|that|these|those|we|you|i|(?:the|a"
    r"|an|his|her|its|their|my)\s\w+(?: \w+){0,3})"
    r"(?:'d|\s+(?:\w+ly\s+|still\s+|then\s+)?(?:would|will|is|are|does|do|did|was|were|has|have|can|should))"
    r"(?:\s+(?:\w+ly|still))?(?:\s+(?:be|have|do))?(?:\s+(?:so|still|the case|correct|right|true|likely"
    r"|possible to))?\W*$",
    re.IGNORECASE,
)
_CONCLUSION = re.compile(
    r"\b(?:so(?! that| many| much)|therefore|thus|hence|consequently|in conclusion|which means|meaning)\b",
    re.IGNORECASE,
)
_MODAL = re.compile(rf"(?:\b|(?=')){MODAL}\b", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+")
_EMPTY_WORD = re.compile(
    r"the|an?|it|they|s?he|there|th(?:is|at|ese|ose)|be(?:en|ing)?|is|are|was|were|would|will|have|has|had|do|does|did"
    r"|still|then|also|in|on|of|to|with|at|and|or|so|as|by|its|his|her|their|my|any|some|all|very|just|too|can|should"
    r"|now|indeed|we|you|i|s|d|ll|re|image|picture|photo|scene|case"
)
_ENDINGS = ("", "s", "es", "d", "ed", "ing", "n", "en", "ly")


def polarity(text: str, question: str) -> str | None:
    """Yes or no, as a plain text says it, or None. The question is only there to see whether a sentence repeats it."""
    text = _ECHO_OF_THE_TASK.sub(" ", text)
    if _BOTH.match(text.lstrip(" \"'([-")):
        return None
    pieces = sentences(text)
    if not pieces:
        return None
    # The first word wins: "Yes, it wouldn't be dry" is a yes.
    answer = _leading(pieces[0])
    if answer:
        return answer
    concluding = [piece for piece in pieces if _CONCLUSION.search(piece)]
    for piece in reversed(concluding):
        tail = _CONCLUSION.split(piece)[-1]
        answer = _leading(tail) or _said(tail) or _clause(tail, question)
        if answer:
            return answer
    for piece in reversed(pieces):
        answer = _leading(piece) or _leading(stated(piece)) or _said(piece)
        if answer:
            return answer
    if _DOUBT.search(text) or _SUPPOSED_NOT.search(text):
        return "no"
    imagined = [piece for piece in pieces if _MODAL.search(stated(piece))]
    for piece in reversed(imagined):
        answer = _clause(piece, question)
        if answer:
            return answer
    answers = {answer for piece in pieces if (answer := _clause(piece, question))}
    if len(answers) == 1:
        return answers.pop()
    return "yes" if not answers and _LEANING.match(pieces[0]) else None


def opening_polarity(text: str) -> str | None:
    """The yes or no a text begins with."""
    return _leading(text)


def _leading(sentence: str) -> str | None:
    found = _LEADING.match(sentence)
    return None if not found else ("yes" if found["yes"] else "no")


def _said(sentence: str) -> str | None:
    found = _SAID.search(sentence)
    return None if not found else ("yes" if found["yes"] else "no")


def _clause(sentence: str, question: str) -> str | None:
    """What a sentence without a yes or no in it says, its supposition left out."""
    main = stated(sentence).strip(" ,")
    if not main or main.endswith("?"):
        return None
    if _NEGATED.search(main):
        return "no"
    if _ELLIPSIS.match(main):
        return "yes"
    # "The trees would be bare" says no to "would they be snowy?" without a negation. So a plain assertion is a yes
    # only where it says nothing that the question did not ask.
    said = _content(main) if _VERB.search(main) else frozenset()
    asked = _content(stated(question)) if said else frozenset()
    return "yes" if said and all(any(_same(word, other) for other in asked) for word in said) else None


def _content(text: str) -> frozenset[str]:
    return frozenset(word for word in _WORD.findall(text.lower()) if not _EMPTY_WORD.fullmatch(word))


def _same(first: str, second: str) -> bool:
    short, long = sorted((first, second), key=len)
    return long.startswith(short) and (long[len(short) :] in _ENDINGS)
