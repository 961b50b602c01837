"""Reads which option of a question was chosen, by its letter or by its own text."""

import re
from collections.abc import Sequence
from functools import lru_cache

from countersight.case import LETTERS
from countersight.reading.clauses import asks_of_now, contrasted, sentences, tells_of_now
from countersight.reading.counting import count
from countersight.reading.numerals import canonical, numerals
from countersight.reading.polarity import polarity
from countersight.reading.ranks import Rank, ranks_in

_BARE = re.compile(r"\W*(?:(?:option|choice|answer|letter)\W*)?([A-Za-z])\W*$", re.IGNORECASE)
# A lower-case letter is a word or a slip of the pen, unless brackets or the word "option" make it a name.
_NAMED = re.compile(
    r"\b(?i:option|choice|answer(?: is)?|letter)s?\s*[:(\"'\[]*\s*([A-Za-z])\b(?!['-]\w)"
    r"|[(\[]\s*([A-Za-z])\s*[)\]]"
    r"|(?:^|(?<=[\s:,;\"']))([A-Za-z])\)(?!\w)"
    r"|^\W*([A-Za-z])\s*[.:)\]](?=\s|\d)"
)
_OPENING_MARK = re.compile(r"[\s\"']*(?:\(([A-Za-z])\)|([A-Za-z])[.:)](?=\s|\d))")
_MARK = re.compile(r"(?<![\w'.])([A-Za-z])[.:)](?=\s|\d|$)")
_CAPITAL = re.compile(r"(?<![\w'.&-])([A-Z])(?![\w'&]|-\w|\.\w)")
# "A circle contains 5 dots", "I think": these two capitals are words as well.
_WORDS_TOO = "AI"
_AFTER_A_NAME = re.compile(
    r"\s*(?:[.,:;)\]!\"'*=/?]|$|[A-Z]\b|--?\s|\(?\d|(?:is|was|would be|because|since|seems|looks|and|or|nor|but|as"
    r"|matches|fits)\b(?! (?:a|an|not a)\b(?! (?:correct|right|better))))"
)
_CHOSEN_BEFORE = re.compile(
    r"\b(?:choose|chose|pick|picked|select|selected|go(?:ing)? with|say|answer|correct (?:one|option|choice"
    r"|answer)|therefore|thus|hence|so|must be"
    r"|final\w*|conclude|conclusion|correct|right|best|probably|most likely)\b[^.]{0,60}$",
    re.IGNORECASE,
)
# Between a letter and its verdict stands at most the option's own text: "B (7) is right", not "B because A is wrong".
_TEXT = r"(?!because|since|and|or|as|but|so\b)(?!(?-i:[A-Z])\b)[\w.,]+"
_CHOSEN_AFTER = re.compile(
    rf"[\s:.)\]\"']*(?:{_TEXT}[\s)]+){{0,4}}?(?:is|would be|must be|seems)\s+(?:the\s+)?(?:\w+\s+)?(?:correct"
    rf"|right|best|true|answer|accurate|my (?:answer|choice))\b"
    r"|\s*\(?correct\b",
    re.IGNORECASE,
)
_DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|neither|nor|n't|never|except|rather than|instead of|rules? out|ruled out|ruling out|eliminat\w+"
    r"|exclud\w+|unlike|than|over|reject\w*)"
    r"|n't)\s*(?:be\s+|the\s+|option\s+|choice\s+|answer\s+|letter\s+|[A-Z]\s*(?:,|or|and|nor)\s*){0,3}[(\"']?\s*$",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    rf"[\s:.)\]\"']*(?:{_TEXT}[\s)]+){{0,4}}?(?:(?:is|are|was|would be|can|could|must|does|seems)\s*(?:n't|not\b)"
    rf"|cannot\b|can't\b|isn't\b|doesn't\b"
    r"|(?:is|are|seems)\s+(?:\w+\s+)?(?:wrong|incorrect|false|out|too|eliminated|ruled out|impossible|unlikely)\b)",
    re.IGNORECASE,
)
# "B is the current number" chooses nothing where it was asked what would be.
_OF_NOW = re.compile(
    r"[\s)\]\"']*(?:is|was|shows?)\s+(?:the |what |how )(?!(?:\w+ )?(?:correct|right|best|answer))"
    r"(?:(?:current|present|original|initial|actual|existing)\b"
    r"|[\w ]{0,40}?\b(?:now|currently|at present|at the moment|in the (?:image|picture|photo))(?=\s*(?:[.,;]|$)))",
    re.IGNORECASE,
)
_NONE_OF_THEM = re.compile(
    r"\b(?:none|neither|all|both|any) of (?:the|these|those|them|the given)\s*(?:above|options?|choices"
    r"|answers)\b|\b(?:none|all) of (?:these|those)\W*$",
    re.IGNORECASE,
)
_PLACE = (
    r"(?P<place>(?:second|third|next)[ -]to[ -](?:the[ -])?last|penultimate|last(?! but)"
    r"|first|second|third|fourth|fifth)"
)
_ORDINAL = re.compile(rf"\b{_PLACE}\s+(?:option|choice|answer)\b", re.IGNORECASE)
# "The last one" is an option only where nothing else is said: elsewhere it is a circle, or a dot.
_ORDINAL_ONE = re.compile(
    rf"\W*(?:(?:it is|it's|it would be|i (?:choose|pick)|i'd (?:say|pick))\s+)?(?:the\s+)?{_PLACE}(?:\s+one)?\W*$",
    re.IGNORECASE,
)
_PLACES = {
    **{"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1},
    **{"penultimate": -2, "second to last": -2, "next to last": -2, "third to last": -3},
}
_NUMBERED_OPTION = re.compile(r"\b(?:option|choice)\s*#?(\d{1,3})\b", re.IGNORECASE)
_GOOD = re.compile(r"[✅✔✓☑]|\b(?:yes|correct|true|right|match(?:es)?)\b", re.IGNORECASE)
_BAD = re.compile(r"[❌✗✘✖❎]|\b(?:no|not|incorrect|false|wrong)\b|n't\b", re.IGNORECASE)
_ENDS = r"[\s.!)\"']*(?:$|\n|[,;])"
_OWN_TEXT_ENDS = rf"(?:\s+[a-z]+){{0,3}}{_ENDS}"
_PALE_WORD = re.compile(r"an?|the|ones?|of|in|on|at|to|is|are|be|its?|and|or|with")
_DENYING_OPTION = re.compile(r"\b(?:no|not|none|without|never)\b|n't\b", re.IGNORECASE)
_LONGEST_NAME = 12  # words of a reply that can name an option by one of its words
_SPACE = re.compile(r"[\W_]+")
_HOW_MANY = re.compile(r"\b(?:how many|how much|number of|count)\b", re.IGNORECASE)
_SINGULARS = {
    **{"people": "person", "men": "man", "women": "woman", "children": "child", "feet": "foot", "teeth": "tooth"},
    **{"mice": "mouse", "geese": "goose", "are": "is"},
}
_PLURAL_END = re.compile(r"(?<![su])s$")


def choice(text: str, options: Sequence[str], question: str) -> str | None:
    """The letter of the option a plain text chooses, or None where it chooses none or more than one."""
    letters = LETTERS[: len(options)]
    bare = _BARE.match(text)
    if bare:
        letter = bare[1].upper()
        return letter if letter in letters else None
    exact = [letter for letter, option in zip(letters, options, strict=True) if _words(option) == _words(text)]
    if len(exact) == 1:
        return exact[0]
    if _NONE_OF_THEM.search(text):
        return None
    opening = _OPENING_MARK.match(text)
    if opening:
        # "B. There are 12, so …" has answered before it explains, unless the letter begins a list of all of them.
        letter = (opening[1] or opening[2]).upper()
        rest = text[opening.end() :]
        if len(set(_MARK.findall(text))) <= 1 and not _DENIED_AFTER.match(rest):
            return letter if letter in letters and not _contradicted(letter, rest, options) else None
    judged = _by_verdicts(text, options, letters)
    if judged:
        return judged
    named, seen = _by_letter(_without_texts(text, options), letters, options, of_now=asks_of_now(question))
    if seen:
        return named
    places = _places(text, options)
    if places:
        place = places.pop()
        return letters[place] if not places and -len(options) <= place < len(options) else None
    return _by_text(text, options, letters, question)


def without_listing(text: str, options: Sequence[str]) -> str:
    """The text without a repetition of the whole list of options, where every letter is named and none is chosen."""
    letters = LETTERS[: len(options)]
    if not all(letter in text for letter in letters):
        return text
    listed = r"[\s,;|]*".join(
        rf"\(?{letter}\s*[.:)]*\s*{re.escape(option.strip())}[.,;]?"
        for letter, option in zip(letters, options, strict=True)
    )
    return re.sub(rf"(?<!\w){listed}", " ", text).strip() or text


def opening_choice(text: str, options: Sequence[str]) -> str | None:
    """The letter a text begins with, as in "B, since 7 are left" or "c) 7"."""
    found = re.match(r"\W*(?:(?i:option|choice|letter)\W*)?([A-Za-z])(?![\w'-])", text)
    if not found:
        return None
    letter, rest = found[1], text[found.end() :]
    clear = _AFTER_A_NAME.match(rest) if letter in _WORDS_TOO else (letter.isupper() or re.match(r"\s*[.:)\]]", rest))
    another = re.match(r"\W*(?:or|and|nor|/)\W*[A-Za-z]\b", rest)
    upper = letter.upper()
    known = upper in LETTERS[: len(options)]
    return upper if clear and not another and known and not _contradicted(upper, rest, options) else None


def _contradicted(letter: str, rest: str, options: Sequence[str]) -> bool:
    """Whether a letter goes with another option's text: in "B: 18", where 18 is A, nobody can tell which was meant."""
    counts = _counted(tuple(options)) or (None,) * len(options)
    for other, option, number in zip(LETTERS, options, counts, strict=False):
        text = re.escape(option.strip()) + rf"(?!\w){_OWN_TEXT_ENDS}"
        if number:  # "B: 18", where A is "18 cows"
            thing = re.escape(option[numerals(option)[0].end :].strip())
            text += rf"|{re.escape(number)}(?:\s+{thing})?(?!\w){_ENDS}"
        if other != letter and re.match(rf"[\s:.)\]=(\"'-]*(?:{text})", rest, re.IGNORECASE):
            return True
    return False


def _by_verdicts(text: str, options: Sequence[str], letters: str) -> str | None:
    """The one option called right, where a reply goes through all of them in order and calls each right or wrong."""
    starts: list[int] = []
    for letter in letters:
        found = re.compile(rf"(?<![\w'])\(?{letter}(?=[\s.:)])").search(text, starts[-1] if starts else 0)
        if not found:
            return None
        starts.append(found.end())
    good: list[str] = []
    for letter, option, start, end in zip(letters, options, starts, [*starts[1:], len(text)], strict=True):
        # What the option says itself ("A: Yes") is no verdict on it.
        verdict = re.sub(rf"^[\s.:)]*{re.escape(option.strip())}(?!\w)", "", text[start:end], flags=re.IGNORECASE)[:80]
        if _GOOD.search(verdict) and not _BAD.search(verdict):
            good.append(letter)
        elif not _BAD.search(verdict):
            return None
    return good[0] if len(good) == 1 else None


def _places(text: str, options: Sequence[str]) -> set[int]:
    """The places in the list that a reply names: "the last option", "option 2"."""
    alone = _ORDINAL_ONE.match(text)
    places = [alone["place"]] if alone else [found["place"] for found in _ORDINAL.finditer(text)]
    found = {_PLACES[re.sub(r"[ -]+", " ", place.lower()).replace("the ", "")] for place in places}
    for number in _NUMBERED_OPTION.findall(text):
        # "Option 3" may as well be the option that says 3, unless that is the third.
        place = int(number) - 1
        if all(at == place or _number(option) != canonical(number) for at, option in enumerate(options)):
            found.add(place)
    return found


def _by_letter(text: str, letters: str, options: Sequence[str], *, of_now: bool) -> tuple[str | None, bool]:
    """The letter chosen, if one is; and whether the text speaks of options by letter at all."""
    seen: list[str] = []
    chosen: list[tuple[int, str]] = []
    denied: set[str] = set()
    questioned = False
    pieces = sentences(text)
    for number, sentence in enumerate(pieces):
        for start, end, letter in _mentions(sentence):
            if letter not in letters:
                seen.append("")
                continue
            before, after = sentence[max(0, start - 60) : start], sentence[end : end + 60]
            if _DENIED_BEFORE.search(before) or _DENIED_AFTER.match(after):
                denied.add(letter)
                continue
            if (after.startswith("?") and number < len(pieces) - 1) or (not of_now and _OF_NOW.match(after)):
                questioned = True
                continue
            if _contradicted(letter, after, options):
                seen.append("")
                continue
            seen.append(letter)
            if _CHOSEN_AFTER.match(after) or _CHOSEN_BEFORE.search(before):
                chosen.append((number, letter))
    if chosen:
        last = {letter for number, letter in chosen if number == chosen[-1][0]}
        return (last.pop() if len(last) == 1 else None), True
    left = set(seen) - denied
    return (left.pop() or None if len(left) == 1 else None), bool(seen or denied or questioned)


def _mentions(sentence: str) -> list[tuple[int, int, str]]:
    found: dict[int, tuple[int, int, str]] = {}
    for match in _NAMED.finditer(sentence):
        group = next(index for index, value in enumerate(match.groups(), 1) if value)
        start, end = match.span(group)
        article = match[group] in ("a", "A", "I") and not _AFTER_A_NAME.match(sentence[end:])
        if not article:
            found[start] = (start, end, match[group].upper())
    for match in _CAPITAL.finditer(sentence):
        if match[1] not in _WORDS_TOO or _AFTER_A_NAME.match(sentence[match.end() :]):
            found.setdefault(match.start(), (*match.span(), match[1]))
    return [found[start] for start in sorted(found)]


def _without_texts(text: str, options: Sequence[str]) -> str:
    """The text with every option's wording blanked where that holds a lone capital: "vitamin C" is not option C."""
    for option in options:
        if len(option.strip()) > 1 and _CAPITAL.search(option):
            text = re.sub(re.escape(option.strip()), "_", text, flags=re.IGNORECASE)
    return text


def _by_text(text: str, options: Sequence[str], letters: str, question: str) -> str | None:
    values = [_number(option) for option in options]
    if not all(values):
        values = list(_counted(tuple(options), question) or values)
    if all(values):
        number = count(_NUMBERED_OPTION.sub(" ", text), question)
        return letters[values.index(number)] if number and values.count(number) == 1 else None
    if {_words(option) for option in options} == {"yes", "no"}:
        answer = polarity(text, question)
        return next((x for x, option in zip(letters, options, strict=True) if _words(option) == answer), None)
    if not asks_of_now(question):
        pieces = [part for sentence in sentences(text) for part in contrasted(sentence)]
        text = ". ".join(piece for piece in pieces if not tells_of_now(piece)) or text
    spans = [
        (found.start(), found.end(), letter)
        for letter, option in zip(letters, options, strict=True)
        if _words(option)
        for found in list(re.finditer(rf"(?<!\w){re.escape(option.strip())}(?!\w)", text, re.IGNORECASE))[:50]
        if not _DENIED_BEFORE.search(text[max(0, found.start() - 60) : found.start()])
    ]
    # "dark red" is not also "red".
    outer = [s for s in spans if not any(o[0] <= s[0] and s[1] <= o[1] and o[:2] != s[:2] for o in spans)]
    chosen = {x for start, _, x in outer if _CHOSEN_BEFORE.search(text[max(0, start - 60) : start])}
    found_letters = chosen or {x for _, _, x in outer} or _by_a_word(text, options, letters)
    return found_letters.pop() if len(found_letters) == 1 else None


def _by_a_word(text: str, options: Sequence[str], letters: str) -> set[str]:
    """The options that a short reply names by a word only they have: "red", of a red and a blue circle."""
    if len(text.split()) > _LONGEST_NAME:
        return set()
    bags = [{word for word in _words(option).split() if not _PALE_WORD.fullmatch(word)} for option in options]
    own = {
        word: letter
        for letter, option, bag in zip(letters, options, bags, strict=True)
        if not _DENYING_OPTION.search(option)
        for word in bag
        if sum(word in other for other in bags) == 1
    }
    return {
        own[word]
        for found in re.finditer(r"\w+", text)
        if (word := found.group().casefold()) in own
        and not _DENIED_BEFORE.search(text[max(0, found.start() - 60) : found.start()])
    }


def _number(option: str) -> str | None:
    found = numerals(option)
    if len(found) != 1 or found[0].value is None:
        return None
    return canonical(found[0].value) if _words(option) == _words(option[found[0].start : found[0].end]) else None


@lru_cache(maxsize=64)
def _counted(options: tuple[str, ...], question: str = "") -> tuple[str, ...] | None:
    """The numbers of options that are counts of one thing ("1 cow", "Four cows", "none"), or None for any others."""
    values: list[str] = []
    things: set[tuple[str, str]] = set()
    for option in options:
        found = numerals(option)
        # "Room 3", "3 pm", "more than 3" and "3 more" are no counts: in a reply their numbers would be passed over.
        ranks = ranks_in(option, first=False, last=False)
        if len(found) != 1 or len(ranks) != 1 or ranks[0][0] < Rank.STATED or not ranks[0][1]:
            return None
        values.append(canonical(ranks[0][1]))
        thing = (_singular(option[: found[0].start]), _singular(option[found[0].end :]))
        if any(thing):
            things.add(thing)
    if len(things) != 1:
        return None
    # "Bus 3" is the name of a bus, unless a number was asked for.
    named = not things.pop()[1] and not _HOW_MANY.search(question)
    return None if named else tuple(values)


def _singular(text: str) -> str:
    """Words in a spelling that a singular and its plural share; it need not be a word."""
    words = (_PLURAL_END.sub("", _SINGULARS.get(word, word)).removesuffix("e") for word in _words(text).split())
    return " ".join(re.sub("y$", "i", re.sub("v$", "f", word)) for word in words)


def _words(text: str) -> str:
    return _SPACE.sub(" ", text).strip().casefold()
