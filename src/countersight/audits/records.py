"""What an audit writes down: one record for every step, so that anybody can follow it, check it, or do it again.

An audit folder holds `audit.json` (a Manifest), `steps.jsonl` (a Step a line, each chained to the one before by its
hash), and `pictures/` (every picture before and after its edit, and the masks, named by the digest of their bytes).
"""

from typing import Any, Literal, TypeAlias

import msgspec

from countersight.case import Question
from countersight.editing import Abilities, Drawn, Instruction
from countersight.editing.quality import EditQuality
from countersight.engine import DatasetReference
from countersight.scenes import Scene
from countersight.worlds import World

Intervene = Literal["picture", "thought", "both"]
"""What is changed before the question is asked again: the picture (EDCT), the model's own explanation, or each."""
STRENGTHS = 4
"""The whole edit is of this strength; weaker ones are blends of the picture before and after it."""


class Check(msgspec.Struct, frozen=True, tag="check", omit_defaults=True):
    """Whether an edit did what was asked, by one who looked at the picture."""

    checker: str
    asked: str
    """What was checked, as a question: "Is the dog gone?"."""
    done: bool | None
    """None where this checker cannot tell."""
    seen: str
    """What it saw, in a sentence that starts in lower case."""
    said: tuple[str, ...] = ()
    """What a model said of the picture before and of the one after, where it is a model."""
    measures: dict[str, float] = {}
    """The figures that decided, where there are some."""


class Dose(msgspec.Struct, frozen=True, tag="dose", omit_defaults=True):
    """A weaker edit: so many quarters of the way from the picture before to the picture after."""

    strength: int
    before: str
    full: str
    after: str
    """Digests of the picture before, of the whole edit, and of this one."""


class Thought(msgspec.Struct, frozen=True, tag="thought", omit_defaults=True):
    """The model's own explanation with one concept changed, to be put back into its mouth."""

    instruction: Instruction
    text: str
    """The changed explanation; empty where none could be written."""
    expected: str = ""
    """The answer that follows from it, where that is known."""
    reason: str = ""
    """Why there is none, where there is none."""
    said: tuple[str, ...] = ()
    """What a model wrote, where a model rewrote it."""


Stage = Literal[
    "case",
    "answer",
    "why",
    "concepts",
    "edit",
    "check",
    "answer again",
    "why again",
    "verdict",
    "uncited",
    "dose",
    "thought",
    "answer thought",
]
"""The steps of the four stages (EDCT 3): `answer` and `why` are the first, `concepts` the second, `edit` and `check`
the third, and the next three the fourth. `case` only writes down what is asked about; the last four go past the
paper."""

CONTROL = 0
"""The number of the control edit, which is to change nothing; concepts are counted from 1."""


def drawn_fields(drawn: Drawn | None) -> dict[str, Any]:
    """What we drew, under the names by which records keep it."""
    return {"scene" if drawn is None or isinstance(drawn, Scene) else "world": drawn}


class StepPlace(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where in the audit a step belongs."""

    case: str = ""
    """Id of the case; empty for the control edit, which all cases with one picture share."""
    row: int = -1
    """Position of the case in its dataset, counted from 0."""
    concept: int | None = None
    """CONTROL, or the number of the concept, from the edit on; things that are not cited count down from -1."""
    judge: str = ""
    """Who judges, or checks."""
    vote: int = 0
    """Which of a judge's votes, counted from 1, for a verdict."""
    picture: str = ""
    """Digest of the picture, for the control edit."""
    dose: int = 0
    """The strength of a weaker edit."""


class RecordedTurn(msgspec.Struct, frozen=True, omit_defaults=True):
    """One turn of the conversation that was put to a model, in full."""

    role: Literal["user", "assistant"]
    text: str
    picture: str = ""
    """Digest of the picture that went with it: a file of `pictures/`."""


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a step took."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    attempts: int = 1
    model: str = ""
    """The name that whoever answered gives itself, where it gives one."""


class CaseRecord(msgspec.Struct, frozen=True, tag="case", omit_defaults=True):
    """What is asked about: the picture as it is, and the question as the dataset has it."""

    picture: str
    """Digest of the picture."""
    question: Question
    image: str
    """Its file name in the dataset."""
    suite: str = ""
    group: str = ""
    scene: Scene | None = None
    """What is drawn in the picture, where we drew it: with it anybody can judge again as `exact` did."""
    world: World | None = None
    """The same, where it is a world."""

    @property
    def drawn(self) -> Drawn | None:
        """What is drawn in the picture, where we drew it."""
        return self.scene or self.world


class Said(msgspec.Struct, frozen=True, tag="said", omit_defaults=True):
    """What a model said: an answer, or why."""

    text: str
    finish: str = ""
    """Why it stopped, in the server's word."""
    model: str = ""
    """The model's own name for itself."""


class Try(msgspec.Struct, frozen=True, omit_defaults=True):
    """One reply that was to have a shape, and what was wrong with it; nothing was if `fault` is empty."""

    text: str
    fault: str = ""


class Concepts(msgspec.Struct, frozen=True, tag="concepts", omit_defaults=True):
    """What the explanation cites, each with the edit that will test it (EDCT 3, stage 2)."""

    instructions: tuple[Instruction, ...] = ()
    reason: str = ""
    """Why there is none, where there is none."""
    tries: tuple[Try, ...] = ()
    """What the extractor said, where it is a model; all but the last had a bad shape."""
    refused: tuple[str, ...] = ()
    """Concepts that it named and the explanation does not cite."""
    able: Abilities | None = None
    """What the extractor was told that the editor can do to this picture; None where that takes any words."""


class EditRecord(msgspec.Struct, frozen=True, tag="edit", omit_defaults=True):
    """The edited picture, or why there is none."""

    instruction: Instruction
    before: str
    """Digest of the picture before."""
    after: str = ""
    """Digest of the picture after; empty where the editor gave none."""
    mask: str = ""
    """Digest of the mask (a PNG), where the editor knows what it meant to change."""
    quality: EditQuality | None = None
    """How good the edit is; None for an edit that failed."""
    failure: str = ""
    """Why there is no edited picture, where there is none and trying again would not help."""
    seed: int = 0
    log: dict[str, str | int | float] = {}
    """What the editor says about how it was made."""
    scene: Scene | None = None
    """What is drawn in the picture after the edit, where we drew it."""
    world: World | None = None
    """The same, where it is a world."""

    @property
    def drawn(self) -> Drawn | None:
        """What is drawn in the picture after the edit, where we drew it."""
        return self.scene or self.world


class Verdict(msgspec.Struct, frozen=True, tag="verdict", omit_defaults=True):
    """What one judge says in one vote about one concept (EDCT 3, stage 4)."""

    judge: str
    vote: int
    pcs: int | None
    """Prediction Change Score: 1 if the new answer is what the change calls for, 0 if not, None for an abstention."""
    ncc: int | None
    """NLE Concept Consistency: 1 if the new explanation takes up the change, 0 if not, None for an abstention."""
    pcs_reason: str = ""
    ncc_reason: str = ""
    path: str = ""
    """What decided: `exact`, `rules`, `model`, or `abstained`; two of them joined by " + " where PCS and NCC were
    decided differently, PCS first."""
    expected: str = ""
    """The right answer to the question about the edited picture, where it is known."""
    moved: bool | None = None
    """Whether the edit changes the right answer, where it is known; an edit that does not tests no answer."""
    tries: tuple[Try, ...] = ()
    """What the judge said, where it is a model."""


class Failed(msgspec.Struct, frozen=True, tag="failed", omit_defaults=True):
    """A step that could not be done, and that the next start of the same audit tries again."""

    reason: str


Output: TypeAlias = CaseRecord | Said | Concepts | EditRecord | Check | Verdict | Dose | Thought | Failed


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of steps.jsonl: what was done, with what, and what came of it.

    `hash` is the SHA-256 of the line up to the comma before it; `previous` is the hash of the line before, so that no
    line can be changed, taken out or put in without breaking every later one.
    """

    n: int
    """Lines are counted from 0."""
    stage: Stage
    place: StepPlace
    inputs: str
    """SHA-256 of all that the output depends on: a step with the same inputs is never done twice."""
    output: Output
    by: str = ""
    """The model, extractor, editor or judge that did it."""
    asked: tuple[RecordedTurn, ...] = ()
    """The conversation it answered, where a model was asked."""
    spent: Usage = Usage()
    at: str = ""
    """When, in UTC."""
    previous: str = ""
    hash: str = ""


class Actor(msgspec.Struct, frozen=True, omit_defaults=True):
    """Somebody who takes part in an audit: a name, and what its answers depend on beside what it is given."""

    name: str
    settings: dict[str, Any] = {}


class Manifest(msgspec.Struct, frozen=True, omit_defaults=True):
    """audit.json: who was audited, by whom, in which way, by which version."""

    dataset: DatasetReference
    model: Actor
    extractor: Actor
    editor: Actor
    judges: tuple[Actor, ...]
    votes: int
    """Votes of each judge that is a model; the others are never of two minds."""
    pool: Literal["majority, ties half", "mean", "majority"]
    """How votes, and then judges, become one score."""
    concepts: int
    """Most concepts tested of an explanation (the paper's k)."""
    control: bool
    """Whether every picture also had an edit that is to change nothing."""
    seed: int
    prompts: dict[str, Any]
    """Every prompt in full, with its version."""
    started: str
    countersight: str
    python: str
    platform: str
    lpips: str = ""
    """SHA-256 of the LPIPS weights that edits were measured with, where they were."""
    cases: int | None = None
    """How many cases were chosen, evenly over the dataset; None for all."""
    checkers: tuple[Actor, ...] = ()
    """Who checks whether an edit did what was asked."""
    uncited: bool = False
    """Whether as many things that the explanation does not cite were edited too."""
    intervene: Intervene = "picture"
    strength: int = 0
    """Up to which strength weaker edits were tried; 0 for the whole edit alone."""
    calibration: str = ""
    """SHA-256 of the calibration that was put in last, where one was."""
    plan: str = ""
    """SHA-256 of plan.json, where the audit was planned."""
    descriptive: bool = False
    """Whether only cases were chosen whose question is likely to elicit a description of the picture."""
    requires: tuple[str, ...] = ()
    """Criteria that were named with the audit, beside those of its plan."""


class Response(msgspec.Struct, frozen=True):
    """An answer and why, given in one conversation about one picture."""

    answer: Said
    explanation: Said


class DoseTrail(msgspec.Struct, frozen=True):
    """A weaker edit, and what the model answers to it."""

    dose: Dose
    answer: Said | None = None


class ThoughtTrail(msgspec.Struct, frozen=True):
    """A changed explanation, and what the model answers after it."""

    thought: Thought
    answer: Said | None = None


class ConceptTrail(msgspec.Struct, frozen=True):
    """Everything that was done about one concept, or for the control edit; what is not (yet) there is None."""

    number: int
    """CONTROL, or counted from 1."""
    instruction: Instruction
    edit: EditRecord | None = None
    again: Response | None = None
    """What the model says of the edited picture."""
    verdicts: tuple[Verdict, ...] = ()
    checks: tuple[Check, ...] = ()
    doses: tuple[DoseTrail, ...] = ()
    """Weaker edits, the weakest first."""
    thought: ThoughtTrail | None = None


class CaseTrail(msgspec.Struct, frozen=True):
    """Everything that was done about one case, in order."""

    case: str
    row: int
    record: CaseRecord
    baseline: Response | None = None
    """What the model says of the picture as it is."""
    extracted: Concepts | None = None
    concepts: tuple[ConceptTrail, ...] = ()
    control: ConceptTrail | None = None
    failures: tuple[str, ...] = ()
    """Steps that failed and were not done since, each with its stage and reason."""
    unrelated: Concepts | None = None
    """Edits of things that the explanation does not cite, where they were asked for."""
    uncited: tuple[ConceptTrail, ...] = ()
    """What came of them; numbered -1, -2, …"""
