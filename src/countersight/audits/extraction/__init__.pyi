from .protocol import EXTRACTORS as EXTRACTORS
