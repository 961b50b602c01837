"""From a question about a world of supports or discs to the steps that answer it.

What it supposes and what it asks are taken apart: the eyes say what they see, or would see after the change.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

from countersight.programs.steps.parsing import Name, Step
from countersight.worlds import name_pattern

_X, _Y = name_pattern("x"), name_pattern("y")
_IF: Final = r" if (?P<change>.+)"
_PLANS: Final = "could be taken away without anything falling"
WHY: Final = "why: "
"""Stands before a question that was answered, where its answer is to be explained."""
_FLOOR: Final = "How many things lie on the floor?"


def world_plan(question: str, options: Sequence[str]) -> list[Step] | None:
    """The steps for a question that is asked of a world; None where it is another question."""
    *_, last = re.split(r"(?<=[.:]) ", question)
    for pattern, asked in _ASKED.items():
        if found := pattern.fullmatch(last):
            return [_look("ANSWER", asked(found), options, found["change"])]
    if last == f"which of these {_PLANS}" and options:
        return _planned(options, "Does anything fall?")
    if options and (found := _DISC_PLAN.fullmatch(last)):
        return _planned(options, f"Will the {found['x']} reach a wall?")
    if found := _ROLE.search(question):
        return _role(found["x"], found["y"], options)
    if _SEEN.fullmatch(last):
        why = "Why: " if question.startswith(WHY) else ""
        return [_look("ANSWER", f"{why}{last}?", options)]
    return None


def _look(result: str, question: str, options: Sequence[str] = (), change: str = "") -> Step:
    """What the eyes say, of the picture or of what it would be."""
    words = f"Suppose that {change}. {question}" if change else question
    if options:
        words = f"{words.rstrip('?')}: which of these fits best: {', '.join(options)}? Answer with one of them."
    return Step(result, "VQA", {"image": Name("IMAGE"), "question": words})


def _planned(options: Sequence[str], question: str) -> list[Step]:
    """Each option is taken away in thought; the one without which the answer to a question is no is the one."""
    steps: list[Step] = []
    choice = repr(options[-1])
    for nth, option in reversed(list(enumerate(options))):
        steps.append(_look(f"WITHOUT{nth}", question, change=f"{option} were taken away"))
        choice = f"{option!r} if {{WITHOUT{nth}}} == 'no' else {choice}"
    return [*steps, Step("ANSWER", "EVAL", {"expr": choice})]


def _role(about: str, other: str, options: Sequence[str]) -> list[Step]:
    """Cause, enable or prevent: by whether a disc was pushed, and gets there with another disc and without it."""
    there = f"Will the {other} reach a wall?"
    words = {name: next((option for option in options if starts in option), "") for name, starts in _ROLES.items()}
    with_it = f"{words['enable']!r} if {{PUSHED}} == 'yes' else {words['cause']!r}"
    without = f"{words['prevent']!r} if {{PUSHED}} == 'yes' else 'none of these'"
    choice = f"'none of these' if {{NOW}} == {{THEN}} else ({with_it}) if {{NOW}} == 'yes' else {without}"
    return [
        _look("NOW", there),
        _look("THEN", there, change=f"the {about} were taken away"),
        _look("PUSHED", f"Is the {other} pushed?"),
        Step("ANSWER", "EVAL", {"expr": choice}),
    ]


_DISC_PLAN: Final = re.compile(f"which of these would have to be taken away so that {_X} does not reach a wall")
_ROLES: Final = {"cause": "it brings", "enable": "it helps", "prevent": "it keeps"}
_ROLE: Final = re.compile(rf"what does {_X} do about {_Y} reaching a wall$")
_ASKED: Final[dict[re.Pattern[str], Callable[[re.Match[str]], str]]] = {
    re.compile(f"{pattern}{_IF}"): asked
    for pattern, asked in {
        f"would {_X} fall": lambda found: f"Does the {found['x']} lie on the floor?",
        f"would {_X} be higher than {_Y}": lambda found: f"Is the {found['x']} higher than the {found['y']}?",
        "how many things would lie on the floor": lambda found: _FLOOR,
        "which of these would fall": lambda found: "Which of these lies on the floor?",
        f"would {_X} and {_Y} touch each other": lambda found: (
            f"Will the {found['x']} and the {found['y']} touch each other?"
        ),
        f"would {_X} reach a wall": lambda found: f"Will the {found['x']} reach a wall?",
        "how many discs would move": lambda found: "How many discs will move?",
        f"which of these would {_X} touch first": lambda found: f"Which of these will the {found['x']} touch first?",
    }.items()
}
"""What a question under a change asks of the world after it."""
_SEEN: Final = re.compile(
    rf"does {_X} (?:touch {_Y}(?:, directly or by a string)?|lie on the floor)"
    rf"|is {name_pattern('x1')} higher than {name_pattern('y1')}"
    rf"|how many (?:things lie on the floor|discs will move)"
    rf"|which of these (?:is|lies) (?:highest in the picture|farthest to the left|on the floor|not in the pictures?"
    rf"|nearest to {name_pattern('x2')})"
    rf"|will {name_pattern('x3')} (?:and {name_pattern('y3')} touch each other|reach a wall)"
)
"""Questions about the picture as it is."""
