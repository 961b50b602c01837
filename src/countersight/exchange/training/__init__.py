"""Files to fine-tune with: supervised, by preference, or with our reader as the reward."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
