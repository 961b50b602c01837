"""Whatever checks an edit: pixels, seams, a detector; any model that sees pictures is a checker too."""

from countersight.audits.checkers.protocol import Checker
from countersight.errors import ModelError
from countersight.registry import Plug, Registry

CHECKERS: Registry[Checker] = Registry(
    "checker",
    {
        "pixels": Plug(
            "pixels",
            "counts what is drawn in our own scenes; in photographs, the colour and what is left under the mask",
            "countersight.audits.checkers.pixels:PixelChecker",
        ),
        "seams": Plug(
            "seams",
            "whether an edited photograph looks real: the rim of its mask, and the texture inside",
            "countersight.audits.checkers.seams:SeamChecker",
        ),
        "detector": Plug(
            "detector:PATH",
            "whether a detector still finds what was to go, and finds what was to come",
            "countersight.audits.checkers.detected:DetectorChecker",
        ),
    },
    ModelError,
)
"""Those that need no model which talks; any model that sees pictures is a checker too."""

ANY_VIEWER = {"MODEL": "any model that sees pictures; see: countersight list models"}
