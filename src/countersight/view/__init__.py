"""Runs and audits in the browser while they are being made; of any size, since a page holds only what it shows."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
