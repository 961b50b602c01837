"""Rule-based checks of written questions, each with the reason under which rejections are counted.

The rules check only general properties: form, arithmetic, counts and answers in the text, and sensitive words. A model
checks whether a supposition changes something and whether the answer follows (`model.py`).
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise, permutations
from typing import Final

from countersight.authoring.drafts import PairDraft
from countersight.authoring.sources import SourceQuestion
from countersight.authoring.vocabulary import IDLE, SAMENESS, SENSITIVE
from countersight.composer import FILLER, PLACES, compose, counted_in, effects_of, noun_key
from countersight.english import IRREGULAR_VERBS, base_verb, number_of

Fault = str
"""A description of the fault; empty if there is none."""

NOT_A_QUESTION: Final = "not a question"
_LONGEST = 300
_SHORTEST_STEM = 4
_COUNTS: Final = range(1, 25)
_OPENING: Final = re.compile(
    r"\b(?:(?:what|even|only) if|if|(?:suppos|imagin|assum)(?:e|ing)(?: that)?|given(?: that)?|provided(?: that)?"
    r"|(?:let's|let us|let’s) say(?: that)?|in case|unless|pretend(?:ing)?(?: that)?|without|when|after|once"
    r"|in a world where|under the assumption that|on condition that)\b",
    re.IGNORECASE,
)
_ASKED: Final = re.compile(
    r"\b(?:how many|what (?:would|will|is) (?:be )?the (?:total |new )?(?:number|count)"
    r"|(?:would|could|should|might) \w|(?:will|can|is|are|was|were|do|does|did|has|have)"
    r" (?:there|the|this|that|these|those|he|she|it|they|any|anyone|anybody|someone|somebody|a|an|you|we|his|her|their"
    r"|its|both|all|every|each)\b)",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[a-z]+(?:['’][a-z]+)?|[0-9]+")
_REPEATED: Final = re.compile(r"\b(\w+(?: \w+){2,8}) \1\b", re.IGNORECASE)
_NEGATIONS: Final = frozenset(
    {"not", "no", "never", "stopped", "ceased", "quit", "without", "removed", "disappeared", "gone", "off"}
    | {"nobody", "none", "nothing", "anything"}
)
_PRONOUNS: Final = frozenset({"it", "he", "she", "they", "them", "him", "her"})
_LITTLE: Final = (
    FILLER
    | PLACES
    | {"if", "would", "could", "will", "be", "is", "are", "there", "do", "does", "any", "some", "have", "him", "being"}
)
_BOTH_WAYS: Final = re.compile(
    r"\b(every\w*|all)\b.+\band (\w+ |turned \w+ )?(every\w*|all)\b"
    r"|\bor\b.* if (there|it|he|she|they|nobody) (is|are|has|have)\b"
)
"""Suppositions that reverse a state, whichever it is, so that the answer depends on the picture."""
_OPPOSITES: Final = frozenset(
    pair
    for words in (
        *("on off", "open closed", "open shut", "full empty", "wet dry", "clean dirty", "awake asleep", "happy sad"),
        *("standing sitting", "big small", "old young", "new old", "hot cold", "cooked raw", "clear cloudy"),
        *("sunny cloudy", "day night", "left right", "up down", "black white", "tall short", "light dark"),
    )
    for pair in permutations(map(noun_key, words.split()))
)

_BEING: Final = frozenset(
    (
        *("be", "is", "are", "was", "were", "been", "being", "had", "has", "have", "got", "gets", "became", "turned"),
        *("switched", "all", "now", "suddenly", "not", "the", "his"),
    )
)
_OF_THE_ANSWER: Final = re.compile(
    r"\b(?:the|this|that|your|an?) (?:\w+ ){0,2}(?:answer|reply|response|statement|truth|contrary|reverse|negative"
    r"|affirmative)\b|\b(?:un)?true\b|\b(?:false|otherwise|vice versa|yes)\b"
    r"|\bopposite(?:$| (?:was|were|is|be|held|applied|happened|of what)\b)"
)
"""Suppositions about the answer itself."""
_OF_THE_PICTURE: Final = re.compile(
    r"^(?:the|this|that|a|an) (?:\w+ )?(?:picture|photo|photograph|image|scene|situation|caption|camera)\b"
    r"(?! (?:had been |was |were )?(?:taken|shot))"
    r"|\b(?:taken|took) (?:the|this) (?:picture|photo|photograph|image)\b"
)
"""Suppositions about the photograph only."""
_SEVERAL: Final = {"both": 2, "pair": 2, "couple": 2, "duo": 2, "trio": 3, "quartet": 4, "quintet": 5}
_ONE_BEFORE: Final = {"second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5, "seventh": 6, "eighth": 7}
"""The number of other things that an ordinal implies: "a third dog" implies two."""


def parts_of(question: str) -> tuple[str, str] | None:
    """Split a question into what it asks and what it supposes, in lower case; None if it supposes nothing."""
    text = " ".join(question.casefold().replace("’", "'").split()).strip(" ?.!")
    text = text.replace("n't", " not").replace("'s ", " ")
    opening = _OPENING.search(text)
    if opening is None:
        return None
    before, after = text[: opening.start()].strip(" ,;:.-"), text[opening.end() :].strip(" ,;:.-")
    if _ASKED.search(before):
        return before, after
    asked = next(
        (found for found in _ASKED.finditer(after) if re.search(r"[,.;:!?-]\s*(?:then,? )?$", after[: found.start()])),
        None,
    )
    asked = asked or _ASKED.search(after, 1)
    if asked is None:
        return None
    return f"{before} {after[asked.start() :]}".strip(), re.sub(
        r"[ ,;:.!-]+(?:then)?[ ,]*$", "", after[: asked.start()]
    )


def supposition_key(question: str) -> frozenset[str]:
    """Return one key for all wordings of a supposition: the stems of its content words."""
    parts = parts_of(question)
    if parts is None:
        return frozenset()
    stems = frozenset(map(_stem, _content(parts[1])))
    if "how many" in parts[0]:  # "2 dogs left" and "2 cats left" differ
        return stems
    return stems - set(map(_stem, _content(parts[0]))) or stems


def is_a_question(source: SourceQuestion, draft: PairDraft) -> Fault:
    """Check that the text is one question with a supposition, and not too long."""
    text = draft.question
    if len(text) > _LONGEST:
        return "it is too long"
    if text.count("?") != 1 or not text.rstrip().endswith("?"):
        return "it is not one question"
    parts = parts_of(text)
    if parts is None or supposes_nothing(*parts):
        return "it supposes nothing"
    return "it repeats itself" if _REPEATED.search(text) else ""


def supposes_nothing(asked: str, supposed: str) -> bool:
    """Whether a supposition is only about the answer or the photograph, or changes nothing.

    A supposition must contain more than idle words ("it were so", "nobody did anything"). If it has words of sameness
    ("stayed", "unchanged"), it must also contain something that the question does not name.
    """
    if _OF_THE_ANSWER.search(supposed) or _OF_THE_PICTURE.search(supposed):
        return True
    words = _WORD.findall(supposed)
    left = [word for word in words if word not in _LITTLE | IDLE | SAMENESS]
    if not left:
        return not (IDLE | SAMENESS).isdisjoint(words)
    named = set(map(_stem, _WORD.findall(asked)))
    return not SAMENESS.isdisjoint(words) and named.issuperset(map(_stem, left))


def differs(source: SourceQuestion, draft: PairDraft) -> Fault:
    """Check that the new answer differs from the old one."""
    return f"the answer stays {source.answer}" if draft.answer == source.answer else ""


def asks_for_the_same(source: SourceQuestion, draft: PairDraft) -> Fault:
    """Check that the question is about the same things as the source question."""
    if source.group == "direct":
        before, after = counted_in(source.question), counted_in((parts_of(draft.question) or ("",))[0])
        same = before is not None and after is not None and before.head in ("", after.head)
        return "" if same else "it counts something else"
    before_words, after_words = _things(source.question), _things(draft.question)
    return "" if len(before_words & after_words) >= 0.6 * len(before_words) else "it asks about something else"


def states_nothing(source: SourceQuestion, draft: PairDraft) -> Fault:
    """Check that the text states nothing before it asks, and does not reveal the count."""
    asked, _ = parts_of(draft.question) or ("", "")
    begins = _ASKED.search(asked)
    if begins is None or begins.start() > 0:
        return "it states something before it asks"
    if source.group == "boolean":
        return ""
    known = set(_WORD.findall(source.question.casefold()))
    counted = [word for word in _WORD.findall(asked) if _is_count(word) and word not in known]
    if counted or any(effect.given is not None for effect in effects_of(draft.question, source.question) or ()):
        return "it states the count"
    is_undecided = compose(int(source.answer), draft.question, source.question) is None
    if is_undecided and {source.answer, draft.answer} & _counts_in(draft.question):
        return "it contains the old or the new count"
    return ""


def is_worked_out(source: SourceQuestion, draft: PairDraft) -> Fault:
    """Check that the composer does not compute another number, and that a yes/no question has the answer yes or no."""
    if source.group == "boolean":
        return "" if draft.answer in ("yes", "no") else f"{draft.answer!r} is neither yes nor no"
    composed = compose(int(source.answer), draft.question, source.question)
    if composed is None or str(composed) == draft.answer:
        return ""  # a model derives what the composer cannot compute (`model.py`)
    return f"the composer computes {composed}, not {draft.answer}"


def needs_the_picture(source: SourceQuestion, draft: PairDraft) -> Fault:
    """Check that the text alone does not give the answer; for a count, not even a wrong one."""
    told = answer_without_picture(draft.question)
    is_told = told is not None and (source.group == "direct" or told == draft.answer)
    return f"the text alone gives the answer {told}" if is_told else ""


def is_decent(source: SourceQuestion, draft: PairDraft) -> Fault:
    """Check that the question contains no sensitive words."""
    found = sorted(set(SENSITIVE.findall(draft.question.casefold())))
    return f"sensitive: {', '.join(found)}" if found else ""


CHECKS: Final[tuple[tuple[str, Callable[[SourceQuestion, PairDraft], Fault]], ...]] = (
    (NOT_A_QUESTION, is_a_question),
    ("it asks about something else", asks_for_the_same),
    ("an answer or a count is stated", states_nothing),
    ("the answer stays the same", differs),
    ("arithmetic disagrees", is_worked_out),
    ("the text alone gives the answer", needs_the_picture),
    ("sensitive", is_decent),
)
"""The checks in order; the name of each is its reason in the statistics."""


def faults(source: SourceQuestion, draft: PairDraft) -> Iterator[tuple[str, Fault]]:
    """Yield every check that fails, with the fault."""
    for reason, check in CHECKS:
        if fault := check(source, draft):
            yield reason, fault


def answer_without_picture(question: str) -> str | None:
    """Return an answer that the text gives without the picture, constant or stated; None if there is none."""
    if re.search(r"\bhow many\b|\bnumber of\b", question, re.IGNORECASE):
        answers = [answer for count in _COUNTS if (answer := compose(count, question)) is not None]
        return str(answers[0]) if len(answers) > 1 and len(set(answers)) == 1 else None
    parts = parts_of(question)
    return None if parts is None or _BOTH_WAYS.search(parts[1]) else _stated(*parts)


def _stated(asked: str, supposed: str) -> str | None:
    """Return "yes" if the supposition states what is asked, "no" if it states the negation or opposite, else None."""
    said = _WORD.findall(supposed)
    stated = {_stem(word) for word in said}
    if _is_opposite(asked, said):
        return "no"
    wanted = [_stem(word) for word in _WORD.findall(asked) if word not in _LITTLE]
    predicates = {_stem(word) for before, word in pairwise(_WORD.findall(asked)) if before == "be"} - _LITTLE
    is_about_it = bool(_PRONOUNS & set(said)) or set(wanted) <= predicates or bool((set(wanted) - predicates) & stated)
    is_stated = (is_about_it and not predicates.isdisjoint(stated)) or (
        bool(wanted) and wanted[-1] in stated and (set(wanted) <= stated or bool(_PRONOUNS & set(said)))
    )
    if not is_stated:
        return None
    return "no" if _NEGATIONS & set(said) - set(_WORD.findall(asked)) else "yes"


def _is_opposite(asked: str, said: list[str]) -> bool:
    """Whether words state the opposite of what is asked about a thing: "it was closed", "closed the door"."""
    words = _WORD.findall(asked)
    wanted = {noun_key(word) for before, word in pairwise(words) if before == "be"} | {noun_key(words[-1])}
    things = _PRONOUNS.union(map(noun_key, _content(asked))) - wanted
    for place, word in enumerate(said):
        negated = word.removeprefix("un").removeprefix("dis")
        if any((each, noun_key(word)) in _OPPOSITES or (negated != word and negated == each) for each in wanted):
            sides = (reversed(said[:place]), said[place + 1 :])
            nearest = [next((each for each in side if each not in _BEING), "") for side in sides]
            if any(noun_key(each) in things for each in nearest):
                return True
    return False


def _content(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.casefold()) if word not in _LITTLE]


def _things(text: str) -> frozenset[str]:
    return frozenset(noun_key(word) for word in _WORD.findall(text.casefold()) if word not in FILLER)


def _counts_in(question: str) -> set[str]:
    """Return the numbers that a supposition contains, as digits: "the pair of men" contains 2."""
    words = _WORD.findall((parts_of(question) or ("", ""))[1])
    known = _SEVERAL | _ONE_BEFORE
    named = {str(known[word]) for word in words if word in known}
    return named | {str(number_of(word)) for word in words if _is_count(word) and word != "one"}


def _is_count(word: str) -> bool:
    return number_of(word) is not None and word not in ("a", "an", "another", "twice")


def _stem(word: str) -> str:
    """Return one form for open, opens, opened and opening; useful only for comparisons."""
    stem = base_verb(word, IRREGULAR_VERBS) or noun_key(word)
    for ending in ("ing", "ed"):
        if stem.endswith(ending) and len(stem) - len(ending) >= _SHORTEST_STEM - 1:
            stem = stem.removesuffix(ending)
            stem = stem[:-1] if stem[-1] == stem[-2] and stem[-1] not in "lsz" else stem
            break
    return stem.removesuffix("e")
