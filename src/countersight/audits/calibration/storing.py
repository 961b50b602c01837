"""The files of a calibration: read, written, checked and copied into the folder of an audit."""

from pathlib import Path
from shlex import quote
from typing import Any, Final

import msgspec

from countersight.audits.calibration.sheet import Calibration
from countersight.audits.folder import MANIFEST, AuditFolder, digest_of
from countersight.audits.log import LOG
from countersight.audits.records import Manifest, decode_record
from countersight.errors import AuditError
from countersight.files import write_whole

CALIBRATION = "calibration.json"
LABELS = "labels.jsonl"
CALIBRATION_FOLDER: Final = "calibration"
"""The folder of a calibration's log inside an audit's folder."""
TAKEN: Final[tuple[str, ...]] = (MANIFEST, LOG)
"""The files of every calibration; one on people's labels has more."""
NO_MEAN: Final = (
    "a calibration counts yes and no verdicts, and a mean is neither; use --pool majority, or leave out the calibration"
)


def read_calibration(folder: Path) -> Calibration | None:
    """Return the calibration in a folder, or None; raises AuditError if it is damaged."""
    file = folder / CALIBRATION
    return decode_record(file.read_bytes(), Calibration, file) if file.is_file() else None


def write_calibration(folder: Path, calibration: Calibration) -> None:
    """Write calibration.json."""
    write_whole(folder / CALIBRATION, msgspec.json.format(msgspec.json.encode(calibration), indent=1) + b"\n")


def copy_calibration(folder: Path, audit: Path) -> None:
    """Copy a checked calibration into the folder of an audit, and name it in audit.json."""
    for name in (*TAKEN, LABELS):
        if (folder / name).is_file():
            (audit / CALIBRATION_FOLDER).mkdir(exist_ok=True)
            write_whole(audit / CALIBRATION_FOLDER / name, (folder / name).read_bytes())
    data = (folder / CALIBRATION).read_bytes()
    write_whole(audit / CALIBRATION, data)
    AuditFolder.open(audit).name_calibration(digest_of(data))


def check_calibration(folder: Path, manifest: Manifest) -> None:
    """Raise AuditError if a folder has no calibration of an audit's judges with their settings."""
    calibration = read_calibration(folder)
    if calibration is None:
        raise AuditError(
            f"{folder} contains no {CALIBRATION}; create it with: countersight audit calibrate -o {quote(str(folder))}"
        )
    if fault := misfit(calibration, manifest):
        raise AuditError(f"{folder} {fault}")


def misfit(calibration: Calibration, manifest: Manifest) -> str:
    """Return why a calibration does not apply to the judges of an audit; "" if it does."""
    if "mean" in (calibration.pool, manifest.pool):
        return f"cannot be used if votes are pooled by their mean: {NO_MEAN}"
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
