"""A small vision-language model that ships with the package and needs neither key nor download."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
