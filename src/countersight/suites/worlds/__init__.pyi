from .making import SIZE as SIZE
from .making import make_causal as make_causal
from .making import make_discs as make_discs
from .making import make_supports as make_supports
from .suite import CAUSAL_NAME as CAUSAL_NAME
from .suite import DISCS_NAME as DISCS_NAME
from .suite import SUPPORTS_NAME as SUPPORTS_NAME
