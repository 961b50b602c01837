"""Takes a Python program out of what a code model wrote."""

import re
import textwrap

from countersight.programs.failures import ProgramFailed
from countersight.programs.fences import LONGEST_REPLY, fenced

LONGEST = 8_000
"""Signs in a program; no sensible one has half of it."""
_DEFINED = re.compile(r"\s*(?:async\s+)?def\s+execute_command\s*\(")
_OPENING = re.compile(r"(?:import|from|def|async def|class)\s|[@#]")
_INNER = re.compile(r"\s|[)\]}]|$")
_CALLED = re.compile(r"(?!\s|#|def\b|async\b|class\b).*\bexecute_command\s*\(")
_MAIN = re.compile(r"if\s+__name__\b")


def python_of(text: str) -> str:
    """The program in a reply, or ProgramFailed where none is."""
    source = fenced(text, _DEFINED)
    source = _out_of_talk(text[:LONGEST_REPLY]) if source is None else source
    lines = textwrap.dedent(source).strip("\n").splitlines()
    if not any(_DEFINED.match(line) for line in lines):
        raise ProgramFailed("no program", "there is no execute_command in what the code model wrote")
    program = "\n".join(_without_calls(lines)).strip() + "\n"
    if len(program) > LONGEST:
        raise ProgramFailed("syntax error", f"the program has more than {LONGEST:,} signs")
    return program


def _out_of_talk(text: str) -> str:
    """The lines of a program that stands among sentences: from where it opens to where a sentence follows it."""
    lines = text.splitlines()
    defined = next((number for number, line in enumerate(lines) if _DEFINED.match(line)), None)
    if defined is None:
        return ""
    start = defined
    while start and (_OPENING.match(lines[start - 1]) or _INNER.match(lines[start - 1])):
        start -= 1
    end = defined + 1
    while end < len(lines) and (_OPENING.match(lines[end]) or _INNER.match(lines[end])):
        end += 1
    return "\n".join(lines[start:end])


def _without_calls(lines: list[str]) -> list[str]:
    """The lines without those that run the program: that is done here, and once."""
    main = next((number for number, line in enumerate(lines) if _MAIN.match(line)), len(lines))
    return [line for line in lines[:main] if not _CALLED.match(line)]
