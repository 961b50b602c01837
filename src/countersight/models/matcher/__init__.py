"""CoSIm's matcher: scores how well each response fits a question, a change and a picture (CoSIm 6)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
