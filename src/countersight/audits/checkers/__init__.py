"""Checkers decide whether an edit did what was requested and looks real: by pixels, a detector, or a vision model."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
