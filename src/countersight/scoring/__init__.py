"""Accuracy, drops, pairs and intervals. Knows nothing of how an answer was got."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
