from .calibrating import calibrate as calibrate
from .people import calibrate_on_people as calibrate_on_people
from .sheets import check_calibration as check_calibration
from .sheets import copy_calibration as copy_calibration
