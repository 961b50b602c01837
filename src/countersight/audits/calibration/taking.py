"""A calibration taken up by an audit: its sheet and its log go into the audit's folder, so that others can check it."""

from pathlib import Path
from shlex import quote
from typing import Any, Final

import msgspec

from countersight.audits.calibration.sheet import CALIBRATION, Calibration, read_calibration
from countersight.audits.folder import MANIFEST, AuditFolder, digest_of
from countersight.audits.log import LOG
from countersight.audits.people import LABELS
from countersight.audits.records import Manifest
from countersight.errors import AuditError
from countersight.files import write_whole

CALIBRATION_FOLDER: Final = "calibration"
"""Where the log of a calibration lies in the folder of an audit."""
TAKEN: Final = (MANIFEST, LOG)
"""What every calibration has; one on people's labels has those too."""


NO_MEAN: Final = (
    "it counts how often a judge says yes or no, and a mean is neither; take --pool majority, or no calibration"
)


class Taken(msgspec.Struct, frozen=True):
    """The files of a calibration that an audit keeps, by their names in its folder."""

    files: dict[str, bytes]

    def write(self, audit: Path) -> None:
        """Put them into the folder of an audit."""
        for name, data in self.files.items():
            (audit / name).parent.mkdir(exist_ok=True)
            write_whole(audit / name, data)
        AuditFolder.open(audit).name_calibration(digest_of(self.files[CALIBRATION]))


def take_up(folder: Path, manifest: Manifest) -> Taken:
    """A calibration that fits an audit: the same judges, asked in the same way."""
    calibration = read_calibration(folder)
    if calibration is None:
        raise AuditError(
            f"{folder} holds no {CALIBRATION}; fill it with: countersight audit calibrate -o {quote(str(folder))}"
        )
    fault = unlike(calibration, manifest)
    if fault:
        raise AuditError(f"{folder} {fault}")
    log = {f"{CALIBRATION_FOLDER}/{name}": folder / name for name in (*TAKEN, LABELS)}
    return Taken(
        {CALIBRATION: (folder / CALIBRATION).read_bytes()}
        | {name: file.read_bytes() for name, file in log.items() if file.is_file()}
    )


def unlike(calibration: Calibration, manifest: Manifest) -> str:
    """Why a calibration says nothing about the judges of an audit; nothing where it fits."""
    if "mean" in (calibration.pool, manifest.pool):
        return f"is of no use where votes are pooled by their mean: {NO_MEAN}"
    for judge in manifest.judges:
        sheet = calibration.of(judge.name)
        if sheet is None:
            return f"has no sheet for the judge {judge.name}; calibrate it with the others"
        other = _differing(sheet.judge.settings | {"votes": sheet.votes}, judge.settings | {"votes": manifest.votes})
        if other:
            return f"calibrated {judge.name} with other settings or votes ({other}); calibrate again"
    if any(calibration.prompts.get(name) != manifest.prompts[name] for name in ("judge", "again")):
        return "was calibrated with other prompts for judges; calibrate again with these `prompts`"
    return ""


def _differing(there: dict[str, Any], here: dict[str, Any]) -> str:
    """The first setting that two judges of one name do not share."""
    names = sorted(name for name in there.keys() | here.keys() if there.get(name) != here.get(name))
    return f"{names[0]} {there.get(names[0])} there, {here.get(names[0])} here" if names else ""
