"""How good the instruments of an audit are: judges and editors on scenes whose right verdict is known."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from countersight.audits.records import Actor
from countersight.errors import AuditError
from countersight.scoring import AltTest, share_interval
from countersight.scoring import Corrected as PredictionPowered

CALIBRATION = "calibration.json"
DRAWINGS = "made on purpose, of our own drawings (flowers, polygons, circles, dots)"
"""What judges are calibrated on unless something else is said."""
Domain = Literal["drawings", "worlds", "photographs"]
DOMAINS: Final[dict[Domain, str]] = {
    "drawings": DRAWINGS,
    "worlds": "made on purpose, of our own worlds (supports and discs)",
    "photographs": "made on purpose, of photographs with stickers of ours on them (removed or recoloured)",
}
"""What tests can be made of, in words."""
PANEL = "panel"
"""The name of all judges together."""


class Rate(msgspec.Struct, frozen=True):
    """A share of known cases, with its 95% exact binomial interval."""

    right: int
    n: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """Right of all; of none, a coin."""
        return self.right / self.n if self.n else 0.5


def rate(right: int, n: int) -> Rate:
    """A share with its interval."""
    interval = share_interval(right, n)
    return Rate(right, n, interval.low, interval.high)


class Instrument(msgspec.Struct, frozen=True):
    """What something that says yes or no is worth."""

    sensitivity: Rate
    """Of those where yes is right, how many it says yes to (q1)."""
    specificity: Rate
    """Of those where no is right, how many it says no to (q0)."""
    abstained: int
    """Neither; counted in neither share."""
    tied: int = 0
    """Of these, half a yes: an audit counts it as half, and so the two shares do not tell what its scores are worth."""


def instrument(verdicts: Iterable[tuple[float | None, int]]) -> Instrument:
    """What verdicts are worth, each given with the right one. Half a yes is an abstention."""
    table = {(said, right): 0 for said in (0, 1) for right in (0, 1)}
    abstained = tied = 0
    for said, right in verdicts:
        if said is None or said == 0.5:
            abstained += 1
            tied += said == 0.5
        else:
            table[int(said > 0.5), right] += 1
    return Instrument(
        rate(table[1, 1], table[1, 1] + table[0, 1]), rate(table[0, 0], table[0, 0] + table[1, 0]), abstained, tied
    )


class JudgeSheet(msgspec.Struct, frozen=True):
    """One judge, or the whole panel, on tests whose right verdict is known."""

    judge: Actor
    votes: int
    pcs: Instrument
    ncc: Instrument
    ccs: Instrument
    by_kind: dict[str, Rate]
    """Both verdicts right, by what was made on purpose."""
    hostile: Rate
    """Both verdicts right, where the words of the model try to give themselves a score."""
    honest: Rate
    """Both verdicts right elsewhere."""


class EditorSheet(msgspec.Struct, frozen=True):
    """One editor on scenes where the right edit is known, and the rule by which bad edits are left out."""

    editor: Actor
    n: int
    """Edits asked for."""
    pictures: int
    """Pictures it gave."""
    good: int
    """Of these, good by the rule."""
    done: Rate
    """Of those that can be told, edits after which the scene is what was asked for, as seen in the pixels."""
    reasons: dict[str, int]
    """Why there was no picture, or why it was bad."""
    gate: Instrument
    """The rule itself: yes to right edits, no to edits that failed on purpose."""
    gate_by_kind: dict[str, Rate]


class PeopleSheet(msgspec.Struct, frozen=True):
    """One judge beside the people who labelled the same tests, for PCS, NCC or CCS."""

    judge: str
    measure: str
    n: int
    """Tests that the judge and people decided."""
    agreement: float | None
    """Share of them on which the judge says what most people say."""
    kappa: float | None
    alt: AltTest
    """Whether the judge may stand in for a person (arXiv 2501.10970)."""
    corrected: PredictionPowered | None
    """The mean over all tests of the audit, the judge's mistakes taken out by people's labels of some of them."""


class Calibration(msgspec.Struct, frozen=True):
    """calibration.json: the sheets of an `audit calibrate`."""

    judges: tuple[JudgeSheet, ...]
    """The last is the whole panel, where there is more than one."""
    editor: EditorSheet | None
    size: int
    seed: int
    pool: str
    prompts: dict[str, Any]
    countersight: str
    domain: str = ""
    """What the tests are of, in words; DRAWINGS where nothing stands."""
    people: tuple[PeopleSheet, ...] = ()
    """Each judge beside people, where people's labels are what it was calibrated on."""

    def of(self, judge: str) -> JudgeSheet | None:
        """The sheet of a judge."""
        return next((sheet for sheet in self.judges if sheet.judge.name == judge), None)


def domain_of(calibration: Calibration) -> Domain | None:
    """What the tests of a calibration are of; None where nobody makes such tests."""
    words = calibration.domain or DRAWINGS
    return next((domain for domain, called in DOMAINS.items() if called == words), None)


def read_calibration(folder: Path) -> Calibration | None:
    """The calibration in a folder, or None where there is none; a damaged one is an error."""
    file = folder / CALIBRATION
    if not file.is_file():
        return None
    try:
        return msgspec.json.decode(file.read_bytes(), type=Calibration)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise AuditError(f"{file} is damaged: {error}") from None
