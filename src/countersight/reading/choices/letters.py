"""Reads which option a reply names by its letter."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from countersight.case import LETTERS
from countersight.reading.choices.texts import contradicted, name_of, words_of
from countersight.reading.language.clauses import contrasted, sentences, tells_of_now
from countersight.reading.language.vocabulary import any_of

# "b", "option b", "it's b"; "it's a" was going to say what.
_BARE = re.compile(
    r"\W*(?:(?:so|therefore|thus|hence)\W+)?(?:(?:option|choice|answer|letter)\W*)?([A-Za-z])\W*$"
    rf"|\W*{any_of('options.before_a_letter')} (?!a\W*$)([A-Za-z])\W*$|\W*([A-Z])(?-i: it is)\W*$",
    re.IGNORECASE,
)
# A lower-case letter is a word or a slip of the pen, unless brackets or the word "option" make it a name.
_NAMED = re.compile(
    r"\b(?i:option|choice|answer(?: is)?|letter)s?\b\s*[:(\"'\[]*\s*([A-Za-z])\b(?!['-]\w)"
    r"|[(\[]\s*([A-Za-z])\s*[)\]]"
    r"|(?:^|(?<=[\s:,;\"']))([A-Za-z])\)(?!\w)"
    r"|^\W*([A-Za-z])\s*[.:)\]](?=\s|\d)"
)
_OPENING_MARK = re.compile(r"[\s\"']*(?:\(([A-Za-z])\)|([A-Za-z])[.:)](?=\s|\d))")
_OPENING = re.compile(r"\W*(?i:(?:most )?(?:likely|probably) )?(?:(?i:option|choice|letter)\W*)?([A-Za-z])(?![\w'-])")
_MARK = re.compile(r"(?<![\w'.])([A-Za-z])[.:)](?=\s|\d|$)")
CAPITAL = re.compile(r"(?<![\w'.&-])([A-Z])(?![\w'&]|-\w|\.\w)")
# "A circle contains 5 dots", "I think": these two capitals are words as well.
_WORDS_TOO = "AI"
_AFTER_A_NAME = re.compile(
    rf"\s*(?:[.,:;)\]!\"'*=/?]|$|[A-Z]\b|--?\s|\(?\d|{any_of('options.after_a_name')}"
    r"(?! (?:a|an|not a)\b(?! (?:correct|right|better))))"
)
_MID_SENTENCE = re.compile(r"[a-z],? $")
_SHOUTED = re.compile(r" [A-Z]{2}")
_ANOTHER = re.compile(r"\W*(?:or|and|nor|/)\W*[A-Za-z]\b|\)?,?\s+\(?[B-Z]\)?\W*$")
_REASON = r"\b(?:because|since|while|whereas|but|although)\b"
# Nothing is chosen by a word that belongs to another letter: "I'd say A, though B is possible".
CHOSEN_BEFORE = re.compile(
    rf"{any_of('options.chosen_before')}(?:(?!(?-i:\b[A-HJ-Z]\b)|{_REASON})[^.]){{0,60}}$", re.IGNORECASE
)
_MAYBE_BEFORE = re.compile(r"\b(?:could|might|may|maybe|perhaps|possibly)(?: also)?(?: be)?\s*$", re.IGNORECASE)
# Between a letter and its verdict stands at most the option's own text: "B (7) is right", not "B because A is wrong".
_OWN_TEXT = r"[\s:.()\]\"']*(?:(?!because|since|and|or|as|but|so\b|is the\b)(?!(?-i:[A-Z])\b)[\w.][\w.,]*[\s)]+){0,4}?"
_CHOSEN_AFTER = re.compile(
    rf"{_OWN_TEXT}(?:is|would be|must be|seems)\s+(?:the\s+)?(?:(?!least\b|less\b)\w+\s+)?{any_of('options.verdicts')}"
    rf"|\s*\(?correct\b|\s+(?:fits|matches)\b|\s+{any_of('options.chosen_after')}",
    re.IGNORECASE,
)
# "A would be right if it were a nail" chooses nothing.
_ON_CONDITION = re.compile(r"(?:,? (?:\w+ ){0,2}?)(?:if|unless|had|were)\b", re.IGNORECASE)
DENIED_BEFORE = re.compile(
    rf"{any_of('options.denied_before')}\s*"
    # "neither A nor", "eliminating B, C, and"
    r"(?:be\s+|(?:in|on|at|under)\s+|the\s+|(?-i:an?)\s+|option\s+|choice\s+|answer\s+|letter\s+|[A-Z]\s*(?:,?\s*(?:or|and|nor)\b|,)\s*){0,6}[(\"']?\s*$",
    re.IGNORECASE,
)
_AND_OTHERS = r"(?:(?:,? (?:and|or|nor)|,) (?-i:[A-Z])\b){0,4}"  # "A and B are wrong"
DENIED_AFTER = re.compile(
    rf"{_AND_OTHERS}{_OWN_TEXT}"
    r"(?:(?:is|are|was|would be|can|could|must|does|seems)\s*(?:n't|not\b)"
    r"|cannot\b|can't\b|isn't\b|doesn't\b|falls? away\b"
    rf"|(?:is|are|seems|would be|can be|could be|must be)\s+(?:\w+\s+)?{any_of('options.wrong')})",
    re.IGNORECASE,
)
# Beside another that is denied, or in a denial of its being wrong, a "not" may affirm: "A is wrong, B is not".
_DENIED_SHORTLY = re.compile(r"[)\]\"']*\s+(?:is|was|are|does|do)(?:n't| not)\s*(?:[.,;!]|$)", re.IGNORECASE)
_UNLIKE = re.compile(r"\bunlike\W+(?:option |choice )?\W*$", re.IGNORECASE)
_NOT_WRONG = re.compile(
    rf"{_OWN_TEXT}(?:is|are|was|would be|does)\s*(?:n't|not\b) {any_of('options.called_wrong')}", re.IGNORECASE
)
# "Not A, B" denies one of them; "not A, B or C" denies all.
_LABEL = r"(?:(?:option|choice|answer|letter) )?[(\"']?\s*"
_AFTER_A_COMMA = re.compile(rf"\b(?:not|unlike) {_LABEL}(?:(?-i:[A-Z])\W*,\s*{_LABEL})+$", re.IGNORECASE)
_LIST_GOES_ON = re.compile(r"\W*(?:,\s*(?:option |choice )?\(?[A-Z]\b\)?)*,?\s*(?:or|and|nor)\b")
_LIKEWISE = re.compile(r",? (?:as well|too|likewise|also)\b", re.IGNORECASE)
# "B is the current number" chooses nothing where it was asked what would be.
_NOW = r"\b(?:now|currently|at present|at the moment|in the (?:image|picture|photo))(?=\s*(?:[.,;]|$))"
_OF_NOW = re.compile(
    r"[\s)\]\"']*(?:is|was|shows?)\s+(?:the |what |how )(?!(?:\w+ )?(?:correct|right|best|answer))"
    rf"(?:{any_of('options.of_now')}|[\w ]{{0,40}}?{_NOW})",
    re.IGNORECASE,
)
NONE_OF_THEM = re.compile(rf"{any_of('options.none_of_them')}|\b(?:none|all) of (?:these|those)\W*$", re.IGNORECASE)
_MOST = 200  # letters of one sentence that are looked at, the last
NEAR = 60
"""Characters on either side of a letter that tell what is said of it."""


class Named(NamedTuple):
    """The letter chosen, if one is; and whether the text speaks of options by letter at all."""

    letter: str | None
    seen: bool


def bare_choice(text: str, options: int) -> str | None:
    """The letter, where a text is nothing else."""
    bare = _BARE.match(text)
    letter = next(filter(None, bare.groups())).upper() if bare else ""
    return letter if letter and letter in LETTERS[:options] else None


def is_bare(text: str) -> bool:
    """Whether a text is nothing but a letter, of an option or not."""
    return bool(_BARE.match(text))


def opening_choice(text: str, options: Sequence[str]) -> str | None:
    """The letter a text begins with, as in "B, since 7 are left" or "c) 7"."""
    found = _OPENING.match(text)
    if not found:
        return None
    letter, rest = found[1], text[found.end() :]
    clear = _AFTER_A_NAME.match(rest) if letter in _WORDS_TOO else (letter.isupper() or re.match(r"\s*[.:)\]]", rest))
    upper = letter.upper()
    known = upper in LETTERS[: len(options)]
    return upper if clear and known and not _ANOTHER.match(rest) and not contradicted(upper, rest, options) else None


def opening_mark(text: str, options: Sequence[str]) -> Named:
    """The letter of "B. There are 12, so …", which has answered before it explains, unless it begins a list."""
    opening = _OPENING_MARK.match(text)
    if not opening:
        return Named(None, seen=False)
    letter, rest = (opening[1] or opening[2]).upper(), text[opening.end() :]
    if _ANOTHER.match(rest):
        return Named(None, seen=True)  # "(B)/(D)"
    if len(set(_MARK.findall(text))) > 1 or (DENIED_AFTER.match(rest) and not _is_own_text(letter, rest, options)):
        return Named(None, seen=False)
    known = letter in LETTERS[: len(options)] and not contradicted(letter, rest, options)
    return Named(letter if known else None, seen=True)


def _is_own_text(letter: str, rest: str, options: Sequence[str]) -> bool:
    """Whether what follows a letter is the text of its option: "D) Cannot be told"."""
    own = options[LETTERS.index(letter)] if letter in LETTERS[: len(options)] else ""
    return bool(own) and rest.strip(" ()].:,\"'").casefold().startswith(own.strip(" .").casefold())


def none_of_them(text: str, options: Sequence[str]) -> Named:
    """The letter of the option that says "none of the above", where a reply says so and names no other option."""
    said = NONE_OF_THEM.search(text)
    if not said:
        return Named(None, seen=False)
    letters = LETTERS[: len(options)]
    own = [x for x, option in zip(letters, options, strict=True) if _says_the_same(said, option)]
    others = [words_of(option) for x, option in zip(letters, options, strict=True) if x not in own]
    named = {*CAPITAL.findall(text)}.intersection(letters).difference(own) or any(x in words_of(text) for x in others)
    clear = not named and not DENIED_BEFORE.search(text[: said.start()])
    chosen = len(own) == 1 and (clear or opening_mark(text, options).letter == own[0])
    return Named(own[0] if chosen else None, seen=True)


def _says_the_same(said: re.Match[str], option: str) -> bool:
    """Whether an option says "none of these" where a reply says "none of the above", or "all of" where it says that."""
    own = NONE_OF_THEM.search(option)
    return own is not None and own.group().split()[0].casefold() == said.group().split()[0].casefold()


def by_letter(text: str, options: Sequence[str], *, of_now: bool) -> Named:
    """The letter a text chooses: the last that it calls right, or the only one that it does not deny."""
    letters = LETTERS[: len(options)]
    left: list[str] = []
    chosen: list[tuple[int, str]] = []
    denied: set[str] = set()
    questioned = unsure = False
    pieces = list(enumerate(part for piece in sentences(text) for part in contrasted(piece)))
    for number, piece in pieces:
        passing = not of_now and tells_of_now(piece) and len(pieces) > 1
        for start, end, letter in _mentions(piece)[-_MOST:]:
            before, after = piece[max(0, start - NEAR) : start], piece[end : end + NEAR]
            around = _beside(letter, before, after, options) if letter in letters else None
            if around and _may_be_affirmed(*around, also=bool(denied)):
                left.append("")
            elif around and _is_denied(*around, also=bool(denied)):
                denied.add(letter)
            elif letter in letters and (
                passing
                or _is_conditional(after)
                or (after.startswith("?") and number < pieces[-1][0])
                or (not of_now and _OF_NOW.match(after))
                or (_is_glossed(letter, after, options) and len(set(CAPITAL.findall(text))) > 1)
            ):
                questioned = True
            elif letter not in letters or contradicted(letter, after, options):
                left.append("")
            else:
                left.append(letter)
                alone = number == pieces[-1][0] and (is_bare(piece) or _is_named_alone(letter, piece, options))
                unsure = unsure or bool(_MAYBE_BEFORE.search(before))
                if alone or _CHOSEN_AFTER.match(after) or (CHOSEN_BEFORE.search(before) and not _ANOTHER.match(after)):
                    chosen.append((number, letter))
    if unsure and len(set(left)) > 1:
        return Named(None, seen=True)  # "probably C, could be A"
    if chosen:
        last = {letter for number, letter in chosen if number == chosen[-1][0]}
        return Named(last.pop() if len(last) == 1 else None, seen=True)
    remaining = set(left) - denied
    if not left and len(letters) > 2 and len(rest := set(letters) - denied) == 1:
        return Named(rest.pop(), seen=True)  # "not B, and C is impossible"
    return Named(remaining.pop() or None if len(remaining) == 1 else None, bool(left or denied or questioned))


def _beside(letter: str, before: str, after: str, options: Sequence[str]) -> tuple[str, str]:
    """What stands on either side of a letter without its own text, which may deny something: "No (B)"."""
    own = options[LETTERS.index(letter)].strip(" .").casefold()
    head = before.rstrip("( ")
    return (
        head[: -len(own)] if own and head.casefold().endswith(own) else before,
        "" if _is_own_text(letter, after, options) else after,
    )


def _is_denied(before: str, after: str, *, also: bool) -> bool:
    """Whether a letter is called wrong, or called so too where another was: "B is impossible, C as well"."""
    if _AFTER_A_COMMA.search(before) and not _LIST_GOES_ON.match(after):
        return bool(DENIED_AFTER.match(after))
    return bool(DENIED_BEFORE.search(before) or DENIED_AFTER.match(after) or (also and _LIKEWISE.match(after)))


def _may_be_affirmed(before: str, after: str, *, also: bool) -> bool:
    """Whether what looks like a denial of a letter says that it is not the wrong one: "A is wrong, unlike B"."""
    is_turned = _DENIED_SHORTLY.match(after) or _UNLIKE.search(before)
    return bool(_NOT_WRONG.match(after) or (also and is_turned))


def _is_named_alone(letter: str, piece: str, options: Sequence[str]) -> bool:
    """Whether a sentence names one option by letter and text, and no other: "Use a flash (A)."."""
    return (
        f"({letter})" in piece
        and len(_mentions(piece)) == 1
        and options[LETTERS.index(letter)].strip(" .").casefold() in piece.casefold()
    )


def _is_glossed(letter: str, after: str, options: Sequence[str]) -> bool:
    """Whether it is only said what a letter stands for: "B is the lamp, and what would fall is D"."""
    own = name_of(options[LETTERS.index(letter)])
    if own not in after.casefold():
        return False  # spares the making of a pattern
    own = re.escape(own)
    return bool(
        re.match(rf"\s+(?:is|was|means|says)\s+(?:the |an? )?{own}\s*(?:[.,;]|\band\b|$)", after, re.IGNORECASE)
    )


def _is_conditional(after: str) -> bool:
    """Whether a letter is called right under a condition that does not hold."""
    verdict = _CHOSEN_AFTER.match(after)
    return verdict is not None and bool(_ON_CONDITION.match(after[verdict.end() :]))


def _mentions(sentence: str) -> list[tuple[int, int, str]]:
    found: dict[int, tuple[int, int, str]] = {}
    for match in _NAMED.finditer(sentence):
        group = next(index for index, value in enumerate(match.groups(), 1) if value)
        start, end = match.span(group)
        article = match[group] in ("a", "A", "I") and not _AFTER_A_NAME.match(sentence[end:])
        if not article:
            found[start] = (start, end, match[group].upper())
    for match in CAPITAL.finditer(sentence):
        word = match[1] in _WORDS_TOO and not _AFTER_A_NAME.match(sentence[match.end() :])
        before = sentence[: match.start()]
        # No article in mid-sentence has a capital, unless all has: "so A it must be", "so A DOOR".
        if not word or (match[1] == "A" and _MID_SENTENCE.search(before) and not _SHOUTED.match(sentence, match.end())):
            found.setdefault(match.start(), (*match.span(), match[1]))
    return [found[start] for start in sorted(found)]
