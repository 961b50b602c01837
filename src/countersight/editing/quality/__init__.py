"""Measure the quality of an edit: the changes inside and outside the mask, after aligning it with the original."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
