from .parts import CaseParts as CaseParts
from .parts import as_grid as as_grid
from .parts import by_kind as by_kind
from .parts import make_variants as make_variants
from .parts import read_effects as read_effects
from .parts import write_page as write_page
