"""Shared tools for HTML pages: documents, tables in every format, SVG figures and untrusted text."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
