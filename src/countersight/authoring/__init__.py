"""Build datasets of question pairs: written by a grammar or a language model, then checked (C-VQA, 3.1; CFMM, 3.3)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
