from .showing import render as render
from .showing import write_svg as write_svg
from .statistics import Statistics as Statistics
from .statistics import describe as describe
