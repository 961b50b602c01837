from .detections_model import open_detections_model as open_detections_model
from .limits import FailureKind as FailureKind
from .model import open_programs as open_programs
