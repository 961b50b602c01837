from .effects import CaseParts as CaseParts
from .effects import as_grid as as_grid
from .effects import by_kind as by_kind
from .effects import read_effects as read_effects
from .effects import write_page as write_page
from .variants import make_variants as make_variants
