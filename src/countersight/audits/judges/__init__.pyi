from .protocol import ANY_MODEL as ANY_MODEL
from .protocol import JUDGES as JUDGES
from .protocol import Evidence as Evidence
from .protocol import Judge as Judge
