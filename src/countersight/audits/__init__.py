"""EDCT: test whether a model's explanation matches what its answer depends on, by editing the cited concepts."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
