from .definitions import RUNGS as RUNGS
from .definitions import TASKS as TASKS
