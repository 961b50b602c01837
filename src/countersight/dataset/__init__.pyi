from .card import Section as Section
from .card import size_category as size_category
from .folder import BadRow as BadRow
from .folder import Dataset as Dataset
from .folder import DatasetWriter as DatasetWriter
from .folder import picture_digest as picture_digest
