"""Ablation of changes: leave out each part of a change, and each pair, to see which ones matter (CoSIm, Figure 8)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
