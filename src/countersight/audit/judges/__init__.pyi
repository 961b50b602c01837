from .registry import ANY_MODEL as ANY_MODEL
from .registry import JUDGES as JUDGES
