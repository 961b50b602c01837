"""The kit of all pages: documents, tables in every format, SVG sheets, words; knows neither runs nor audits."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
