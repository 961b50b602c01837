from .calibrating import Options as Options
from .calibrating import calibrate as calibrate
from .on_people import calibrate_on_people as calibrate_on_people
from .taking import take_up as take_up
