from .asked import RUNGS as RUNGS
from .asked import TASKS as TASKS
