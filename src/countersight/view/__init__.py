"""Runs and audits in the browser, live: the report's own page, served over folders that change."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
