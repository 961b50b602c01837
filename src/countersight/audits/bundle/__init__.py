"""The bundle of an audit: everything that others need to follow, check and sign it, under one seal."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
