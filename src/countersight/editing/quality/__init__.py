"""Was the edit good? What changed inside the mask and outside it, once the edited picture lies over the original."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
