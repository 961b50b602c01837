"""Inspect AI: export runs and audits as logs and datasets as tasks, and import logs as runs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
