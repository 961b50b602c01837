"""Check a reworded question: a model that sees it alone must find the intended role of each thing."""

from collections.abc import Iterable
from random import Random
from typing import Final, Literal

from countersight.suites.cello.cases import Drafted

Role = Literal["gone", "kept", "changed", "asked"]
ROLES: dict[str, tuple[Role, Role, Role]] = {
    "CR": ("gone", "asked", "kept"),
    "CDE": ("gone", "asked", "kept"),
    "NDE": ("gone", "asked", "kept"),
    "NIE": ("kept", "asked", "changed"),
    "SC": ("kept", "asked", "kept"),
    "NC": ("asked", "gone", "kept"),
}
"""The intended role of the lost thing, the effect and the held thing, by task."""

SOUGHT: Final = {
    "CaI": "cause",
    "CB": "cause",
    "CoI": "cause",
    "CA": "indirect cause",
    "AR": "indirect effect",
    "BAS": "control",
}
"""What a question with options asks for, by task."""
_SOUGHT_WORDS: Final = ("cause", "indirect cause", "effect", "indirect effect", "control")
_KEPT_IN_PLACE: Final = ("CaI", "CA", "CB", "CoI")
"""Tasks whose questions always say whether the thing stays: the others may ask for dependence alone."""


def role_prompt(written: str, drafted: Drafted) -> str:
    """Return the prompt by which the model reads its own wording."""
    lines = _of_choice(drafted) if drafted.asks_stays is None else _of_supposition(drafted)
    return "\n".join((f"Read this question: {written}", *lines))


def roles(drafted: Drafted) -> dict[str, str]:
    """Return the intended roles of the things in the question, and what it asks."""
    if drafted.asks_stays is None:
        outcome = _outcome(drafted)
        meant = {"asks": SOUGHT[drafted.task.short], "wants": "does"} | ({"outcome": outcome} if outcome else {})
        # Of two things that a question with options names, one depends on the other.
        two = len(drafted.named) == 2
        return meant | (dict(zip(drafted.named, ("cause", "effect"), strict=True)) if two else {})
    meant = dict[str, str](zip(drafted.named, ROLES[drafted.task.short], strict=False))
    return meant | {"asks": "stays" if drafted.asks_stays else "goes"}


def role_mismatch(answer: str, drafted: Drafted) -> str | None:
    """Return what was understood differently than intended, as a message to the model, or None."""
    pairs = (line.strip(" -*").partition(":") for line in answer.casefold().splitlines())
    said = {name.strip().removeprefix("the "): role.strip(' .*“”"') for name, _, role in pairs}
    for name, meant in roles(drafted).items():
        if said.get(name) != meant:
            told = said.get(name, "nothing")
            if name in drafted.named:
                return f"“{name}” must be what is {meant}, but it reads as {told}"
            return f"“{name}” must be “{meant}”, but it reads as “{told}”"
    return None


def _of_supposition(drafted: Drafted) -> Iterable[str]:
    return (
        "State the role of each thing in the question, one per line, and nothing else:",
        *(f"{name}: gone, kept, changed or asked" for name in _shuffled(drafted.named, drafted)),
        "asks: stays or goes",
        "“gone” is what is supposed to be no longer there, “kept” what is supposed to stay or is held as it is, "
        "“changed” what is supposed to be as it would be without another thing, “asked” what is asked about. "
        "“stays” means: the question is whether that is still as it is, or could be; “goes”: whether it is not.",
    )


def _of_choice(drafted: Drafted) -> Iterable[str]:
    *words, last = _shuffled(_SOUGHT_WORDS, drafted)
    about = " and ".join(drafted.named)
    return (
        f"The question names {about}. State what it asks for, one line each, and nothing else:",
        f"asks: {', '.join(words)} or {last}",
        "wants: does or does not",
        *(f"{name}: cause or effect" for name in _shuffled(drafted.named, drafted) if len(drafted.named) == 2),
        *(("outcome: stays or goes",) if _outcome(drafted) else ()),
        f"“cause” is what {about} depends on, or why it stays; “effect” what depends on {about}; either is “indirect” "
        "where the question wants it by way of another thing only; “control” is what to keep the same in a comparison. "
        "“does” means: the right option is one that is so; “does not”: one that is not. "
        "“stays” means: the question speaks of a thing that stays where it is; “goes”: of one that does not.",
    )


def _outcome(drafted: Drafted) -> str | None:
    """Whether the template speaks of a thing that stays or of one that does not; None where it speaks of neither."""
    asked = drafted.case.counterfactual
    assert asked is not None
    if "no longer" in asked.text:
        return "goes"
    return "stays" if drafted.task.short in _KEPT_IN_PLACE else None


def _shuffled(words: tuple[str, ...], drafted: Drafted) -> list[str]:
    """Words in an order by chance, the same for the same question: a place in the list must not tell the answer."""
    asked = drafted.case.counterfactual
    assert asked is not None
    return Random(f"{drafted.graph.scene}/{asked.text}").sample(words, len(words))
