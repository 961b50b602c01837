"""Was the edit good? What changed inside the mask and outside it, once the edited picture lies over the original."""

from countersight.editing.quality.measuring import Perceived, PerceptualDistance, measure
from countersight.editing.quality.record import RULE, EditQuality, Rule

__all__ = ["RULE", "EditQuality", "Perceived", "PerceptualDistance", "Rule", "measure"]
