"""Whatever checks an edit, that it did what was asked and looks real: pixels, a detector, any model that sees."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
