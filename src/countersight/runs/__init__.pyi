from .asking import Way as Way
from .asking import ask_dataset as ask_dataset
from .folder import MANIFEST as MANIFEST
from .folder import DatasetReference as DatasetReference
from .folder import RunFolder as RunFolder
from .folder import reference as reference
