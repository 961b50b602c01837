"""Accuracy, drops, pairs and intervals, independent of how the answers were obtained."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
