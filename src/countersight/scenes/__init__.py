"""Generated drawings: a scene is stored as data, edits change the data, and a picture is drawn from it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
