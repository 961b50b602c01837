"""Collect data from people: a campaign is a folder, its pages run in a browser, and its export is a dataset or run."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
