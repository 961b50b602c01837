from .lpips import read_lpips as read_lpips
from .measuring import RULE as RULE
from .measuring import EditQuality as EditQuality
from .measuring import PerceptualDistance as PerceptualDistance
from .measuring import measure as measure
from .measuring import measure_edit as measure_edit
from .seams import Seams as Seams
from .seams import seams_of as seams_of
