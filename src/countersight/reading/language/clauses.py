"""Sentences, and the part of a sentence that states rather than supposes."""

import re
from functools import lru_cache

from countersight.reading.language.vocabulary import any_of, found

MODAL = any_of("worlds.modals")
MODAL_AT = found("worlds.modals")
NOW_AT = found("worlds.now")

_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n+|;\s+|(?<=[.!?])(?=[A-Z])")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|approx|vs|ca)\.$", re.IGNORECASE)
_NUMBER_SIGN = re.compile(r"\bno\.$", re.IGNORECASE)  # before a digit; anywhere else it is an answer
_NUMBERED = re.compile(r"^[ \t]*(\d{1,2})[.)]\s+(?=\S)", re.MULTILINE)
_STEP = re.compile(r"\bstep \d+\s*[:.)-]?\s*", re.IGNORECASE)

IF_AT = found("worlds.suppositions")
# "While there are 3 now, …" sets the scene; "…, while 2 are sitting" is a statement of its own.
_BECAUSE = re.compile(rf"{any_of('worlds.reasons')}|(?<=, )as\b|^\W*(?:while|whilst|whereas)\b", re.IGNORECASE)
_CONNECTIVE = any_of("worlds.connectives")
_OPENING = re.compile(rf"(?:{_CONNECTIVE},?\s+)?(?P<opening>{any_of('worlds.suppose_first')})", re.IGNORECASE)
_IMAGINE = re.compile(rf"\W*(?:let's |let us |let me )?{any_of('worlds.imagine')}", re.IGNORECASE)
_SUBJECT = re.compile(rf"{any_of('worlds.subjects')}|(?<![\d.])\d+(?:\.\d+)?\b", re.IGNORECASE)
_GOES_ON = re.compile(rf",?\s*{any_of('worlds.goes_on')}|=(?!=)", re.IGNORECASE)
# "but not bright" takes up the sentence it stands in; any other "but" opens a statement of its own.
# "Nobody but the boy" and "anything but dry" are one statement, too.
_CONTRAST = re.compile(
    r"(?<!\banything)(?<!\banywhere)(?<!\bnothing)(?<!\bnobody)(?<!\bnone)(?<!\ball)"
    r"[,;]?\s+(?=but\b(?! (?:not|also|for)\b))"
    r"|[,;]?\s+(?=however\b)|,\s+(?=yet\b)",
    re.IGNORECASE,
)
_VERB_FOLLOWS = rf"[^,]{{0,40}}?(?:{any_of('worlds.clause_verbs')}|{MODAL})"
_SUBJECT_OF_CLAUSE = any_of("worlds.clause_subjects")
_IS_EXPLAINED = r"(?<=[a-z]):\s+(?=[a-z]+ (?:is|are|was|were|has|have)\b)"  # "it is raining: people are carrying …"
_NEXT_CLAUSE = re.compile(
    rf",\s+(?:(?:and|so|then) )?(?={_SUBJECT_OF_CLAUSE}{_VERB_FOLLOWS})"
    rf"|\s+and\s+(?=(?:it|they|he|she|there|nothing|nobody|no one|none)\b|{MODAL})"
    rf"|,\s+and\s+(?=\w+(?:ing \w+(?: \w+)?)? {MODAL})"
    rf"|(?::|\s--?)\s+(?={_SUBJECT_OF_CLAUSE}{_VERB_FOLLOWS})|,\s+(?=[a-z]+s (?:are|aren't|do|don't)\b)"
    rf"|{_IS_EXPLAINED}",
    re.IGNORECASE,
)
# "The wall would break and the lake would fall": a second subject with its own verb, where the first has one too.
_PRESENT = r"\w+[^\Ws]s (?:(?:the|an?|his|her|its|their|to|in|on|at|up|down|out|off|away|back|still|not)\b|\W*$)"
_HAS_A_VERB = re.compile(rf"{MODAL}|{any_of('worlds.clause_verbs')}|\b(?!this\b){_PRESENT}", re.IGNORECASE)
_AND_ANOTHER = re.compile(
    rf",? and (?:so |then |thus )?(?={any_of('worlds.and_subjects')}(?:(?: (?!and\b|or\b|that\b|who\b|which\b)[\w'-]+)"
    rf"{{0,4}}?(?:'d| (?:{MODAL}|{any_of('worlds.clause_verbs')}))| \w+ {_PRESENT}))",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(rf"{any_of('worlds.questions_that_suppose')}|\bhad \w+ been\b", re.IGNORECASE)
_BEFORE_IT = re.compile(r"\b(?<=now|tly|ent),? before\b.*", re.IGNORECASE)  # "now, before any would fly off"
_IS_NOW = found("worlds.present_verbs")
_MAY = re.compile(r"\W*may\b", re.IGNORECASE)
_SUPPOSED_FIRST = re.compile(rf"\W*(?:{_CONNECTIVE},?\s+)?{any_of('worlds.openers')}", re.IGNORECASE)
_BREAK = re.compile(r",(?!\s*(?:and|or)\b)|:(?!\d)|(?<=[a-z]) --? ")
# "There are 12, so after 5 left there would be 7": a statement begins there.
_OPENS_ANEW = re.compile(rf"(?:^|[,;])\s*{_CONNECTIVE},?\s*$", re.IGNORECASE)
_MOST_SUPPOSITIONS = 4  # of one sentence that are taken out of it
_NEAR = 60  # characters before a "would" in which its subject stands
HOW_MANY = re.compile(r"\b(?:how many|number of)\b", re.IGNORECASE)
"""What asks for a count."""


def sentences(text: str) -> list[str]:
    """The sentences of a plain text, one a list entry, without list numbers and step numbers."""
    numbers = [int(number) for number in _NUMBERED.findall(text)]
    # "3. There are two, and one comes" answers 3; "1. … 2. …" only counts its own lines.
    if len(numbers) >= 2 and numbers[:2] == [1, 2]:
        text = _NUMBERED.sub("", text)
    pieces: list[str] = []
    for piece in _END.split(_STEP.sub("", text)):
        if pieces and (_ABBREVIATION.search(pieces[-1][-8:]) or _is_numbered(pieces[-1], piece)):
            pieces[-1] = f"{pieces[-1]} {piece}"
        elif piece.strip():
            pieces.append(piece.strip())
    return pieces


def _is_numbered(before: str, piece: str) -> bool:
    return piece[:1].isdigit() and bool(_NUMBER_SIGN.search(before[-4:]))


def contrasted(sentence: str) -> list[str]:
    """The statements on either side of a "but": they are often about two worlds."""
    return [part for piece in _CONTRAST.split(sentence) if (part := piece.strip(" ,;"))]


def clauses(main: str, *, parts_at_and: bool = True) -> list[str]:
    """The clauses of a sentence that have a subject and a verb of their own, so that a "not" denies only its own."""
    pieces = _NEXT_CLAUSE.split(main)
    every = (part for piece in pieces for part in _joined_by_and(piece)) if parts_at_and else pieces
    return [part for piece in every if (part := piece.strip(" ,;"))]


def _joined_by_and(piece: str) -> list[str]:
    """The parts of a piece that an "and" joins; "the dog and the cat would go" is one, since "the dog" has no verb."""
    parts, start = [], 0
    for joint in _AND_ANOTHER.finditer(piece) if " and " in piece else ():
        before = re.split(r",|\bthat\b", piece[start : joint.start()])[-1]
        if _HAS_A_VERB.search(before):
            parts.append(piece[start : joint.start()])
            start = joint.end()
    return [*parts, piece[start:]]


def every_clause(text: str, *, parts_at_and: bool = True) -> list[str]:
    """The clauses of all sentences of a text, in order."""
    statements = (part for sentence in sentences(text) for part in contrasted(sentence))
    return [clause for part in statements for clause in clauses(part, parts_at_and=parts_at_and)]


def asks_of_now(question: str) -> bool:
    """Whether a question is about the picture as it is: it says neither "would" nor "if"."""
    question = _BEFORE_IT.sub("", question)
    if _SUPPOSES.search(question):
        return False
    # "Could the car pass?" asks of now, as "can the car pass" does; "could … if" was seen above.
    may = _MAY.match(question)
    return bool(may or _IS_NOW.search(question)) and not MODAL_AT.search(question, may.end() if may else 0)


def tells_of_now(clause: str) -> bool:
    """Whether a clause says outright that it is about the picture as it is ("currently", "in the image")."""
    return bool(NOW_AT.search(clause)) and not imagines(clause)


def imagines(clause: str) -> bool:
    """Whether a clause has a "would" or an "if"."""
    return bool(MODAL_AT.search(clause) or IF_AT.search(clause))


def supposes(clause: str) -> bool:
    """Whether a clause says what would be if something else was."""
    return bool(MODAL_AT.search(clause) and IF_AT.search(clause))


def supposes_at_last(sentence: str) -> bool:
    """Whether a sentence comes to what would be after all else: "… and if one fell, there would be …"."""
    opening = IF_AT.search(sentence)
    if not opening or MODAL_AT.search(sentence[: opening.start()]):
        return False
    return bool(MODAL_AT.search(sentence, opening.end()))


def supposes_first(sentence: str) -> bool:
    """Whether a sentence begins with a supposition: "If 7 left, …", "After 7 leave: …"."""
    return bool(_SUPPOSED_FIRST.match(sentence))


@lru_cache(maxsize=512)
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
    return _without(_BECAUSE, _without(IF_AT, sentence, always=True), always=False).strip()


def supposed(sentence: str) -> str:
    """What a sentence supposes: the words of its "if", up to its end, or to the main clause that follows it."""
    opening = IF_AT.search(sentence)
    if not opening:
        return ""
    rest = sentence[opening.end() :]
    return rest if MODAL_AT.search(sentence[: opening.start()]) else rest[: _main_clause(rest)]


def _without(pattern: re.Pattern[str], sentence: str, *, always: bool) -> str:
    for _ in range(_MOST_SUPPOSITIONS):
        opening = pattern.search(sentence)
        if not opening:
            break
        before, rest = sentence[: opening.start()], sentence[opening.end() :]
        # After "there would be 5 if …", or "4, as …", no second main clause is to be looked for without a comma.
        done = MODAL_AT.search(before) or (before.strip() and not always and not _OPENS_ANEW.search(before))
        start = _main_clause(rest, needs_comma=bool(done))
        if start is None and not (always or before.strip()):
            break
        sentence = f"{before}{' , ' if before.strip() else ''}{'' if start is None else rest[start:]}"
    return sentence


def _main_clause(rest: str, *, needs_comma: bool = False) -> int | None:
    """Where the main clause begins after a supposition, or None where the supposition goes to the end."""
    goes_on = _GOES_ON.search(rest)
    modals = [modal.start() for modal in MODAL_AT.finditer(rest)][:8]
    # "if 2 cats, a dog and 3 birds left, there would be 5": the comma whose own clause has the "would".
    for modal in modals:
        comma = rest.rfind(",", 0, modal)
        if comma >= 0 and not (goes_on and goes_on.start() < comma):
            return comma + 1
    if goes_on:
        return goes_on.start()
    pause = _BREAK.search(rest)
    # "if one left there would be 2": no comma, so the main clause begins at the subject of its "would".
    for modal in () if needs_comma else modals:
        subjects = [subject.start() for subject in _SUBJECT.finditer(rest, max(0, modal - _NEAR), modal)]
        if (not pause or modal < pause.start()) and subjects and rest[: subjects[-1]].strip():
            return subjects[-1]
    return pause.end() if pause else None
