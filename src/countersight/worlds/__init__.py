"""Small physical worlds whose changes are computed exactly: things that support each other, and discs on a table."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
