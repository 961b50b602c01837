"""Finds yes or no in a reply: the word itself, or a statement that repeats or negates the question."""

import re
from collections import defaultdict
from functools import lru_cache
from itertools import permutations

from countersight.reading.marks import NO, YES
from countersight.reading.plain import any_case
from countersight.reading.sentences import (
    HYPOTHETICAL,
    conclusion_of,
    content_words,
    main_clause,
    sentences,
    stem,
    words,
)

_LEAD = (
    r"^\W{0,8}(?:(?:so|thus|therefore|hence|well|sure|okay|ok|answer|based on [^,]{1,60}|in (?:this|the) [^,]{1,40}"
    r"|overall|actually|probably|(?:most )?likely"
    r"|i (?:think|believe|would say)|the answer(?: to [^,.]{1,60})? is|that)[,:.!]?\s+){0,4}\W{0,8}"
    r"(?:[^.\n]{1,80}[,:]\s+\W{0,3}(?=(?:yes|no)\b\W{0,3}(?:[,.!]|$)))?"
)
_YES = any_case(
    rf"{_LEAD}(?:yes|yeah|yep|yup|correct|true|indeed|certainly|absolutely|definitely|of course|affirmative"
    rf"|right(?! (?:now|next|in|on|at)\b)|{YES})(?!\w)(?!\s+(?:not|or no|and no|side|left|half|angle|hand|or false|/))"
)
_NO = any_case(
    rf"{_LEAD}(?:no|nope|nah|false|incorrect|negative|not (?:really|quite|at all|exactly)"
    rf"|(?:certainly|absolutely|definitely|of course|probably|(?:most )?likely) not"
    rf"|{NO})(?!\w)(?!\s+(?:doubt|one\b|other|more|longer"
    rf"|matter|problem|need|change|image|picture|figure|chart|information|and yes|\d+\b|\.\s*\d))"
)
_NEGATION = any_case(
    r"\b(?:not|never|no|none|cannot|neither|nor|nothing|nobody|without|lacks?|fails?|unable|unlikely|absent"
    r"|incorrect|false)\b|n't\b"
)
_OPPOSITES = """
same different, equal different, identical different, equal unequal, open closed, open shut, left right, above
below, top bottom, over under, larger smaller, bigger smaller, greater smaller, greater less, greater fewer, more
fewer, more less, taller shorter, longer shorter, higher lower, older younger, hotter colder, warmer cooler, faster
slower, heavier lighter, darker lighter, brighter darker, wider narrower, closer farther, nearer farther, closer
further, straight curved, straight bent, parallel intersecting, empty full, on off, inside outside, indoors
outdoors, indoor outdoor, increase decrease, increasing decreasing, up down, forward backward, before after, front
behind, day night, true false, wet dry, clean dirty, hot cold, standing sitting, awake asleep, male female, most
least, highest lowest, maximum minimum, largest smallest, alive dead, visible hidden, present absent, possible
impossible, safe dangerous, convex concave, clockwise counterclockwise, first last, stay leave, float sink, win
lose, pass fail, succeed fail, vertical horizontal, real fake
"""
_TO_ITS_VERB = any_case(r"^.*, (?=(?:is|are|was|were|do|does|did|has|have|will|would|can|could|should)\b)")
_YES_OR_NO = any_case(r"\W*\byes or no\W*$")
_PRONOUN = any_case(r"(?:that |then )?(?:it|he|she|they|this|these|those|that)\b")


@lru_cache(maxsize=1)
def _opposites() -> defaultdict[str, set[str]]:
    opposites: defaultdict[str, set[str]] = defaultdict(set)
    for pair in _OPPOSITES.replace("\n", " ").split(","):
        for one, other in permutations(map(stem, pair.split())):
            opposites[one].add(other)
    return opposites


def count_opposites(sentence: str, asks: str) -> int:
    """Return how many words of a question have an opposite in a sentence, such as "least" for "most"."""
    wanted, said = (frozenset(map(stem, words(text))) for text in (asks, sentence))
    return sum(not _opposites().get(word, set()).isdisjoint(said - wanted) for word in wanted - said)


def read_beginning(text: str) -> str | None:
    """Return "yes" or "no" if a text starts with one of them; otherwise None."""
    text = text[:400].lstrip(" \n\t\"'*_#>(-")
    return "no" if _NO.match(text) else "yes" if _YES.match(text) else None


def read_marked(region: str, question: str) -> str | None:
    """Return yes or no from the text after a mark."""
    first = next(iter(sentences(region[:600])), "")
    return None if first.endswith("?") else read_beginning(first) or read_statement(first, question)


def read_sentences(text: str, question: str) -> str | None:
    """Return yes or no from the conclusion of a reply, or from sentences that repeat the question."""
    statements = [sentence for sentence in sentences(text) if not sentence.rstrip().endswith("?")]
    for sentence in reversed(statements[-3:]):
        part = conclusion_of(sentence) or (sentence if " " not in sentence else "")
        if said := read_beginning(part) or read_statement(part, question):
            return said
    answers = {read_beginning(each) or read_statement(each, question) for each in statements} - {None}
    return answers.pop() if len(answers) == 1 else None


def read_statement(sentence: str, question: str) -> str | None:
    """Return "yes" if a sentence affirms a question by repeating its words, "no" if it negates it; None if neither."""
    question = _YES_OR_NO.sub("", question)  # "Are the lines parallel? Yes or no"
    asks = question.rstrip(" ?\n").split("\n")[-1]
    is_of_now = not HYPOTHETICAL.search(sentence) and not re.search(r"\bwill\b|\bcan\b|\bcould\b", sentence)
    if is_of_now and HYPOTHETICAL.search(asks):
        return None  # a statement about the present does not answer a hypothetical question
    asks = main_clause(_TO_ITS_VERB.sub("", asks.rpartition(". ")[2]))
    clause = main_clause(sentence.rstrip(" .!"))
    clause = re.split(r",? (?:but|however|although|while|whereas|as|since|which)\b|;|, (?:so|and) ", clause)[0]
    wanted, opposites = content_words(asks), count_opposites(clause, asks)
    said, predicate = content_words(clause), content_words(asks.rpartition(" ")[2])
    missing = len(wanted - said) - opposites
    same_mood = HYPOTHETICAL.search(question) or not HYPOTHETICAL.search(sentence)
    if same_mood and _PRONOUN.match(clause) and predicate <= said <= wanted:
        missing = 0  # "He is not offside", to "Is the player in the blue cap offside?"
    than, said_than = (content_words(each.partition(" than ")[2]) for each in (asks, clause))
    compares_others = than and than.isdisjoint(said_than)  # "A is taller than B", to "than C?"
    if not wanted or missing > (1 if len(wanted) > 3 else 0) or compares_others:
        return None
    denials = abs(len(_NEGATION.findall(clause)) - len(_NEGATION.findall(asks)))
    if denials > 1 and re.search(r" and | without ", clause):
        return None  # "no reason to come and would not be caught": what is denied is unclear
    return "no" if (denials + opposites) % 2 else "yes"
