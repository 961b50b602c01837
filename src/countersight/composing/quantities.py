"""How many a noun phrase tells of: two, half of, all, no, a dozen more."""

from typing import Final, Literal

import msgspec

from countersight.composing.vocabulary import ALL, MORE, VAGUE, is_verb, number_of

PARTS: Final = {"half": (1, 2), "third": (1, 3), "quarter": (1, 4), "fourth": (1, 4), "fifth": (1, 5)}
_NONE: Final = frozenset({"no", "none", "nobody", "neither"})
_FEWER: Final = frozenset({"fewer", "less"})
ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


_OUT_OF: Final = (("out", "of", "every"), ("out", "of"), ("in", "every"), ("in",))


class Part(tuple[int, int]):
    """So many of so many equal parts: half of them is 1 of 2."""

    __slots__ = ()


class Quantity(msgspec.Struct, frozen=True):
    """How many, and how it is said."""

    amount: int | Part | Literal["all"] | None
    """None where nothing says it, or no number does: some, several."""
    length: int
    """How many words say it."""
    given: int = 0
    """How many there have to be for it to be said: two for "both", one for "a second"; 0 for any number."""
    more: bool = False
    fewer: bool = False
    indefinite: bool = False
    """Said by "a" or "an" alone."""
    vague: bool = False
    is_couple: bool = False
    """Said by "a couple" alone, which may be a man and a woman."""


def read_quantity(words: list[str], pair: int = 2) -> Quantity:
    """The quantity at the beginning of some words; a pair of scissors is one, and 0 says that pairs are counted."""
    begin = 0
    more = fewer = vague = only_article = False
    amount: int | Part | Literal["all"] | None = None
    given = 0
    while begin < len(words):
        word = words[begin]
        if word in MORE and not (word == "other" and begin == 0):
            more = True
            if word == "another" and amount is None:
                amount = 1
        elif word in _FEWER:
            fewer = True
        elif word in VAGUE or words[begin : begin + 2] == ["a", "lot"]:
            vague = True
        elif amount in (None, "all") or only_article or (more and amount == 1):
            found = _amount(words[begin:], pair)
            if found is None:
                break
            value, length = found
            if amount == "all" and isinstance(value, int):  # "all 2 wheels"
                given = value
            else:
                amount = value
                given = 0 if isinstance(value, Part) else _given(words[begin : begin + length])
            only_article = word in ("a", "an") and length == 1
            begin += length - 1
        else:
            break
        begin += 1
    is_couple = words[begin - 1 : begin] == ["couple"] and words[begin : begin + 1] != ["of"]
    return Quantity(amount, begin, given, more, fewer, only_article, vague, is_couple)


def _given(words: list[str]) -> int:
    """How many there have to be: two for both, one for a second."""
    if words == ["both"] or words == ["neither"]:
        return 2
    return ORDINALS.index(words[-1]) if words[-1] in ORDINALS and len(words) == 2 else 0


def _amount(words: list[str], pair: int) -> tuple[int | Part | Literal["all"], int] | None:
    """A number, a part or the whole, and how many words it takes."""
    word, after = words[0], words[1] if len(words) > 1 else ""
    if word in ALL or word == "both":
        return "all", 2 if after in ("single", "last") and word == "every" else 1
    if word in _NONE:
        return 0, 1
    if word == "half":
        return (6, 3) if words[1:3] == ["a", "dozen"] else (Part((1, 2)), 1)
    return _part(word, after, words) or _number(word, after, words, pair)


def _part(word: str, after: str, words: list[str]) -> tuple[Part | int, int] | None:
    value = number_of(word)
    if value is None:
        return None
    if after == "percent":
        return Part((value, 100)), 2
    if (share := _share(value, words)) is not None:
        return share
    one = after.removesuffix("s")
    if one in PARTS and (value > 1) == after.endswith("s"):
        of_them = len(words) < 3 or words[2] in ("of", "left", "were", "was")
        part, of = PARTS[one]
        return (Part((value * part, of)), 2) if of_them or one == "half" else (1, 2)  # "a third truck"
    if value == 1 and after in ORDINALS:
        return 1, 2
    return None


def _share(value: int, words: list[str]) -> tuple[Part, int] | None:
    """One in three, two out of every five; what follows has to be what they do."""
    link = next((link for link in _OUT_OF if words[1 : 1 + len(link)] == [*link]), None)
    end = 2 + len(link) if link else len(words) + 1
    of = number_of(words[end - 1]) if end <= len(words) else None
    follows = words[end : end + 1]
    is_told = follows == ["of"] or bool(follows and is_verb(follows[0]))  # not "two in three boxes"
    is_share = value == 1 or is_told or (link is not None and "every" in link)
    if of is None or of <= value or not is_share:
        return None
    return Part((value, of)), end


def _number(word: str, after: str, words: list[str], pair: int) -> tuple[int, int] | None:
    value = number_of(word)
    if value is None or word in ("twice", "thrice") or (word == "pair" and not pair):
        return None
    if after in ("pair", "pairs") and pair != 2:
        return (value * pair, _with_of(words, 2)) if pair else (value, 1)
    if word in ("a", "an") and after in ("couple", "pair", "dozen", "hundred", "single"):
        return number_of(after) or 1, _with_of(words, 2)
    if word in ("a", "an") and number_of(after) is not None:  # "a two", said of nothing
        return None
    if after == "pairs":
        return 2 * value, _with_of(words, 2)
    if word in ("couple", "pair", "dozen"):
        return value, _with_of(words, 1)
    if after in ("hundred", "dozen"):
        return value * (100 if after == "hundred" else 12), 2
    unit = number_of(after)
    if word[0].isalpha() and unit is not None and value >= 20 and 0 < unit < 10:  # "twenty five"
        return value + unit, 2
    return value, 1


def _with_of(words: list[str], length: int) -> int:
    """A couple of dogs are two dogs: the "of" belongs to the number, unless it is a couple of the dogs."""
    follows = words[length : length + 2]
    is_number = len(follows) == 2 and follows[0] == "of" and follows[1] not in ("the", "them", "these", "those")
    return length + 1 if is_number else length
