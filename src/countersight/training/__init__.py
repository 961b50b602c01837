"""Train a matcher, the baseline of CoSIm: a transformer that scores each option (CoSIm, sections 6 to 8)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
