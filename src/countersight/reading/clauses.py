"""Sentences, and the part of a sentence that states rather than supposes."""

import re

MODAL = r"(?:would|will|'d|'ll|could|should|might|may|shall|won't|wouldn't)"

_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n+|;\s+|(?<=[.!?])(?=[A-Z])")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|approx|vs|ca|no)\.$", re.IGNORECASE)
_NUMBERED = re.compile(r"^[ \t]*(\d{1,2})[.)]\s+(?=\S)", re.MULTILINE)
_STEP = re.compile(r"\bstep \d+\s*[:.)-]?\s*", re.IGNORECASE)

# "if" always opens a supposition. The others do so too, but they also open plain statements, so that they are
# only dropped where the sentence goes on ("since", "after") or where they begin it ("with 2 more, …").
_IF = re.compile(r"\b(?:even if|what if|if|unless|assuming|supposing|provided that|in case)\b", re.IGNORECASE)
_BECAUSE = re.compile(
    r"\b(?:when|whenever|once|after|because|since|given|due to|thanks to|owing to|seeing (?:as|that|how)|considering"
    r"|while|whilst|whereas|even though|although|though|despite|before|(?<=, )as|as there (?:are|were|is|was))\b",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"(?:(?:so|then|and|but|now|thus|therefore|hence),?\s+)?"
    r"(?P<opening>had|were|should|with|without|by|upon|following|out of|of|in addition to|instead of|from|given)\b",
    re.IGNORECASE,
)
_IMAGINE = re.compile(r"\W*(?:let's |let us |let me )?(?:suppose|imagine|assume|say|pretend|picture)\b", re.IGNORECASE)
_MODAL_AT = re.compile(rf"(?:\b|(?=')){MODAL}\b", re.IGNORECASE)
_SUBJECT = re.compile(
    r"\b(?:there|it|they|we|you|he|she|i|that|this|these|those|the|a|an|all|only|no|none|nobody|nothing|each|both"
    r"|his|her|its|their|my|our|\d+|two|three|four|five|six|seven|eight|nine|ten)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r",?\s*\b(?:so(?! that| many| much)|therefore|thus|hence|leaving|then"
    r"|(?:you|we)(?: would| will)? (?:get|end up|are left)|(?:that|which|this) (?:makes|leaves|gives|is|would))\b"
    r"|=(?!=)",
    re.IGNORECASE,
)
# "but not bright" takes up the sentence it stands in; any other "but" opens a statement of its own.
_CONTRAST = re.compile(r"[,;]?\s+(?=but\b(?! (?:not|also|for)\b)|however\b)|,\s+(?=yet\b)", re.IGNORECASE)
_NEXT_CLAUSE = re.compile(
    r",\s+(?:and |so |then )?(?=(?:it|there|they|he|she|this|that|these|those|we|you|its|his|her|their|the|an?|no)\b"
    r"[^,]{0,40}?(?:\b(?:is|are|was|were|do|does|did|has|have|had|can|cannot)\b|n't\b"
    rf"|(?:\b|(?=')){MODAL}\b))"
    r"|\s+and\s+(?=(?:it|they|there)\b)",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:currently|presently|at present|right now|at the moment|now|already|originally|initially|in reality|as it is"
    r"|(?:in|from) (?:the|this) (?:\w+ )?(?:image|picture|photo|photograph|scene)|as (?:shown|pictured|seen))\b",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"\b(?:if|unless|suppos\w+|imagin\w+|assum\w+|pretend|what would|were to|had \w+ been)\b", re.IGNORECASE
)
_IS_NOW = re.compile(r"\b(?:is|are|do|does|can|has|have|was|were|did)\b", re.IGNORECASE)
_SUPPOSED_FIRST = re.compile(
    r"\W*(?:(?:so|then|and|but|now|thus|therefore|hence|however),?\s+)?(?:even if|if|after|when|once|with|without|had"
    r"|were|should|by|upon|following|assuming|supposing|suppose|imagine)\b",
    re.IGNORECASE,
)
_BREAK = re.compile(r",(?!\s*(?:and|or)\b)|:(?!\d)|(?<=[a-z]) --? ")


def sentences(text: str) -> list[str]:
    """The sentences of a plain text, one a list entry, without list numbers and step numbers."""
    numbers = [int(number) for number in _NUMBERED.findall(text)]
    # "3. There are two, and one comes" answers 3; "1. … 2. …" only counts its own lines.
    if len(numbers) >= 2 and numbers[:2] == [1, 2]:
        text = _NUMBERED.sub("", text)
    pieces: list[str] = []
    for piece in _END.split(_STEP.sub("", text)):
        if pieces and _ABBREVIATION.search(pieces[-1][-8:]):
            pieces[-1] = f"{pieces[-1]} {piece}"
        elif piece.strip():
            pieces.append(piece.strip())
    return pieces


def contrasted(sentence: str) -> list[str]:
    """The statements on either side of a "but": they are often about two worlds."""
    return [part for piece in _CONTRAST.split(sentence) if (part := piece.strip(" ,;"))]


def clauses(main: str) -> list[str]:
    """The clauses of a sentence that have a subject and a verb of their own, so that a "not" denies only its own."""
    return [part for piece in _NEXT_CLAUSE.split(main) if (part := piece.strip(" ,;"))]


def asks_of_now(question: str) -> bool:
    """Whether a question is about the picture as it is: it says neither "would" nor "if"."""
    return bool(_IS_NOW.search(question)) and not (_MODAL_AT.search(question) or _SUPPOSES.search(question))


def tells_of_now(clause: str) -> bool:
    """Whether a clause says outright that it is about the picture as it is ("currently", "in the image")."""
    return bool(_NOW.search(clause)) and not imagines(clause)


def imagines(clause: str) -> bool:
    """Whether a clause has a "would" or an "if"."""
    return bool(_MODAL_AT.search(clause) or _IF.search(clause))


def supposes(clause: str) -> bool:
    """Whether a clause says what would be if something else was."""
    return bool(_MODAL_AT.search(clause) and _IF.search(clause))


def supposes_first(sentence: str) -> bool:
    """Whether a sentence begins with a supposition: "If 7 left, …", "After 7 leave: …"."""
    return bool(_SUPPOSED_FIRST.match(sentence))


def stated(sentence: str) -> str:
    """The sentence without its suppositions and reasons: what stands in "if 2 left," is never the answer."""
    if _IMAGINE.match(sentence):
        start = _main_clause(sentence)
        return sentence[start:] if start is not None and "," in sentence[:start] else ""
    opening = _OPENING.match(sentence)
    if opening:
        start = _main_clause(sentence[opening.end() :])
        if start is not None:
            sentence = sentence[: opening.start("opening")] + sentence[opening.end() + start :]
    for pattern, always in ((_IF, True), (_BECAUSE, False)):
        for _ in range(4):
            found = pattern.search(sentence)
            if not found:
                break
            before, rest = sentence[: found.start()], sentence[found.end() :]
            # After "there would be 5 if …", or "4, as …", no second main clause is to be looked for without a comma.
            done = _MODAL_AT.search(before) or (before.strip() and not always)
            start = _main_clause(rest, needs_comma=bool(done))
            if start is None and not (always or before.strip()):
                break
            sentence = f"{before}{' , ' if before.strip() else ''}{'' if start is None else rest[start:]}"
    return sentence.strip()


def _main_clause(rest: str, *, needs_comma: bool = False) -> int | None:
    """Where the main clause begins after a supposition, or None where the supposition goes to the end."""
    goes_on = _GOES_ON.search(rest)
    modals = [found.start() for found in _MODAL_AT.finditer(rest)][:8]
    # "if 2 cats, a dog and 3 birds left, there would be 5": the comma whose own clause has the "would".
    for found in modals:
        comma = rest.rfind(",", 0, found)
        if comma >= 0 and not (goes_on and goes_on.start() < comma):
            return comma + 1
    if goes_on:
        return goes_on.start()
    pause = _BREAK.search(rest)
    if pause:
        return pause.end()
    # "if one left there would be 2": no comma, so the main clause begins at the subject of its "would".
    for found in () if needs_comma else modals:
        window = max(0, found - 60)
        subjects = [subject.start() for subject in _SUBJECT.finditer(rest, window, found)]
        if subjects and rest[: subjects[-1]].strip():
            return subjects[-1]
    return None
