from .panel import HALVES as HALVES
from .panel import Pool as Pool
from .protocol import Evidence as Evidence
from .protocol import Judge as Judge
from .protocol import Judged as Judged
from .registry import ANY_MODEL as ANY_MODEL
from .registry import JUDGES as JUDGES
