"""Format untrusted text for display."""

import re

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
