"""Benchmarks: one module a suite, with its file formats and how its cases are made.

This table is read by `countersight --help`, so it is plain text: a suite's module is imported when it is used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
