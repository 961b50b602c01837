from .making import SIZE as SIZE
from .making import SUPPORTS as SUPPORTS
from .making import make_supports as make_supports
