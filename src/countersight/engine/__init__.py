"""Work that survives being killed: journal, retries, the adaptive limit, tally and display."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
