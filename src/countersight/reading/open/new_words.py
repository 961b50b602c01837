"""What the sentences of a reply say that the question did not, where they speak of the world that was asked about."""

import re
from itertools import pairwise
from typing import Final

from countersight.reading.language.clauses import (
    MODAL,
    MODAL_AT,
    asks_of_now,
    clauses,
    imagines,
    stated,
    supposed,
    tells_of_now,
)
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of, found, words
from countersight.reading.open.parts import (
    ASKS_HOW_IT_IS,
    ASKS_WHO,
    COLOUR_ASKED,
    CONCLUSION,
    DETERMINER,
    IS_SENTENCE,
    PALE,
    WORD,
    can_answer,
    colour_told,
    end_of_the_name,
    is_elsewhere,
    part_taking_up,
    place_by_its_verb,
    stems_of,
)

QUOTED = re.compile(r'"([^"\n]{1,60})"')
RATHER_THAN = re.compile(
    r",? \b(?:rather than|instead of|as opposed to|unlike|and not|but not)\b.*|(?:,| --?) not\b.*", re.IGNORECASE
)
_FROM_TO = re.compile(r"(?<!\bacross )\bfrom \w+(?: \w+)? to\b", re.IGNORECASE)  # "from green to red" ends at red
_WHICH_IS = re.compile(rf"(?<=\w),? (?:that|which|who|whose) (?:\w+s|are|were|have|{MODAL})\b[^,]*", re.IGNORECASE)
_LEANING = re.compile(  # "the bike leaning on it"; not "the bike is leaning on it"
    rf"(?<=\w)(?<!\bis)(?<!\bare)(?<!\bbe)(?<!'s)(?<!'re)(?<!\bwas)(?<!\bwere) "
    rf"\w+ing {any_of('questions.prepositions')} (?!.*{MODAL}).*",
    re.IGNORECASE,
)
_PRESENT = re.compile(
    r"\W*(?:(?P<who>he|she|it|they|there)|(?:the|his|her|their|its|this|that) (?P<noun>[\w' ]{1,40}?))"
    r"(?P<verb>'s|'re| (?:is|are|was|were|has|have|\w+s))\b",
    re.IGNORECASE,
)
_THERE_WOULD_BE = re.compile(rf"\bthere\s*{MODAL} be\b|'d be$", re.IGNORECASE)
_IS_WHAT = re.compile(r",? (?:is|was|would be|'d be) (?:what|who|where|which one)\b.*", re.IGNORECASE)
_FALLS_TO = found("open.falls_to")
_ONE_AND = re.compile(rf"\b{DETERMINER} (?:\w+ )?\w+ and \w+s$", re.IGNORECASE)  # "a tray and smiles"
_DOING = re.compile(r" \w+ing\b", re.IGNORECASE)
# The wh-word is what does it: "who would win", and not "what would the girl drink".
_ASKS_FOR_THE_SUBJECT = re.compile(
    rf"\W*(?:who|what|which)(?: \w+){{0,4}}? {MODAL} (?!{DETERMINER}"
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
_IS_PLACED = re.compile(
    rf"\b(?:is|are|was|were) ({any_of('questions.prepositions')})(?: {DETERMINER} (\w+))?", re.IGNORECASE
)
_SEVERAL = re.compile(r"\W*(?:with|without|by|after)\b[^,]*$", re.IGNORECASE)
_PARTICLES: Final = words("open.particles")
_TAKING: Final = words("open.taking")
_JOINING: Final = frozenset({"of", "and", "or", "the", "a", "an", "in", "on", "to", "for"})
_PLACING: Final = words("questions.prepositions") - _JOINING
_POINTING: Final = words("questions.prepositions") | words("open.pointing")
_NEAR = 25  # characters between who does something and the verb
_LONGEST = 5  # words of an answer


def answering(parts: list[str], question: str) -> str | None:
    """The words that answer, of those sentences, or parts of them, that speak of the world that was asked about."""
    if asks_of_now(question) or not imagines(question):
        if COLOUR_ASKED.search(question):
            return colour_told(parts, question)
        part = part_taking_up(parts, question)
        return _new_words(part, question) if part else None
    imagined = [clause for part in parts for clause in _clauses_of_what_would_be(part)]
    if not imagined:
        return _concluded(parts, question)
    if any(is_elsewhere(part, question) for part in parts if MODAL_AT.search(part)):
        return None
    asked = stated(question)
    known = stems_of(asked)
    shared = [len(known & stems_of(clause)) for clause in imagined]
    closest = [clause for clause, share in zip(imagined, shared, strict=True) if share == max(shared)]
    answer = _new_words(closest[-1], question)
    if answer is None and (ASKS_HOW_IT_IS.search(asked.strip(" ?,")) or _THERE_WOULD_BE.search(closest[-1])):
        return _new_words(closest[-1], asked)  # "it would be green", to its colour if it was painted green
    return answer


def _concluded(parts: list[str], question: str) -> str | None:
    """What a reply without a "would" comes to: of several parts only one that concludes answers what would be."""
    if not parts or is_told_of_now(parts[-1], question):
        return None
    is_said = CONCLUSION.search(parts[-1]) or (len(parts) == 1 and not IS_SENTENCE.match(parts[-1]))
    return _new_words(parts[-1], question) if is_said else None


def _clauses_of_what_would_be(part: str) -> list[str]:
    """The clauses with a "would", or what is concluded from them: "the puddles would freeze, so ice"."""
    main = stated(part)
    if not MODAL_AT.search(main):
        return []
    tail = CONCLUSION.split(main)[-1]
    if tail.strip(" .!") and tail != main:
        return [clause for clause in clauses(tail) if MODAL_AT.search(clause)] or [tail]
    return [clause for clause in clauses(main) if MODAL_AT.search(clause)]


def is_told_of_now(piece: str, question: str) -> bool:
    """Whether a piece tells how something of the question is: "the clock shows 3:15", to what it would show."""
    if MODAL_AT.search(piece):
        return False
    told = _PRESENT.match(piece)
    if tells_of_now(piece) or told is None or CONCLUSION.search(piece):
        return tells_of_now(piece)
    known = {stem(word.lower()) for word in WORD.findall(question)}
    if told["noun"]:
        return known.issuperset(stems_of(told["noun"]))
    if told["who"].lower() != "it" and _DOING.match(piece, told.end()):
        return True  # "she is drinking coffee", to what she would drink
    return known.issuperset(stems_of(piece[told.end() :]))  # "she is reading"


def is_vague(piece: str, question: str) -> bool:
    """Whether a piece names nothing by itself: "the one behind it", "the next one"."""
    every = [token.lower() for token in WORD.findall(piece)]
    pointed = _POINTING.intersection(every)
    return "one" in every and bool(pointed) and all(word in PALE | _POINTING for word in every)


def _new_words(clause: str, question: str) -> str | None:
    """The one run of words in a clause that the question does not have."""
    quoted = QUOTED.findall(clause)
    if len(quoted) == 1:
        return str(quoted[0]).strip(" .,!")
    main = _FROM_TO.sub("to", _without_remarks(CONCLUSION.split(stated(clause))[-1], question))
    main = _FALLS_TO.sub("be", _IS_WHAT.sub("", main))
    if _is_placed_otherwise(main, question):
        return None
    known = {stem(word.lower()) for word in WORD.findall(question)}
    tokens = list(WORD.finditer(main))
    first, last = _place_of_the_answer(main, question)
    done = {verb.start("verb") for verb in _VERB.finditer(main)}  # the "land" of "it would land on his shirt"
    new = [
        i
        for i, token in enumerate(tokens)
        if first <= token.start() < last and token.start() not in done and _is_new(token.group().lower(), known)
    ]
    if _ASKS_FOR_A_THING.match(question):
        new = _first_thing(new, tokens, main)
    if all(tokens[i].group().endswith("n't") for i in new) or tokens[new[-1]].group().lower() in _PARTICLES:
        return None
    if not can_answer(tokens[new[-1]].group(), main[: tokens[new[0]].start()], question):
        return None
    if new[-1] - new[0] >= _LONGEST:
        return None
    between = [tokens[i].group().lower() for i in range(new[0], new[-1] + 1) if i not in new]
    is_remarked = "," in main[tokens[new[0]].start() : tokens[new[-1]].start()] and "and" not in between
    if is_remarked or "or" in between or not _JOINING.issuperset(between):
        return None
    end = end_of_the_name(main, tokens[new[-1]], question)
    if IS_SENTENCE.match(main, 0, end) or (ASKS_WHO.match(question) and last < len(main) and last - end > _NEAR):
        return None
    return main[tokens[new[0]].start() : end]


def _is_placed_otherwise(main: str, question: str) -> bool:
    """Whether something is told to be beside the place in question: "it is next to the table", to what is on it."""
    told, asked = _IS_PLACED.search(main), _IS_PLACED.search(question)
    return (
        asks_of_now(question)
        and told is not None
        and asked is not None
        and (told[1].lower() != asked[1].lower() or not stems_of(told[2] or "") <= stems_of(question))
    )


def _first_thing(new: list[int], tokens: list[re.Match[str]], main: str) -> list[int]:
    """The new words up to where the thing is, or what else is done: the "pizza" of "pizza with a fork"."""
    new = [i for i in new if tokens[i].group().lower() not in _PLACING]
    for earlier, later in pairwise(new):
        between = [tokens[i].group().lower() for i in range(earlier + 1, later)]
        if "to" in between or not _PLACING.isdisjoint(between):
            return new[: new.index(later)]
        if between == ["and"] and _ONE_AND.search(main, 0, tokens[later].end()):
            return []
    return new


def _without_remarks(clause: str, question: str) -> str:
    clause = _WHICH_IS.sub("", RATHER_THAN.sub("", clause))
    leaning = _LEANING.search(clause)
    return clause if leaning and place_by_its_verb(leaning.group(), question) else _LEANING.sub("", clause)


def _place_of_the_answer(main: str, question: str) -> tuple[int, int]:
    """Where the answer may stand: before the "would", where it was asked who would do something, and else after it.

    What somebody would do that was not asked ("she'd call the waiter") answers nothing.
    """
    modal = MODAL_AT.search(main)
    verb = _VERB.match(main, modal.start()) if modal else None
    if not modal:
        return place_by_its_verb(main, question) or (_behind_its_verb(main, question), len(main))
    if _ASKS_WHAT_WOULD_BE.match(question):
        return (0, 0) if _is_of_the_changed(main[: modal.start()], question) else (0, len(main))
    if not verb and _ASKS_FOR_THE_SUBJECT.match(question):
        before, behind = (stems_of(text) - stems_of(question) for text in (main[: modal.start()], main[modal.end() :]))
        if before and not behind:
            return 0, modal.start()
    if not verb:
        return (modal.end() if WORD.search(main, modal.end()) else 0), len(main)
    done = verb["verb"].lower()
    may_be_the_same = done in PALE or done in _TAKING or stem(done) in stems_of(question)
    if _ASKS_FOR_THE_SUBJECT.match(question):
        return (0, modal.start()) if may_be_the_same and not _SEVERAL.match(main[: modal.start()]) else (0, 0)
    if not WORD.search(main, verb.end()):
        return 0, len(main) if may_be_the_same else 0  # "tea is what she would drink"
    another = _THE_SUBJECT.match(main[: modal.start()])
    if another and not stems_of(another[1]) & stems_of(question):
        return 0, 0  # "the man would drink beer", to what the woman would drink
    return (verb.end(), len(main)) if may_be_the_same else (0, 0)


def _behind_its_verb(main: str, question: str) -> int:
    """Where what is said of the asked begins: behind the "is" of "the taxi in the middle is yellow"."""
    told = _SAYS.match(main)
    known = {stem(word.lower()) for word in WORD.findall(question)}
    return told.end() if told and known & stems_of(told["subject"]) and WORD.search(main, told.end()) else 0


def _is_of_the_changed(subject: str, question: str) -> bool:
    """Whether a clause speaks of what the question only supposes something of: "the dog would be under the chair"."""
    said = stems_of(subject)
    return bool(said) and said <= stems_of(supposed(question)) - stems_of(stated(question))


def _is_new(word: str, known: set[str]) -> bool:
    return word not in PALE and stem(word) not in known and not word.endswith("ly")
