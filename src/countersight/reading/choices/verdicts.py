"""Reads which option a reply calls right, where it goes through all of them and gives each a verdict."""

import re
from collections.abc import Sequence

from countersight.reading.choices.texts import name_of, words_of
from countersight.reading.choices.to_the_point import GOOD
from countersight.reading.language.vocabulary import any_of

_BAD = re.compile(rf"[❌✗✘✖❎]|{any_of('options.bad')}", re.IGNORECASE)
_CELL = re.compile(r"\s*[|:=]\s*")
_VERDICT = 80  # characters after an option in which it is called right or wrong


def by_verdicts(text: str, options: Sequence[str], letters: str) -> str | None:
    """The one option called right, where a reply goes through all of them by letter, in order, or in a table."""
    return _by_letter(text, options, letters) or _by_line(text, options, letters)


def _by_letter(text: str, options: Sequence[str], letters: str) -> str | None:
    starts: list[int] = []
    for letter in letters:
        found = re.compile(rf"(?<![\w'])\(?{letter}(?=[\s.:)])").search(text, starts[-1] if starts else 0)
        if not found:
            return None
        starts.append(found.end())
    ends = [*starts[1:], len(text)]
    # What the option says itself ("A: Yes") is no verdict on it.
    return _only_good(
        [
            re.sub(rf"^[\s.:)]*{re.escape(option.strip())}(?!\w)", "", text[start:end], flags=re.IGNORECASE)
            for option, start, end in zip(options, starts, ends, strict=True)
        ],
        letters,
    )


def _by_line(text: str, options: Sequence[str], letters: str) -> str | None:
    """The same where every option has a line of its own: "| cork | yes |"."""
    rows = [[cell for cell in _CELL.split(line.strip(" |")) if cell] for line in text.split("\n")]
    said = {name_of(row[0]): " ".join(row[1:]) for row in rows if len(row) > 1}
    names = [name_of(option) for option in options]
    if not all(name in said and words_of(said[name]) not in names for name in names):
        return None
    return _only_good([said[name] for name in names], letters)


def _only_good(verdicts: Sequence[str], letters: str) -> str | None:
    near = [verdict[:_VERDICT] for verdict in verdicts]
    bad = [bool(_BAD.search(verdict)) for verdict in near]
    good = [
        letter for letter, verdict, wrong in zip(letters, near, bad, strict=True) if GOOD.search(verdict) and not wrong
    ]
    return good[0] if len(good) == 1 and bad.count(True) == len(letters) - 1 else None
