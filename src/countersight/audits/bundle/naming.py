"""Which files a bundle has: nothing else is sealed, so that nothing in it was never looked at."""

import re
from typing import Final

from countersight.audits.bundle.cases import CASES, DIFFERENCES, EXCLUSIONS
from countersight.audits.bundle.changes import CHANGES
from countersight.audits.bundle.dataset_sheet import DATASET_SHEET
from countersight.audits.bundle.limits import LIMITS
from countersight.audits.bundle.manifest import MANIFEST_SHEET
from countersight.audits.bundle.reviews import REVIEWED, REVIEWS
from countersight.audits.bundle.sessions import SESSIONS
from countersight.audits.bundle.sign_off import SIGN_OFF
from countersight.audits.calibration.sheet import CALIBRATION
from countersight.audits.calibration.taking import CALIBRATION_FOLDER, TAKEN
from countersight.audits.folder import MANIFEST, PICTURES, SUFFIXES
from countersight.audits.log import LOG
from countersight.audits.orders import ORDERS
from countersight.audits.people import LABELS
from countersight.audits.plan import PLAN, PLAN_SIGNATURE, VERDICT
from countersight.audits.scores import SCORES
from countersight.audits.selection import SELECTION

REPORT: Final = "report.html"
NAMES: Final = frozenset(
    (
        *(MANIFEST, LOG, SELECTION, SESSIONS, ORDERS, SCORES, MANIFEST_SHEET, DATASET_SHEET, CASES, EXCLUSIONS),
        *(LIMITS, SIGN_OFF, PLAN, PLAN_SIGNATURE, VERDICT, CHANGES, REVIEWS, REVIEWED, REPORT, CALIBRATION),
        *(f"{CALIBRATION_FOLDER}/{name}" for name in (*TAKEN, LABELS)),
    )
)
_PICTURE: Final = re.compile(
    rf"{PICTURES}/[0-9a-f]{{64}}\.(?:{'|'.join(SUFFIXES.values())})|{DIFFERENCES}/[0-9a-f]{{16}}-[0-9a-f]{{16}}\.png"
)


def belongs(name: str) -> bool:
    """Whether an audit writes files of this name."""
    return name in NAMES or _PICTURE.fullmatch(name) is not None
