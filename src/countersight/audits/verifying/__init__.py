"""Verify a bundle: whether it is unchanged, whether everything follows from its log, and who signed it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
