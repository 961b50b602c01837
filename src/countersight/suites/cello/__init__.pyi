from .files import NAME as NAME
from .making import PER_TASK as PER_TASK
from .making import SIZE as SIZE
