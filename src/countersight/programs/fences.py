"""Takes a program out of the talk a code model puts around it."""

import re

LONGEST_REPLY = 100_000
"""Signs of a reply that are looked at; the program stands near the beginning, if anywhere."""
_FENCE = re.compile(r"^[ \t]*```[ \t]*\w*[ \t]*$", re.MULTILINE)


def fenced(text: str, wanted: re.Pattern[str]) -> str | None:
    """What stands between the first code fences that hold a line of the wanted form; None where there are none.

    A fence that is never closed goes on to the end: the reply was cut off.
    """
    parts = _FENCE.split(text[:LONGEST_REPLY])
    for part in parts[1::2]:
        if any(wanted.match(line) for line in part.splitlines()):
            return part
    return None
