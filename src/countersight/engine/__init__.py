"""The engine: asks all questions of a run, with a crash-safe journal, retries and adaptive concurrency."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
