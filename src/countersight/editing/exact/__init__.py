"""Edit generated scenes exactly: the instruction changes the scene data, and the picture is redrawn."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
