"""Finds an open answer: after a mark, as a whole short reply, or as a sentence's words that are not in the question."""

import re

from countersight.reading.plain import any_case, lazy
from countersight.reading.sentences import HYPOTHETICAL, NOW, conclusion_of, content_words, refuses, sentences, stem

_SHORT = 5  # the maximum number of words in an answer
_PHRASE = 8  # the maximum number of words in a reply without capitals and full stop
_PUNCTUATION = " .,:;!\"'*()"
_SENTENCE_END = lazy(r"(?:(?<=[^\W_]{3})|(?<=\d))[\"')]*[.!?][\"')]*\s+")  # but not in "St. Louis"
_WORD = lazy(r"[^\s,;:()\"]+")
_LEAD = any_case(
    r"^(?:the answer (?:is|would be)|it(?:'s| is| would be)|that(?:'s| is)|there (?:is|are)|they (?:are"
    r"|would be)|answer:?)\s+(?:that\s+)?"
)
_FUNCTION_START = any_case(
    r"^(?:is|are|was|were|be|been|being|to|of|by|would|will|with|as|that|in order|on|in|at|from|for|and|has"
    r"|have|it|this|there|most likely|likely|probably)\s+"
)
_TAIL = any_case(r",?\s+(?:i (?:think|guess|believe)|most likely|probably|perhaps|instead of|rather than|not)\b.*")
_VERB = any_case(r"\b(?:is|are|was|were|would|will|has|have|can|could|does|do|did|should|\w+n't)\b")
_NAMES = any_case(r"\b(?:is|are|was|were|be|would|will)\b|'s\b")
_QUOTED = lazy(r"[\"“]([^\"“”\n]{1,60})[\"”]")
_OR = any_case(r"\b(?:or|maybe|perhaps)\b")
_WHOLE_SENTENCE = any_case(
    r"\b(?:why|how (?!many|much|old|long|far|big|tall|often)|what (?:would|will|could|might) happen|describe|explain)\b"
)


def read_marked(region: str) -> str | None:
    """Return the answer after a mark: its first sentence."""
    first = _SENTENCE_END.split(region.strip().split("\n")[0], maxsplit=1)[0]
    answer = _LEAD.sub("", first.strip()).strip(_PUNCTUATION)
    return answer if answer and not refuses(answer) else None


def read_sentences(text: str, question: str, *, whole: bool = True) -> str | None:
    """Return a whole short reply, or the words of a sentence that are not in the question."""
    statements = sentences(text)
    if not statements or refuses(text[:200]):
        return None
    # A few words without a capital or a full stop, as people fill in a form ("do not enter").
    if len(text.split()) <= _PHRASE and text == text.casefold() and not re.search(r"[.!?\n]|\bor\b", text.strip()):
        return text.strip(_PUNCTUATION) or None
    first = _TAIL.sub("", statements[0])
    name = _LEAD.sub("", first)
    quoted = _QUOTED.findall(text)
    if len(quoted) == 1 and len(statements) == 1:
        return str(quoted[0]).strip(_PUNCTUATION) or None
    is_sentence = _VERB.search(name) or _OR.search(first)
    if len(statements) == 1 and len(first.split()) <= _SHORT and not is_sentence:
        return name.strip(_PUNCTUATION) or None
    if _WHOLE_SENTENCE.search(question):
        return (statements[0] if whole else statements[-1]).strip()
    ends = [part for each in statements[1:] if (part := conclusion_of(each))]
    return _new_words(ends[-1] if ends else statements[0 if whole else -1], question)


def _new_words(sentence: str, question: str) -> str | None:
    """Return the consecutive words that are not in the question, if there is only one such phrase."""
    sentence = _TAIL.sub("", sentence)
    if _OR.search(sentence) or (HYPOTHETICAL.search(question) and NOW.search(sentence)):
        return None
    known = content_words(question)
    runs: list[list[str]] = [[]]
    for match in _WORD.finditer(_LEAD.sub("", sentence.strip(_PUNCTUATION))):
        word = match.group().strip(_PUNCTUATION)
        if stem(word) in known or not word:
            runs.append([])
        else:
            runs[-1].append(word)
    said = [run for run in runs if content_words(" ".join(run))]
    if not _NAMES.search(sentence) or len(said) != 1:
        return None
    answer = " ".join(said[0])
    while (shorter := _FUNCTION_START.sub("", answer)) != answer:
        answer = shorter
    answer = re.sub(r"\s+(?:is|are|was|were|the|a|an|of|in|on|to|and|would|will|be|would be)$", "", answer)
    return answer if 0 < len(answer.split()) <= _SHORT and not _VERB.search(answer) else None
