"""Extractors, which find the concepts of an explanation: rules for our scenes, or any language model."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
