"""Reads which option a reply comes to, where it names several."""

import re
from collections.abc import Sequence

from countersight.reading.choices.amounts import says_none
from countersight.reading.choices.letters import CAPITAL
from countersight.reading.choices.texts import affirmed, name_of, words_of
from countersight.reading.choices.wordings import DENYING, PRONOUNS, by_wording, not_denied, own_words
from countersight.reading.language.asked import content
from countersight.reading.language.clauses import every_clause, imagines, sentences, stated, supposed
from countersight.reading.language.stems import stem
from countersight.reading.language.vocabulary import any_of, found, words

_FIRST_PIECE = re.compile(r"\W*(?P<what>[^.!?,;:\n]{1,60}?)\s*(?:[.!]\s|\n|--|, (?:as|since|because)\b)")
_LAST_PIECE = re.compile(r"(?::|--)\s+(?P<what>[^.!?,;:\n]{1,60}?)[.!]?\s*$")
_NAME_IT_IS = re.compile(r"(?:^|[.,;:] )(?:so )?(?P<what>[^.!?,;:\n]{1,40}?) it is[.!]?\s*$", re.IGNORECASE)
_SO_NAME = re.compile(r", so (?:it(?:'s| is| would be| must be) )?(?P<what>[^.!?,;:\n]{1,40}?)[.!]?\s*$", re.IGNORECASE)
REMAINS = re.compile(
    r"\W*(?:so |therefore,? )?(?:what(?:'s| is| would be)? (?:left|remains)|that leaves|which leaves|this leaves)\b",
    re.IGNORECASE,
)
_IT_IS_WHAT = re.compile(
    r"\W*(?:so,? )?it(?:'s| is|'d be| would be) (?P<what>(?:the|an?|his|her|its|their) [^.,;]{1,40}?)"
    r" (?:that|which|who)\b",
    re.IGNORECASE,
)
_CONCLUDES_SHORTLY = re.compile(
    r"\W*(?:so|therefore|thus|hence|that leaves|leaving),? (?:it(?:'s| is|'d be| would be| must be) )?"
    r"(?:the |an? )?\w+(?: \w+){0,2}\W*$",
    re.IGNORECASE,
)
_LEAD = r"\W*(?:(?:so|and|but|then|thus|therefore|hence|consequently|now),? )*"
_CONCLUDES = re.compile(
    rf"{_LEAD}(?:{any_of('options.concluding')}|[\w' -]{{1,40}}{any_of('options.is_the_one')})", re.IGNORECASE
)
_SO = re.compile(r"\W*(?:so|thus|therefore|hence|consequently)\b(?! that\b)", re.IGNORECASE)
_IT_IS = re.compile(rf"{_LEAD}(?:it|that|this)(?:'s| is)\b(?! (?:not|no)\b)", re.IGNORECASE)
_LEFT_OVER = found("options.left_over")
_HEDGED = found("yes_no.hedges")
_WHAT_KIND = re.compile(r"^\W*(?:which|what|whose)(?: of the)? \w+\b|^\W*(?:which|what|who|where)\b", re.IGNORECASE)
_SAID_OF_SOMETHING = words("questions.helping") | PRONOUNS


def named_alone(text: str, options: Sequence[str], letters: str) -> str | None:
    """The option that is all of the first sentence, or all that follows the last colon: "Circle. The star is …"."""
    pieces = [_FIRST_PIECE.match(text), _LAST_PIECE.search(text), _NAME_IT_IS.search(text), _SO_NAME.search(text)]
    said = [name_of(piece["what"]) for piece in pieces if piece]
    found = {letter for letter, option in zip(letters, options, strict=True) if name_of(option) in said}
    return found.pop() if len(found) == 1 else None


def concluded_alone(text: str, options: Sequence[str], letters: str, question: str) -> str | None:
    """The option that a last, short sentence concludes: "… So the blue one."."""
    *others, last = sentences(text) or [""]
    return by_wording(last, options, letters, question) if others and _CONCLUDES_SHORTLY.match(last) else None


def remaining(text: str, options: Sequence[str], letters: str, question: str) -> str | None:
    """The option that a last sentence says is left, or does it: "This leaves the ferry.", "It's the pegs that …"."""
    last = (sentences(text) or [""])[-1]
    if does := _IT_IS_WHAT.match(last):
        return by_wording(does["what"], options, letters, question)
    return by_wording(last, options, letters, question) if REMAINS.match(last) else None


def left_over(text: str, options: Sequence[str], letters: str) -> str | None:
    """The only option that a reply does not name, where it ends with what is left: "The remaining one would."."""
    *others, last = sentences(text) or [""]
    if len(options) == 2 or not others or not _LEFT_OVER.search(last) or DENYING.search(last):
        return None
    named = {letter for letter in CAPITAL.findall(text) if letter in letters}
    said = {stem(word) for word in words_of(text).split()}
    unnamed = [x for x, own in zip(letters, own_words(options), strict=True) if x not in named and not own & said]
    return unnamed[0] if len(unnamed) == 1 and not says_none(options[letters.index(unnamed[0])], options) else None


def concluded(text: str, options: Sequence[str], letters: str, question: str) -> str | None:
    """The only option that the last choosing clause of a reply names, or of which it says all that was asked."""
    if not _WHAT_KIND.match(stated(question)) or any(map(_is_said_of_something, options)):
        return None
    own = own_words(options)
    asked = content(_WHAT_KIND.sub("", stated(question))) - content(" ".join(options))
    chosen: str | None = None
    apt: set[str] = set()
    for clause in every_clause(text):
        said = not_denied(affirmed(clause))
        named = [letter for letter, telling in zip(letters, own, strict=True) if telling & said]
        if not named or _HEDGED.search(clause) or content(supposed(clause)) - content(question):
            continue
        of_now = _IT_IS.match(clause) and not imagines(question)
        if of_now or _CONCLUDES.match(clause) or (_SO.match(clause) and _speaks_of(asked, clause)):
            chosen = named[0] if len(named) == 1 else None
        if asked and asked <= content(clause) and (imagines(clause) or not imagines(question)):
            apt.update(named)
    if chosen:
        return chosen if apt <= {chosen} else None
    return apt.pop() if len(apt) == 1 else None


def _speaks_of(asked: frozenset[str], clause: str) -> bool:
    return any(word.startswith(tuple(asked)) for word in content(clause))  # "the winner", to who would win


def _is_said_of_something(option: str) -> bool:
    return not _SAID_OF_SOMETHING.isdisjoint(words_of(option).split())
