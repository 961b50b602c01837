"""Object detection in photographs: the supported models, class names, and boxes."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
