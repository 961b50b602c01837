"""Finds the option that a reply chooses, by its letter or by the option's own words."""

import re
from functools import lru_cache

import msgspec

from countersight.case import LETTERS
from countersight.reading import counts, yes_no
from countersight.reading.numbers import numerals
from countersight.reading.plain import any_case, lazy, strip_markup, word_set
from countersight.reading.sentences import (
    NOW,
    conclusion_of,
    content_words,
    last_question,
    main_clause,
    sentences,
    stem,
)

_LETTER_FIRST = lazy(
    r"^[\s\"'*(\[:]*(?:(?:so|the|answer|option|choice|letter|point|is|it|it's|that's|must be|would be"
    r"|definitely|probably|likely|most likely|image|picture|figure|with|for|(?:I|i) (?:think|believe|guess|would say))"
    r"\W+){0,6}"
    r"(?:[(\[]\s*([A-Z])\s*[)\]](?!\s*(?:[/,&]|or\b|and\b)\s*(?:or |and )?[(]?[A-Z]\b)"
    r"|([A-Z])(?=\s*(?:[.):;!*\]}]|,(?!\s*(?:and |or )?[(]?[A-Z]\b)|-{1,2}\s|$|\n|です|だ|입니다)|\s+(?:because|since"
    r"|it is)\b|\s+(?:is|seems|would be) (?:most likely )?(?:the )?(?:correct|right|best|answer|most)|\s+\())"
)
_IS_LETTER = lazy(r"\b(?:is|are|would be)\s+\(([A-Z])\)\s*(.+)$")
_SMALL_FIRST = lazy(r"^\W*[(]?([a-z])(?:[).:]|\W*$)")
_LETTER_NAMED = lazy(
    r"\b(?:[Oo]ption|[Cc]hoice|[Aa]nswer|OPTION|[Ll]etter)s?\s*:?\s*[(\"'\[]?([A-Z])\b(?!'|\s*,\s*(?:or "
    r"|and )?[A-Z]\b)|\(([A-Z])\)|\bleaves ([A-Z])\b(?!'|,? (?:and|or) )"
)
_TOKEN = lazy(r"[^\W\d_]+(?:'[a-z]+)?|\d+(?:,\d{3})*(?:\.\d+)?|[√°%/+=<>*]|(?<![A-Za-z])-")
_NEGATED_BEFORE = word_set(
    "not never nor neither than unlike except without versus vs exclud eliminat avoid miss reject ignor lack"
)
_NEGATED_AFTER = any_case(
    r"^[^,.;]{0,40}?\b(?:(?:is|are|was|were|do|does|did|would|will|can|could|has|have|seems|appears|may"
    r"|might)(?:n't| not| less| incorrect| wrong| false| unlikely| eliminated| ruled| further| farther"
    r"| different)|cannot|lacks?|fails?)\b"
)
_INSTEAD_OF = any_case(
    r"\b(?:rather than|instead of|compared (?:to|with)|as opposed to|in contrast to|different from|other than"
    r"|not)\s+(?:the |a |an |to |in |point |option |at )*$"
)
_LISTED_APART = lazy(r"^\s*\(?([A-Z])[.)]\s", re.MULTILINE)
_LISTED = lazy(r"^[^\w\n]*([A-Z])\s*[).:]", re.MULTILINE)
# Sentences about possibilities or about other options.
_ASIDE = any_case(
    r"\b(?:might|may|could|maybe|perhaps|possibly|depends?|depending|on the other hand|(?:in|by) contrast|conversely"
    r"|meanwhile|unlike|(?:other|remaining) (?:options|choices|answers|points|images))\b"
)
_SPACES_AND_UNITS = lazy(r"[\s$\\{},]+|(?<![A-Za-z])(?:cm|mm|km|m|units?|degrees?)\b|°")
_JOINED = lazy(r"\b(?:or|and)\s+(?:(?:the (?:\w+ ){1,2}|option |choice ))?[(]?([A-Z])[),.:](?=\s|$)")
_FEW, _SHORT = 3, 8


class Options(msgspec.Struct, frozen=True):
    """The normalised options of a question, with their values if all are amounts, or if they are yes and no."""

    texts: tuple[str, ...]
    tokens: tuple[tuple[str, ...], ...]
    amounts: tuple[str, ...]
    yes_no: tuple[str, ...]
    letters: str
    normalised: tuple[str, ...]


@lru_cache(maxsize=256)
def prepare_options(texts: tuple[str, ...]) -> Options:
    """Normalise the texts of options; results are cached."""
    bare = [strip_markup(text) for text in texts]
    found = [numerals(text) for text in bare]
    amounts = tuple(each[0].value for each in found if len(each) == 1)
    units = {
        re.sub(r"\W+", "", text[: each[0].start] + text[each[0].end :])
        for text, each in zip(bare, found, strict=True)
        if each
    }
    are_amounts = len(amounts) == len(texts) == len({*amounts}) and len(units) == 1
    said = tuple(yes_no.read_beginning(text) or "" if len(text) < 12 else "" for text in bare)
    return Options(
        tuple(bare),
        tuple(tuple(token for token, _, _ in _tokens(text)) for text in bare),
        amounts if are_amounts else (),
        said if sorted(said) == ["no", "yes"] else (),
        LETTERS[: len(texts)],
        tuple(map(_normalised, bare)),
    )


def _normalised(text: str) -> str:
    """Normalise a text: lower case without spaces, LaTeX, units and a final full stop."""
    return _SPACES_AND_UNITS.sub("", text).lower().rstrip(".")


def _tokens(text: str) -> list[tuple[str, int, int]]:
    """Return the stems of a text with their positions, without articles; a lone capital A is not an article."""
    found = [(stem(match.group()), *match.span()) for match in _TOKEN.finditer(text.replace("&", "+"))]
    kept = [each for each in found if each[0] not in ("a", "an", "the") or text[each[1] : each[2]] == "A"]
    return kept or found


def read_marked(region: str, options: Options) -> str | None:
    """Return the option after a mark: a letter, or an option's own words; "" if the two contradict each other."""
    first = next(iter(sentences(region[:600])), "")
    if letter := letter_first(first, options):
        return letter if _is_consistent(letter, first, options) else ""
    if _LETTER_FIRST.match(first) and not named_options(first, options):
        return ""  # a letter that is not an option
    if said := exact_option(first, options):
        return said
    if (small := _SMALL_FIRST.match(first)) and small[1].upper() in options.letters:
        return small[1].upper()
    chosen = named_options(first, options)
    if len(chosen) < 2:
        return chosen.pop() if chosen else None
    found = sorted((start, end, place) for place, start, end in mentions(first, options))
    is_joined = found and re.search(r"\b(?:or|and)\b", first[found[0][1] : found[-1][0]])
    return LETTERS[found[0][2]] if found and not is_joined and found[0][0] <= len("the ") else None  # "blue, not red"


def letter_first(text: str, options: Options) -> str | None:
    """Return the letter with which a text starts as an answer: "B", "(B)", "B. blue", "Option B is"."""
    match = _LETTER_FIRST.match(text)
    letter = (match[1] or match[2]) if match else None
    return letter if letter and letter in options.letters else None


def read_beginning(text: str, options: Options) -> str | None:
    """Return the option with which a text starts: a letter on its own, or yes or no if these are options."""
    if len({*_LISTED.findall(text)}) > 1:
        return None  # it discusses the options one by one
    first = next(iter(sentences(text[:600])), "")
    if letter := letter_first(first, options):
        return letter if _is_consistent(letter, first, options) else ""
    if said := exact_option(first, options):
        return said
    if len(text) <= _SHORT and (small := _SMALL_FIRST.match(text)) and small[1].upper() in options.letters:
        return small[1].upper()
    if options.yes_no and (said := yes_no.read_beginning(text)):
        return LETTERS[options.yes_no.index(said)]
    named = _IS_LETTER.search(first)  # "The best model is (B) EMMA."
    if named and named[1] in options.letters and _normalised(named[2]) == options.normalised[LETTERS.index(named[1])]:
        return named[1]
    return None


def exact_option(sentence: str, options: Options) -> str | None:
    """Return the only option whose text equals a sentence or a whole reply."""
    said = _normalised(sentence)
    return LETTERS[options.normalised.index(said)] if said and options.normalised.count(said) == 1 else None


def named_options(text: str, options: Options) -> set[str]:
    """Return the options that a sentence names and does not negate, by letter or by their own words."""
    letters = {
        match[1] or match[2] or match[3]
        for match in _LETTER_NAMED.finditer(text)
        if not _is_negated(text, *match.span())
    }
    return letters.intersection(options.letters) or {LETTERS[place] for place, _, _ in mentions(text, options)}


def mentions(text: str, options: Options) -> list[tuple[int, int, int]]:
    """Return each mention of an option's own words that is not negated, as the option, start and end."""
    found: list[tuple[int, int, int]] = []
    if options.amounts:
        for each in numerals(text):
            if options.amounts.count(each.value) == 1:
                found.append((options.amounts.index(each.value), each.start, each.end))
    else:
        said = _tokens(text)
        stems = [token for token, _, _ in said]
        for place, wanted in enumerate(options.tokens):
            if not wanted or len(wanted) > len(stems):
                continue
            for at in range(len(stems) - len(wanted) + 1):
                if stems[at] == wanted[0] and tuple(stems[at : at + len(wanted)]) == wanted:
                    start, end = said[at][1], said[at + len(wanted) - 1][2]
                    if len(options.texts[place]) > 1 or text[start:end] == options.texts[place] != "A":
                        found.append((place, start, end))
        found = [
            (place, start, end)
            for place, start, end in found
            if not any(place != other and a <= start and end <= b and b - a > end - start for other, a, b in found)
        ]
        if not found:
            found = _by_own_words(said, text, options)
    return [each for each in found if not _is_negated(text, each[1], each[2])]


def _by_own_words(said: list[tuple[str, int, int]], text: str, options: Options) -> list[tuple[int, int, int]]:
    """Return the options whose distinctive words, and most of their other words, occur in a sentence."""
    found: list[tuple[int, int, int]] = []
    for place, wanted in enumerate(options.tokens):
        others = {token for other, tokens in enumerate(options.tokens) if other != place for token in tokens}
        own = [token for token in dict.fromkeys(wanted) if token not in others]
        if len(own) == len({*wanted}) or not any(
            len(token) == 1 or content_words(token) for token in own if token.isalpha()
        ):
            continue
        spots = [next((each for each in said if each[0] == token), None) for token in own]
        common = content_words(options.texts[place]) - {*own}
        if None not in spots and len(common & content_words(text)) >= len(common) - 1:
            found.append((place, min(each[1] for each in spots if each), max(each[2] for each in spots if each)))
    return found


def _is_negated(text: str, start: int, end: int) -> bool:
    before = [token for token, _, _ in _tokens(text[max(0, start - 40) : start])][-3:]
    is_denied = any(token in _NEGATED_BEFORE or token.endswith("n't") for token in before)
    return is_denied or bool(_INSTEAD_OF.search(text[:start][-60:]) or _NEGATED_AFTER.match(text[end : end + 60]))


def _is_consistent(letter: str, first: str, options: Options) -> bool:
    """Whether the text after a letter is consistent with it: it does not repeat another option."""
    rest = re.sub(r"^\W*(?:[Oo]ption|[Aa]nswer|[Cc]hoice)?\W*[A-Z]\b[\s.):,*=-]*", "", first).strip(" .*()")
    rest_normalised, own = _normalised(rest), options.normalised[LETTERS.index(letter)]
    other = _JOINED.search(rest)  # "A, a dove, or C, a bunch of flowers"
    are_two = other and other[1] in options.letters.replace(letter, "") and _normalised(other[0]) not in own
    return rest_normalised == own or not (are_two or rest_normalised in options.normalised)


def without_list(text: str, options: Options) -> str:
    """Return a text without the lines that only repeat the options."""
    lines = text.split("\n")
    kept = [
        line
        for line in lines
        if not ((listed := _LISTED.match(line)) and _normalised(line[listed.end() :]) in options.normalised)
    ]
    return "\n".join(kept) if len(kept) < len(lines) - 1 else text


def read_sentences(text: str, options: Options, question: str) -> str | None:
    """Return the option that a reply concludes with, or that its sentences name, if there is only one."""
    statements = [each for each in sentences(text) if not each.endswith("?")]
    if not statements or not set(_LISTED_APART.findall(text)).issubset(options.letters):
        return None
    if len(statements[-1].split()) <= _FEW and (letter := letter_first(statements[-1], options)):
        return letter
    is_hypothetical = counts.parse_question(question).is_hypothetical
    statements = [
        each for each in statements if not (_ASIDE.search(each) or (is_hypothetical and NOW.search(each)))
    ] or statements[-1:]
    asks = last_question(question)
    for part in filter(None, map(conclusion_of, reversed(statements[-3:]))):
        chosen = named_options(main_clause(part).rpartition("=")[2], options)  # "the area is 4 + 4 = 8"
        letter = letter_first(part, options) or (chosen.pop() if len(chosen) == 1 else None)
        if letter and not yes_no.count_opposites(part, asks):
            return letter
        if options.amounts and numerals(part):
            return None  # the result is an amount that is not an option
    wanted = content_words(asks)
    statements = [each for each in statements if not yes_no.count_opposites(each, asks)]
    clauses = [main_clause(each).rpartition(" but ")[2] for each in statements]
    scored = [(len(content_words(each) & wanted), named_options(each, options)) for each in clauses]
    if not is_hypothetical and not any(found for _, found in scored):  # "If …, the area is (C) 64."
        scored = [(len(content_words(each) & wanted), named_options(each, options)) for each in statements]
    every = set[str]().union(*(found for _, found in scored))
    if len(every) == 1:
        return every.pop()
    answering = [(shared, found) for shared, found in scored if len(found) == 1]
    most = max((score for score, _ in answering), default=0)
    best = set[str]().union(*(found for score, found in answering if score == most))
    if most * 5 >= len(wanted) * 2 and len(best) == 1:
        return best.pop()
    said = yes_no.read_sentences(text, question) if options.yes_no and not every else None
    return LETTERS[options.yes_no.index(said)] if said else None
