"""Takes a program out of the talk a code model puts around it."""

import re

LONGEST_REPLY = 100_000
"""Signs of a reply that are looked at; the program stands near the beginning, if anywhere."""
_FENCE = "```"
_LANGUAGE = re.compile(r"\w*")


def fenced(text: str, wanted: re.Pattern[str]) -> str | None:
    """What stands between the first code fences that hold a line of the wanted form; None where there are none.

    A fence that is never closed goes on to the end: the reply was cut off.
    """
    part: list[str] | None = None
    for line in [*text[:LONGEST_REPLY].split("\n"), _FENCE]:
        if not _is_fence(line):
            if part is not None:
                part.append(line)
        elif part is None:
            part = []
        elif any(wanted.match(inner) for inner in part):
            return "\n".join(part)
        else:
            part = None
    return None


def _is_fence(line: str) -> bool:
    """Whether a line is a fence, with the name of a language or without; in time that grows with its length alone."""
    line = line.strip(" \t\r")
    return line.startswith(_FENCE) and bool(_LANGUAGE.fullmatch(line.removeprefix(_FENCE).lstrip(" \t")))
