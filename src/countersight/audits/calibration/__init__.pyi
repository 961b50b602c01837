from .calibrating import CalibrationOptions as CalibrationOptions
from .calibrating import calibrate as calibrate
from .calibrating import check_calibration as check_calibration
from .calibrating import copy_calibration as copy_calibration
from .on_people import calibrate_on_people as calibrate_on_people
