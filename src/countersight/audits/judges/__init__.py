"""Judges of tests: by ground truth if it is known, by rules if the text is sufficient, or by a language model."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
