from .command import Options as Options
from .command import calibrate as calibrate
