from .statistics import DatasetStatistics as DatasetStatistics
from .statistics import describe as describe
from .statistics import write_svg as write_svg
from .tables import render as render
