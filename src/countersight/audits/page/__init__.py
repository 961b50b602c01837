"""Pages and tables of audits: a page for each audit, and tables that compare several."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
