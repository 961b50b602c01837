"""What a question asks of a scene or a world, and so its right answer."""

import re

from countersight.editing import Drawn
from countersight.scenes import COLOURS, Scene, facts_by_name
from countersight.worlds import answered

_COLOUR = "|".join(COLOURS)
_ASKED = (
    (
        rf"flowers (?:are|do you see|can you see|lie) (inside|outside|in)(?: of)? (?:the |all )?({_COLOUR}) polygons?",
        lambda found: f"flowers {'outside' if found[1] == 'outside' else 'inside'} {found[2]}",
    ),
    (
        r"flowers are (?:outside (?:of )?(?:all|both|the) polygons|inside no polygon|in no polygon)",
        lambda found: "flowers inside no polygon",
    ),
    (
        r"flowers (?:are|lie) (?:inside|in) both polygons|flowers are where the (?:two )?polygons overlap",
        lambda found: "flowers where polygons overlap",
    ),
    (r"(flowers|polygons|circles)(?: are there)?(?: (?:in|on) the (?:picture|image))?", lambda found: found[1]),
    (
        r"dots (?:are|does|do) ?(?:there )?(?:in )?the (\w+ \w+) circle(?: contain)?",
        lambda f: f"dots in the {f[1]} circle",
    ),
    (
        r"dots are (?:there )?in the (top|bottom) (?:row(?: of circles)?|three circles)(?: together)?",
        lambda found: f"dots in the {found[1]} row",
    ),
    (r"dots (?:does|do) (?:a|one|any) circle contain at most", lambda found: "most dots in a circle"),
    (
        r"dots are there(?: in (?:all|all the|all of the|the) circles)?(?: together| in all| in the picture)?",
        lambda found: "dots",
    ),
)
_QUESTIONS = tuple((re.compile(f"how many {pattern}"), fact) for pattern, fact in _ASKED)


def asked_fact(question: str) -> str | None:
    """The name of the fact that a question asks for, or None where its meaning is not known."""
    text = " ".join(question.split()).casefold().rstrip("?. ")
    for pattern, fact in _QUESTIONS:
        found = pattern.fullmatch(text)
        if found:
            return fact(found)
    return None


def right_answer(question: str, scene: Drawn) -> str | None:
    """The right answer to a question about a scene or a world, or None where its meaning is not known."""
    if not isinstance(scene, Scene):
        return answered(question, scene)
    name = asked_fact(question)
    number = facts_by_name(scene).get(name) if name else None
    return None if number is None else str(number)
