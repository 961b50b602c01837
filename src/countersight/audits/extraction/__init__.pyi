from .registry import EXTRACTORS as EXTRACTORS
