"""The work of a campaign: claim, submit, withdraw, flag and qualify. All functions take a database connection."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
