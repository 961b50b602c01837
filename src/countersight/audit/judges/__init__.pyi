from .protocol import Judge as Judge
from .registry import ANY_MODEL as ANY_MODEL
from .registry import JUDGES as JUDGES
