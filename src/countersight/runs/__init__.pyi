from .asking import Way as Way
from .asking import ask_dataset as ask_dataset
from .fates import ReadReply as ReadReply
from .fates import fate_of as fate_of
from .folder import MANIFEST as MANIFEST
from .folder import DatasetReference as DatasetReference
from .folder import RunFolder as RunFolder
from .folder import reference as reference
