from .image_only_processor import load_image_only_processor as load_image_only_processor
from .loading import find_device as find_device
from .loading import find_folder as find_folder
from .loading import fingerprint as fingerprint
from .loading import loading_error as loading_error
from .loading import read_any_config as read_any_config
from .model import LocalModel as LocalModel
