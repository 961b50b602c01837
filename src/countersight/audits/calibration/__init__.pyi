from .calibrating import calibrate as calibrate
from .on_people import calibrate_on_people as calibrate_on_people
from .sheet import check_calibration as check_calibration
from .sheet import copy_calibration as copy_calibration
