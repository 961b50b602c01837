from .command import ask_dataset as ask_dataset
from .folder import LOCK as LOCK
from .folder import DatasetReference as DatasetReference
from .folder import RunFolder as RunFolder
from .folder import is_unused as is_unused
from .folder import locked as locked
from .folder import read_manifest as read_manifest
from .folder import reference as reference
