"""Shared tools for pages: HTML documents, tables in every format, galleries, and safe display of untrusted text."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
