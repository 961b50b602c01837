"""Visual programs: a model writes a program for each question, which runs in a sandbox with tools to inspect the
picture."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
