"""Measured and reported rows of every suite on one page that can be sorted."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
