"""lmms-eval: datasets as its tasks, with our reader and our figures, and its samples as runs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
