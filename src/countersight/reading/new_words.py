"""What the sentences of a reply say that the question did not, where they speak of the world that was asked about."""

import re
from itertools import pairwise
from typing import Final

from countersight.reading.clauses import MODAL, MODAL_AT, asks_of_now, clauses, stated, supposed, tells_of_now
from countersight.reading.opposites import states
from countersight.reading.stems import stem
from countersight.reading.vocabulary import any_of, found, words

QUOTED = re.compile(r'"([^"\n]{1,60})"')
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*(?:'(?!s\b|re\b|d\b|ll\b)[^\W\d_]+)?|[$€£]?\d+(?:[.:]\d\d)?")
RATHER_THAN = re.compile(r",? \b(?:rather than|instead of|as opposed to|and not|but not)\b.*|, not\b.*", re.IGNORECASE)
_FROM_TO = re.compile(r"\bfrom \w+(?: \w+)? to\b", re.IGNORECASE)  # "from green to red" ends at red
_WHICH_IS = re.compile(rf"(?<=\w),? (?:that|which|who|whose) (?:\w+s|are|were|have|{MODAL})\b[^,]*", re.IGNORECASE)
_LEANING = re.compile(  # "the bike leaning on it"; not "the bike is leaning on it"
    rf"(?<=\w)(?<!\bis)(?<!\bare)(?<!\bbe)(?<!'s)(?<!'re)(?<!\bwas)(?<!\bwere) "
    rf"\w+ing {any_of('questions.prepositions')} (?!.*{MODAL}).*",
    re.IGNORECASE,
)
_UNIT = re.compile(rf" {any_of('counts.units')}", re.IGNORECASE)
_CONCLUSION = found("yes_no.conclusions")
_PRESENT = re.compile(
    r"\W*(?:(?P<who>he|she|it|they|there)|(?:the|his|her|their|its|this|that) (?P<noun>[\w' ]{1,40}?))"
    r"(?P<verb>'s|'re| (?:is|are|was|were|has|have|\w+s))\b",
    re.IGNORECASE,
)
_THERE_WOULD_BE = re.compile(rf"\bthere\s*{MODAL} be\b|'d be$", re.IGNORECASE)
_IS_WHAT = re.compile(r",? (?:is|was|would be|'d be) (?:what|who|where|which one)\b.*", re.IGNORECASE)
_DOING = re.compile(r" \w+ing\b", re.IGNORECASE)
# The wh-word is what does it: "who would win", and not "what would the girl drink".
_ASKS_FOR_THE_SUBJECT = re.compile(
    rf"\W*(?:who|what|which)(?: \w+){{0,2}}? {MODAL} (?!{any_of('questions.determiners')}"
    r"|(?:be|he|she|it|they|you|we|i|there)\b)",
    re.IGNORECASE,
)
_ASKS_WHAT_WOULD_BE = re.compile(rf"\W*(?:who|what|which)(?: \w+){{0,2}}? {MODAL} be\b", re.IGNORECASE)
_VERB = re.compile(
    rf"{MODAL}(?: (?:\w+ly|still|then|now|most likely|have to|need to))*\s+(?!(?:be|not)\b)(?P<verb>\w+)", re.IGNORECASE
)
# "The man on the left is", "the sport shown here is"
_SAYS = re.compile(
    r"\W*(?:(?:in|on|at|with|under) [^,]{1,40}, )?"
    r"(?P<subject>the (?:[\w-]+ ){1,7}?)(?:is|are|was|were|shows|reads|says)\b",
    re.IGNORECASE,
)
_ASKS_FOR_A_THING = re.compile(r"\W*(?:what|which|who)\b", re.IGNORECASE)
_THE_SUBJECT = re.compile(r"\W*the ([\w' ]{1,40}?)\W*$", re.IGNORECASE)
_IS_PLACED = re.compile(rf"\b(?:is|are|was|were) ({any_of('questions.prepositions')})", re.IGNORECASE)
_SIDE = re.compile(r"\b(?:the|his|her|its|their|far) (left|right)\b", re.IGNORECASE)
_IS_SO = re.compile(
    rf"\W*(?:it|he|she|they|there|the \w+(?: \w+)?)\s*{MODAL}(?: (?:\w+ly|still|then))*"
    rf" (?P<verb>{any_of('open.being')}) (?:\w+ly |very |too )?(?P<so>\w+)(?: (?:to|for|then|now)\b.*)?\W*$",
    re.IGNORECASE,
)
_ASKS_HOW_IT_IS = re.compile(r"\b(?:colou?r|look|like|weather|kind|sort|state|condition|be)\W*$|colou?r", re.IGNORECASE)
_SEVERAL = re.compile(r"\W*(?:with|without|by|after)\b[^,]*$", re.IGNORECASE)
PALE: Final = words("questions.empty") | words("options.pale") | words("open.passing")
"""Words that answer nothing by themselves."""
_ADJECTIVES: Final = words("open.adjectives")
_PARTICLES: Final = words("open.particles")
_TAKING: Final = words("open.taking")
_JOINING: Final = frozenset({"of", "and", "or", "the", "a", "an", "in", "on", "to", "for"})
_PLACING: Final = words("questions.prepositions") - _JOINING
_POINTING: Final = words("questions.prepositions") | words("open.pointing")
_LONGEST = 5  # words of an answer


def answering(parts: list[str], question: str) -> str | None:
    """The words that answer, of those sentences, or parts of them, that speak of the world that was asked about."""
    if asks_of_now(question):
        return _new_words(parts[0], question) if parts else None
    imagined = [clause for part in parts for clause in _clauses_of_what_would_be(part)]
    if not imagined:
        return _new_words(parts[-1], question) if parts and not is_told_of_now(parts[-1], question) else None
    if any(_is_elsewhere(part, question) for part in parts if MODAL_AT.search(part)):
        return None
    asked = stated(question)
    known = _stems(asked)
    shared = [len(known & _stems(clause)) for clause in imagined]
    closest = [clause for clause, share in zip(imagined, shared, strict=True) if share == max(shared)]
    answer = _new_words(closest[-1], question)
    if answer is None and (_ASKS_HOW_IT_IS.search(asked.strip(" ?,")) or _THERE_WOULD_BE.search(closest[-1])):
        return _new_words(closest[-1], asked)  # "it would be green", to its colour if it was painted green
    return answer


def _clauses_of_what_would_be(part: str) -> list[str]:
    """The clauses with a "would", or what is concluded from them: "the puddles would freeze, so ice"."""
    main = stated(part)
    if not MODAL_AT.search(main):
        return []
    tail = _CONCLUSION.split(main)[-1]
    if tail.strip(" .!") and tail != main:
        return [clause for clause in clauses(tail) if MODAL_AT.search(clause)] or [tail]
    return [clause for clause in clauses(main) if MODAL_AT.search(clause)]


def _is_elsewhere(part: str, question: str) -> bool:
    """Whether it tells of the other side: "in his right hand …", to what is in the left."""
    said, asked = ({side.lower() for side in _SIDE.findall(text)} for text in (part, question))
    return bool(asked) and bool(said) and not said & asked


def is_told_of_now(piece: str, question: str) -> bool:
    """Whether a piece tells how something of the question is: "the clock shows 3:15", to what it would show."""
    if MODAL_AT.search(piece):
        return False
    told = _PRESENT.match(piece)
    if tells_of_now(piece) or told is None or _CONCLUSION.search(piece):
        return tells_of_now(piece)
    known = {stem(word.lower()) for word in _WORD.findall(question)}
    if told["noun"]:
        return known.issuperset(_stems(told["noun"]))
    if told["who"].lower() != "it" and _DOING.match(piece, told.end()):
        return True  # "she is drinking coffee", to what she would drink
    return known.issuperset(_stems(piece[told.end() :]))  # "she is reading"


def is_vague(piece: str, question: str) -> bool:
    """Whether a piece names nothing by itself: "the one behind it", "the next one"."""
    every = [token.lower() for token in _WORD.findall(piece)]
    pointed = _POINTING.intersection(every)
    return "one" in every and bool(pointed) and all(word in PALE | _POINTING for word in every)


def _new_words(clause: str, question: str) -> str | None:
    """The one run of words in a clause that the question does not have."""
    quoted = QUOTED.findall(clause)
    if len(quoted) == 1:
        return str(quoted[0]).strip(" .,!")
    main = _FROM_TO.sub("to", _without_remarks(_CONCLUSION.split(stated(clause))[-1]))
    main = _IS_WHAT.sub("", main)
    if _is_of_another_kind(main, question) or _is_placed_otherwise(main, question):
        return None
    known = {stem(word.lower()) for word in _WORD.findall(question)}
    tokens = list(_WORD.finditer(main))
    first, last = _place_of_the_answer(main, question)
    done = {verb.start("verb") for verb in _VERB.finditer(main)}  # the "land" of "it would land on his shirt"
    new = [
        i
        for i, token in enumerate(tokens)
        if first <= token.start() < last and token.start() not in done and _is_new(token.group().lower(), known)
    ]
    new = _first_thing(new, tokens) if _ASKS_FOR_A_THING.match(question) else new
    if all(tokens[i].group().endswith("n't") or tokens[i].group().lower() in _PARTICLES for i in new):
        return None
    if new[-1] - new[0] >= _LONGEST:
        return None
    between = [tokens[i].group().lower() for i in range(new[0], new[-1] + 1) if i not in new]
    if "or" in between or not _JOINING.issuperset(between):
        return None
    end = tokens[new[-1]].end()
    unit = _UNIT.match(main, end) if tokens[new[-1]].group().isdigit() else None
    return main[tokens[new[0]].start() : unit.end() if unit else end]


def _is_placed_otherwise(main: str, question: str) -> bool:
    """Whether something is told to be beside the place in question: "it is next to the table", to what is on it."""
    told, asked = _IS_PLACED.search(main), _IS_PLACED.search(question)
    return asks_of_now(question) and told is not None and asked is not None and told[1].lower() != asked[1].lower()


def _first_thing(new: list[int], tokens: list[re.Match[str]]) -> list[int]:
    """The new words up to where the thing is: the "pizza" of "pizza with a fork"."""
    new = [i for i in new if tokens[i].group().lower() not in _PLACING]
    for earlier, later in pairwise(new):
        between = {tokens[i].group().lower() for i in range(earlier + 1, later)}
        if between & _PLACING:
            return new[: new.index(later)]
    return new


def _without_remarks(clause: str) -> str:
    for remark in (RATHER_THAN, _WHICH_IS, _LEANING):
        clause = remark.sub("", clause)
    return clause


def _place_of_the_answer(main: str, question: str) -> tuple[int, int]:
    """Where the answer may stand: before the "would", where it was asked who would do something, and else after it.

    What somebody would do that was not asked ("she'd call the waiter") answers nothing.
    """
    modal = MODAL_AT.search(main)
    verb = _VERB.match(main, modal.start()) if modal else None
    if not modal:
        return _behind_its_verb(main, question), len(main)
    if _ASKS_WHAT_WOULD_BE.match(question):
        return (0, 0) if _is_of_the_changed(main[: modal.start()], question) else (0, len(main))
    if not verb:
        return (modal.end() if _WORD.search(main, modal.end()) else 0), len(main)
    done = verb["verb"].lower()
    may_be_the_same = done in PALE or done in _TAKING or stem(done) in _stems(question)
    if _ASKS_FOR_THE_SUBJECT.match(question):
        return (0, modal.start()) if may_be_the_same and not _SEVERAL.match(main[: modal.start()]) else (0, 0)
    if not _WORD.search(main, verb.end()):
        return 0, len(main)  # "tea is what she would drink"
    another = _THE_SUBJECT.match(main[: modal.start()])
    if another and not _stems(another[1]) & _stems(question):
        return 0, 0  # "the man would drink beer", to what the woman would drink
    return (verb.end(), len(main)) if may_be_the_same else (0, 0)


def _behind_its_verb(main: str, question: str) -> int:
    """Where what is said of the asked begins: behind the "is" of "the taxi in the middle is yellow"."""
    told = _SAYS.match(main)
    known = {stem(word.lower()) for word in _WORD.findall(question)}
    return told.end() if told and known & _stems(told["subject"]) and _WORD.search(main, told.end()) else 0


def _is_of_the_changed(subject: str, question: str) -> bool:
    """Whether a clause speaks of what the question only supposes something of: "the dog would be under the chair"."""
    said = _stems(subject)
    return bool(said) and said <= _stems(supposed(question)) - _stems(stated(question))


def _is_of_another_kind(main: str, question: str) -> bool:
    """Whether a clause says how it would be, where a thing was asked for: "it would be cold"."""
    so = _IS_SO.match(main)
    if so is None or _ASKS_HOW_IT_IS.search(stated(question).strip(" ?,")):
        return False
    said = so["so"].lower()
    if said in question.lower():
        return False
    adjective = bool(states(said)) or said in _ADJECTIVES or said.endswith(("ed", "ful", "less", "ous", "able", "ible"))
    return so["verb"] != "be" or adjective


def _is_new(word: str, known: set[str]) -> bool:
    return word not in PALE and stem(word) not in known and not word.endswith("ly")


def _stems(text: str) -> set[str]:
    return {stem(word.lower()) for word in _WORD.findall(text) if word.lower() not in PALE}
