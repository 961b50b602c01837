"""C-VQA: the published suites C-VQA-Real and C-VQA-Synthetic, and a generator of new cases for C-VQA-Synthetic."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
