from .calibrating import CalibrationOptions as CalibrationOptions
from .calibrating import calibrate as calibrate
from .calibrating import take_up as take_up
from .on_people import calibrate_on_people as calibrate_on_people
from .photographs import PhotographGate as PhotographGate
from .photographs import gate_photographs as gate_photographs
from .photographs import write_gate as write_gate
