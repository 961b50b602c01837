from .calibrating import calibrate as calibrate
from .calibration_file import check_calibration as check_calibration
from .calibration_file import copy_calibration as copy_calibration
from .people import calibrate_on_people as calibrate_on_people
