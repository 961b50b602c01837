"""View runs and audits live in the browser: the report's own page, for folders that change."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
