"""Leaderboards: measured and reported rows of every suite on one sortable page."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
