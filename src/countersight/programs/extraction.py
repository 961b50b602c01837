"""Extracts a program from a code model's reply."""

import re
import textwrap

from countersight.programs.limits import ProgramFailed

LONGEST_REPLY = 100_000
"""The number of characters of a reply that are searched; programs appear near the beginning."""
LONGEST = 8_000
"""The maximum number of characters in a program; ordinary ones are less than half as long."""
_FENCE = re.compile(r"\s*+```[ \t]*+\w*+\s*+")
"""A code fence, with or without the name of a language; it is found in linear time."""
_DEFINED = re.compile(r"\s*(?:async\s+)?def\s+execute_command\s*\(")
_CODE = re.compile(r"(?:import|from|def|async def|class)\s|[@#\s)\]}]|$")
"""A line of a program, as opposed to a sentence."""
_CALLED = re.compile(r"(?!\s|#|def\b|async\b|class\b).*\bexecute_command\s*\(")
_MAIN = re.compile(r"if\s+__name__\b")
_STEP = re.compile(r"\s*\w+\s*=\s*\w+\s*\(")


def extract_python(text: str) -> str:
    """Return the Python program in a reply; raises ProgramFailed if there is none."""
    source = _fenced_code(text, _DEFINED)
    if source is None:
        source = "\n".join(line for line in text[:LONGEST_REPLY].splitlines() if _CODE.match(line))
    lines = textwrap.dedent(source).strip("\n").splitlines()
    if not any(_DEFINED.match(line) for line in lines):
        raise ProgramFailed("no program", "the code model's reply contains no execute_command")
    return _check_length("\n".join(_drop_calls(lines)).strip() + "\n")


def extract_steps(text: str) -> str:
    """Return the lines of a step program in a reply: all between code fences, else those that look like a step."""
    source = _fenced_code(text, _STEP)
    lines = (text[:LONGEST_REPLY] if source is None else source).splitlines()
    kept = [line.strip() for line in lines if (_STEP.match(line) if source is None else line.strip())]
    if not any(_STEP.match(line) for line in kept):
        raise ProgramFailed("no program", "the code model's reply contains no steps")
    return _check_length("\n".join(kept))


def _check_length(program: str) -> str:
    if len(program) > LONGEST:
        raise ProgramFailed("syntax error", f"the program has more than {LONGEST:,} characters")
    return program


def _fenced_code(text: str, wanted: re.Pattern[str]) -> str | None:
    """Return the content of the first code fences with a line of the wanted form; None if there are none.

    An unclosed fence extends to the end, because the reply was cut off.
    """
    part: list[str] | None = None
    for line in [*text[:LONGEST_REPLY].split("\n"), "```"]:
        if not _FENCE.fullmatch(line):
            if part is not None:
                part.append(line)
        elif part is None:
            part = []
        elif any(wanted.match(inner) for inner in part):
            return "\n".join(part)
        else:
            part = None
    return None


def _drop_calls(lines: list[str]) -> list[str]:
    """Return the lines without those that call the program, because Countersight calls it."""
    main = next((number for number, line in enumerate(lines) if _MAIN.match(line)), len(lines))
    return [line for line in lines[:main] if not _CALLED.match(line)]
