"""The records of an audit: one for every step, so that the audit can be followed, checked and repeated.

An audit folder holds `audit.json` (a Manifest), `steps.jsonl` (one Step per line, each chained to the one before by its
hash), and `pictures/` (every picture before and after its edit, and the masks, named by the digest of their bytes).
"""

from typing import Annotated, Literal, TypeAlias, TypeVar

import msgspec

from countersight.case import Question
from countersight.editing import Abilities, Instruction
from countersight.editing.quality import EditQuality
from countersight.errors import AuditError
from countersight.scenes import Scene

Count = Annotated[int, msgspec.Meta(ge=0)]
Amount = Annotated[float, msgspec.Meta(ge=0)]


class Check(msgspec.Struct, frozen=True, tag="check", omit_defaults=True):
    """The result of one checker: whether an edit did what was requested."""

    checker: str
    asked: str
    """The question that was checked: "Is the dog gone?"."""
    done: bool | None
    """None if this checker cannot tell."""
    seen: str
    """The observation, in a sentence that starts in lower case."""
    said: tuple[str, ...] = ()
    """A model's answers about the picture before and after, if the checker is a model."""
    measures: dict[str, float] = {}
    """The measurements that led to the result, if any."""


class Dose(msgspec.Struct, frozen=True, tag="dose", omit_defaults=True):
    """A weaker edit: a blend of the pictures before and after the edit."""

    strength: int
    before: str
    full: str
    after: str
    """Digests of the pictures before the edit, after the full edit, and after this weaker edit."""


class Thought(msgspec.Struct, frozen=True, tag="thought", omit_defaults=True):
    """The model's own explanation with one concept changed; it replaces the model's turn in the conversation."""

    instruction: Instruction
    text: str
    """The changed explanation; empty if none could be written."""
    expected: str = ""
    """The answer that follows from it, if known."""
    reason: str = ""
    """The reason if the explanation could not be changed; otherwise empty."""


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
the third, and the next three the fourth. `case` only records the subject; the last four are not in the paper."""

CONTROL = 0
"""The number of the control edit, which should change nothing; concepts are counted from 1."""


class StepPlace(msgspec.Struct, frozen=True, omit_defaults=True):
    """The place of a step in the audit."""

    case: str = ""
    """The id of the case; empty for the control edit, which all cases with the same picture share."""
    row: int = -1
    """The position of the case in its dataset, counted from 0."""
    concept: int | None = None
    """From stage `edit` on: the number of the concept, CONTROL, or -1, -2, … for uncited objects."""
    judge: str = ""
    """The judge or checker."""
    vote: int = 0
    """The number of a judge's vote, counted from 1, for a verdict."""
    picture: str = ""
    """The digest of the picture, for the control edit."""
    dose: int = 0
    """The strength of a weaker edit."""


class RecordedTurn(msgspec.Struct, frozen=True, omit_defaults=True):
    """One turn of a conversation with a model, in full."""

    role: Literal["user", "assistant"]
    text: str
    picture: str = ""
    """The digest of its picture: a file of `pictures/`."""


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """The tokens, cost, time and attempts of a step."""

    tokens_in: Count = 0
    tokens_out: Count = 0
    cost: Amount = 0.0
    seconds: Amount = 0.0
    attempts: Count = 1
    model: str = ""
    """The model name reported in the reply, if any."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.cost + other.cost,
            round(self.seconds + other.seconds, 4),
            self.attempts + other.attempts,
            other.model or self.model,
        )


class CaseRecord(msgspec.Struct, frozen=True, tag="case", omit_defaults=True):
    """The subject of a case: the original picture, and the question from the dataset."""

    picture: str
    """The digest of the picture."""
    question: Question
    image: str
    """Its file name in the dataset."""
    suite: str = ""
    group: str = ""
    scene: Scene | None = None
    """The scene in the picture, if it was generated; it is needed to repeat the judgement of `exact`."""


class ModelReply(msgspec.Struct, frozen=True, tag="said", omit_defaults=True):
    """A model's reply: an answer, or an explanation."""

    text: str
    finish: str = ""
    """The stop reason, as the server names it."""
    model: str = ""
    """The model name reported in the reply."""


class Attempt(msgspec.Struct, frozen=True, omit_defaults=True):
    """One reply to a request for a given format; `fault` is empty if the reply has this format."""

    text: str
    fault: str = ""


class Concepts(msgspec.Struct, frozen=True, tag="concepts", omit_defaults=True):
    """The concepts that the explanation cites, each with the edit that will test it (EDCT 3, stage 2)."""

    instructions: tuple[Instruction, ...] = ()
    reason: str = ""
    """The reason if there is no concept; otherwise empty."""
    tries: tuple[Attempt, ...] = ()
    """The replies of the extractor, if it is a model; all but the last had the wrong format."""
    refused: tuple[str, ...] = ()
    """Concepts that the extractor named although the explanation does not cite them."""
    able: Abilities | None = None
    """The editor's abilities for this picture as given to the extractor; None if it accepts any instruction."""


class EditRecord(msgspec.Struct, frozen=True, tag="edit", omit_defaults=True):
    """The edited picture, or why there is none."""

    instruction: Instruction
    before: str
    """The digest of the picture before."""
    after: str = ""
    """The digest of the picture after; empty if the editor returned none."""
    mask: str = ""
    """The digest of the mask of the edited area (a PNG), if the editor reports one."""
    quality: EditQuality | None = None
    """The quality of the edit; None for a failed edit."""
    failure: str = ""
    """Why there is no edited picture, if trying again would not help."""
    seed: int = 0
    log: dict[str, str | int | float] = {}
    """The editor's notes on how the edit was made."""
    scene: Scene | None = None
    """The scene in the edited picture, if it was generated."""


class Verdict(msgspec.Struct, frozen=True, tag="verdict", omit_defaults=True):
    """One judge's vote on one concept (EDCT 3, stage 4)."""

    judge: str
    vote: int
    pcs: int | None
    """Prediction Change Score: 1 if the new answer is what the change requires, 0 if not, None for an abstention."""
    ncc: int | None
    """NLE Concept Consistency: 1 if the new explanation reflects the change, 0 if not, None for an abstention."""
    pcs_reason: str = ""
    ncc_reason: str = ""
    path: str = ""
    """How the verdict was decided: `exact`, `rules`, `model` or `abstained`; or two of them joined by " + " (PCS first)
    if PCS and NCC were decided differently."""
    expected: str = ""
    """The right answer to the question about the edited picture, if known."""
    moved: bool | None = None
    """Whether the edit changes the right answer, if known; if it does not, the test says nothing about the answer."""
    tries: tuple[Attempt, ...] = ()
    """The judge's replies, if it is a model."""


class Failed(msgspec.Struct, frozen=True, tag="failed", omit_defaults=True):
    """A failed step, which is tried again when the audit is resumed."""

    reason: str


Record = TypeVar("Record")


def decode_record(data: bytes, kind: type[Record], file: object) -> Record:
    """Return a record from its JSON; raises AuditError with the name of the file if it is damaged."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise AuditError(f"{file} is damaged: {error}") from None


def encode_record(record: msgspec.Struct) -> bytes:
    """Return the bytes of a file with one record, which depend only on the record."""
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


Output: TypeAlias = CaseRecord | ModelReply | Concepts | EditRecord | Check | Verdict | Dose | Thought | Failed


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of steps.jsonl: a step with its inputs and its output.

    `hash` is the SHA-256 of the line up to the comma before it; `previous` is the hash of the line before, so that no
    line can be changed, removed or added without making every later line invalid.
    """

    n: int
    """The line number, from 0."""
    stage: Stage
    place: StepPlace
    inputs: str
    """The SHA-256 of everything the output depends on: a step with the same inputs is never done twice."""
    output: Output
    by: str = ""
    """The model, extractor, editor or judge that did the step."""
    asked: tuple[RecordedTurn, ...] = ()
    """The conversation, if a model was asked."""
    spent: Usage = Usage()
    at: str = ""
    """The time in UTC."""
    previous: str = ""
    hash: str = ""
