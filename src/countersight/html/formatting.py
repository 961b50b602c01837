"""Format untrusted text for display."""

import re
from bisect import bisect
from collections.abc import Iterable
from itertools import takewhile
from unicodedata import east_asian_width

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def clean(text: str) -> str:
    """Return the text with unprintable characters made visible."""
    return _UNPRINTABLE.sub(_visible, text.replace("\r\n", "\n"))


def without_direction_marks(text: str) -> str:
    """Return the text like `clean`, and also make characters that change the writing direction visible."""
    return _DIRECTIONS.sub("\ufffd", clean(text))


def name(text: str) -> str:
    """Return the text as a name on one line, with unprintable and direction-changing characters made visible."""
    return " ".join(without_direction_marks(text).split())


def _visible(found: re.Match[str]) -> str:
    code = ord(found.group())
    # Unicode has a symbol for each ASCII control character, such as ␀ for NUL.
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"


def shortened(words: str, most: int, others: Iterable[str] = ()) -> str:
    """Shorten a name to the width of at most `most` average letters.

    The middle is cut out at separators; both ends and the words that differ from `others` are kept. Only a word that
    is longer than half of `most` is cut itself.
    """
    if _letters(words) <= most:
        return words
    parts = re.findall(rf"[^\W_]{{1,{max(1, most // 2)}}}|[\W_]", words)
    starts = [sum(map(len, parts[:place])) for place in range(len(parts))]
    differing = [bisect(starts, _shared_prefix(words, other)) - 1 for other in others if other != words]
    inwards = [place for pair in zip(range(len(parts)), reversed(range(len(parts))), strict=True) for place in pair]
    kept: set[int] = set()
    for place in [*differing, *inwards]:
        if _letters(_joined(parts, kept | {place})) <= most:
            kept.add(place)
    alone = {place for place in kept if not parts[place].isalnum() and not kept & {place - 1, place + 1}}
    return _joined(parts, kept - alone)


def _shared_prefix(one: str, other: str) -> int:
    """Return the number of leading letters that two names share."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _joined(parts: list[str], kept: set[int]) -> str:
    """Join the kept parts, with one ellipsis for each gap."""
    shown = ""
    for place, part in enumerate(parts):
        shown += part if place in kept else "" if shown.endswith("…") else "…"
    return shown


def _letters(words: str) -> float:
    return sum(map(_width_of, words))


def _width_of(letter: str) -> float:
    """Return the width of a character relative to an average one, in the widest common typeface."""
    if east_asian_width(letter) in "WF":
        return 1.8
    if letter in " .,:;'|!()ijltfr":
        return 0.7
    return 1.6 if letter in "MWmw@%" else 1.25 if letter.isupper() else 1.0
