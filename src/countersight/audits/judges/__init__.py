"""Whatever judges a test: the truth where it is known, rules where words decide, or any language model."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
