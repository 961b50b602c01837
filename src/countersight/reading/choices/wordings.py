"""Reads which option a reply names by its own words, whole or in part."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from countersight.reading.choices.letters import CHOSEN_BEFORE, DENIED_BEFORE, NEAR
from countersight.reading.choices.texts import affirmed, name_of, words_of, written_out
from countersight.reading.language.asked import content
from countersight.reading.language.clauses import MODAL_AT, every_clause, stated, supposed
from countersight.reading.language.stems import counted_words, stem
from countersight.reading.language.vocabulary import found, words

_PALE = words("options.pale")
_HELPING = words("questions.helping")
PRONOUNS = frozenset({"he", "she", "it", "they", "nobody", "somebody", "someone"})
PASSING = frozenset(map(stem, words("options.passing")))
_EMPTY = frozenset(map(stem, words("questions.empty"))) - {"all", "most", "still"} | {"him", "them"}
_PREPOSITIONS = words("questions.prepositions")
WHAT_IS_DONE = re.compile(r"\W*what (?:would|will|could|should|does|did)\b.*\bdo\b", re.IGNORECASE)
_IT = re.compile(r"\W*(?:(?:and|but|so|then) )?(?:it|he|she|they)\b", re.IGNORECASE)
DENYING = found("options.denying")
_IS = re.compile(r"\b(?:is|are|was|were)\b", re.IGNORECASE)
_ONE_OF_THEM = re.compile(  # "he is the only one leaving" counts nothing
    r"\b(?P<which>the|only|this|that|no|any|each|every|another|other|which|right|wrong|same) one\b", re.IGNORECASE
)
_YES_OR_NO = re.compile(r"^\W*(?:yes|no)\s*[,:;-]\s*(?=\w)", re.IGNORECASE)
_DETERMINED = r"\b(?:the|an?|this|that|his|her|its|their|one)(?:\s+[\w-]+){0,2}?\s+"
_LONGEST_NAME = 12  # words of a reply that can name an option by some of its words
_LONGEST_WRITTEN = 400  # signs of so few words; "0.0.0.0…" is one word and has no end
_LONGEST_NOUN = 2  # words that tell something, of an option that only names a thing
_ENOUGH = 0.6  # of the words of an option that says something; its subject alone is no choice
_LONG_RUN = 6  # words in a row that nobody says by chance
_CLEAR_LEAD = 3  # words more than any other option has
_MOST = 50  # places of an option's text in a reply that are looked at


def by_wording(text: str, options: Sequence[str], letters: str, question: str) -> str | None:
    """The letter of the only option that a text affirms in the option's own words."""
    text, options = written_out(text), [_YES_OR_NO.sub("", written_out(option)) for option in options]
    if any(words_of(option) == "one" for option in options):
        text = _ONE_OF_THEM.sub(r"\g<which> ___", text)
    said = affirmed(_without_the_supposed(text, question, options))
    spans = [
        (found.start(), found.end(), letter)
        for letter, option in zip(letters, options, strict=True)
        if words_of(option)
        # An option that denies something itself stands where it is denied.
        for found in _standing(option, text if DENYING.search(option) else said)
        if not DENIED_BEFORE.search(text[max(0, found.start() - NEAR) : found.start()])
    ]
    # "dark red" is not also "red".
    outer = [s for s in spans if not any(o[0] <= s[0] and s[1] <= o[1] and o[:2] != s[:2] for o in spans)]
    chosen = {x for start, _, x in outer if CHOSEN_BEFORE.search(text[max(0, start - NEAR) : start])}
    found_letters = (
        chosen
        or {x for _, _, x in outer} | _by_name(said, options, letters)
        or _by_some_words(said, options, letters, question)
        or _by_all_words(text, said, options, letters, question)
        or _by_long_runs(text, said, options, letters)
    )
    return found_letters.pop() if len(found_letters) == 1 else None


def _without_the_supposed(text: str, question: str, options: Sequence[str]) -> str:
    """The text with every clause blanked that only repeats what the question supposes: "the horse would walk away"."""
    told = content(supposed(question))
    own = told - content(stated(question)) - content(" ".join(options))
    for clause in every_clause(text):
        said = content(clause)
        if said <= told and said & own and _HELPING.intersection(clause.lower().split()):
            text = text.replace(clause, " " * len(clause), 1)
    return text


def _standing(option: str, text: str) -> list[re.Match[str]]:
    """Where an option's own text stands in a reply."""
    own = option.strip().rstrip(".")
    if own.lower() not in text.lower():
        return []  # spares the making of a pattern
    return list(re.finditer(rf"(?<!\w){re.escape(own)}(?!\w)", text, re.IGNORECASE))[:_MOST]


def _by_name(said: str, options: Sequence[str], letters: str) -> set[str]:
    """The options that stand in a text with another article or with an adjective: "the large blue whale" is a whale."""
    named: dict[int, tuple[int, str]] = {}  # by where a name ends, the longest: "the rain jacket" is no jacket there
    for letter, option in zip(letters, options, strict=True):
        name = name_of(option)
        if name not in said.casefold():
            continue  # spares the making of a pattern
        for place in re.finditer(rf"{_DETERMINED}{re.escape(name)}(?!\w)", said, re.IGNORECASE):
            if not DENIED_BEFORE.search(said[max(0, place.start() - NEAR) : place.start()]):
                named[place.end()] = max(named.get(place.end(), (0, "")), (len(name), letter))
    return {letter for _, letter in named.values()}


def _by_some_words(text: str, options: Sequence[str], letters: str, question: str) -> set[str]:
    """The options that a short reply names by words only they have: "red", of a red and a blue circle."""
    if len(text) > _LONGEST_WRITTEN or len(text.split()) > _LONGEST_NAME:
        return set()
    bags = [_telling(option) for option in options]
    said = not_denied(text)
    deed = WHAT_IS_DONE.search(question) and len(text.split()) > 1
    known, of_whom = content(question) | PASSING, content(stated(question)) | PASSING
    return {
        letter
        for letter, option, bag in zip(letters, options, bags, strict=True)
        if not DENYING.search(option)
        and any(sum(word in other for other in bags) == 1 for word in said & bag)
        and (
            (_names_a_thing(option) and not deed)
            or _is_nearly_said(option, text, said, known, of_whom, is_deed=bool(deed))
        )
    }


def _by_all_words(text: str, said: str, options: Sequence[str], letters: str, question: str) -> set[str]:
    """The options of which one clause says every word, of the same subject, and more besides: "slow down and drift"."""
    alike = frozenset[str].intersection(*map(content, options))  # "it" stands for what all options tell of
    return {
        letter
        for letter, option in zip(letters, options, strict=True)
        if MODAL_AT.search(option) and content(option) and not DENYING.search(option)
        for clause in every_clause(said)
        if MODAL_AT.search(clause)
        and _says_all(stated(clause), option, content(stated(question)), content(text) | alike)
    }


def _says_all(clause: str, option: str, asked: frozenset[str], said: frozenset[str]) -> bool:
    needed = content(option)
    subject = next(iter(counted_words(clause)), "")
    if _IT.match(clause) and _is_of_a_pronoun(option):
        return needed <= content(clause)
    if _IT.match(clause):
        # "The window wouldn't open; it would break": "it" stands for the subject of the option.
        subject = next(iter(counted_words(option)), "")
        needed -= {subject}
        return bool(needed) and needed <= content(clause) and (len(needed) > 1 or subject in said)
    return needed <= content(clause) and subject in asked | needed


def own_words(options: Sequence[str]) -> list[frozenset[str]]:
    """The stems of the words that only one of the options has, for each; "that" and "by" tell none from another."""
    bags = [_telling(option) - _EMPTY for option in options]
    return [bag.difference(*bags[:place], *bags[place + 1 :]) for place, bag in enumerate(bags)]


def by_elimination(text: str, options: Sequence[str], letters: str) -> str | None:
    """The one option that a reply does not name, where it denies all others: "neither the roof nor the garden"."""
    own = own_words(options)
    named = {stem(word) for word in words_of(text).split()}
    left = {letter for letter, words in zip(letters, own, strict=True) if not words & named}
    if len(left) != 1 or len(options) == 2:
        return None
    kept = not_denied(affirmed(text))
    return left.pop() if all(not words & kept for words in own if words & named) else None


def not_denied(said: str) -> set[str]:
    """The stems of the words of a text that no "not" or "nor" stands before."""
    return {
        stem(word)
        for found in re.finditer(r"\w+", said)
        if (word := found.group().casefold()) not in _PALE
        and not DENIED_BEFORE.search(said[max(0, found.start() - NEAR) : found.start()])
    }


def _by_long_runs(text: str, said: str, options: Sequence[str], letters: str) -> set[str]:
    """The option of which a reply repeats so many words in a row that no other comes near."""
    runs = [
        (_longest_run(words_of(option).split(), words_of(text if DENYING.search(option) else said).split()), letter)
        for letter, option in zip(letters, options, strict=True)
    ]
    (best, letter), *others = sorted(runs, reverse=True)
    ahead = best - max((run for run, _ in others), default=0)
    return {letter} if best >= _LONG_RUN and ahead >= _CLEAR_LEAD else set()


def _longest_run(first: list[str], second: list[str]) -> int:
    """How many words in a row, up to the end of the first text, stand in the second."""
    match = SequenceMatcher(None, first, second, autojunk=False).find_longest_match()
    return match.size if match.a + match.size == len(first) else 0  # its last words make the difference


def _is_nearly_said(
    option: str, text: str, affirmed_words: set[str], known: frozenset[str], of_whom: frozenset[str], *, is_deed: bool
) -> bool:
    """Whether a reply says most of an option that says something, of the same subject, and nothing else."""
    bag = _telling(option)
    # "Over the fence" denies no fence where the option says so itself.
    own = bag if _PREPOSITIONS.intersection(words_of(option).split()) else frozenset[str]()
    bag = bag & content(option) or bag
    said = content(text) & (affirmed_words | own)
    subject = next((word for word in counted_words(stated(text)) if word in said and word not in PASSING), "")
    enough = len(said & bag) >= max(_ENOUGH * len(bag), min(2, len(bag)))
    if len(text.split()) == 1:
        named = set() if _is_of_a_pronoun(option) else {*counted_words(option)[:1]}
        return bool(affirmed_words & _telling(option) - named)  # "Overflow."
    if "would" in option and _IS.search(text) and not MODAL_AT.search(text):
        return False  # "the lights are green" is how it is, and not what would happen
    # To what the water would do, "boil" is said of it, as "it would boil" is.
    subjects = bag | of_whom if is_deed or _is_of_a_pronoun(option) else bag
    return enough and said <= bag | known and subject in subjects


def _is_of_a_pronoun(option: str) -> bool:
    return words_of(option).split()[0] in PRONOUNS


@lru_cache(maxsize=512)
def _telling(option: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words_of(option).split() if word not in _PALE | _HELPING | PRONOUNS)


@lru_cache(maxsize=512)
def _names_a_thing(option: str) -> bool:
    """Whether an option is a thing ("the red circle") rather than something that happens."""
    every = words_of(option).split()
    said = _HELPING.union(PRONOUNS).intersection(every)
    return not said and len(_telling(option)) <= _LONGEST_NOUN
