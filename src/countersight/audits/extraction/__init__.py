"""Extractors find the concepts that an explanation cites: with rules, or with any language model."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
