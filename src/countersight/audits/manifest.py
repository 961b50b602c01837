"""audit.json: the participants, the method and the settings of an audit."""

from typing import Annotated, Any, Final, Literal

import msgspec

from countersight.engine import DatasetReference

Intervene = Literal["picture", "thought", "both"]
"""What is changed before the question is asked again: the picture (EDCT), the model's own explanation, or both."""
STRENGTHS = 4
"""The maximum number of strengths of an edit; weaker edits are blends of the pictures before and after."""


class Actor(msgspec.Struct, frozen=True, omit_defaults=True):
    """A participant of an audit: a name, and the settings on which its answers depend."""

    name: str
    settings: dict[str, Any] = {}


Pool = Literal["majority, ties half", "majority"]
"""How votes, and then judges, are combined into one score. A tie counts as half; in version 0.1, as undecided."""


class AuditMethod(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """How the cases of an audit are chosen and tested: settings that its plan, its options and its manifest share."""

    cases: int | None = None
    """How many cases are selected, spread evenly over the dataset; None for all."""
    descriptive: bool = False
    """Whether only questions that are likely to elicit a description of the picture are selected."""
    concepts: int = 1
    """The maximum number of concepts tested per explanation (the paper's k)."""
    votes: Annotated[int, msgspec.Meta(le=1_000)] = 1
    """The number of votes of each judge that is a model; other judges never change their vote."""
    control: bool = False
    """Whether every picture also has a control edit, which should change nothing."""
    uncited: bool = False
    """Whether as many uncited objects are edited as cited ones."""
    intervene: Intervene = "picture"
    strength: Annotated[int, msgspec.Meta(le=STRENGTHS)] = 1
    """The number of strengths at which each edit is tested; 1 tests only the full edit."""


METHOD_WORDS: Final = {
    "cases": "number of cases",
    "concepts": "number of concepts",
    "votes": "number of votes",
    "intervene": "kind of intervention",
    "strength": "number of doses",
}
"""Settings of the method in words, except those that are yes or no."""


class Manifest(AuditMethod, frozen=True, omit_defaults=True):
    """audit.json: the audited model, the participants, the settings and the version."""

    dataset: DatasetReference
    model: Actor
    extractor: Actor
    editor: Actor
    judges: tuple[Actor, ...]
    pool: Pool
    seed: int
    prompts: dict[str, Any]
    """Every prompt in full, with its version."""
    started: str
    countersight: str
    python: str
    platform: str
    lpips: str = ""
    """The SHA-256 of the LPIPS weights used for measuring edits, if any."""
    checkers: tuple[Actor, ...] = ()
    """The checkers that decide whether an edit did what was requested."""
    calibration: str = ""
    """The SHA-256 of the last calibration, if any."""
    plan: str = ""
    """The SHA-256 of plan.json, if the audit was planned."""
    requires: tuple[str, ...] = ()
    """Criteria given with the audit, in addition to those of its plan."""
