"""The public functions of Countersight. They take objects, paths or names, and return objects.

They print nothing and set no signal handlers, so they work in scripts, threads and notebooks.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
