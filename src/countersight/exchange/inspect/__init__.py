"""Inspect AI: runs and audits as its logs, datasets as its tasks, and its logs as runs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
