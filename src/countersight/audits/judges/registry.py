"""Whatever judges a test: the truth where it is known, rules where words decide, or any language model."""

from countersight.audits.judges.protocol import Judge
from countersight.errors import ModelError
from countersight.registry import Plug, Registry

JUDGES: Registry[Judge] = Registry(
    "judge",
    {
        "exact": Plug(
            "exact",
            "our own scenes: do answer and explanation move as the scene moved?",
            "countersight.audits.judges.exact:ExactJudge",
        ),
        "rules": Plug(
            "rules",
            "what the words alone decide; abstains elsewhere",
            "countersight.audits.judges.rules:RuleJudge",
        ),
    },
    ModelError,
)
"""Those that need no language model; any model that reads text is a judge too."""

ANY_MODEL = {"MODEL": "any model that reads text; see: countersight list models"}
