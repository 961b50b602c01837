"""Benchmarks: one module per suite, which defines its file formats and how its cases are made.

Names are loaded lazily, so that `countersight --help` stays fast: a suite's module is imported on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
