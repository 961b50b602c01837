"""Splits texts into sentences and words, and recognises conclusions, hypotheticals, corrections and refusals."""

import re
from functools import lru_cache

from countersight.reading.plain import any_case, lazy, word_set

_MAX_SENTENCES = 100  # the maximum number of sentences that are read from each end
_SENTENCE_BREAK = any_case(
    r"(?<=[.!?])(?<!\b(?:st|dr|mr|ms|mt)\.)(?<!\bmrs\.)[\"')\]]*\s+(?=(?-i:[^a-z\s]))|\s*\n+\s*|(?<=\w)\s*;\s+"
    r"|,?\s+(?=(?:and|but|so) (?:if|when|after|once|with)\b)"
)
_NEXT_LINE = lazy(r"(?<=[:=])[ \t]*\n\s*")
CONCLUSION = any_case(
    r"(?:^|(?<=[\s,(]))(?:so|thus|therefore|hence|consequently|accordingly|in conclusion|to conclude|in summary"
    r"|overall|altogether|in total|as a result|finally|which (?:means|leaves|makes|gives)|this (?:means|leaves|makes"
    r"|gives|suggests|indicates|brings)|that (?:means|leaves|makes|gives)|based on (?:this|these|that|the above|my"
    r"|our)\b[^,]{0,60}|given (?:this|these|that)\b[^,]{0,60}|we (?:can )?conclude|i (?:would )?conclude|it follows"
    r"|i\.e|that is(?=,))\b(?! (?:that|far|many|much) as\b)"
)
_NO_CONCLUSION = any_case(
    r"\bso (?:that|far|many|much|as|on|called|is|are|was|were|does|do|did|has|have)\b|(?<=\w )in total\b"
)
_IF_FIRST = any_case(
    r"^\W*(?:(?:so|then|now|and|but|thus|therefore|hence|even)[ ,]+)*(?:if|suppose|supposing|assuming|imagine"
    r"|had|were|when|once|after|with|without|given|since|because|as|while|although|though|considering|upon)\b"
    r"(?:[^,]*,\s*(?:then\s+)?|[^,]*?\s(?=(?:there|it|that|they|you|we) (?:would|will)\b))"
)
_IF_BETWEEN = any_case(r",\s+(?:even )?if\b[^,]*,\s+(?=(?:would|will|is|are)\b)")
_IF_LAST = any_case(
    r",?\s+(?:(?:even |only )?if|because|since|unless|assuming|instead of|rather than|compared (?:to|with)"
    r"|as opposed to|given that|after|when|once|even though|although|despite|out of|due to)\b.*",
    re.DOTALL,
)
HYPOTHETICAL = any_case(r"\b(?:if|would(?:n't)?|were to|suppose|supposing|imagine|had been)\b|\w'd\b")
NOW = any_case(  # sentences with these words are about the unchanged picture
    r"\b(?:now|currently|at the moment|at present|presently|already|as it is|at first|originally|initially"
    r"|in the (?:picture|image|photo|original))\b"
)
_CORRECTION = any_case(
    r"(?:(?:^|[.!?;,…\n(]|--|\*\*)\s*(?:(?:but|oh|hmm+|oops|ah|no|and)[,.!… ]{1,3}){0,3}(?P<check>(?:let me|let us"
    r"|let's|i'll|i will|i need to|i should) (?:just )?(?:re\w+|double|check|verify|correct|look|count (?:again|more)"
    r"|take another)\b|looking (?:again|closer|more (?:closely|carefully))|(?:up)?on (?:closer|second|further|re\w*"
    r"|careful) (?:look|inspection|examination|thought|review|count)\w*|re-?(?:check|count|examin|evaluat|look"
    r"|read)ing)|(?:^|[.!?;…\n(]|--|,(?= (?:wait|no|scratch|sorry|correction))|\.\.)\s*(?:(?:but|oh|hmm+|oops|ah"
    r"|and)[,.!… ]{1,3}){0,3}(?P<takes_back>wait\b|hold on|actually,|scratch that|correction:|sorry,|my mistake"
    r"|apologies|i apologi[sz]e|i take (?:that|it) back|i (?:made|was|have made) (?:a |an |it |that )?(?:mistaken?"
    r"|error|wrong)|i should have said|that(?:'s| is| was) (?:not right|wrong|incorrect|a mistake|not correct|an error)"
    r"|corrected (?:answer|count))|(?:[.!?;,…]|--|\.\.)\s*(?P<no>no[,:]? (?=(?:it(?:'s| is)|that|there|the|sorry|wait"
    r"|[(]?[A-Z0-9]\b|\d|one|two|three|four|five|six|seven|eight|nine|ten)\b)))"
)
_CONFIRMS = any_case(
    r"^\W*(?:yes\W|yep|(?:\w+ ){0,8}(?:is|was|'s|are) (?:indeed |still |in fact )?(?:right|correct|confirmed"
    r"|the same)|confirmed|still \w+|(?:\w+ ){0,3}(?:stands|holds))"
)
_REFUSES = any_case(
    r"\b(?:(?:can(?:not|'t| not)|could(?: not|n't)|(?:am |is |are |'m )?(?:un|not )able to|not possible to|impossible"
    r" to|difficult to|hard to|do(?: not|n't)|does(?: not|n't)) (?:\w+ly |be |have |possible to |provide (?:\w+"
    r" )?(?:enough |sufficient )?|really )*(?:answer|decide|tell|say|determine|determined|see (?:the|any|an|your)"
    r" (?:image|picture|photo|figure|diagram|chart|table|file)|view|process|identify|assist|help|know|provide|access"
    r"|enough|sufficient|specific|precise|exact|information|analy[sz]e|interpret|make (?:out|a)|judge|conclude|give a"
    r"|discern|be (?:sure|certain))|no way (?:to|of) (?:tell|know|say|determin)\w*"
    r"|insufficient (?:information|data)|not enough (?:information|data|context|detail)"
    r"|no (?:image|picture|photo)s? (?:is|was|are|were|has been|provided|attached|visible)|not (?:provided|listed"
    r"|specified|mentioned|available) in|please (?:provide|upload|share)|(?:unclear|unknown|uncertain|undetermined"
    r"|indeterminate)\b|need(?:s)? more (?:information|context|details?)|only (?:a |an )?(?:text|language)[- ](?:based"
    r"|model|only))"
)
_RESUMES = any_case(
    r"\b(?:but|however|to answer (?:the|this|your) question|nevertheless|still|that said|although|if i (?:had|have) to"
    r"|(?:therefore|assum\w+)(?![^.]*\b(?:not|cannot|can't|no|neither|unable|impossible)\b))\b"
)
_DISBELIEF = any_case(
    r"\b(?:(?:do|would)(?: not|n't) (?:really )?(?:think|believe|suppose|say|agree)|doubt)\b[^.,;!?\n]*"
)
_WORD = lazy(r"[^\W\d_]+(?:'[a-z]+)?|\d+(?:[.,]\d+)*|√|°|%", re.UNICODE)
_PLURALS = {"people": "person", "men": "man", "women": "woman", "children": "child", "feet": "foot", "mice": "mouse"}
_FUNCTION_WORDS = word_set("""
a an the of in on at to for from by with and or but is are was were be been being am do does did has have had
will would can could should may might must shall it its this that these those there here he she they them his
her their you your i we our us me my as than then so if when what which who whom whose how many much image
picture photo photograph scene shown see seen visible according based following any some one ones each all
both just also very into about up out please answer question not no n't yes only now still
""")


def sentences(text: str) -> list[str]:
    """Split a plain text into sentences and lines; a line that ends with a colon continues in the next."""
    found = [piece.strip() for piece in _SENTENCE_BREAK.split(_NEXT_LINE.sub(" ", text)) if piece.strip()]
    return found if len(found) <= 2 * _MAX_SENTENCES else found[:_MAX_SENTENCES] + found[-_MAX_SENTENCES:]


def conclusion_of(sentence: str) -> str | None:
    """Return the conclusion of a sentence, after its "so" or "therefore"; None if it has none."""
    cues = [cue for cue in CONCLUSION.finditer(sentence) if not _NO_CONCLUSION.match(sentence, cue.start())]
    parts = (sentence[cue.end() :].strip(" ,:.!") for cue in reversed(cues))
    return next(filter(None, parts), sentence) if cues else None


def main_clause(sentence: str) -> str:
    """Return a sentence without a condition or reason at its beginning or end."""
    rest = _IF_FIRST.sub("", _IF_BETWEEN.sub(" ", sentence))
    return _IF_LAST.sub("", rest).strip() or rest


def last_question(question: str) -> str:
    """Return the last sentence with a question mark; the sentences before it are context."""
    return next((each for each in reversed(sentences(question)) if each.rstrip("'\" ").endswith("?")), question)


def last_correction(text: str, options: tuple[str, ...], *, no_corrects: bool) -> tuple[str, str, bool, bool] | None:
    """Return the text before and after the last correction, whether it only rechecks, and whether it confirms.

    `no_corrects`: "no, it is B" is a correction, unless one of the options starts with these words.
    """
    begins = len(text) - len(text.lstrip())
    cues = [
        cue
        for cue in _CORRECTION.finditer(text, begins + 1)
        if not cue["no"] or (no_corrects and not text[cue.start("no") :].lower().startswith(options))
    ]
    if not cues:
        return None
    after = text[cues[-1].end() :].lstrip(" ,.:;-…)!?")
    return text[: cues[-1].start()], after, bool(cues[-1]["check"]), bool(_CONFIRMS.match(after))


def without_refusal(text: str) -> str | None:
    """Return the text, or the answer after a refusal such as "I cannot tell, but …"; None for a plain refusal."""
    refusals = list(_REFUSES.finditer(text))
    if not refusals:
        return text
    resumed = _RESUMES.search(text, refusals[-1].end())
    return text[resumed.end() :] if resumed else None


def without_disbelief(text: str) -> str:
    """Return the text without statements that the reply denies: "I don't think it is B, so …"."""
    return _DISBELIEF.sub(" ", text)


def refuses(text: str) -> bool:
    """Whether a text says that the question cannot be answered."""
    return _REFUSES.search(text) is not None


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return the approximate stem of a word: "boxes" and "box", "wearing" and "wears" have one stem."""
    word = word.lower()
    if word in _PLURALS:
        return _PLURALS[word]
    for ending in ("ies", "ing", "ed", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            bare = word[: -len(ending)]
            return bare[:-1] if ending in ("ing", "ed") and bare[-1] == bare[-2] and bare[-1] not in "lsz" else bare
    return word


def words(text: str) -> list[str]:
    """Return the words and numbers of a text, in lower case."""
    return [word.lower() for word in _WORD.findall(text)]


def content_words(text: str) -> frozenset[str]:
    """Return the stems of the content words in a text."""
    return frozenset(stem(word) for word in words(text) if word not in _FUNCTION_WORDS and word[-3:] != "n't")
