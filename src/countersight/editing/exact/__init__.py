"""Exact edits of our own scenes: the instruction becomes a change of the scene, which is drawn again."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
