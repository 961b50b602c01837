"""Format counts, and text from files and servers, for display in a terminal."""

from unicodedata import combining, east_asian_width


def several(number: int, noun: str) -> str:
    """Format a count: "1 case", "3,000 cases"."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def printable(text: str) -> str:
    """Make text from a file or a server safe to print: one line, without control characters."""
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in " ".join(text.split()))


def columns(text: str) -> int:
    """Return the width of a text in terminal columns: 2 per Chinese, Japanese or Korean character, 0 for an accent."""
    return sum(0 if combining(sign) else 1 + (east_asian_width(sign) in "WF") for sign in text)
