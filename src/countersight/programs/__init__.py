"""Visual programs: written by a model for each question and run in a sandbox, with tools that look at the picture."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
