"""Runs: one model asked one dataset in one way, in a folder that can be killed at any instant and resumed."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
