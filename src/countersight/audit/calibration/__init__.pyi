from .calibrating import Options as Options
from .calibrating import calibrate as calibrate
