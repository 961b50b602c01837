"""Extracts the answer from a text or a reply, and compares it with the gold answer."""

from collections import Counter
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from countersight.arguments import checked
from countersight.case import LETTERS, AnswerKind, Option, Question, Reply
from countersight.errors import CountersightError
from countersight.reading.answers import ReadFrom, answer_in
from countersight.reading.numbers import canonical
from countersight.reading.plain import any_case, lazy

_LOOSE = lazy(r"[\W_]+")
# "In the kitchen" and "the kitchen" are the same place.
_ARTICLE = lazy(r"^(?:(?:in|on|at|from|to|into|onto) )?(?:(?:a|an|the|his|her|its|their) )?(?=\w)")
# "Which team …", "what kind of shop …"
_WHICH = any_case(
    r"\W*(?:which|what (?:kind|type|sort) of|what(?= \w{3,} (?:is|are|was|were|would|does|do|did)\b)) (\w+)"
)
_NO_NAME = lazy(r"(?:.* )?(?:no|any|some|every|each|number|\w+ty|hundred|thousand)|.*\d")
_DOING = lazy(r"^(?:he|she|it|they|the \w+) (?:is|are|was|were|would be) (?=\w+ing\b)")


class Reading(msgspec.Struct, frozen=True):
    """The extracted answer of a reply; None if it gives no answer, or more than one."""

    answer: str | None

    @property
    def unread(self) -> bool:
        return self.answer is None


@checked
def read(
    text: str,
    question: str,
    kind: AnswerKind,
    options: Sequence[str] = (),
    *,
    read_from: ReadFrom = "whole",
    finished: bool = True,
) -> Reading:
    """Extract the answer from a reply: "3", "yes", the letter of an option, or the text itself.

    `finished` is False for a reply that the token limit cut off; with `read_from="end"`, the
    answer is expected at the end, after the reasoning.
    """
    if kind == "choice" and len(options) < 2:
        raise CountersightError("a choice needs its options: pass their texts as options=[…]")
    if kind == "choice" and len(options) > len(LETTERS):
        raise CountersightError(f"a choice has at most {len(LETTERS)} options, A to {LETTERS[-1]}, not {len(options)}")
    asked = Question(question, "", kind, tuple(map(Option, options)))
    return Reading(answer_in(text, asked, read_from, finished=finished))


def read_reply(reply: Reply, question: Question, read_from: ReadFrom = "whole") -> str | None:
    """Return the answer in a reply; if the options were asked in several orders, the most frequent answer."""
    if not reply.orders:
        return answer_in(reply.text, question, read_from, finished=not reply.is_cut)
    votes: Counter[int] = Counter()
    for order in reply.orders:
        if sorted(order.places) != list(range(len(question.options))):
            continue  # not an order of these options
        options = tuple(question.options[place] for place in order.places)
        letter = answer_in(order.text, replace(question, options=options), read_from)
        if letter is not None:
            votes[order.places[LETTERS.index(letter)]] += 1
    best = [place for place, count in votes.items() if count == max(votes.values())]
    return LETTERS[best[0]] if len(best) == 1 else None


def agrees(answer: str, question: Question) -> bool:
    """Whether an extracted answer equals the question's gold answer."""
    if question.kind == "number":
        return answer == canonical(question.answer)
    if question.kind == "open":
        return _are_equivalent(_normalised(answer), _normalised(question.answer), question.text)
    if question.kind == "choice":  # if the right option is listed twice, either is right
        return question.options[LETTERS.index(answer)].text.strip() == question.right_text.strip()
    return answer == question.answer


def _normalised(text: str) -> str:
    """Return the text in lower case, without punctuation and without an article, preposition or subject in front."""
    return _ARTICLE.sub("", _DOING.sub("", _LOOSE.sub(" ", text).strip().casefold()))


def _are_equivalent(said: str, gold: str, question: str) -> bool:
    """Whether two open answers are equal; if asked "Which team", "red", "red one" and "red team" are equal."""
    asked = _WHICH.match(question)
    if said == gold or not asked:
        return said == gold
    shorter, longer = sorted((said, gold), key=len)
    endings = ("one", "ones", asked[1].casefold())
    return longer in (f"{shorter} {ending}" for ending in endings) and not _NO_NAME.fullmatch(shorter)
