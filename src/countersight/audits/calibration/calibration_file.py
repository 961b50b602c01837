"""calibration.json: the accuracy of judges as measured by `audit calibrate`, for audits by the same judges."""

from pathlib import Path
from shlex import quote
from typing import Any, Final

import msgspec

from countersight.audits.calibration.judge_accuracy import JudgeSheet
from countersight.audits.folder import AuditFolder, digest_of
from countersight.audits.manifest import Manifest
from countersight.audits.records import decode_record, encode_record
from countersight.errors import AuditError
from countersight.files import write_whole
from countersight.scoring import AltTest
from countersight.scoring import CorrectedMean as PredictionPowered

CALIBRATION: Final = "calibration.json"
DRAWINGS = "constructed from generated drawings (flowers, polygons, circles, dots)"
"""The default `domain` of a calibration."""


class PeopleSheet(msgspec.Struct, frozen=True):
    """One judge compared with the people who labelled the same tests, for PCS, NCC or CCS."""

    judge: str
    measure: str
    n: int
    """The number of tests decided by both the judge and people."""
    agreement: float | None
    """The share of these tests on which the judge agrees with most people."""
    kappa: float | None
    alt: AltTest
    """The alt-test: whether the judge can replace a person (arXiv 2501.10970)."""
    corrected: PredictionPowered | None
    """The mean over all tests of the audit, corrected for the judge's errors with people's labels of some of them."""


class Calibration(msgspec.Struct, frozen=True):
    """calibration.json: the accuracy of judges as measured by `audit calibrate`."""

    judges: tuple[JudgeSheet, ...]
    """The accuracy of each judge; if there are several, the last entry is the whole panel."""
    size: int
    seed: int
    prompts: dict[str, Any]
    countersight: str
    domain: str = ""
    """A description of the tests; DRAWINGS if empty."""
    people: tuple[PeopleSheet, ...] = ()
    """Each judge compared with people, if the judges were calibrated on people's labels."""

    def of(self, judge: str) -> JudgeSheet | None:
        """Return the accuracy of a judge, or None."""
        return next((sheet for sheet in self.judges if sheet.judge.name == judge), None)


def read_calibration(folder: Path) -> Calibration | None:
    """Return the calibration in a folder, or None if there is none; raises AuditError if it is damaged."""
    file = folder / CALIBRATION
    return decode_record(file.read_bytes(), Calibration, file) if file.is_file() else None


def write_calibration(folder: Path, calibration: Calibration) -> None:
    """Write calibration.json."""
    write_whole(folder / CALIBRATION, encode_record(calibration))


def copy_calibration(folder: Path, audit: Path) -> None:
    """Copy a checked calibration into the folder of an audit, and name it in audit.json."""
    data = (folder / CALIBRATION).read_bytes()
    write_whole(audit / CALIBRATION, data)
    AuditFolder.open(audit).name_calibration(digest_of(data))


def check_calibration(folder: Path, manifest: Manifest) -> None:
    """Raise AuditError unless the folder has a calibration of these judges with the same settings."""
    calibration = read_calibration(folder)
    if calibration is None:
        raise AuditError(
            f"{folder} contains no {CALIBRATION}; create it with: countersight audit calibrate -o {quote(str(folder))}"
        )
    if fault := misfit(calibration, manifest):
        raise AuditError(f"{folder} {fault}")


def misfit(calibration: Calibration, manifest: Manifest) -> str:
    """Return why a calibration does not apply to the judges of an audit; "" if it does."""
    for judge in manifest.judges:
        sheet = calibration.of(judge.name)
        if sheet is None:
            return f"does not include the judge {judge.name}; calibrate again with all judges"
        other = _differing(sheet.judge.settings | {"votes": sheet.votes}, judge.settings | {"votes": manifest.votes})
        if other:
            return f"calibrated {judge.name} with other settings or votes ({other}); calibrate again"
    if any(calibration.prompts.get(name) != manifest.prompts[name] for name in ("judge", "again")):
        return "was calibrated with other prompts for judges; calibrate again with these `prompts`"
    return ""


def _differing(there: dict[str, Any], here: dict[str, Any]) -> str:
    """Describe the first setting that differs between two judges with the same name."""
    names = sorted(name for name in there.keys() | here.keys() if there.get(name) != here.get(name))
    return f"{names[0]} {there.get(names[0])} there, {here.get(names[0])} here" if names else ""
