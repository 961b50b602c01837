"""Judges and editors as instruments: how often they are right where the right verdict is known, and what that means."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
