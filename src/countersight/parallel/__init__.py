"""Run work in parallel, in several processes or on several machines; the results do not depend on where it runs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
