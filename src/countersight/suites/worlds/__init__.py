"""Suites of worlds with computed counterfactuals: supports, and discs on a table."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
