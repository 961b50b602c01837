"""A small vision-language model that ships with the package and needs neither a key nor a download."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
