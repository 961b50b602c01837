"""Work in several processes, or on several machines: what comes of it does not depend on where it was done."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
