"""Judges and editors as instruments: how often they are right where the right verdict is known, and what that means."""

from countersight.audit.calibration.correcting import Corrected, corrected
from countersight.audit.calibration.sheet import (
    CALIBRATION,
    PANEL,
    Calibration,
    EditorSheet,
    Instrument,
    JudgeSheet,
    Rate,
)

__all__ = [
    "CALIBRATION",
    "PANEL",
    "Calibration",
    "Corrected",
    "EditorSheet",
    "Instrument",
    "JudgeSheet",
    "Rate",
    "corrected",
]
