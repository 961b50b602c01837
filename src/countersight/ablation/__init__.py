"""Which part of a change mattered: each left out in turn, and in pairs (CoSIm, Figure 8)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
