from .statistics import DESCRIBED as DESCRIBED
from .statistics import SUITE as SUITE
from .statistics import CelloStatistics as CelloStatistics
from .statistics import CelloTally as CelloTally
