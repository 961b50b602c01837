"""Checkers of edits, for whether they did what was requested and look real: pixels, a detector, any vision model."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
