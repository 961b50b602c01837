"""Rule-based checks of written questions: form, empty suppositions, arithmetic, stated counts and sensitive words.

Each check has a name under which rejections are counted. Checks that need a model are in `model_checker.py`: whether
a supposition changes the answer, and whether it states the answer in other words ("if it were shut").
"""

import re
from collections.abc import Callable
from typing import Final

from countersight.authoring.sources import PairDraft, SourceQuestion
from countersight.authoring.vocabulary import EMPTY, SENSITIVE
from countersight.composer import FILLER, PLACES, compose, counted_in, effects_of, noun_key, tells_a_change
from countersight.english import number_of, regular

Fault = str
"""A description of the fault; empty if there is none."""

NOT_A_QUESTION: Final = "not a question"
_LONGEST = 300
_COUNTS: Final = range(1, 25)
_SAME_THINGS = 0.6
"""The minimum share of a yes/no question's content words that the new question must contain."""
_OPENING: Final = re.compile(
    r"\b(?:(?:what|even|only) if|if|(?:suppos|imagin|assum)(?:e|ing)(?: that)?|given(?: that)?|provided(?: that)?"
    r"|(?:let's|let us) say(?: that)?|in case|unless|pretend(?:ing)?(?: that)?|without|when|after|once"
    r"|in a world where|under the assumption that|on condition that)\b"
)
_INVERTED: Final = re.compile(r"^(?:had|were|should)\b")
"""The beginning of a supposition without "if": "had it rained, …"."""
_ASKED: Final = re.compile(
    r"\b(?:how many|what (?:would|will|is) (?:be )?the (?:total |new )?(?:number|count)"
    r"|(?:would|could|should|might) \w|(?:will|can|is|are|was|were|do|does|did|has|have)"
    r" (?:there|the|this|that|these|those|he|she|it|they|any|anyone|anybody|someone|somebody|a|an|you|we|his|her|their"
    r"|its|both|all|every|each)\b)"
)
_DEFINITE_NUMBER: Final = re.compile(r"\b(?:the|these|those|to|an?) (\w+)\b(?! of\b)")
"""A number that can only be the old or the new count: "the 4 dogs", "grew to six", "a fifth dog"."""
_ORDINALS: Final = {"third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10}
_THEN_ASKED: Final = re.compile(rf"[,.;:!?-]\s*(?:then,? )?(?={_ASKED.pattern})")
_ROOT = 4
"""The number of letters at the beginning of a word that are taken as its root."""
_WORD: Final = re.compile(r"[a-z]+(?:'[a-z]+)?|[0-9]+")
_NOT_COUNTS: Final = frozenset({"a", "an", "another", "twice", "one"})
_LITTLE: Final = FILLER | PLACES | {"if", "would", "could", "be", "is", "are", "there", "do", "does", "any", "some"}


def parts_of(question: str) -> tuple[str, str] | None:
    """Split a question into its main clause and its supposition, in lower case; None if there is no supposition."""
    text = " ".join(question.casefold().replace("’", "'").split()).strip(" ?.!")
    opening = _OPENING.search(text) or _INVERTED.search(text)
    if opening is None:
        return None
    before, after = text[: opening.start()].strip(" ,;:.-"), text[opening.end() :].strip(" ,;:.-")
    if _ASKED.search(before):
        return before, after
    supposed, *rest = _THEN_ASKED.split(after, maxsplit=1)
    if not rest:
        found = _ASKED.search(after, 1)
        if found is None:
            return None
        supposed, rest = after[: found.start()], [after[found.start() :]]
    return f"{before} {rest[0]}".strip(), supposed.strip(" ,;:.!-")


def supposition_key(question: str) -> frozenset[str]:
    """Return one key for similar suppositions: their content words, without those of the question."""
    asked, supposed = parts_of(question) or ("", "")
    key = _things(supposed)
    return key if "how many" in asked else key - _things(asked) or key  # "2 dogs left" and "2 cats left" differ


def is_a_question(source: SourceQuestion, draft: PairDraft) -> Fault:
    """Check that the text is one question with a supposition, and not too long."""
    text = draft.question
    if len(text) > _LONGEST:
        return "it is too long"
    if text.count("?") != 1 or not text.rstrip().endswith("?"):
        return "it is not one question"
    return "it supposes nothing" if parts_of(text) is None else ""


def supposes_something(source: SourceQuestion, draft: PairDraft) -> Fault:
    """Check that the supposition has a word that brings something new into the scene.

    Otherwise it repeats the question ("if it were open"), names an answer ("if the answer were no") or changes nothing.
    A supposition about a count may repeat the words of the question, since its number is new.
    """
    _, supposed = parts_of(draft.question) or ("", "")
    known = set(map(_root, _WORD.findall(source.question.casefold()))) if source.group == "boolean" else set()
    words = [word for word in _WORD.findall(supposed) if not (word.endswith("n't") or EMPTY.fullmatch(word))]
    is_new = any(_root(word) not in known for word in words)
    return "" if is_new else "the supposition brings nothing new into the scene"


def asks_for_the_same(source: SourceQuestion, draft: PairDraft) -> Fault:
    """Check that the question is about the same things as the source question."""
    if source.group == "direct":
        before, after = counted_in(source.question), counted_in((parts_of(draft.question) or ("",))[0])
        same = before is not None and after is not None and before.head in ("", after.head)
        return "" if same else "it counts something else"
    before_words, after_words = _things(source.question), _things(draft.question)
    is_same = len(before_words & after_words) >= _SAME_THINGS * len(before_words)
    return "" if is_same else "it asks about something else"


def states_nothing(source: SourceQuestion, draft: PairDraft) -> Fault:
    """Check that no statement precedes the question, and that no number in the text can be a stated count."""
    asked, supposed = parts_of(draft.question) or ("", "")
    if _ASKED.match(asked) is None:
        return "a statement precedes the question"
    if source.group == "boolean":
        return ""
    has_number = not _numbers(asked) <= _numbers(source.question.casefold())
    if has_number or any(effect.given is not None for effect in effects_of(draft.question, source.question) or ()):
        return "it states the count"
    if compose(int(source.answer), draft.question, source.question) is not None:
        return ""
    said = " ".join(_DEFINITE_NUMBER.findall(supposed)) if tells_a_change(supposed) else supposed
    return "it contains the old or the new count" if {source.answer, draft.answer} & _numbers(said) else ""


def differs(source: SourceQuestion, draft: PairDraft) -> Fault:
    """Check that the new answer differs from the old one."""
    return f"the answer stays {source.answer}" if draft.answer == source.answer else ""


def is_worked_out(source: SourceQuestion, draft: PairDraft) -> Fault:
    """Check that the composer does not compute another number."""
    if source.group == "boolean":
        return ""
    composed = compose(int(source.answer), draft.question, source.question)
    is_right = composed is None or str(composed) == draft.answer
    return "" if is_right else f"the composer computes {composed}, not {draft.answer}"


def needs_the_picture(source: SourceQuestion, draft: PairDraft) -> Fault:
    """Check that the new count depends on the old one."""
    told = answer_without_picture(draft.question) if source.group == "direct" else None
    return "" if told is None else f"the text alone gives the answer {told}"


def is_decent(source: SourceQuestion, draft: PairDraft) -> Fault:
    """Check that the question contains no sensitive words."""
    found = sorted(set(SENSITIVE.findall(draft.question.casefold())))
    return f"sensitive: {', '.join(found)}" if found else ""


CHECKS: Final[tuple[tuple[str, Callable[[SourceQuestion, PairDraft], Fault]], ...]] = (
    (NOT_A_QUESTION, is_a_question),
    ("nothing is supposed", supposes_something),
    ("it asks about something else", asks_for_the_same),
    ("an answer or a count is stated", states_nothing),
    ("the answer stays the same", differs),
    ("arithmetic disagrees", is_worked_out),
    ("the text alone gives the answer", needs_the_picture),
    ("sensitive", is_decent),
)
"""The checks in order; the name of each is its reason in the statistics."""


def first_fault(source: SourceQuestion, draft: PairDraft) -> tuple[str, Fault] | None:
    """Return the name of the first check that fails, and the fault; None if all pass."""
    found = ((name, check(source, draft)) for name, check in CHECKS)
    return next((each for each in found if each[1]), None)


def answer_without_picture(question: str) -> str | None:
    """Return the count that a question has for every picture, such as 0 for "if all dogs left"; None if it varies."""
    answers = [answer for count in _COUNTS if (answer := compose(count, question)) is not None]
    return str(answers[0]) if len(answers) > 1 and len(set(answers)) == 1 else None


def _things(text: str) -> frozenset[str]:
    return frozenset(_root(word) for word in _WORD.findall(text.casefold()) if word not in _LITTLE)


def _root(word: str) -> str:
    """Return the beginning of a word, the same for most of its forms: held, holds and holding give "hold"."""
    return noun_key(regular(word))[:_ROOT]


def _numbers(text: str) -> frozenset[str]:
    """Return the numbers in a text as digits, without words such as "a" and "one" that rarely count anything."""
    words = [word for word in _WORD.findall(text) if word not in _NOT_COUNTS]
    found = (_ORDINALS.get(word, number_of(word)) for word in words)
    return frozenset(str(number) for number in found if number is not None)
