"""EDCT: is a model's explanation what its answer really hangs on? Edit what it cites, and ask again."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
